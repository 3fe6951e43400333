//! How much of gpu-core is tests.

use super::tree::Tree;

const CORE: &str = "crates/gpu-core/";

/// What decides is tested with at least as many lines as it has.
pub(super) fn core_is_tested(tree: &Tree) -> Vec<String> {
    let (tests, code) = count(tree);
    if tests >= code {
        return Vec::new();
    }
    vec![format!("{CORE}src/lib.rs:1: {}", in_words(tree))]
}

/// The numbers, for a person.
pub(super) fn in_words(tree: &Tree) -> String {
    let (tests, code) = count(tree);
    format!("gpu-core has {tests} lines of tests for {code} lines of code")
}

/// Lines that hold something, without comments: of tests, and of what is shipped.
fn count(tree: &Tree) -> (usize, usize) {
    let mut all = (0, 0);
    for file in tree.rust(CORE) {
        let (tests, code) = file.code().count();
        if file.is_test() {
            all.0 += tests + code;
        } else {
            all.0 += tests;
            all.1 += code;
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    const TESTS: &str = "#[cfg(test)]\nmod tests {\n}\n";

    #[test]
    fn more_code_than_tests_is_found_and_comments_count_for_neither() {
        let tree = |text: &str| {
            Tree::of(&[
                ("crates/gpu-core/src/a.rs", text),
                ("xtask/src/a.rs", "a\nb\n"),
            ])
        };
        let even = format!("//! A\n\n/// B\na\nb\nc\n{TESTS}// d\n");
        assert!(core_is_tested(&tree(&even)).is_empty());
        let problems = core_is_tested(&tree(&(even + "e\n")));
        assert!(
            problems[0].ends_with("3 lines of tests for 4 lines of code"),
            "{problems:?}"
        );
    }

    #[test]
    fn files_for_tests_count_as_tests_whatever_they_hold() {
        let tree = Tree::of(&[
            ("crates/gpu-core/src/testing.rs", "a\n"),
            ("crates/gpu-core/tests/all.rs", "a\nb\n"),
            ("crates/gpu-core/src/a.rs", "a\nb\nc\n"),
        ]);
        assert_eq!(count(&tree), (3, 3));
    }
}
