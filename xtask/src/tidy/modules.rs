//! The direction of dependencies between the modules of gpu-core.

use super::tree::{File, Tree};

const CORE: &str = "crates/gpu-core/src/";

/// One row a module: what it may use. A path that ends deeper, as `audit::wire`, allows that part alone.
const MAY_USE: &[(&str, &[&str])] = &[
    ("facts", &[]),
    ("cluster", &["facts"]),
    ("answer", &["facts", "cluster"]),
    ("render", &["answer"]),
    ("standing", &["facts", "cluster", "answer"]),
    (
        "order",
        &["facts", "cluster", "answer", "standing", "render"],
    ),
    (
        "drivertag",
        &["facts", "cluster", "answer", "standing", "render"],
    ),
    (
        "audit",
        &[
            "facts",
            "cluster",
            "answer",
            "standing",
            "render",
            "order",
            "drivertag",
        ],
    ),
    (
        "drivertag",
        &["facts", "cluster", "answer", "standing", "render"],
    ),
];

/// Modules use each other in one direction only.
pub(super) fn directions(tree: &Tree) -> Vec<String> {
    let mut problems = Vec::new();
    for file in tree.rust(CORE).filter(|it| !it.is_test()) {
        let module = module(&file.path[CORE.len()..]);
        let Some(own) = module.first() else { continue };
        let Some((_, allowed)) = MAY_USE.iter().find(|it| it.0 == own) else {
            problems.push(format!(
                "{}:1: module '{own}' has no row in MAY_USE",
                file.path
            ));
            continue;
        };
        for (line, path) in uses(file, &module) {
            let whole = format!("{path}::");
            let is_module = MAY_USE
                .iter()
                .any(|it| path.split("::").next() == Some(it.0));
            let is_allowed = |it: &&str| whole.starts_with(&format!("{it}::"));
            if is_module && !is_allowed(&own.as_str()) && !allowed.iter().any(is_allowed) {
                problems.push(format!("{}:{line}: {own} may not use {path}", file.path));
            }
        }
    }
    problems
}

/// The path of a file's module; nothing for lib.rs.
fn module(path: &str) -> Vec<String> {
    let mut parts: Vec<String> = path
        .trim_end_matches(".rs")
        .split('/')
        .map(str::to_owned)
        .collect();
    if parts.last().is_some_and(|it| it == "mod" || it == "lib") {
        parts.pop();
    }
    parts
}

/// Every path that starts at the root of the crate, with its line.
fn uses(file: &File, module: &[String]) -> Vec<(usize, String)> {
    let code = file.code();
    let shipped: Vec<(usize, &str)> = code
        .shipped()
        .flat_map(|(line, text)| tokens(text).into_iter().map(move |it| (line, it)))
        .collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < shipped.len() {
        let start = at;
        let mut depth = module.len();
        let is = |at: usize, word: &str| shipped.get(at).is_some_and(|it| it.1 == word);
        if is(at, "crate") {
            depth = 0;
            at += 1;
        }
        while is(at, "super") && depth > 0 {
            depth -= 1;
            at += 1;
            if is(at, "::") && is(at + 1, "super") {
                at += 1;
            }
        }
        if at > start && depth == 0 && is(at, "::") {
            at += 1;
            branches(&shipped, &mut at, "", &mut found);
        } else {
            at = at.max(start + 1);
        }
    }
    found
}

