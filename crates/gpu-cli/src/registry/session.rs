//! Asking about one repository: what the registry wants to see is found out once and shown from then on.

use std::rc::Rc;

use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use secrecy::{ExposeSecret, SecretString};
use tokio::sync::Mutex;

use super::answer::Answer;
use super::challenge::Challenge;
use super::client::Client;
use super::config::Credential;
use super::failure::Failure;
use super::host::{Ask, Host};
use super::keychain::Found;
use super::patience::Patience;
use super::place::Place;
use super::token::{self, Service};
use super::transport::basic;

/// How often one question is put with something else to show.
const MOST_PASSES: usize = 8;

/// What is shown to the registry.
#[derive(Clone)]
enum Pass {
    /// Nothing: what is tried first.
    None,
    Shown(HeaderValue),
    /// It takes nothing we have; asking again would only count as one more wrong password.
    Refused(Failure),
}

struct State {
    pass: Pass,
    /// Counts the passes, so that of several who were sent away only the first gets a new one.
    count: u32,
    /// Did the present one ever open?
    opened: bool,
    /// What we may show, once we had to look.
    found: Option<Found>,
    /// Which of it is next.
    at: usize,
}

/// One repository of one registry.
pub(super) struct Session {
    pub(super) place: Place,
    pub(super) host: Rc<Host>,
    state: Mutex<State>,
}

impl Session {
    pub(super) fn new(place: Place, host: Rc<Host>) -> Self {
        Self {
            place,
            host,
            state: Mutex::new(State {
                pass: Pass::None,
                count: 0,
                opened: false,
                found: None,
                at: 0,
            }),
        }
    }

    /// Asks for a path; `Denied` if the registry sends us away whatever we show.
    pub(super) async fn ask(
        &self,
        client: &Client,
        method: &Method,
        path: &str,
        accept: &str,
        patience: Patience,
    ) -> Result<Answer, Failure> {
        let ask = |pass: &Pass| {
            let mut headers = HeaderMap::new();
            if let Ok(it) = HeaderValue::from_str(accept) {
                headers.insert(header::ACCEPT, it);
            }
            if let Pass::Shown(it) = pass {
                headers.insert(header::AUTHORIZATION, it.clone());
            }
            Ask {
                method: method.clone(),
                path: path.to_owned(),
                headers,
                body: String::new(),
            }
        };
        let mut state = self.state.lock().await;
        for _ in 0..MOST_PASSES {
            if let Pass::Refused(why) = &state.pass {
                return Err(why.clone());
            }
            let (request, count) = (ask(&state.pass), state.count);
            let answer = if state.opened {
                drop(state);
                let answer = self
                    .host
                    .send(&client.transport, &request, patience)
                    .await?;
                state = self.state.lock().await;
                answer
            } else {
                // One tries, and the others wait for what comes of it.
                self.host
                    .send(&client.transport, &request, patience)
                    .await?
            };
            let is_current = count == state.count;
            if answer.status != StatusCode::UNAUTHORIZED {
                state.opened |= is_current;
                return Ok(answer);
            }
            if is_current {
                self.renew(client, &mut state, &answer, patience).await?;
            }
        }
        let registry = &self.place.registry;
        let why = format!("{registry} takes none of its own tokens for {path}");
        Err(Failure::Denied(why))
    }

    /// Gets another pass after a 401, or notes that there is none.
    async fn renew(
        &self,
        client: &Client,
        state: &mut State,
        answer: &Answer,
        patience: Patience,
    ) -> Result<(), Failure> {
        let words = answer.words(&client.transport.veil);
        if state.found.is_none() {
            state.found = Some(client.keychain.find(&self.place).await);
        } else if !state.opened {
            state.at += 1;
        }
        let opened = std::mem::take(&mut state.opened);
        let was_shown = matches!(state.pass, Pass::Shown(_));
        state.count += 1;
        state.pass = match Challenge::of(&answer.headers) {
            // What was taken before and is not now will not be taken the next time.
            Some(Challenge::Basic) if opened && was_shown => self.refused(state, &words),
            Some(Challenge::Basic) => self.next_login(state, &words),
            Some(Challenge::Bearer {
                realm,
                service,
                scope,
            }) => {
                let own = format!("repository:{}:pull", self.place.repository);
                let plain = self
                    .host
                    .address("/")
                    .is_ok_and(|it| it.scheme_str() == Some("http"));
                let service = Service {
                    realm: &realm,
                    service: &service,
                    scope: if scope.is_empty() { &own } else { &scope },
                    plain,
                };
                self.next_token(client, state, &service, &words, patience)
                    .await?
            }
            None => self.refused(state, &words),
        };
        Ok(())
    }

    /// The next user and password.
    fn next_login(&self, state: &mut State, words: &str) -> Pass {
        let all = state.found.iter().flat_map(|it| &it.credentials);
        for (skipped, (_, credential)) in all.skip(state.at).enumerate() {
            if let Credential::Login { user, password } = credential
                && let Some(it) = basic(user, password.expose_secret())
            {
                state.at += skipped;
                return Pass::Shown(it);
            }
        }
        self.refused(state, words)
    }

    /// A token for the next credential that gets one; anonymously where there are no credentials.
    async fn next_token(
        &self,
        client: &Client,
        state: &mut State,
        service: &Service<'_>,
        words: &str,
        patience: Patience,
    ) -> Result<Pass, Failure> {
        let n_credentials = state.found.as_ref().map_or(0, |it| it.credentials.len());
        let mut said = words.to_owned();
        while state.at < n_credentials.max(1) {
            let found = state.found.as_ref();
            let credential = found
                .and_then(|it| it.credentials.get(state.at))
                .map(|it| &it.1);
            match token::fetch(client, service, credential, patience).await {
                Ok(it) => match bearer(&it) {
                    Some(it) => return Ok(Pass::Shown(it)),
                    None => said = "its token cannot be sent back".to_owned(),
                },
                Err(Failure::Denied(why)) => said = why,
                Err(other) => return Err(other),
            }
            state.at += 1;
        }
        Ok(self.refused(state, &said))
    }

    /// Says what was shown in vain: where it stands, never what it is.
    fn refused(&self, state: &State, words: &str) -> Pass {
        let (mut shown, mut trouble) = (Vec::new(), Vec::new());
        if let Some(it) = &state.found {
            shown.extend(it.credentials.iter().map(|it| it.0.as_str()));
            trouble.extend(it.trouble.iter().map(String::as_str));
        }
        shown.dedup();
        let with = match shown.as_slice() {
            [] => "asked anonymously, no credentials found".to_owned(),
            all => format!("with the credentials of {}", all.join(" and ")),
        };
        let trouble = match trouble.as_slice() {
            [] => String::new(),
            all => format!("; {}", all.join("; ")),
        };
        let registry = &self.place.registry;
        Pass::Refused(Failure::Denied(format!(
            "{registry}: {words}, {with}{trouble}"
        )))
    }
}

fn bearer(token: &SecretString) -> Option<HeaderValue> {
    let mut value = HeaderValue::try_from(format!("Bearer {}", token.expose_secret())).ok()?;
    value.set_sensitive(true);
    Some(value)
}
