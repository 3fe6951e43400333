//! Rules about words that must not stand anywhere.

use super::{
    code::has_word,
    tree::{File, Tree},
};

/// Not ours to write: lock files, and recordings of other people's clusters.
const FOREIGN: &[&str] = &["Cargo.lock", "go.sum", "LICENSE", "tests/clusters/"];

/// Each in two parts, so that this file does not hold what it looks for.
const UNDONE: &[(&str, &str)] = &[("TO", "DO"), ("FIX", "ME"), ("XX", "X")];
const UNDONE_CODE: &[(&str, &str)] = &[("to", "do!"), ("db", "g!")];
const HOSTS: &[(&str, &str)] = &[
    ("index.", "crates.io"),
    ("static.", "crates.io"),
    ("proxy.", "golang.org"),
    ("sum.", "golang.org"),
    ("registry.", "npmjs.org"),
    ("deb.", "debian.org"),
    ("files.", "pythonhosted.org"),
];
const FOLDERS: &[(&str, &str)] = &[("/wo", "rk/")];

fn whole(parts: &[(&str, &str)]) -> Vec<String> {
    parts.iter().map(|(a, b)| format!("{a}{b}")).collect()
}

fn ours(tree: &Tree) -> impl Iterator<Item = &File> {
    let is_foreign = |it: &File| {
        FOREIGN
            .iter()
            .any(|foreign| it.path.starts_with(foreign) || it.path.ends_with(foreign))
    };
    tree.files.iter().filter(move |it| !is_foreign(it))
}

/// What is to be done is done, or an issue; not a note in the code.
pub(super) fn nothing_is_left_undone(tree: &Tree) -> Vec<String> {
    let mut problems = Vec::new();
    let words = whole(UNDONE);
    for file in ours(tree) {
        for (at, line) in file.text.lines().enumerate() {
            for word in words.iter().filter(|it| has_word(line, it)) {
                problems.push(format!("{}:{}: '{word}'", file.path, at + 1));
            }
        }
    }
    let words = whole(UNDONE_CODE);
    for file in tree.rust("") {
        for (at, line) in file.code().bare.lines().enumerate() {
            for word in words.iter().filter(|it| has_word(line, it)) {
                problems.push(format!("{}:{}: '{word}'", file.path, at + 1));
            }
        }
    }
    problems
}

/// Nothing names a folder of one machine, or the host of a registry: other machines reach them by other names.
pub(super) fn nothing_is_private_to_a_machine(tree: &Tree) -> Vec<String> {
    let words = [whole(HOSTS), whole(FOLDERS)].concat();
    let mut problems = Vec::new();
    for file in ours(tree) {
        for (at, line) in file.text.lines().enumerate() {
            for word in words.iter().filter(|it| line.contains(it.as_str())) {
                problems.push(format!("{}:{}: '{word}'", file.path, at + 1));
            }
        }
    }
    problems
}

/// A test that does not run protects nothing.
pub(super) fn no_test_is_ignored(tree: &Tree) -> Vec<String> {
    let mut problems = Vec::new();
    for file in tree.rust("") {
        for (at, line) in file.code().bare.lines().enumerate() {
            if line.contains("#[ignore") {
                problems.push(format!("{}:{}: a test is ignored", file.path, at + 1));
            }
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_about_undone_work_are_found_in_every_kind_of_file() {
        let note = whole(UNDONE).concat();
        let [a, b, c] = &whole(UNDONE)[..] else {
            panic!()
        };
        let text = format!("// {a}: x\n# ({b})\n{c}\n{note}\nmy{a}s\n");
        let tree = Tree::of(&[
            ("a.md", &text),
            ("Cargo.lock", &text),
            ("tests/clusters/a.yaml", &text),
        ]);
        let problems = nothing_is_left_undone(&tree);
        let places: Vec<&str> = problems.iter().map(|it| &it[..6]).collect();
        assert_eq!(places, ["a.md:1", "a.md:2", "a.md:3"]);
    }

    #[test]
    fn unfinished_code_is_found_and_words_in_comments_and_strings_are_not() {
        let calls: String = whole(UNDONE_CODE)
            .iter()
            .map(|it| format!("{it}(x);\n"))
            .collect();
        let words: String = calls
            .lines()
            .map(|it| format!("// {it}\n\"{it}\";\n"))
            .collect();
        let tree = Tree::of(&[("a.rs", &calls), ("b.rs", &words)]);
        assert_eq!(nothing_is_left_undone(&tree).len(), 2);
    }

    #[test]
    fn folders_and_hosts_are_found_and_lock_files_are_left_alone() {
        for word in [whole(HOSTS), whole(FOLDERS)].concat() {
            let text = format!("x\n\"https://{word}y\"\n");
            let tree = Tree::of(&[("a.yml", &text), ("x/go.sum", &text)]);
            assert_eq!(
                nothing_is_private_to_a_machine(&tree),
                [format!("a.yml:2: '{word}'")]
            );
        }
        let tree = Tree::of(&[("a.md", "crates.io and the work/ folder\n")]);
        assert!(nothing_is_private_to_a_machine(&tree).is_empty());
    }

    #[test]
    fn an_ignored_test_is_found() {
        let tree = Tree::of(&[(
            "a.rs",
            "#[test]\n#[ignore = \"slow\"]\nfn a() {}\n// #[ignore]\n",
        )]);
        assert_eq!(no_test_is_ignored(&tree), ["a.rs:2: a test is ignored"]);
    }
}
