//! One thing broken in a healthy cluster: exactly that is named, on exactly the nodes that have it.

mod gpus;
mod labels;
mod nfd;
mod nodes;
mod pods;
mod policies;

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use crate::ask::{Answer, alarms, ask, each, in_words, once};
use crate::build::{Recording, Shape};

/// A broken cluster, and what has to be said about it.
#[derive(Clone, Copy)]
pub(crate) struct Broken {
    /// What is broken, in a sentence.
    pub(crate) name: &'static str,
    /// How it is made.
    pub(crate) made: fn() -> Recording,
    /// Every alarm there is: the node, or else the object, and the rule; `*` is any one rule.
    pub(crate) says: &'static [(&'static str, &'static str)],
    /// Every line of the audit that does not end in OK.
    pub(crate) missing: &'static [&'static str],
}

/// A row of the tables.
const fn broken(
    name: &'static str,
    made: fn() -> Recording,
    says: &'static [(&'static str, &'static str)],
    missing: &'static [&'static str],
) -> Broken {
    Broken {
        name,
        made,
        says,
        missing,
    }
}

/// All of them.
pub(crate) fn all() -> Vec<Broken> {
    [
        labels::ALL,
        nodes::ALL,
        nfd::ALL,
        gpus::ALL,
        pods::ALL,
        policies::ALL,
    ]
    .concat()
}

/// The recording of a shape, with something broken in it.
fn with(shape: Shape, edit: impl FnOnce(&mut Recording)) -> Recording {
    let mut recording = shape.record();
    edit(&mut recording);
    recording
}

/// What is said about one of them.
pub(crate) fn asked(it: &Broken) -> Arc<OnceLock<Answer>> {
    once(it.name, || ask(&(it.made)().list()))
}

/// Is this said and nothing else? The two plugins rank each other's errors lower, so that is left out.
fn is_said(said: &BTreeSet<(String, String)>, want: &[(&str, &str)]) -> bool {
    let fits = |(about, rule): &(&str, &str)| {
        said.iter()
            .filter(|it| it.0 == *about && (*rule == "*" || it.1 == *rule))
            .count()
            == 1
    };
    said.len() == want.len() && want.iter().all(fits)
}

fn problems(it: &Broken, answer: &Answer) -> Vec<String> {
    let mut problems = Vec::new();
    for (who, (_, report)) in [("audit", &answer.audit), ("order", &answer.order)] {
        let said = alarms(report);
        if !is_said(&said, it.says) {
            problems.push(format!(
                "{who} says {said:?}\n  not {:?}\n{}",
                it.says,
                in_words(report)
            ));
        }
    }
    let missing: Vec<_> = answer
        .lines
        .out
        .lines()
        .filter(|it| !it.ends_with(" OK"))
        .collect();
    if missing != it.missing {
        problems.push(format!("lines are {missing:#?}"));
    }
    problems
}

#[test]
fn what_is_broken_is_named_and_nothing_else() {
    each(
        &all(),
        |it| it.name,
        |it| problems(it, asked(it).get().expect("it was asked")),
    );
}

#[test]
fn every_cluster_has_a_name_of_its_own() {
    let all: Vec<_> = all()
        .iter()
        .map(|it| it.name)
        .chain(crate::healthy::all().iter().map(|it| it.0))
        .collect();
    let names: BTreeSet<_> = all.iter().collect();
    assert_eq!(names.len(), all.len());
}
