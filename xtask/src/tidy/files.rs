//! Rules about whole files: how they start, how long they are, what they are called.

use super::tree::{File, Tree};

/// The wall for a file, without its tests.
const LINES: usize = 500;
/// The wall for a plugin's main.rs: flags, and the order of the steps.
const MAIN: usize = 80;
/// Tables; a table is as long as what it is about.
const FACTS: &str = "crates/gpu-core/src/facts/";
/// Names that say nothing about what is inside.
const EMPTY_NAMES: &[&str] = &[
    "util", "utils", "helper", "helpers", "manager", "common", "misc",
];

/// Every Rust file starts with a sentence that says what it is for.
pub(super) fn starts_with_a_sentence(tree: &Tree) -> Vec<String> {
    let is_mute = |it: &&File| {
        let first = it.text.lines().next().unwrap_or_default();
        first
            .strip_prefix("//! ")
            .is_none_or(|it| it.trim().is_empty())
    };
    let problem = |it: &File| format!("{}:1: does not start with `//! ` and a sentence", it.path);
    tree.rust("").filter(is_mute).map(problem).collect()
}

/// Files have one topic, so they are short.
pub(super) fn is_short(tree: &Tree) -> Vec<String> {
    let may_be_long = |it: &File| it.is_test() || it.path.starts_with(FACTS);
    let counted = tree
        .rust("")
        .filter(|it| !may_be_long(it))
        .map(|it| (it, it.code().shipped().count()));
    counted
        .filter(|(_, n_lines)| *n_lines > LINES)
        .map(|(it, n)| {
            format!(
                "{}:{LINES}: {n} lines without tests; at most {LINES}",
                it.path
            )
        })
        .collect()
}

/// A plugin's main.rs is thin.
pub(super) fn main_is_thin(tree: &Tree) -> Vec<String> {
    let mains = tree
        .rust("crates/kubectl-")
        .filter(|it| it.path.ends_with("/src/main.rs"));
    mains
        .map(|it| (it, it.text.lines().count()))
        .filter(|(_, n_lines)| *n_lines >= MAIN)
        .map(|(it, n)| {
            format!(
                "{}:{MAIN}: {n} lines; a plugin's main has fewer than {MAIN}",
                it.path
            )
        })
        .collect()
}

/// Files, folders and modules are named for their topic.
pub(super) fn is_named_for_its_topic(tree: &Tree) -> Vec<String> {
    let mut problems = Vec::new();
    for file in tree.rust("") {
        let stem = file.path.trim_end_matches(".rs");
        for part in stem.split('/').filter(|it| EMPTY_NAMES.contains(it)) {
            problems.push(format!("{}:1: '{part}' names no topic", file.path));
        }
        for (line, text) in file.code().bare.lines().enumerate() {
            let word = text.split("mod ").nth(1).unwrap_or_default();
            let word = word.trim_end_matches([' ', '{', ';']);
            if EMPTY_NAMES.contains(&word) {
                problems.push(format!(
                    "{}:{}: '{word}' names no topic",
                    file.path,
                    line + 1
                ));
            }
        }
    }
    problems
}

/// Everybody builds the same versions.
pub(super) fn lock_is_committed(tree: &Tree) -> Vec<String> {
    let there = match &tree.committed {
        Some(committed) => committed.iter().any(|it| it == "Cargo.lock"),
        None => tree.file("Cargo.lock").is_some(),
    };
    if there {
        return Vec::new();
    }
    vec!["Cargo.lock:1: is not committed".to_owned()]
}

/// Lines that must stand somewhere, since clippy holds the rest of the rules by them.
const LIMITS: &[(&str, &str)] = &[
    ("clippy.toml", "too-many-lines-threshold = 60"),
    (
        "crates/gpu-core/clippy.toml",
        "too-many-lines-threshold = 60",
    ),
    ("Cargo.toml", "too_many_lines = \"deny\""),
    ("Cargo.toml", "print_stdout = \"deny\""),
    ("Cargo.toml", "print_stderr = \"deny\""),
    ("Cargo.toml", "unwrap_used = \"deny\""),
    ("Cargo.toml", "allow_attributes = \"deny\""),
    ("Cargo.toml", "unsafe_code = \"forbid\""),
];

