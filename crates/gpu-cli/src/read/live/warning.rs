//! The `Warning` header: code, agent and quoted text, several of them in one line.

/// The texts of all warnings with code 299 in a header's value; what cannot be read is left out.
pub(super) fn texts(value: &str) -> Vec<String> {
    let mut texts = Vec::new();
    let mut rest = value;
    // The text is quoted, and only there a comma or quote may stand.
    while let Some((head, tail)) = rest.split_once('"') {
        let code = head.trim_start_matches([',', ' ', '\t']).split(' ').next();
        let (text, after) = unquote(tail);
        if code == Some("299") && !text.is_empty() {
            texts.push(text);
        }
        // A date in quotes may follow; what is up to the next comma belongs to this warning.
        rest = after.split_once(',').map_or("", |(date, next)| {
            if date.trim().starts_with('"') {
                after.trim_start().get(1..).map_or("", |it| unquote(it).1)
            } else {
                next
            }
        });
    }
    texts
}

/// The text up to the closing quote, without escapes and control characters, and what follows.
fn unquote(quoted: &str) -> (String, &str) {
    let mut text = String::new();
    let mut escaped = false;
    for (at, c) in quoted.char_indices() {
        match c {
            '"' if !escaped => return (text, &quoted[at + 1..]),
            '\\' if !escaped => {
                escaped = true;
                continue;
            }
            c if c.is_control() => {}
            c => text.push(c),
        }
        escaped = false;
    }
    (text, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_text_of_code_299_is_taken() {
        for (value, want) in [
            (r#"299 - "it is deprecated""#, vec!["it is deprecated"]),
            (r#"299 - "a, \"b\"", 299 host "c""#, vec!["a, \"b\"", "c"]),
            (
                r#"299 - "a" "Sat, 25 Aug 2029 23:34:45 GMT", 299 - "b""#,
                vec!["a", "b"],
            ),
            (r#"199 - "misc", 299 - "b""#, vec!["b"]),
            ("299 - \"re\u{7f}d\"", vec!["red"]),
            (r#"299 - "not closed"#, vec!["not closed"]),
            ("299 - bare", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(texts(value), want, "{value}");
        }
    }
}
