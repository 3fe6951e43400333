//! What a chore says: progress on stderr, answers on stdout.

use std::io::{self, Write};

/// One line for the person who waits; a stderr that nobody reads is no failure.
pub(crate) fn say(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// What was asked for; a reader that has gone away is no failure.
pub(crate) fn answer(text: &str) {
    let _ = writeln!(io::stdout().lock(), "{text}");
}