/// The limits that clippy holds are set, and every package obeys them.
pub(super) fn limits_are_set(tree: &Tree) -> Vec<String> {
    let has = |path: &str, line: &str| {
        let file = tree.file(path);
        file.is_some_and(|it| it.text.lines().any(|it| it.trim() == line))
    };
    let mut problems: Vec<String> = LIMITS
        .iter()
        .filter(|(path, line)| !has(path, line))
        .map(|(path, line)| format!("{path}:1: has no line `{line}`"))
        .collect();
    for file in tree
        .files
        .iter()
        .filter(|it| it.path.ends_with("/Cargo.toml"))
    {
        if !file
            .text
            .replace("\r\n", "\n")
            .contains("[lints]\nworkspace = true\n")
        {
            problems.push(format!(
                "{}:1: does not take the workspace's lints",
                file.path
            ));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_a_first_sentence_is_found() {
        let tree = Tree::of(&[
            ("a/good.rs", "//! Says it.\n"),
            ("a/mute.rs", "fn main() {}\n"),
            ("a/empty.rs", "//! \n"),
            ("a/other.md", "text\n"),
        ]);
        let problems = starts_with_a_sentence(&tree);
        assert_eq!(problems.len(), 2, "{problems:?}");
        assert!(problems[0].starts_with("a/mute.rs:1:"));
    }

    #[test]
    fn a_long_file_is_found_and_its_tests_do_not_count() {
        let code = "fn a() {}\n".repeat(LINES);
        let tests = format!("#[cfg(test)]\nmod tests {{\n{code}}}\n");
        let tree = Tree::of(&[
            ("a/fits.rs", &(code.clone() + &tests)),
            ("a/long.rs", &(code.clone() + "fn b() {}\n")),
            ("crates/gpu-core/src/facts/table.rs", &code.repeat(2)),
            ("a/tests/story.rs", &code.repeat(2)),
        ]);
        let problems = is_short(&tree);
        assert_eq!(
            problems,
            ["a/long.rs:500: 501 lines without tests; at most 500"]
        );
    }

    #[test]
    fn a_fat_main_is_found() {
        let tree = Tree::of(&[
            ("crates/kubectl-gpu_a/src/main.rs", &"\n".repeat(79)),
            ("crates/kubectl-gpu_b/src/main.rs", &"\n".repeat(80)),
            ("xtask/src/main.rs", &"\n".repeat(80)),
        ]);
        let problems = main_is_thin(&tree);
        assert_eq!(problems.len(), 1);
        assert!(problems[0].starts_with("crates/kubectl-gpu_b/src/main.rs"));
    }

    #[test]
    fn names_without_a_topic_are_found_in_paths_and_in_code() {
        let tree = Tree::of(&[
            ("a/utils.rs", "//! x\n"),
            ("a/common/mod.rs", "//! x\n"),
            (
                "a/vgpu_manager.rs",
                "//! x\nmod helpers {\n}\npub mod commonplace;\n",
            ),
        ]);
        let problems = is_named_for_its_topic(&tree);
        assert_eq!(problems.len(), 3, "{problems:?}");
        assert_eq!(problems[2], "a/vgpu_manager.rs:2: 'helpers' names no topic");
    }

    #[test]
    fn a_lock_that_git_does_not_know_is_found() {
        let mut tree = Tree::of(&[("Cargo.lock", "")]);
        assert!(lock_is_committed(&tree).is_empty());
        tree.committed = Some(vec!["Cargo.toml".to_owned()]);
        assert_eq!(lock_is_committed(&tree).len(), 1);
        tree.committed = Some(vec!["Cargo.lock".to_owned()]);
        assert!(lock_is_committed(&tree).is_empty());
        assert_eq!(lock_is_committed(&Tree::of(&[])).len(), 1);
    }

    #[test]
    fn a_limit_that_was_loosened_and_a_package_outside_of_the_lints_are_found() {
        let lines: String = LIMITS
            .iter()
            .filter(|it| it.0 == "Cargo.toml")
            .map(|it| format!("{}\n", it.1))
            .collect();
        let good = "too-many-lines-threshold = 60\n";
        let obeys = "[lints]\nworkspace = true\n";
        let tree = |core, package| {
            Tree::of(&[
                ("Cargo.toml", lines.as_str()),
                ("clippy.toml", good),
                ("crates/gpu-core/clippy.toml", core),
                ("a/Cargo.toml", package),
            ])
        };
        assert!(limits_are_set(&tree(good, obeys)).is_empty());
        let problems = limits_are_set(&tree("too-many-lines-threshold = 600\n", "[package]\n"));
        assert_eq!(problems.len(), 2, "{problems:?}");
    }
}
