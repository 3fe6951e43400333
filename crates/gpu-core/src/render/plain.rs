//! Text from a cluster made safe: for a terminal, for a line format, for JSON on a terminal.

use std::fmt::Write;

/// Characters that a terminal obeys or that change the order of what one reads.
fn is_hostile(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{00AD}' | '\u{061C}' | '\u{180E}' | '\u{FEFF}'
            | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
            | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}')
}

fn escape(out: &mut String, c: char) {
    // Writing to a String cannot fail.
    let _ = match c {
        '\n' => out.write_str("\\n"),
        '\t' => out.write_str("\\t"),
        '\r' => out.write_str("\\r"),
        // As kubectl's table printer shows the escape character.
        '\u{1b}' => out.write_str("^["),
        _ => write!(out, "\\u{{{:x}}}", u32::from(c)),
    };
}

/// Text for a page: whatever a terminal would obey becomes visible instead.
pub fn plain(text: &str) -> String {
    if !text.contains(is_hostile) {
        return text.to_owned();
    }
    text.chars()
        .fold(String::with_capacity(text.len()), |mut out, c| {
            if is_hostile(c) {
                escape(&mut out, c)
            } else {
                out.push(c)
            }
            out
        })
}

/// One word of a line: as `plain`, and white space becomes visible too, so that a record keeps its words.
pub fn word(text: &str) -> String {
    if text.is_empty() {
        return "\"\"".to_owned();
    }
    text.chars()
        .fold(String::with_capacity(text.len()), |mut out, c| {
            if is_hostile(c) || c.is_whitespace() {
                escape(&mut out, c)
            } else {
                out.push(c)
            }
            out
        })
}

/// JSON text whose strings mean the same, with hostile characters in JSON's own escapes.
pub fn json_safe(json: &str) -> String {
    let layout = |c: char| c == '\n';
    if !json.contains(|c| is_hostile(c) && !layout(c)) {
        return json.to_owned();
    }
    json.chars()
        .fold(String::with_capacity(json.len()), |mut out, c| {
            if is_hostile(c) && !layout(c) {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    let _ = write!(out, "\\u{unit:04x}");
                }
            } else {
                out.push(c);
            }
            out
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_becomes_visible_and_other_text_stays() {
        for (text, want) in [
            ("gpu-1", "gpu-1"),
            ("a\u{1b}[31mred", "a^[[31mred"),
            ("a\nb", "a\\nb"),
            ("a\u{202e}b", "a\\u{202e}b"),
            ("a\u{9b}2J", "a\\u{9b}2J"),
            ("한국어 é", "한국어 é"),
        ] {
            assert_eq!(plain(text), want);
        }
    }

    #[test]
    fn a_word_stays_one_word() {
        assert_eq!(word("a b"), "a\\u{20}b");
        assert_eq!(word("a\u{a0}b\n"), "a\\u{a0}b\\n");
        assert_eq!(word(""), "\"\"");
    }

    #[test]
    fn safe_json_reads_back_to_the_same_value() {
        let value = serde_json::json!({ "k": "a\u{202e}b\u{9b}c\u{e0041}\u{1b}d" });
        let safe = json_safe(&format!("{value:#}"));
        assert!(!safe.chars().any(|c| is_hostile(c) && c != '\n'), "{safe}");
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&safe).unwrap(),
            value
        );
    }

    #[test]
    fn every_character_that_a_terminal_obeys_is_hostile_and_no_letter_is() {
        for c in ('\0'..=' ').chain('\u{7f}'..='\u{a0}') {
            assert_eq!(is_hostile(c), c != ' ' && c != '\u{a0}', "{c:?}");
        }
        for c in [
            '\u{ad}',
            '\u{61c}',
            '\u{180e}',
            '\u{200b}',
            '\u{200d}',
            '\u{200e}',
            '\u{200f}',
            '\u{2028}',
            '\u{2029}',
            '\u{202a}',
            '\u{202e}',
            '\u{2060}',
            '\u{2066}',
            '\u{2069}',
            '\u{feff}',
            '\u{fff9}',
            '\u{e0001}',
            '\u{e007f}',
        ] {
            assert!(is_hostile(c), "{c:?}");
        }
        for c in "azAZ09-_./:한é\u{300}😀→".chars() {
            assert!(!is_hostile(c), "{c:?}");
        }
    }

    #[test]
    fn what_was_made_visible_stays_as_it_is_when_shown_again() {
        for text in [
            "a\u{1b}[31m",
            "a\nb\tc\rd",
            "\u{202e}",
            "\u{0}\u{7f}\u{9b}",
            "plain",
        ] {
            let shown = plain(text);
            assert!(!shown.contains(is_hostile), "{shown}");
            assert_eq!(plain(&shown), shown);
        }
    }

    #[test]
    fn escapes_are_those_that_people_know() {
        for (c, want) in [
            ('\n', "\\n"),
            ('\t', "\\t"),
            ('\r', "\\r"),
            ('\u{1b}', "^["),
            ('\u{7}', "\\u{7}"),
            ('\u{202e}', "\\u{202e}"),
        ] {
            assert_eq!(plain(&c.to_string()), want);
        }
    }

    #[test]
    fn a_word_has_no_white_space_of_any_kind() {
        for text in [
            "a b",
            "a\tb",
            "a\u{a0}b",
            "a\u{3000}b",
            "a\u{2003}b",
            "\u{85}",
            " ",
            "",
        ] {
            let word = word(text);
            assert!(
                !word.is_empty() && !word.contains(char::is_whitespace),
                "{text:?} {word:?}"
            );
        }
    }

    #[test]
    fn json_that_needs_no_change_gets_none() {
        for json in ["{}", "{\n  \"a\": \"한국어 é 😀\"\n}", "[\"\\u001b\"]"] {
            assert_eq!(json_safe(json), json);
        }
    }

    #[test]
    fn characters_beyond_the_first_plane_become_two_escapes() {
        assert_eq!(json_safe("\"\u{e0041}\""), "\"\\udb40\\udc41\"");
        assert_eq!(json_safe("\"\u{202e}\""), "\"\\u202e\"");
    }
}
