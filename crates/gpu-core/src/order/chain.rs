//! The chain of a node: each operand as a link, what it waits for, and the first broken one.

use crate::answer::{Finding, Severity};
use crate::facts::barriers::{self, Barrier, VALIDATOR_STEPS};
use crate::facts::operands::Id;
use crate::standing::{Cell, NodeStanding, State, Trouble};

/// The chain of one node.
#[derive(Debug)]
pub struct Chain {
    /// The node.
    pub node: String,
    /// Is the order as it should be?
    pub verdict: Verdict,
    /// The first broken link.
    pub first_broken: Option<String>,
    /// Links, prerequisites first.
    pub links: Vec<Link>,
}

/// Is the order on a node as it should be?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every link holds, or is not there for a good reason.
    Ok,
    /// A link is broken.
    Broken,
    /// What it needs could not be seen.
    Unknown,
}

impl Verdict {
    /// As the JSON report writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Broken => "broken",
            Self::Unknown => "unknown",
        }
    }
}

/// One link: an operand, or a step of the validator.
#[derive(Debug)]
pub struct Link {
    /// The operand's name, or `operator-validator/driver` and so on for a step.
    pub name: String,
    /// The state of the operand, or of the step.
    pub state: &'static str,
    /// What it waits for: operands.
    pub waits_for: Vec<&'static str>,
    /// The barrier it stands at, while it waits.
    pub barrier: Option<&'static Barrier>,
    /// Is it broken?
    pub is_broken: bool,
    /// Why it is in this state.
    pub why: String,
}

/// The chain of one node.
pub(super) fn chain(node: &NodeStanding<'_>, findings: &[Finding], is_sure: bool) -> Chain {
    let mut links = Vec::new();
    for cell in node
        .cells
        .iter()
        .filter(|it| it.state != State::Disabled || it.is_running())
    {
        if cell.operand == Id::OperatorValidator {
            links.extend(steps(cell));
        } else {
            links.push(link(cell));
        }
    }
    let on_node = |it: &&Finding| it.node.as_deref() == Some(&node.node.name);
    let has_error = findings
        .iter()
        .filter(on_node)
        .any(|it| it.severity == Severity::Error);
    let root = node.roots.first().map(|it| it.operand.name());
    let by_rule = findings
        .iter()
        .filter(on_node)
        .find(|it| it.severity == Severity::Error)
        .and_then(|it| it.operand);
    let first_broken = root
        .or(by_rule.map(Id::name))
        .map(|name| first_link(&links, name));
    let unknown = !is_sure || node.cells.iter().any(|it| it.state == State::Unknown);
    let verdict = match (has_error || first_broken.is_some(), unknown) {
        (true, _) => Verdict::Broken,
        (false, true) => Verdict::Unknown,
        (false, false) => Verdict::Ok,
    };
    Chain {
        node: node.node.name.clone(),
        verdict,
        first_broken,
        links,
    }
}

/// The first broken link of an operand: for the validator, its first broken step.
fn first_link(links: &[Link], operand: &str) -> String {
    let of_operand = |it: &&Link| it.name.split('/').next() == Some(operand) && it.is_broken;
    links
        .iter()
        .find(of_operand)
        .map_or(operand, |it| &it.name)
        .to_owned()
}

fn link(cell: &Cell<'_>) -> Link {
    Link {
        name: cell.operand.name().to_owned(),
        state: cell.state.name(),
        waits_for: barriers::prerequisites(cell.operand)
            .into_iter()
            .map(Id::name)
            .collect(),
        barrier: waiting_at(cell),
        is_broken: cell.trouble.is_some(),
        why: cell.why.clone(),
    }
}

fn waiting_at(cell: &Cell<'_>) -> Option<&'static Barrier> {
    match cell.trouble.as_ref()? {
        Trouble::Waits(_, init, _) => barriers::at(cell.operand, init),
        Trouble::Fails(_, it) if it.is_init => barriers::at(cell.operand, &it.container),
        _ => None,
    }
}

/// The validator's steps; where its init containers were not seen, each step stands as the operand does.
fn steps(cell: &Cell<'_>) -> Vec<Link> {
    let details = cell.pods.first().and_then(|it| it.details.as_ref());
    let inits = details
        .map(|it| it.init_containers.as_slice())
        .unwrap_or_default();
    let waiting = details.and_then(|it| it.waiting_init()).map(|(at, _)| at);
    let mut links = Vec::new();
    for (init, step) in VALIDATOR_STEPS {
        let at = inits.iter().position(|it| it.name == init);
        if at.is_none() && !inits.is_empty() {
            continue;
        }
        let is_done =
            at.is_some() && waiting.is_none_or(|waiting| at.is_some_and(|at| at < waiting));
        let is_current = at.is_some() && at == waiting;
        let state = if is_done { State::Ready } else { cell.state };
        let barrier = barriers::at(cell.operand, init);
        links.push(Link {
            name: format!("{}/{step}", cell.operand.name()),
            state: state.name(),
            waits_for: barrier.map(|it| it.opener.name()).into_iter().collect(),
            barrier: barrier.filter(|_| is_current),
            is_broken: cell.trouble.is_some() && (is_current || inits.is_empty()),
            why: if is_done {
                String::new()
            } else {
                cell.why.clone()
            },
        });
    }
    links
}
