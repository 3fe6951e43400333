//! `cargo xtask docs`: docs/, printed from the code so that it cannot say something else.

mod cli;
mod man;
mod operands;
mod rbac;
mod rules;
mod schema;

use crate::{
    Failure,
    cargo::{build_binaries, root},
    generated::{self, Generated},
    only_check, plugins,
};

/// Where schemas are.
const SCHEMAS: &str = "docs/schema";
/// The folders where nothing stands that is not printed, and how their files end; the other pages of docs/ may stand
/// beside pages written by hand.
const WHOLE: [(&str, &str); 2] = [(SCHEMAS, ".json"), (man::FOLDER, ".1")];

/// Writes docs/, or only compares it.
pub(crate) fn run(args: &[String]) -> Result<(), Failure> {
    if only_check(args)? {
        return Ok(check()?);
    }
    Ok(generated::print(&all()?)?)
}

/// Compares what is there with what would be written.
pub(crate) fn check() -> Result<(), String> {
    compare(&all()?, &WHOLE)
}

fn compare(files: &[Generated], whole: &[(&str, &str)]) -> Result<(), String> {
    generated::compare(files, whole, "the code says", "docs")
}

fn all() -> Result<Vec<Generated>, String> {
    let mut files = without_programs()?;
    let plugins = plugins::read(root())?;
    build_binaries()?;
    files.push(Generated {
        path: "docs/cli.md".to_owned(),
        text: cli::page(&plugins)?,
    });
    files.extend(man::pages(&plugins)?);
    Ok(files)
}

/// The pages for which nothing has to be run.
fn without_programs() -> Result<Vec<Generated>, String> {
    let plugins = plugins::read(root())?;
    let mut files: Vec<Generated> = [
        ("docs/rules.md", rules::page()),
        ("docs/operands.md", operands::page()),
        ("docs/rbac.yaml", rbac::page(&plugins)),
    ]
    .into_iter()
    .map(|(path, text)| Generated {
        path: path.to_owned(),
        text,
    })
    .collect();
    files.extend(schema::REPORTS.iter().map(|it| Generated {
        path: format!("{SCHEMAS}/{}.v1.json", it.file),
        text: schema::page(it),
    }));
    Ok(files)
}

/// The first line of every page.
const PRINTED: &str = "Printed from the code by `cargo xtask docs`; changes here are lost.";

/// A table in Markdown.
fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let line = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|it| it.replace('|', r"\|")).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let head: Vec<String> = head.iter().map(|&it| it.to_owned()).collect();
    let rule = vec!["---".to_owned(); head.len()];
    let mut text = line(&head) + &line(&rule);
    for row in rows {
        text.push_str(&line(row));
    }
    text
}

/// A word of the code.
fn code(text: &str) -> String {
    format!("`{text}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// docs/cli.md and docs/man need the programs; `cargo xtask ci` compares them after it has built those.
    #[test]
    fn the_printed_docs_of_this_tree_are_fresh() {
        compare(&without_programs().unwrap(), &WHOLE[..1]).unwrap();
    }

    #[test]
    fn every_page_says_who_prints_it() {
        for file in without_programs().unwrap() {
            let start: String = file.text.chars().take(250).collect();
            assert!(start.contains("cargo xtask docs"), "{}", file.path);
        }
    }

    #[test]
    fn a_bar_in_a_cell_does_not_end_the_cell() {
        assert_eq!(
            table(&["a"], &[vec!["x|y".into()]]),
            "| a |\n| --- |\n| x\\|y |\n"
        );
    }
}
