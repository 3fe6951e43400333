//! A node is labelled as a GPU node and nothing else says that it has a GPU.

use super::Found;
use crate::answer::Severity;
use crate::facts::operands::Id;
use crate::standing::{NodeStanding, Plugin, Rule, Standing, State, Trouble};

pub(super) const RULE: Rule = Rule {
    id: "gpu-label-without-gpu",
    severity: Severity::Warning,
    plugin: Plugin::Audit,
    summary: "a node is labelled as a GPU node, its driver fails, and nothing shows a GPU",
    explanation: "The PCI label with vendor 10de stands for any device of NVIDIA, also for a network or audio function, \
        and a virtual machine may have lost its GPU since NFD looked. Where the driver fails again and again, the node \
        offers no nvidia.com/gpu and GFD wrote no labels, look at the source of the PCI label before the operands.",
    find,
};

/// So many restarts are no slow start.
const OFTEN: u32 = 10;

fn find(standing: &Standing<'_>) -> Vec<Found> {
    let has_peer = |it: &NodeStanding<'_>| {
        it.cell(Id::Driver)
            .is_some_and(|it| it.state == State::Ready)
    };
    if !standing.nodes.iter().any(has_peer) {
        return Vec::new();
    }
    standing.nodes.iter().filter_map(on_node).collect()
}

fn on_node(it: &NodeStanding<'_>) -> Option<Found> {
    let Trouble::Fails(pod, failure) = it.cell(Id::Driver)?.trouble.as_ref()? else {
        return None;
    };
    let node = it.node;
    let offers = node.gpu_resources.iter().any(|it| it.capacity > 0);
    let known_by_gfd = node.label("nvidia.com/gpu.product").is_some()
        || node.label("nvidia.com/gpu.count").is_some();
    let pci = node.gpu_pci_label()?;
    if failure.is_init || failure.restarts < OFTEN || offers || known_by_gfd {
        return None;
    }
    Some(Found {
        operand: Some(Id::Driver),
        message: format!(
            "node/{} is labelled {pci}=true by NFD, and neither its capacity nor GFD shows a GPU; is there one?",
            node.name
        ),
        cause: format!(
            "the label says that a PCI device of NVIDIA is there, and the driver failed {} times to find a GPU",
            failure.restarts
        ),
        evidence: vec![
            format!(
                "{} is {} with {} restarts",
                pod.address(),
                pod.status,
                pod.restarts
            ),
            format!(
                "node/{} advertises no nvidia.com/gpu and has no label nvidia.com/gpu.product",
                node.name
            ),
        ],
        fix: format!(
            "lspci -d 10de: on node/{}; if it shows no GPU, label it nvidia.com/gpu.deploy.operands=false",
            node.name
        ),
        ..Found::on(node)
    })
}
