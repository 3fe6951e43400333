//! One request to the API server: its time, its tries, and what its answer tells besides the body.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use http::{HeaderMap, Request, StatusCode, header};
use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;
use kube::Client;
use kube::client::Body;
use tokio::time::{Instant, sleep, timeout_at};

use super::failure::Failure;
use super::transport::{self, Peer};
use super::{retry, warning};

/// The API server, as we see it.
pub(super) struct Api {
    client: Client,
    pub(super) peer: Peer,
    timeout: Option<Duration>,
    list_requests: bool,
    journal: RefCell<Journal>,
    pages: Cell<usize>,
    tell: Option<Box<dyn Fn(usize)>>,
}

/// What is kept of all answers.
#[derive(Default)]
struct Journal {
    warnings: Vec<String>,
    log: Vec<String>,
    seen_at: Option<Timestamp>,
}

impl Api {
    /// A server with nothing asked yet; with `list_requests`, the log has a line for each.
    pub(super) fn new(
        client: Client,
        peer: Peer,
        timeout: Option<Duration>,
        list_requests: bool,
    ) -> Self {
        Self {
            client,
            peer,
            timeout,
            list_requests,
            journal: RefCell::default(),
            pages: Cell::new(0),
            tell: None,
        }
    }

    /// GETs a path and gives the body of a success, after as many tries as make sense.
    pub(super) async fn get(
        &self,
        path: &str,
        accept: &str,
    ) -> Result<impl AsRef<[u8]> + use<>, Failure> {
        let started = Instant::now();
        let deadline = self.timeout.map(|it| started + it);
        let mut tries = 1;
        loop {
            let one = self.once(path, accept);
            let outcome = match deadline {
                None => one.await,
                Some(deadline) => timeout_at(deadline, one).await.unwrap_or_else(|_| {
                    self.note(path, "timed out", started);
                    Err(Failure::Late(deadline - started))
                }),
            };
            let failure = match outcome {
                Ok(body) => return Ok(body),
                Err(it) => it,
            };
            let left = deadline.map(|it| it.saturating_duration_since(Instant::now()));
            match retry::pause(&failure, tries, left) {
                Some(pause) => sleep(pause).await,
                None => return Err(failure),
            }
            tries += 1;
        }
    }

    async fn once(&self, path: &str, accept: &str) -> Result<impl AsRef<[u8]> + use<>, Failure> {
        let started = Instant::now();
        let request = Request::get(path)
            .header(header::ACCEPT, accept)
            .body(Body::empty())
            .map_err(|it| Failure::Garbled(it.to_string()))?;
        let lost = |it: kube::Error| {
            self.note(path, "no answer", started);
            transport::failure(&it, &self.peer)
        };
        let response = self.client.send(request).await.map_err(lost)?;
        let code = response.status();
        let retry_after = retry_after(response.headers());
        self.learn(response.headers());
        // Whatever breaks once the server has answered is no reason to despair of it.
        let cut_off = |it: kube::Error| {
            self.note(path, "broke off", started);
            Failure::Broken(transport::deepest(&it))
        };
        let body = response
            .into_body()
            .collect_bytes()
            .await
            .map_err(cut_off)?;
        self.note(path, &code.to_string(), started);
        if code == StatusCode::OK {
            return Ok(body);
        }
        Err(Failure::of_answer(code, retry_after, &body))
    }

    /// Keeps what the headers tell.
    fn learn(&self, headers: &HeaderMap) {
        let mut journal = self.journal.borrow_mut();
        let text = |it: &http::HeaderValue| it.to_str().map(str::to_owned).ok();
        if let Some(date) = headers.get(header::DATE).and_then(text)
            && let Ok(date) = DateTimeParser::new().parse_timestamp(&date)
        {
            journal.seen_at = journal.seen_at.max(Some(date));
        }
        for it in headers.get_all(header::WARNING).iter().filter_map(text) {
            for text in warning::texts(&it) {
                if !journal.warnings.contains(&text) {
                    journal.warnings.push(text);
                }
            }
        }
    }

    /// One line a request: never a header, never a continue token.
    fn note(&self, path: &str, outcome: &str, started: Instant) {
        if self.list_requests {
            let path = path.split("&continue=").next().unwrap_or_default();
            let ms = started.elapsed().as_millis();
            let line = format!("GET {path} {outcome} in {ms} milliseconds");
            self.say([line]);
        }
    }

    /// Adds lines for stderr.
    pub(super) fn say(&self, lines: impl IntoIterator<Item = String>) {
        self.journal.borrow_mut().log.extend(lines);
    }

    /// Counts a page that was read.
    pub(super) fn count_page(&self) {
        self.pages.set(self.pages.get() + 1);
        if let Some(tell) = &self.tell {
            tell(self.pages.get());
        }
    }

    pub(super) fn on_progress(&mut self, tell: Box<dyn Fn(usize)>) {
        self.tell = Some(tell);
    }

    pub(super) fn seen_at(&self) -> Option<Timestamp> {
        self.journal.borrow().seen_at
    }

    pub(super) fn warnings(&self) -> Vec<String> {
        self.journal.borrow().warnings.clone()
    }

    pub(super) fn log(&self) -> Vec<String> {
        self.journal.borrow().log.clone()
    }
}

/// How long the server asks to be left alone, in whole seconds.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let value = headers.get(header::RETRY_AFTER)?.to_str().ok()?;
    value.trim().parse().ok().map(Duration::from_secs)
}
