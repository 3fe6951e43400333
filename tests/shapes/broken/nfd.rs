//! Node Feature Discovery and the operator: who labels the nodes.

use serde_json::json;

use super::{Broken, broken, with};
use crate::build::{Node, Recording, Shape, V24_9, V25_10, V26_3, helm};
use crate::healthy::{defaults, installs_nodes, pools};

/// They.
pub(super) const ALL: &[Broken] = &[
    broken(
        "NFD does not tolerate the taint of a GPU node",
        intolerant,
        &[("gpu-new", "nfd-worker-missing")],
        &[],
    ),
    broken(
        "NFD's worker has no pod on a node that was marked by hand",
        marked,
        &[("gpu-new", "nfd-worker-missing")],
        &[],
    ),
    broken(
        "NFD's master restarts again and again",
        master,
        &[("gpu-operator-node-feature-discovery-master", "nfd-restarts")],
        &[],
    ),
    broken(
        "NFD is not installed",
        absent,
        &[("cluster-policy", "nfd-absent")],
        &[],
    ),
    broken(
        "NFD labels class, vendor and device",
        || relabelled("pci-0302_10de_20b0"),
        &[("cluster-policy", "nfd-pci-label-unknown")],
        &[],
    ),
    broken(
        "NFD labels subsystems",
        || relabelled("pci-0302_10de_20b0_10de_134f"),
        &[("cluster-policy", "nfd-pci-label-unknown")],
        &[],
    ),
    broken(
        "the operator has not seen a GPU node",
        || defaults(&V25_10).node("gpu-a", unseen).record(),
        &[("gpu-a", "gpu-not-recognised")],
        &[],
    ),
    broken(
        "the operator is scaled to 0, and a GPU node joins",
        || stopped(unseen),
        &[
            ("gpu-operator", "operator-not-running"),
            ("gpu-a", "gpu-not-recognised"),
        ],
        &[],
    ),
    broken(
        "the operator is scaled to 0, and labels are lost",
        || stopped(|it| it.without("nvidia.com/gpu.deploy.")),
        &[
            ("gpu-operator", "operator-not-running"),
            ("gpu-a", "deploy-labels-lost"),
        ],
        &[],
    ),
    broken(
        "the operator is scaled to 0, and nothing else is wrong",
        || stopped(|it| it),
        &[],
        &[],
    ),
    broken(
        "a pool whose NVIDIADriver reports a conflict",
        conflict,
        &[("default", "policy-error")],
        &[],
    ),
];

fn new_node() -> Node {
    Node::bare("gpu-new").resource("nvidia.com/gpu", 4)
}

fn intolerant() -> Recording {
    let mut shape = defaults(&V24_9);
    shape.nodes.push(
        new_node()
            .taint("nvidia.com/gpu:NoSchedule")
            .taint("team=ml:NoSchedule"),
    );
    shape.record()
}

fn marked() -> Recording {
    let mut nodes = installs_nodes(&V26_3);
    nodes.push(
        Node::bare("gpu-new")
            .pci()
            .gfd(&V26_3, crate::build::Card::T4),
    );
    with(
        Shape::of(&V26_3, nodes).nfd().operated(helm(&V26_3)),
        |it| {
            it.remove_pod("gpu-operator-node-feature-discovery-worker", "gpu-new");
        },
    )
}

fn master() -> Recording {
    with(defaults(&V25_10), |it| {
        let is_master = |it: &&mut serde_json::Value| {
            it["kind"] == "Pod" && it["metadata"]["labels"]["role"] == "master"
        };
        let pod = it
            .items
            .iter_mut()
            .find(is_master)
            .expect("NFD has a master");
        pod["metadata"]["name"] = json!("gpu-operator-node-feature-discovery-master");
        pod["status"]["containerStatuses"][0]["restartCount"] = json!(23);
        pod["status"]["containerStatuses"][0]["lastState"] = json!({ "terminated": { "exitCode": 2, "reason": "Error",
            "startedAt": "2026-03-02T11:00:00Z", "finishedAt": "2026-03-02T11:50:00Z" } });
    })
}

fn absent() -> Recording {
    let nodes = vec![Node::bare("node-a"), Node::bare("node-b")];
    Shape::of(&V25_10, nodes).operated(helm(&V25_10)).record()
}

fn relabelled(device: &str) -> Recording {
    let relabel = |it: Node| match it.get("nvidia.com/gpu.present") {
        Some(_) => it
            .without("feature.node.kubernetes.io/pci-")
            .without("nvidia.com/gpu.deploy.")
            .label(
                &format!("feature.node.kubernetes.io/{device}.present"),
                "true",
            )
            .label("nvidia.com/gpu.present", "false"),
        None => it,
    };
    let nodes = installs_nodes(&V25_10).into_iter().map(relabel).collect();
    Shape::of(&V25_10, nodes)
        .nfd()
        .operated(helm(&V25_10))
        .record()
}

fn unseen(it: Node) -> Node {
    it.without("nvidia.com/")
}

fn stopped(edit: fn(Node) -> Node) -> Recording {
    with(defaults(&V24_9).node("gpu-a", edit), |it| {
        it.object("Deployment", "gpu-operator")["spec"]["replicas"] = json!(0);
        it.object("Deployment", "gpu-operator")["status"] = json!({ "observedGeneration": 2 });
        it.items
            .retain(|it| it["kind"] != "Pod" || it["metadata"]["labels"]["app"] != "gpu-operator");
    })
}

fn conflict() -> Recording {
    let mut shape = pools(&crate::build::V26_7);
    let driver = shape.policies.pop().expect("two pools");
    let first = shape.policies.pop().expect("two pools");
    shape.policies.push(first.stopped(
        "ConflictingNodeSelector",
        "node gpu-b is selected by default and canary",
    ));
    shape.policies.push(driver);
    shape.record()
}
