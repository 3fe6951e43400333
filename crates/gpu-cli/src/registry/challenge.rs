//! What a registry asks for when it answers 401: `WWW-Authenticate`, taken apart.

use http::{HeaderMap, header};

/// How a registry wants to be asked.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Challenge {
    /// With user and password.
    Basic,
    /// With a token of this service.
    Bearer {
        realm: String,
        service: String,
        scope: String,
    },
}

impl Challenge {
    /// The best of all that are offered: a token before a password.
    pub(super) fn of(headers: &HeaderMap) -> Option<Self> {
        let texts = headers.get_all(header::WWW_AUTHENTICATE);
        let all: Vec<_> = texts
            .iter()
            .filter_map(|it| it.to_str().ok())
            .flat_map(challenges)
            .collect();
        let named = |name: &str| all.iter().find(|it| it.scheme.eq_ignore_ascii_case(name));
        if let Some(it) = named("bearer").filter(|it| !it.value("realm").is_empty()) {
            return Some(Self::Bearer {
                realm: it.value("realm"),
                service: it.value("service"),
                scope: it.value("scope"),
            });
        }
        named("basic").map(|_| Self::Basic)
    }
}

#[derive(Debug, Default)]
struct Offer {
    scheme: String,
    values: Vec<(String, String)>,
}

impl Offer {
    fn value(&self, name: &str) -> String {
        let found = self
            .values
            .iter()
            .find(|it| it.0.eq_ignore_ascii_case(name));
        found.map_or_else(String::new, |it| it.1.clone())
    }
}

/// `Bearer a="b", c=d, Basic realm="x"`: a word before a word starts a new one.
fn challenges(text: &str) -> Vec<Offer> {
    let mut all: Vec<Offer> = Vec::new();
    for part in split(text) {
        let (head, value) = match part.split_once('=') {
            Some((head, value)) => (head.trim(), Some(unquote(value.trim()))),
            None => (part.trim(), None),
        };
        let (scheme, name) = match head.split_once(char::is_whitespace) {
            Some((scheme, name)) => (Some(scheme), name.trim()),
            None if value.is_none() => (Some(head), ""),
            None => (None, head),
        };
        if let Some(it) = scheme.filter(|it| !it.is_empty()) {
            all.push(Offer {
                scheme: it.to_owned(),
                values: Vec::new(),
            });
        }
        if let (Some(offer), Some(value)) = (all.last_mut(), value) {
            offer.values.push((name.to_owned(), value));
        }
    }
    all
}

/// At commas outside of quotes.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut from, mut quoted, mut escaped) = (Vec::new(), 0, false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            ',' if !quoted => {
                parts.push(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[from..]);
    parts
}

fn unquote(value: &str) -> String {
    let Some(inner) = value.strip_prefix('"').and_then(|it| it.strip_suffix('"')) else {
        return value.to_owned();
    };
    let mut chars = inner.chars();
    let mut plain = String::new();
    while let Some(c) = chars.next() {
        plain.extend(if c == '\\' { chars.next() } else { Some(c) });
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(texts: &[&'static str]) -> Option<Challenge> {
        let value =
            |it: &&'static str| (header::WWW_AUTHENTICATE, http::HeaderValue::from_static(it));
        Challenge::of(&texts.iter().map(value).collect())
    }

    #[test]
    fn challenges_are_read_as_registries_write_them() {
        let bearer = |realm: &str, service: &str, scope: &str| {
            Some(Challenge::Bearer {
                realm: realm.to_owned(),
                service: service.to_owned(),
                scope: scope.to_owned(),
            })
        };
        for (texts, want) in [
            (
                &[r#"Bearer realm="https://a/token",service="s",scope="repository:x:pull,push""#][..],
                bearer("https://a/token", "s", "repository:x:pull,push"),
            ),
            (
                &[r#"bearer scope=x , REALM=https://a/t?b=c"#],
                bearer("https://a/t?b=c", "", "x"),
            ),
            (
                &[r#"Basic realm="a, Bearer", Bearer realm="https://\"t""#],
                bearer("https://\"t", "", ""),
            ),
            (&["Negotiate", r#"Basic realm="x""#], Some(Challenge::Basic)),
            (&["Basic"], Some(Challenge::Basic)),
            (&["Bearer"], None),
            (&["", ",,="], None),
            (&[], None),
        ] {
            assert_eq!(of(texts), want, "{texts:?}");
        }
    }
}
