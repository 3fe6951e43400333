//! What a registry says, made fit to be shown: one line, short, and without the secrets we sent it.

use std::cell::RefCell;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use secrecy::{ExposeSecret, SecretString};

/// A registry's words are cut here.
const MOST: usize = 240;
/// Shorter ones are words of any text, and no secret worth the name.
const LEAST_SECRET: usize = 4;

/// The secrets that were sent so far: some servers repeat in their errors what they were sent.
#[derive(Debug, Default)]
pub(super) struct Veil(RefCell<Vec<SecretString>>);

impl Veil {
    /// Remembers a secret, as it is and as it stands in a form.
    pub(super) fn hide(&self, secret: &SecretString) {
        self.remember(secret);
        let in_form = utf8_percent_encode(secret.expose_secret(), NON_ALPHANUMERIC);
        self.remember(&SecretString::from(in_form.to_string()));
    }

    fn remember(&self, secret: &SecretString) {
        let text = secret.expose_secret();
        let mut all = self.0.borrow_mut();
        let known = all.iter().any(|it| it.expose_secret() == text);
        if text.chars().count() >= LEAST_SECRET && !known {
            all.push(secret.clone());
            // The longest first: one may be a part of another.
            all.sort_by_key(|it| std::cmp::Reverse(it.expose_secret().len()));
        }
    }

    /// The text without secrets and control characters, cut.
    pub(super) fn over(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for it in self.0.borrow().iter() {
            text = text.replace(it.expose_secret(), "…");
        }
        let line = text
            .split(|c: char| c.is_control() || c.is_whitespace())
            .filter(|it| !it.is_empty())
            .collect::<Vec<_>>()
            .join(" ");
        match line.char_indices().nth(MOST) {
            Some((at, _)) => format!("{}…", &line[..at]),
            None => line,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_one_line_without_secrets() {
        let veil = Veil::default();
        for it in ["hunter2", "hunter2-long", "no"] {
            veil.hide(&SecretString::from(it));
        }
        let shown = veil.over("no\u{1b}[31m \n hunter2-long,hunter2 hunter2%2Dlong é");
        assert_eq!(shown, "no [31m …,… … é");
        assert_eq!(veil.over(&"é".repeat(500)).chars().count(), MOST + 1);
        assert!(!format!("{veil:?}").contains("hunter2"));
    }
}
