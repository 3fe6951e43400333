//! Rust text told apart: code, comments, literals, and which lines are tests.

/// What a character belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Code,
    Comment,
    Literal,
}

/// A Rust file with parts of it blanked; lines and columns stay where they are.
#[derive(Debug)]
pub(super) struct Code {
    /// Without comments and literals.
    pub(super) bare: String,
    /// Without comments.
    pub(super) uncommented: String,
    is_test: Vec<bool>,
}

impl Code {
    /// Reads Rust text.
    pub(super) fn of(text: &str) -> Self {
        let chars: Vec<char> = text.chars().collect();
        let parts = parts(&chars);
        let keep = |kept: &[Part]| -> String {
            let pairs = chars.iter().zip(&parts);
            let blank = |(&c, part)| {
                if c == '\n' || kept.contains(part) {
                    c
                } else {
                    ' '
                }
            };
            pairs.map(blank).collect()
        };
        let bare = keep(&[Part::Code]);
        Self {
            uncommented: keep(&[Part::Code, Part::Literal]),
            is_test: test_lines(&bare),
            bare,
        }
    }

    /// Is this line, counted from 0, inside of an item that only tests have?
    pub(super) fn is_test(&self, line: usize) -> bool {
        self.is_test.get(line).copied().unwrap_or(false)
    }

    /// Lines of bare code outside of tests, with their numbers counted from 1.
    pub(super) fn shipped(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.bare.lines().enumerate();
        lines
            .filter(|(at, _)| !self.is_test(*at))
            .map(|(at, line)| (at + 1, line))
    }

    /// How many lines hold code or literals, in tests and outside of them.
    pub(super) fn count(&self) -> (usize, usize) {
        let mut counted = (0, 0);
        for (at, line) in self.uncommented.lines().enumerate() {
            match (line.trim().is_empty(), self.is_test(at)) {
                (true, _) => {}
                (false, true) => counted.0 += 1,
                (false, false) => counted.1 += 1,
            }
        }
        counted
    }
}

/// Where a word stands by itself in a line.
pub(super) fn has_word(line: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word)
        .any(|(at, _)| !line[..at].ends_with(part) && !line[at + word.len()..].starts_with(part))
}

fn parts(chars: &[char]) -> Vec<Part> {
    let mut parts = Vec::with_capacity(chars.len());
    while parts.len() < chars.len() {
        let rest = &chars[parts.len()..];
        let (part, n_chars) = next(rest);
        parts.extend(std::iter::repeat_n(part, n_chars.clamp(1, rest.len())));
    }
    parts
}

/// The part that starts here, and its length.
fn next(rest: &[char]) -> (Part, usize) {
    match rest {
        ['/', '/', ..] => (Part::Comment, until(rest, |it| it[0] == '\n')),
        ['/', '*', ..] => (Part::Comment, block_comment(rest)),
        ['"', ..] => (Part::Literal, quoted(rest, '"')),
        ['\'', '\\', ..] | ['\'', _, '\'', ..] => (Part::Literal, quoted(rest, '\'')),
        [first, ..] if first.is_alphabetic() || *first == '_' => {
            let n_word = until(rest, |it| !it[0].is_alphanumeric() && it[0] != '_');
            let word: String = rest[..n_word].iter().collect();
            match raw(&word, &rest[n_word..]) {
                Some(n_more) => (Part::Literal, n_word + n_more),
                None => (Part::Code, n_word),
            }
        }
        _ => (Part::Code, 1),
    }
}

fn until(rest: &[char], is_end: impl Fn(&[char]) -> bool) -> usize {
    (0..rest.len())
        .find(|&at| is_end(&rest[at..]))
        .unwrap_or(rest.len())
}

fn block_comment(rest: &[char]) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < rest.len() {
        match rest[at..] {
            ['/', '*', ..] => (depth, at) = (depth + 1, at + 2),
            ['*', '/', ..] if depth == 1 => return at + 2,
            ['*', '/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
    }
    at
}

fn quoted(rest: &[char], quote: char) -> usize {
    let mut at = 1;
    while at < rest.len() && rest[at] != quote {
        at += if rest[at] == '\\' { 2 } else { 1 };
    }
    at + 1
}

/// The length of what follows the prefix of a raw string.
fn raw(prefix: &str, rest: &[char]) -> Option<usize> {
    if !matches!(prefix, "r" | "br" | "cr") {
        return None;
    }
    let n_hashes = until(rest, |it| it[0] != '#');
    if rest.get(n_hashes) != Some(&'"') {
        return None;
    }
    let end: Vec<char> = std::iter::once('"')
        .chain(std::iter::repeat_n('#', n_hashes))
        .collect();
    let body = &rest[n_hashes + 1..];
    Some(n_hashes + 1 + until(body, |it| it.starts_with(&end)) + end.len())
}

/// Which lines belong to an item with `#[cfg(test)]`.
fn test_lines(bare: &str) -> Vec<bool> {
    let mut lines = vec![false; bare.lines().count()];
    for (at, _) in bare.match_indices("#[cfg(") {
        let Some(end) = bare[at..].find(")]").map(|it| at + it) else {
            continue;
        };
        let condition = &bare[at..end];
        if !has_word(condition, "test") || condition.contains("not(test") {
            continue;
        }
        let first = bare[..at].matches('\n').count();
        let last = bare[..item_end(bare, end + 2)].matches('\n').count();
        for line in lines.iter_mut().take(last + 1).skip(first) {
            *line = true;
        }
    }
    lines
}

/// Where the item ends that starts here: at its closing brace, or at the semicolon of one without.
fn item_end(bare: &str, start: usize) -> usize {
    let mut depth = 0;
    for (at, c) in bare[start..].char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 1 => return start + at,
            '}' => depth -= 1,
            ';' if depth == 0 => return start + at,
            _ => {}
        }
    }
    bare.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_are_blanked_and_everything_else_stays() {
        for (text, bare) in [
            ("a // b\nc", "a     \nc"),
            ("a /* b /* c */ d */ e", "a                   e"),
            (r#"f("x // \" y") g"#, "f(           ) g"),
            (r##"f(r#"x " y"#) g"##, "f(          ) g"),
            ("r#type br\"x\" c", "r#type       c"),
            ("'a' '\\'' 'b: &'static str", "         'b: &'static str"),
            ("b'\\n' + 1", "b     + 1"),
            ("\"open", "     "),
        ] {
            assert_eq!(Code::of(text).bare, bare, "{text}");
        }
        assert_eq!(Code::of("f(\"x\") // y").uncommented, "f(\"x\")     ");
    }

    const ITEMS: &str = "\
fn a() {}
#[cfg(test)]
mod testing;
fn b() {}
#[cfg(all(test, unix))]
use crate::{a, b};
#[cfg(not(test))]
fn c() {}

#[cfg(test)]
mod tests {
    fn d() {
    }
}
fn e() {} // }
";

    #[test]
    fn items_of_tests_are_found_to_their_end() {
        let code = Code::of(ITEMS);
        let shipped: Vec<usize> = code.shipped().map(|it| it.0).collect();
        assert_eq!(shipped, [1, 4, 7, 8, 9, 15]);
        assert_eq!(code.count(), (9, 5));
    }

    #[test]
    fn a_word_is_not_a_part_of_a_longer_one() {
        assert!(has_word("async fn a()", "async"));
        assert!(has_word("x.await?", "await"));
        assert!(!has_word("asynchronous is_async async_fn", "async"));
    }
}
