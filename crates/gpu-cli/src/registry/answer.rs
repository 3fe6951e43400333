//! One answer of a registry, and the errors it may hold.

use std::time::Duration;

use http::{HeaderMap, HeaderName, StatusCode, header};
use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;
use serde::Deserialize;

use super::veil::Veil;

/// Status, headers and body.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
}

/// The errors of the distribution specification.
#[derive(Deserialize)]
struct Errors {
    errors: Vec<Refusal>,
}

/// One of them.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Refusal {
    pub(super) code: String,
    pub(super) message: String,
}

impl Answer {
    /// A header, where it is text.
    pub(super) fn header(&self, name: &HeaderName) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The media type without its parameters.
    pub(super) fn media_type(&self) -> &str {
        let value = self.header(&header::CONTENT_TYPE).unwrap_or_default();
        value.split(';').next().unwrap_or_default().trim()
    }

    /// Does it say of itself that a registry wrote it?
    pub(super) fn names_the_api(&self) -> bool {
        self.headers.contains_key("docker-distribution-api-version")
    }

    /// The errors, if it holds any in the registries' form.
    pub(super) fn refusals(&self) -> Option<Vec<Refusal>> {
        let it: Errors = serde_json::from_slice(&self.body).ok()?;
        (!it.errors.is_empty()).then_some(it.errors)
    }

    /// Status and the registry's own words, fit to be shown.
    pub(super) fn words(&self, veil: &Veil) -> String {
        let status = self
            .status
            .to_string()
            .replace(" <unknown status code>", "");
        let said = match self.refusals() {
            Some(all) => all
                .iter()
                .map(|it| match (it.code.as_str(), it.message.as_str()) {
                    (code, "") => code.to_owned(),
                    ("", message) => message.to_owned(),
                    (code, message) => format!("{code}: {message}"),
                })
                .collect::<Vec<_>>()
                .join("; "),
            None => self.loose_words(),
        };
        match veil.over(&said).as_str() {
            "" => status,
            said => format!("{status} ({said})"),
        }
    }

    /// What token services and proxies write in place of the registries' errors.
    fn loose_words(&self) -> String {
        #[derive(Deserialize)]
        struct Loose {
            #[serde(alias = "error_description", alias = "details", alias = "error")]
            message: String,
        }
        if let Ok(it) = serde_json::from_slice::<Loose>(&self.body) {
            return it.message;
        }
        if self.media_type() == "text/plain" {
            return String::from_utf8_lossy(&self.body).into_owned();
        }
        String::new()
    }

    /// How long the registry asks to be left alone: seconds, or a date by its own clock.
    pub(super) fn retry_after(&self) -> Option<Duration> {
        let value = self.header(&header::RETRY_AFTER)?.trim();
        if let Ok(seconds) = value.parse::<u64>() {
            return Some(Duration::from_secs(seconds));
        }
        let date = |it: &str| DateTimeParser::new().parse_timestamp(it).ok();
        let until = date(value)?;
        let now = self.header(&header::DATE).and_then(date);
        let pause = until.duration_since(now.unwrap_or_else(Timestamp::now));
        Some(Duration::try_from(pause).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(headers: &[(HeaderName, &'static str)], body: &str) -> Answer {
        let value = |it| http::HeaderValue::from_static(it);
        Answer {
            status: StatusCode::TOO_MANY_REQUESTS,
            headers: headers
                .iter()
                .map(|(name, it)| (name.clone(), value(it)))
                .collect(),
            body: body.as_bytes().to_vec(),
        }
    }

    #[test]
    fn pauses_are_seconds_or_a_date_by_the_servers_clock() {
        let pause = |value| {
            let date = (header::DATE, "Mon, 30 Nov 2026 10:00:00 GMT");
            answer(&[date, (header::RETRY_AFTER, value)], "").retry_after()
        };
        assert_eq!(pause("7"), Some(Duration::from_secs(7)));
        assert_eq!(
            pause("Mon, 30 Nov 2026 10:01:00 GMT"),
            Some(Duration::from_secs(60))
        );
        assert_eq!(pause("Mon, 30 Nov 2026 09:00:00 GMT"), Some(Duration::ZERO));
        assert_eq!(pause("soon"), None);
        assert_eq!(answer(&[], "").retry_after(), None);
    }

    #[test]
    fn words_are_found_in_every_usual_form() {
        for (body, want) in [
            (
                r#"{"errors":[{"code":"A","message":"b"},{"code":"C"}]}"#,
                "A: b; C",
            ),
            (r#"{"details":"no such user"}"#, "no such user"),
            ("<html>", ""),
            ("", ""),
        ] {
            let words = answer(&[], body).words(&Veil::default());
            let want = match want {
                "" => "429 Too Many Requests".to_owned(),
                it => format!("429 Too Many Requests ({it})"),
            };
            assert_eq!(words, want);
        }
    }
}
