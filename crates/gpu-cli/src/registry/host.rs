//! One registry, or its token service: found with TLS or without, left alone as long as it asks, given up when dead.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use http::{HeaderMap, Method, Request, StatusCode, Uri, header};
use tokio::time::{Instant, sleep, sleep_until};

use super::answer::Answer;
use super::failure::{Failure, How, Lost};
use super::patience::Patience;
use super::place::is_loopback;
use super::transport::{Transport, shown, shown_host};

/// How often one request is tried at most.
const TRIES: u32 = 6;
/// How far a request is sent from place to place.
const REDIRECTS: usize = 5;
/// The pause before a request that broke off is tried a second time.
const BREATH: Duration = Duration::from_millis(200);

/// One host and what we have learned of it.
pub(super) struct Host {
    /// Host and port as in an address.
    name: String,
    plain_allowed: bool,
    scheme: Cell<Option<&'static str>>,
    paused_until: Cell<Option<Instant>>,
    dead: RefCell<Option<Failure>>,
}

/// A request to a host.
#[derive(Debug)]
pub(super) struct Ask {
    pub(super) method: Method,
    pub(super) path: String,
    pub(super) headers: HeaderMap,
    pub(super) body: String,
}

impl Host {
    /// A host nobody has spoken to. Without a scheme, it is HTTPS, and HTTP where that is allowed and there is no TLS.
    pub(super) fn new(name: &str, scheme: Option<&'static str>, insecure: bool) -> Self {
        Self {
            name: name.to_owned(),
            plain_allowed: insecure || is_loopback(name),
            scheme: Cell::new(scheme),
            paused_until: Cell::default(),
            dead: RefCell::default(),
        }
    }

    /// May it be spoken to without TLS?
    pub(super) fn plain_allowed(&self) -> bool {
        self.plain_allowed
    }

    /// Why nobody needs to try again, if so.
    pub(super) fn dead(&self) -> Option<Failure> {
        self.dead.borrow().clone()
    }

    /// Nothing more is asked of it.
    pub(super) fn give_up(&self, why: &Failure) {
        self.dead.borrow_mut().get_or_insert_with(|| why.clone());
    }

    /// Where a path of this host is, as far as is known.
    pub(super) fn address(&self, path: &str) -> Result<Uri, Failure> {
        let scheme = self.scheme.get().unwrap_or("https");
        address(scheme, &self.name, path).map_err(Failure::Unreachable)
    }

    /// Sends a request until there is an answer that is not "later": waits as told, within our patience.
    pub(super) async fn send(
        &self,
        transport: &Transport,
        ask: &Ask,
        patience: Patience,
    ) -> Result<Answer, Failure> {
        let mut tries = 1;
        loop {
            while let Some(until) = self.paused_until.get().filter(|it| *it > Instant::now()) {
                if !patience.allows(until) {
                    let seconds = until.duration_since(Instant::now()).as_secs() + 1;
                    let why = format!("{} asks to wait {seconds} s more", self.name);
                    return Err(Failure::Throttled(why));
                }
                sleep_until(until).await;
            }
            match self.find(transport, ask).await {
                Ok(answer) => match self.pause(&answer, tries) {
                    None => return Ok(answer),
                    Some(pause) => self.rest(transport, &answer, pause, tries, patience)?,
                },
                Err(it) if it.how == How::Broken && tries == 1 => sleep(BREATH).await,
                Err(it) => {
                    let how = it.how;
                    let failure = Failure::from(it);
                    if how != How::Broken {
                        self.give_up(&failure);
                    }
                    return Err(failure);
                }
            }
            tries += 1;
        }
    }

    /// Does this answer ask for a pause, and for how long?
    fn pause(&self, answer: &Answer, tries: u32) -> Option<Duration> {
        let told = answer.retry_after();
        let usual = Duration::from_secs(1 << tries.min(5).saturating_sub(1));
        match answer.status {
            StatusCode::TOO_MANY_REQUESTS => Some(told.unwrap_or(usual)),
            StatusCode::SERVICE_UNAVAILABLE => told,
            _ => None,
        }
    }

    /// Keeps everybody from this host for a while, or says that it takes too long.
    fn rest(
        &self,
        transport: &Transport,
        answer: &Answer,
        pause: Duration,
        tries: u32,
        patience: Patience,
    ) -> Result<(), Failure> {
        let until = Instant::now().checked_add(pause);
        if let Some(until) = until.filter(|it| patience.allows(*it) && tries < TRIES) {
            self.paused_until
                .set(self.paused_until.get().max(Some(until)));
            return Ok(());
        }
        let words = answer.words(&transport.veil);
        let seconds = pause.as_secs();
        let why = format!("{}: {words}; it asks to wait {seconds} s", self.name);
        if answer.status == StatusCode::SERVICE_UNAVAILABLE {
            return Err(Failure::Unreachable(why));
        }
        Err(Failure::Throttled(why))
    }

