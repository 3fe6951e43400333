//! `cargo xtask tidy`: the borders and budgets that neither cargo nor clippy can hold.
//!
//! Each rule is a function from files to problems, a line each with its place.

mod borders;
mod code;
mod files;
mod listed;
mod modules;
mod packages;
mod share;
mod tree;
mod words;

use std::path::Path;

use crate::{Failure, cargo::root, say::say};
use tree::Tree;

/// The rules that need the text of the tree only.
const RULES: &[fn(&Tree) -> Vec<String>] = &[
    files::starts_with_a_sentence,
    files::is_short,
    files::main_is_thin,
    files::is_named_for_its_topic,
    files::lock_is_committed,
    files::limits_are_set,
    words::nothing_is_left_undone,
    words::nothing_is_private_to_a_machine,
    words::no_test_is_ignored,
    borders::serialize_is_for_wire_types,
    borders::one_file_prints,
    borders::async_stays_at_the_edge,
    modules::directions,
    listed::rules,
    share::core_is_tested,
];

/// Checks the tree, and says what is wrong with it.
pub(crate) fn run(args: &[String]) -> Result<(), Failure> {
    if !args.is_empty() {
        let why = format!("tidy takes no arguments, not '{}'", args.join(" "));
        return Err(Failure::Usage(why));
    }
    check(root())?;
    say(&share::in_words(&Tree::read(root())?));
    Ok(())
}

/// The error lists every problem.
pub(crate) fn check(root: &Path) -> Result<(), String> {
    let tree = Tree::read(root)?;
    let mut problems: Vec<String> = RULES.iter().flat_map(|rule| rule(&tree)).collect();
    problems.extend(packages::problems()?);
    if problems.is_empty() {
        return Ok(());
    }
    problems.sort();
    let n_problems = problems.len();
    Err(format!("{n_problems} problems\n{}", problems.join("\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_tree_is_tidy() {
        if let Err(problems) = check(root()) {
            panic!("{problems}");
        }
    }
}
