//! Rules about what may happen where: serializing, printing, waiting.

use super::{
    code::has_word,
    tree::{File, Tree},
};

const CRATES: &str = "crates/";
/// The one file that prints.
const WRITES: &str = "crates/gpu-cli/src/write.rs";
/// The files that wait for somebody else.
const WAITS: &[&str] = &[
    "crates/gpu-cli/src/read/live/",
    "crates/gpu-cli/src/registry",
    "crates/gpu-cli/src/act",
];

fn found(file: &File, lines: impl Iterator<Item = usize>, what: &str) -> Vec<String> {
    lines
        .map(|line| format!("{}:{line}: {what}", file.path))
        .collect()
}

/// Internal types are not the JSON: what a program reads is written by types that stay as they are.
pub(super) fn serialize_is_for_wire_types(tree: &Tree) -> Vec<String> {
    let mut problems = Vec::new();
    for file in tree
        .rust(CRATES)
        .filter(|it| it.name() != "wire.rs" && !it.is_test())
    {
        let code = file.code();
        let bare: Vec<(usize, &str)> = code.shipped().collect();
        let is_derived = |at: usize| {
            // A long list of derives goes over several lines.
            let start = (0..=at).rev().find(|&it| bare[it].1.contains("derive("));
            has_word(bare[at].1, "Serialize")
                && start.is_some_and(|start| bare[start..at].iter().all(|it| !it.1.contains(")]")))
        };
        let is_implemented = |at: usize| {
            let line = bare[at].1;
            has_word(line, "impl") && has_word(line, "Serialize") && has_word(line, "for")
        };
        let lines = (0..bare.len())
            .filter(|&at| is_derived(at) || is_implemented(at))
            .map(|at| bare[at].0);
        problems.extend(found(file, lines, "only types of a wire.rs are Serialize"));
    }
    problems
}

/// stdout is the answer and stderr is everything else; one file knows how to write to them.
pub(super) fn one_file_prints(tree: &Tree) -> Vec<String> {
    const SIGNS: &[&str] = &[
        "clippy::print_stdout",
        "clippy::print_stderr",
        "stdout()",
        "stderr()",
    ];
    let mut problems = Vec::new();
    for file in tree
        .rust(CRATES)
        .filter(|it| it.path != WRITES && !it.is_test())
    {
        let code = file.code();
        let prints = |it: &(usize, &str)| SIGNS.iter().any(|sign| it.1.contains(sign));
        let lines = code.shipped().filter(prints).map(|it| it.0);
        problems.extend(found(file, lines, "only gpu-cli's write.rs prints"));
    }
    problems
}

/// Everything but the conversation with a server is plain calls.
pub(super) fn async_stays_at_the_edge(tree: &Tree) -> Vec<String> {
    let is_edge = |it: &File| WAITS.iter().any(|edge| it.path.starts_with(edge));
    let mut problems = Vec::new();
    for file in tree.rust(CRATES).filter(|it| !is_edge(it) && !it.is_test()) {
        let code = file.code();
        let waits = |it: &(usize, &str)| has_word(it.1, "async") || it.1.contains(".await");
        let lines = code.shipped().filter(waits).map(|it| it.0);
        problems.extend(found(file, lines, "async stays at the edge"));
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serializing_outside_of_a_wire_file_is_found_however_it_is_written() {
        let text = "\
#[derive(Clone, Serialize)]
struct A;
#[derive(
    Clone,
    serde::Serialize,
)]
struct B;
impl serde::Serialize for C {}
#[derive(Deserialize)]
struct D;
fn e(value: impl Serialize) {}
// #[derive(Serialize)]
#[cfg(test)]
mod tests {
    #[derive(Serialize)]
    struct F;
}
";
        let tree = Tree::of(&[
            ("crates/gpu-core/src/a.rs", text),
            ("crates/gpu-core/src/audit/wire.rs", text),
            ("xtask/src/a.rs", text),
        ]);
        let lines: Vec<String> = serialize_is_for_wire_types(&tree)
            .iter()
            .map(|it| it.split(": ").next().unwrap().to_owned())
            .collect();
        let at = |line| format!("crates/gpu-core/src/a.rs:{line}");
        assert_eq!(lines, [at(1), at(5), at(8)]);
    }

    #[test]
    fn a_second_file_that_prints_is_found() {
        let text = "#[expect(clippy::print_stderr, reason = \"x\")]\nio::stdout().lock();\nself.stdout(pipe);\n";
        let tree = Tree::of(&[
            ("crates/gpu-cli/src/args.rs", text),
            (WRITES, text),
            ("crates/gpu-cli/tests/a.rs", text),
        ]);
        let problems = one_file_prints(&tree);
        assert_eq!(problems.len(), 2, "{problems:?}");
        assert!(problems[1].starts_with("crates/gpu-cli/src/args.rs:2:"));
    }

    #[test]
    fn waiting_far_from_the_edge_is_found() {
        let text = "async fn a() {}\nb().await?;\nlet is_async = \"async\";\n";
        let tree = Tree::of(&[
            ("crates/gpu-core/src/a.rs", text),
            ("crates/gpu-cli/src/read/live/mod.rs", text),
            ("crates/gpu-cli/src/registry.rs", text),
        ]);
        let problems = async_stays_at_the_edge(&tree);
        assert_eq!(problems.len(), 2, "{problems:?}");
        assert!(problems[0].starts_with("crates/gpu-core/src/a.rs:1:"));
    }
}