    /// By the scheme that is known, or by trying.
    async fn find(&self, transport: &Transport, ask: &Ask) -> Result<Answer, Lost> {
        if let Some(scheme) = self.scheme.get() {
            return self.follow(transport, ask, scheme).await;
        }
        let first = self.follow(transport, ask, "https").await;
        let maybe_plain = |it: &Lost| match it.how {
            How::NotTls | How::Broken => true,
            // What has no port named may listen on 80 alone.
            How::NoConnection => !self.name.contains(':'),
            How::Untrusted => false,
        };
        let scheme = match &first {
            Err(it) if self.plain_allowed && maybe_plain(it) => "http",
            Err(_) => return first,
            Ok(_) => "https",
        };
        if scheme == "https" {
            self.scheme.set(Some(scheme));
            return first;
        }
        let second = self.follow(transport, ask, scheme).await;
        match (&first, &second) {
            // Both are lost: the first says more, unless it only said that there is no TLS.
            (Err(it), Err(_)) if it.how == How::NoConnection => first,
            (_, Err(_)) => second,
            (_, Ok(_)) => {
                self.scheme.set(Some(scheme));
                second
            }
        }
    }

    /// Goes where the host sends us; credentials stay with the host they are for.
    async fn follow(&self, transport: &Transport, ask: &Ask, scheme: &str) -> Result<Answer, Lost> {
        let broken = |why: String| Lost {
            how: How::Broken,
            why,
        };
        let mut url = address(scheme, &self.name, &ask.path).map_err(broken)?;
        let mut headers = ask.headers.clone();
        for n_sent in 0..=REDIRECTS {
            let mut request = Request::new(ask.body.clone());
            *request.method_mut() = ask.method.clone();
            *request.uri_mut() = url.clone();
            *request.headers_mut() = headers.clone();
            // What breaks further on says nothing of this host.
            let answer = transport
                .exchange(request)
                .await
                .map_err(|it| match it.how {
                    How::NotTls | How::NoConnection if n_sent > 0 => broken(it.why),
                    _ => it,
                })?;
            let is_safe = [Method::GET, Method::HEAD].contains(&ask.method);
            let sent = answer.status.is_redirection() && is_safe;
            let Some(target) = answer.header(&header::LOCATION).filter(|_| sent) else {
                return Ok(answer);
            };
            let next = resolve(target, &url)
                .ok_or_else(|| broken(format!("{} sends us nowhere", shown(&url))))?;
            let (from, to) = (url.scheme_str(), next.scheme_str());
            let plain = to == Some("http") && from != to;
            if plain && !(self.plain_allowed && is_loopback(&shown_host(&next))) {
                let why = format!("{} sends us on without TLS", shown(&url));
                return Err(broken(why));
            }
            if next.authority() != url.authority() || from != to {
                headers.remove(header::AUTHORIZATION);
            }
            url = next;
        }
        let why = format!("{} sends us around in circles", self.name);
        Err(broken(why))
    }
}

fn address(scheme: &str, host: &str, path: &str) -> Result<Uri, String> {
    Uri::builder()
        .scheme(scheme)
        .authority(host)
        .path_and_query(path)
        .build()
        .map_err(|it| format!("{host} cannot be addressed: {it}"))
}

/// A redirect's target, which may be relative.
fn resolve(target: &str, from: &Uri) -> Option<Uri> {
    let scheme = from.scheme_str()?;
    let authority = from.authority()?;
    let text = if target.contains("://") {
        target.to_owned()
    } else if target.starts_with("//") {
        format!("{scheme}:{target}")
    } else if target.starts_with('/') {
        format!("{scheme}://{authority}{target}")
    } else {
        let folder = from.path().rsplit_once('/').map_or("", |it| it.0);
        format!("{scheme}://{authority}{folder}/{target}")
    };
    let text = text.split('#').next().unwrap_or_default();
    let url: Uri = text.parse().ok()?;
    let known = matches!(url.scheme_str(), Some("http" | "https"));
    // A login in an address would be sent to whoever the registry names.
    let clean = url.authority().is_some_and(|it| !it.as_str().contains('@'));
    (known && clean).then_some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirects_are_relative_or_absolute() {
        let from = Uri::from_static("https://r.example/v2/a/blobs/x");
        for (target, want) in [
            (
                "https://cdn.example/y?sig=1#z",
                Some("https://cdn.example/y?sig=1"),
            ),
            ("//cdn.example/y", Some("https://cdn.example/y")),
            ("/y", Some("https://r.example/y")),
            ("y", Some("https://r.example/v2/a/blobs/y")),
            ("file:///etc/passwd", None),
            ("https://u:p@cdn.example/y", None),
        ] {
            let got = resolve(target, &from).map(|it| it.to_string());
            assert_eq!(got.as_deref(), want, "{target}");
        }
    }
}
