//! NFD's labels lag behind what the node itself reports.

use crate::answer::{Severity, Subject};
use crate::cluster::Node;
use crate::drivertag::judge::Ledger;
use crate::drivertag::kernel;
use crate::drivertag::wanted::NodeNeeds;
use crate::facts::images::{KERNEL, OS_ID, OS_VERSION, OSTREE_VERSION};
use crate::facts::operands::Id;
use crate::standing::{Found, Plugin};

pub(super) const RULE: super::TagRule = super::TagRule {
    id: "nfd-label-stale",
    severity: Severity::Warning,
    plugin: Plugin::DriverTag,
    summary: "NFD's labels of kernel or system are not what the node itself reports",
    explanation: "The operator makes tags and chooses DaemonSets by NFD's labels and never looks at what the node itself \
        reports. After a reboot into another kernel or system the labels follow within a minute; where they do not, the \
        node is served for a system it no longer runs, and its tag is about to change. How NFD writes a kernel into a \
        label (a plus becomes an underscore, one at the end goes) is taken into account. The kernel matters where \
        drivers are precompiled, or where OpenShift's builds decide.",
    find,
};

fn find(ledger: &Ledger<'_>) -> Vec<Found> {
    let nodes = ledger.nodes().filter(|it| it.wants_driver());
    nodes.filter_map(say).collect()
}

/// A label, what it says, and what the node reports.
struct Stale {
    label: &'static str,
    says: String,
    reports: String,
}

fn say(it: &NodeNeeds<'_>) -> Option<Found> {
    let node = it.node;
    let builds = ostree(node);
    let kernel_matters = it.outcome.is_precompiled || builds.is_some();
    let stale: Vec<_> = [
        builds,
        kernel_of(node).filter(|_| kernel_matters),
        system(node),
    ]
    .into_iter()
    .flatten()
    .collect();
    let first = stale.first()?;
    let all = stale.iter();
    Some(Found {
        operand: Some(Id::Driver),
        subject: Subject::from(node),
        message: format!(
            "node/{} has the stale label {}={}, and the node itself reports {}",
            node.name, first.label, first.says, first.reports
        ),
        cause: "NFD has not followed a reboot or an upgrade of the node".to_owned(),
        consequences: vec!["the driver is made for a system the node no longer runs, and its image is about to change".to_owned()],
        evidence: all.map(|it| format!("{}={}, node reports {}", it.label, it.says, it.reports)).collect(),
        fix: format!("kubectl get pods -A -o wide --field-selector spec.nodeName={} -l app.kubernetes.io/name=node-feature-discovery", node.name),
        ..Found::on(node)
    })
}

fn kernel_of(node: &Node) -> Option<Stale> {
    let says = node.label(KERNEL)?;
    let is_alike = node.kernel == says || kernel::label_of(&node.kernel) == says;
    let is_stale = !node.kernel.is_empty() && !is_alike;
    is_stale.then(|| Stale {
        label: KERNEL,
        says: says.to_owned(),
        reports: node.kernel.clone(),
    })
}

/// The build of an OpenShift node: `416.94.202408260940-0` in `Red Hat Enterprise Linux CoreOS 416.94.202408260940-0`.
fn ostree(node: &Node) -> Option<Stale> {
    let says = node.label(OSTREE_VERSION)?;
    let (_, after) = node.os_image.split_once("CoreOS ")?;
    let reports = after
        .split_whitespace()
        .next()
        .filter(|it| it.starts_with(|c: char| c.is_ascii_digit()))?;
    (reports != says).then(|| Stale {
        label: OSTREE_VERSION,
        says: says.to_owned(),
        reports: reports.to_owned(),
    })
}

/// Systems whose `osImage` names their version: ID, and how the text begins.
const NAMED: [(&str, &str); 4] = [
    ("ubuntu", "Ubuntu "),
    ("rhel", "Red Hat Enterprise Linux "),
    ("rocky", "Rocky Linux "),
    ("ol", "Oracle Linux Server "),
];

fn system(node: &Node) -> Option<Stale> {
    let (id, says) = (node.label(OS_ID)?, node.label(OS_VERSION)?);
    let (_, start) = NAMED.iter().find(|it| it.0 == id)?;
    let version = node
        .os_image
        .strip_prefix(start)?
        .split_whitespace()
        .next()?;
    let is_version = version.starts_with(|c: char| c.is_ascii_digit());
    // Ubuntu reports 22.04.4 and labels 22.04.
    let fits = version == says || version.starts_with(&format!("{says}."));
    (is_version && !fits).then(|| Stale {
        label: OS_VERSION,
        says: says.to_owned(),
        reports: node.os_image.clone(),
    })
}
