//! Where a text goes wrong, and the line that shows it.

use super::error::RecordedError;

/// How many characters of the line are shown on each side.
const AROUND: usize = 40;

/// What is wrong with a text, and where.
#[derive(Debug)]
pub(super) struct Flaw {
    /// From 1.
    pub(super) line: usize,
    /// In the line, in characters from 1.
    pub(super) column: usize,
    /// In one line.
    pub(super) why: String,
    /// Does the text break off there?
    pub(super) cut_off: bool,
}

impl Flaw {
    /// Something wrong at this byte.
    pub(super) fn at(text: &str, byte: usize, why: &str) -> Self {
        let before = &text.as_bytes()[..byte.min(text.len())];
        let n_lines = before.iter().filter(|it| **it == b'\n').count();
        let last = before.rsplit(|it| *it == b'\n').next().unwrap_or_default();
        Self {
            line: 1 + n_lines,
            column: 1 + String::from_utf8_lossy(last).chars().count(),
            why: why.to_owned(),
            cut_off: false,
        }
    }

    /// A text that breaks off. Where its last line ends is what one looks for, not the empty line after it.
    pub(super) fn end(text: &str, why: &str) -> Self {
        let why = format!("the text breaks off here: {why}");
        Self {
            cut_off: true,
            ..Self::at(text, text.trim_end().len(), &why)
        }
    }

    /// The error that says so, with the line quoted.
    pub(super) fn into_error(self, name: &str, text: &str) -> RecordedError {
        let line = text.split('\n').nth(self.line - 1).unwrap_or_default();
        RecordedError::Syntax {
            name: name.to_owned(),
            line: self.line,
            column: self.column,
            why: visible(&self.why),
            snippet: quote(line.trim_end_matches('\r'), self.line, self.column),
            cut_off: self.cut_off,
        }
    }
}

/// The text without whatever a terminal would obey.
pub(super) fn visible(text: &str) -> String {
    gpu_core::render::plain(text)
}

fn quote(line: &str, number: usize, column: usize) -> String {
    let before = column.saturating_sub(1);
    let from = before.saturating_sub(AROUND);
    let part =
        |from: usize, n: usize| visible(&line.chars().skip(from).take(n).collect::<String>());
    let (left, right) = (part(from, before - from), part(before, AROUND));
    let gutter = format!("{number} | ");
    let indent = " ".repeat(gutter.len() - 2) + "| " + &" ".repeat(left.chars().count());
    format!("{gutter}{left}{right}\n{indent}^")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_stands_under_the_place_also_behind_what_is_escaped() {
        assert_eq!(quote("a\u{1b}[31mb", 7, 7), "7 | a^[[31mb\n  |        ^");
        let long = "x".repeat(100) + "!" + &"y".repeat(100);
        let shown = quote(&long, 1, 101);
        let (source, mark) = shown.split_once('\n').unwrap();
        assert_eq!(source.find('!'), mark.find('^'));
        assert!(source.len() < 100);
    }
}
