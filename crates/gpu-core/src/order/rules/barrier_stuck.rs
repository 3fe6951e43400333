//! An operand waits at a barrier although the operand that opens it is Ready.

use crate::answer::{Severity, Subject};
use crate::facts::barriers::{self, Barrier};
use crate::standing::{Found, NodeStanding, Plugin, Root, Rule, Standing, State, Trouble};

pub(super) const RULE: Rule = Rule {
    id: "barrier-stuck",
    severity: Severity::Error,
    plugin: Plugin::Both,
    summary: "an operand waits at a barrier although the operand that opens it is Ready, or is not coming at all",
    explanation: "Operands wait in init containers for files in /run/nvidia/validations. Where the operand that writes \
        the file is Ready and the waiting goes on, the two do not agree on what works: an old kernel module beside new \
        libraries, a file that was removed, a host driver that does not answer. Where that operand is opted out, \
        paused or switched off, the file never comes. Most operands wait for the operator-validator, not for the toolkit.",
    find,
};

fn find(standing: &Standing<'_>) -> Vec<Found> {
    let mut found = Vec::new();
    for node in &standing.nodes {
        for root in &node.roots {
            let trouble = node.cell(root.operand).and_then(|it| it.trouble.as_ref());
            let Some(Trouble::Waits(pod, init, since)) = trouble else {
                continue;
            };
            let Some(barrier) = barriers::at(root.operand, init) else {
                continue;
            };
            let name = &node.node.name;
            let since = since.map_or_else(String::new, |at| format!(" since {at}"));
            let waits = root.verb("waits", "wait");
            found.push(Found {
                operand: Some(root.operand),
                subject: Subject::from(*pod),
                message: format!(
                    "{} {waits} in {init} on node/{name}{since}: {}{}",
                    root.names(),
                    opener(node, barrier),
                    root.waiting_behind()
                ),
                cause: cause(node, barrier),
                consequences: node.consequences(root),
                evidence: evidence(node, root, barrier, pod),
                fix: fix(node, barrier, pod),
                ..Found::on(node.node)
            });
        }
    }
    found
}

/// How the operand that has to open the barrier stands.
fn opener(node: &NodeStanding<'_>, barrier: &Barrier) -> String {
    let name = barrier.opener.name();
    match node.cell(barrier.opener).map(|it| it.state) {
        Some(State::Ready) => format!("{name} is Ready and the wait goes on"),
        Some(state) => format!("{name} is {} there", state.name()),
        None => format!("{name} has nothing to do with this node"),
    }
}

fn cause(node: &NodeStanding<'_>, barrier: &Barrier) -> String {
    let name = barrier.opener.name();
    let file = if barrier.file.is_empty() {
        String::new()
    } else {
        format!(" (file {})", barrier.file)
    };
    match node.cell(barrier.opener) {
        Some(it) if it.state == State::Ready => {
            format!(
                "what {} checks does not work although {name} is Ready{file}; an old kernel module may still be loaded",
                barrier.init_container
            )
        }
        Some(it) if it.state == State::PreInstalled => {
            format!("the host's own driver has to answer, and it does not{file}")
        }
        Some(it) => format!(
            "{name} has to open the barrier{file} and does not run: {}",
            it.why
        ),
        None => {
            format!("{name} has to open the barrier{file}, and nothing deploys it on this node")
        }
    }
}

fn evidence(
    node: &NodeStanding<'_>,
    root: &Root,
    barrier: &Barrier,
    pod: &crate::cluster::Pod,
) -> Vec<String> {
    let mut evidence = vec![format!("{} is {}", pod.address(), pod.status)];
    let others = root
        .alike
        .iter()
        .filter_map(|id| node.cell(*id)?.trouble.as_ref()?.pod());
    evidence.extend(others.map(|it| format!("{} is {}", it.address(), it.status)));
    if let Some(it) = node.cell(barrier.opener) {
        evidence.extend(it.pods.iter().map(|it| {
            format!(
                "{} is {}, {} restarts",
                it.address(),
                it.status,
                it.restarts
            )
        }));
        let value = node.node.label(it.operand.row().label);
        let key = it.operand.row().label;
        evidence.push(match value {
            Some(value) => format!("node/{} label {key}={value}", node.node.name),
            None => format!("node/{} label {key} absent", node.node.name),
        });
    }
    evidence
}

fn fix(node: &NodeStanding<'_>, barrier: &Barrier, pod: &crate::cluster::Pod) -> String {
    match node.cell(barrier.opener).map(|it| it.state) {
        Some(State::OptedOut | State::Paused | State::NotWanted) => {
            format!(
                "kubectl label node/{} {}=true --overwrite",
                node.node.name,
                barrier.opener.row().label
            )
        }
        _ => format!(
            "kubectl logs {} -c {} -n {}",
            pod.address(),
            barrier.init_container,
            pod.namespace
        ),
    }
}