/// Follows one path, and each of its branches in braces.
fn branches(
    tokens: &[(usize, &str)],
    at: &mut usize,
    before: &str,
    found: &mut Vec<(usize, String)>,
) {
    let mut path = before.to_owned();
    while let Some(&(line, token)) = tokens.get(*at) {
        *at += 1;
        match token {
            "::" => {}
            "{" => {
                while let Some(&(_, next)) = tokens.get(*at) {
                    match next {
                        "}" => break,
                        "," => *at += 1,
                        _ => branches(tokens, at, &path, found),
                    }
                }
                *at += 1;
                return;
            }
            word if word.starts_with(|c: char| c.is_alphabetic() || c == '_') => {
                path = if path.is_empty() {
                    word.to_owned()
                } else {
                    format!("{path}::{word}")
                };
                if tokens.get(*at).is_none_or(|it| it.1 != "::") {
                    found.push((line, path));
                    skip_name(tokens, at);
                    return;
                }
            }
            _ => {
                found.push((line, path));
                return;
            }
        }
    }
}

/// `as other` after a path.
fn skip_name(tokens: &[(usize, &str)], at: &mut usize) {
    if tokens.get(*at).is_some_and(|it| it.1 == "as") {
        *at += 2;
    }
}

/// Words, `::` and single characters.
fn tokens(line: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = line.trim_start();
    while let Some(first) = rest.chars().next() {
        let part = |c: char| c.is_alphanumeric() || c == '_';
        let length = if part(first) {
            rest.find(|c| !part(c)).unwrap_or(rest.len())
        } else if rest.starts_with("::") {
            2
        } else {
            first.len_utf8()
        };
        tokens.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<String> {
        directions(&Tree::of(&[(&format!("{CORE}{path}"), text)]))
    }

    #[test]
    fn a_use_against_the_direction_is_found_however_it_is_written() {
        for (path, text, want) in [
            (
                "facts/a.rs",
                "use crate::cluster::Node;",
                "facts may not use cluster::Node",
            ),
            (
                "facts/a.rs",
                "use super::super::cluster;",
                "facts may not use cluster",
            ),
            (
                "cluster/mod.rs",
                "use super::audit::Report;",
                "cluster may not use audit::Report",
            ),
            (
                "render/a.rs",
                "use crate::{\n    answer::Page,\n    order,\n};",
                "render may not use order",
            ),
            (
                "order/rules/a.rs",
                "let x = crate::audit::RULES;",
                "order may not use audit::RULES",
            ),
            (
                "order/a.rs",
                "use crate::{answer as a, audit::{wire::*}};",
                "order may not use audit::wire",
            ),
            (
                "standing/a.rs",
                "fn a(it: &crate::render::Format) {}",
                "standing may not use render::Format",
            ),
        ] {
            let found = found(path, text);
            assert_eq!(found.len(), 1, "{text}: {found:?}");
            assert!(found[0].ends_with(want), "{text}: {found:?}");
        }
    }

    #[test]
    fn a_use_in_the_direction_and_one_in_a_test_are_silent() {
        for (path, text) in [
            (
                "audit/rules/a.rs",
                "use super::{Words, super::order};\nuse crate::standing::Rule;",
            ),
            ("audit/rules/a.rs", "use super::super::view::lines;"),
            (
                "cluster/mod.rs",
                "use crate::facts::labels;\npub use node::Node;\nuse super::facts;",
            ),
            (
                "facts/a.rs",
                "#[cfg(test)]\nmod tests {\n    use crate::cluster::Node;\n}",
            ),
            (
                "facts/a.rs",
                "// crate::cluster\nconst A: &str = \"crate::cluster\";",
            ),
            ("lib.rs", "pub use crate::audit::audit;"),
        ] {
            assert_eq!(found(path, text), [""; 0], "{text}");
        }
    }

    #[test]
    fn a_module_that_the_table_does_not_know_is_found() {
        let found = found("newcomer/mod.rs", "");
        assert!(found[0].contains("'newcomer' has no row"), "{found:?}");
    }

    #[test]
    fn the_table_has_no_circle() {
        for (at, (name, allowed)) in MAY_USE.iter().enumerate() {
            for it in *allowed {
                let other = MAY_USE.iter().position(|row| row.0 == *it).unwrap();
                let back = MAY_USE[other].1.contains(name);
                assert!(other != at && !back, "{name} and {it}");
            }
        }
    }
}
