//! How one request can fail, and what that means for a kind and for the whole.

use std::time::Duration;

use gpu_core::cluster::{Coverage, Kind};
use http::StatusCode;
use serde::Deserialize;

use crate::error::Error;

/// Why a list could not be read.
#[derive(Debug)]
pub(super) enum Failure {
    /// No other list can be read either.
    Fatal(Error),
    /// The server said no.
    Answered(Answer),
    /// No answer in this time.
    Late(Duration),
    /// The connection broke.
    Broken(String),
    /// The answer is no list.
    Garbled(String),
}

/// The server's no.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) code: StatusCode,
    /// One word: `Forbidden`.
    pub(super) reason: String,
    pub(super) message: String,
    pub(super) retry_after: Option<Duration>,
}

impl Failure {
    /// Reads the body of an answer that is not a success.
    pub(super) fn of_answer(code: StatusCode, retry_after: Option<Duration>, body: &[u8]) -> Self {
        /// Kubernetes' `Status`.
        #[derive(Deserialize)]
        #[serde(default)]
        struct Status {
            kind: String,
            reason: String,
            message: String,
        }
        impl Default for Status {
            fn default() -> Self {
                let none = String::new;
                Self {
                    kind: none(),
                    reason: none(),
                    message: none(),
                }
            }
        }
        let status: Status = serde_json::from_slice(body).unwrap_or_default();
        let words = code.canonical_reason().unwrap_or("no such status");
        let (reason, message) = match status.kind.as_str() {
            "Status" => (status.reason, status.message),
            _ => (String::new(), foreign(code, words, body)),
        };
        let or = |text: String, other: String| if text.is_empty() { other } else { text };
        let answer = Answer {
            code,
            reason: or(reason, words.replace(' ', "")),
            message: or(
                message,
                format!("the server answered {} {words}", code.as_u16()),
            ),
            retry_after,
        };
        if code == StatusCode::UNAUTHORIZED {
            return Self::Fatal(Error::Unauthorized(answer.message_of_unauthorized()));
        }
        Self::Answered(answer)
    }

    /// Is it a matter of permission?
    pub(super) fn is_forbidden(&self) -> bool {
        matches!(self, Self::Answered(it) if it.code == StatusCode::FORBIDDEN)
    }

    /// Did the list change so much that the next page cannot be had?
    pub(super) fn is_expired(&self) -> bool {
        matches!(self, Self::Answered(it) if it.code == StatusCode::GONE)
    }

    /// What it means for the kind that was asked for.
    pub(super) fn coverage(&self, kind: Kind) -> Coverage {
        let custom = !matches!(kind.row().group, "" | "apps");
        let why = match self {
            Self::Answered(it) if it.code == StatusCode::NOT_FOUND && custom => {
                return Coverage::NotServed;
            }
            Self::Answered(it) if it.code == StatusCode::FORBIDDEN => {
                format!("forbidden: {}", it.message)
            }
            Self::Answered(it) => format!("{}: {}", it.reason, it.message),
            Self::Late(limit) => format!("no answer within {}", in_words(*limit)),
            Self::Broken(why) => format!("the connection broke: {why}"),
            Self::Garbled(why) => format!("the answer is not a list: {why}"),
            Self::Fatal(error) => error.to_string(),
        };
        Coverage::Unseen(why)
    }

    /// What it means where nothing else could be read either.
    pub(super) fn into_error(self) -> Error {
        match self {
            Self::Fatal(error) => error,
            Self::Answered(it) => Error::Server {
                reason: it.reason,
                message: it.message,
            },
            Self::Late(limit) => Error::Late(in_words(limit)),
            Self::Broken(why) => Error::Unreachable { why },
            Self::Garbled(why) => Error::NotKubernetes(why),
        }
    }
}

impl Answer {
    /// The server mostly says just `Unauthorized`; a proxy before it may say more.
    fn message_of_unauthorized(&self) -> String {
        match self.message.as_str() {
            "" => "Unauthorized".to_owned(),
            it => it.to_owned(),
        }
    }
}

/// The words of something that is not an API server, if they are short and plain.
fn foreign(code: StatusCode, words: &str, body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let text = text.trim();
    let plain = !text.is_empty()
        && text.len() <= 200
        && !text.starts_with(['<', '{'])
        && !text.contains(char::is_control);
    let start = format!("the server answered {} {words}", code.as_u16());
    if plain {
        format!("{start}: {text}")
    } else {
        start
    }
}

fn in_words(limit: Duration) -> String {
    format!("{limit:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(code: u16, body: &str) -> String {
        let code = StatusCode::from_u16(code).unwrap();
        match Failure::of_answer(code, None, body.as_bytes()).coverage(Kind::Node) {
            Coverage::Unseen(why) => why,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_servers_own_words_are_kept_and_garbage_becomes_a_sentence() {
        let status = r#"{"kind":"Status","reason":"Forbidden","message":"nodes is forbidden: User \"u\" cannot list"}"#;
        for (code, body, want) in [
            (
                403,
                status,
                "forbidden: nodes is forbidden: User \"u\" cannot list",
            ),
            (403, "", "forbidden: the server answered 403 Forbidden"),
            (
                503,
                r#"{"kind":"Status","code":503}"#,
                "ServiceUnavailable: the server answered 503 Service Unavailable",
            ),
            (
                502,
                "<html><body>bad",
                "BadGateway: the server answered 502 Bad Gateway",
            ),
            (
                400,
                "Client sent an HTTP request to an HTTPS server.\n",
                "BadRequest: the server answered 400 Bad Request: Client sent an HTTP request to an HTTPS server.",
            ),
            (
                500,
                "\u{1b}[31mred",
                "InternalServerError: the server answered 500 Internal Server Error",
            ),
            (302, "", "Found: the server answered 302 Found"),
            (
                599,
                "",
                "nosuchstatus: the server answered 599 no such status",
            ),
        ] {
            assert_eq!(why(code, body), want);
        }
    }

    #[test]
    fn a_kind_that_is_not_served_is_known_to_be_absent_unless_every_server_has_it() {
        let failure = Failure::of_answer(StatusCode::NOT_FOUND, None, b"404 page not found\n");
        assert_eq!(failure.coverage(Kind::ClusterPolicy), Coverage::NotServed);
        assert!(matches!(failure.coverage(Kind::Node), Coverage::Unseen(_)));
        assert!(matches!(
            failure.coverage(Kind::DaemonSet),
            Coverage::Unseen(_)
        ));
    }
}
