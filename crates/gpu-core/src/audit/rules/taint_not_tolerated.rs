//! A taint of the node keeps operands away.

use super::{Words, each_root, in_namespace, labels_of};
use crate::answer::{Severity, Subject};
use crate::cluster::node::Taint;
use crate::cluster::{DaemonSet, Refusal};
use crate::standing::{Found, NodeStanding, Plugin, Root, Rule, Standing, Trouble};

pub(super) const RULE: Rule = Rule {
    id: "taint-not-tolerated",
    severity: Severity::Error,
    plugin: Plugin::Audit,
    summary: "a taint of the node keeps operands away that its deploy labels ask for",
    explanation: "The operator's DaemonSets tolerate the taint nvidia.com/gpu:NoSchedule and what a person adds under \
        daemonsets.tolerations of the ClusterPolicy (tolerations of an NVIDIADriver are its own). A node with another \
        taint is not counted as desired, so there is no pod and no event, and the ClusterPolicy still says ready.",
    find,
};

fn find(standing: &Standing<'_>) -> Vec<Found> {
    each_root(standing, |node, root, _, trouble| {
        let Trouble::Refused(it, Refusal::Taint(taint)) = trouble else {
            return None;
        };
        let evidence = vec![
            format!("node/{} taint {taint}", node.node.name),
            tolerations(it),
            labels_of(node, root),
        ];
        Some(Words {
            subject: Subject::from(*it),
            message: format!(
                "node/{} gets no pod of {}: its taint {taint} is not tolerated{}",
                node.node.name,
                root.names(),
                root.waiting_behind()
            ),
            cause: format!(
                "{} has no toleration for {taint}{}",
                it.address(),
                owned_by(it)
            ),
            evidence,
            fix: fix(node, root, it, taint),
        })
    })
}

fn owned_by(it: &DaemonSet) -> String {
    it.owner.as_ref().map_or_else(String::new, |owner| {
        format!("; its tolerations come from {}/{}", owner.kind, owner.name)
    })
}

fn tolerations(it: &DaemonSet) -> String {
    if it.tolerations.is_empty() {
        return format!("{} has no tolerations", it.address());
    }
    let all = it
        .tolerations
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(", ");
    format!("{} tolerates {all}", it.address())
}

fn fix(node: &NodeStanding<'_>, root: &Root, it: &DaemonSet, taint: &Taint) -> String {
    let toleration = format!(
        "{{key: {}, operator: Exists, effect: {}}}",
        taint.key, taint.effect
    );
    match it.owner.as_ref().map(|it| (it.kind.as_str(), &it.name)) {
        Some(("ClusterPolicy", name)) => {
            format!(
                "kubectl edit clusterpolicy/{name}: add {toleration} to spec.daemonsets.tolerations"
            )
        }
        Some(("NVIDIADriver", name)) => {
            format!("kubectl edit nvidiadriver/{name}: add {toleration} to spec.tolerations")
        }
        _ => {
            let alike = root
                .alike
                .iter()
                .filter_map(|id| node.cell(*id)?.daemon_sets.first());
            let all: Vec<_> = std::iter::once(it)
                .chain(alike.copied())
                .map(|it| it.name.as_str())
                .collect();
            in_namespace(&format!("edit daemonset {}", all.join(" ")), &it.namespace)
                + &format!(": add {toleration} to spec.template.spec.tolerations")
        }
    }
}
