//! What the operator does: it labels GPU nodes, and makes the DaemonSets that its policy asks for.

use serde_json::{Value, json};

use super::foreign::deployment_with_pods;
use super::node::Node;
use super::parts::{DRA, PARTS, Part, SANDBOX};
use super::policy::Policy;
use super::release::Release;
use super::set::Set;

/// Labels that k8s-driver-manager leaves empty on a container node.
const LEFT_EMPTY: &[&str] = &[
    "nvsm",
    "sandbox-device-plugin",
    "sandbox-validator",
    "vgpu-device-manager",
];
const LEFT_EMPTY_26_7: &[&str] = &[
    "client",
    "dra-driver",
    "dra-validator",
    "dcgm-dra",
    "dcgm-exporter-dra",
];

const CONTAINER: &[&str] = &[
    "driver",
    "gpu-feature-discovery",
    "container-toolkit",
    "device-plugin",
    "dcgm",
    "dcgm-exporter",
    "node-status-exporter",
    "operator-validator",
];

/// The operator's Deployment and pod.
pub(super) fn deployment(release: &Release, home: &str, on: &str) -> Vec<Value> {
    let labels = json!({ "app": "gpu-operator", "app.kubernetes.io/component": "gpu-operator",
        "app.kubernetes.io/version": release.tag, "helm.sh/chart": format!("gpu-operator-{}", release.tag) });
    let image = format!("nvcr.io/nvidia/gpu-operator:{}", release.tag);
    deployment_with_pods(home, "gpu-operator", &labels, &image, on)
}

fn workload<'a>(policy: &'a Policy, node: &'a Node) -> &'a str {
    if policy.is("GPUCluster") {
        return "dra";
    }
    if !policy.flag(("sandboxWorkloads.enabled", false)) {
        return "container";
    }
    let default = policy
        .at("sandboxWorkloads.defaultWorkload")
        .as_str()
        .unwrap_or("container");
    let named = node.get("nvidia.com/gpu.workload.config");
    named
        .filter(|it| ["container", "vm-passthrough", "vm-vgpu"].contains(it))
        .unwrap_or(default)
}

fn wanted(policy: &Policy, release: &Release, node: &Node) -> Vec<&'static str> {
    let kata = policy.at("sandboxWorkloads.mode") == "kata";
    let mut labels = match workload(policy, node) {
        "dra" => vec![
            "driver",
            "dra-driver",
            "dra-validator",
            "dcgm-dra",
            "dcgm-exporter-dra",
        ],
        "vm-passthrough" => vec![
            if kata {
                "kata-sandbox-device-plugin"
            } else {
                "sandbox-device-plugin"
            },
            "sandbox-validator",
            "vfio-manager",
            "kata-manager",
            "cc-manager",
        ],
        "vm-vgpu" => vec![
            "sandbox-device-plugin",
            "vgpu-manager",
            "vgpu-device-manager",
            "sandbox-validator",
            "cc-manager",
        ],
        _ => CONTAINER
            .iter()
            .copied()
            .chain(is_mig_capable(node).then_some("mig-manager"))
            .collect(),
    };
    if release.is(26, 7) && !policy.is("GPUCluster") {
        labels.push("client");
    }
    labels
}

fn is_mig_capable(node: &Node) -> bool {
    if node
        .get("nvidia.com/vgpu.host-driver-version")
        .is_some_and(|it| !it.is_empty())
    {
        return false;
    }
    match node.get("nvidia.com/mig.capable") {
        Some(value) => value == "true",
        None => node
            .get("nvidia.com/gpu.product")
            .is_some_and(|it| ["H100", "A100", "A30"].iter().any(|card| it.contains(card))),
    }
}

/// Labels a GPU node; a value that is there stays.
pub(super) fn label(policy: &Policy, release: &Release, mut node: Node) -> Node {
    let is_opted_out =
        node.get("nvidia.com/gpu.deploy.operands") == Some("false") && !policy.is("GPUCluster");
    if node.get("nvidia.com/gpu.present") != Some("true") || is_opted_out {
        return node;
    }
    let has_driver_pod =
        policy.flag(("driver.enabled", true)) && workload(policy, &node) == "container";
    let left = LEFT_EMPTY.iter().chain(if release.is(26, 7) {
        LEFT_EMPTY_26_7
    } else {
        &[]
    });
    let keep = |node: &Node, name: &str, is_empty_kept: bool| {
        node.get(&format!("nvidia.com/gpu.deploy.{name}"))
            .is_some_and(|it| is_empty_kept || !it.is_empty())
    };
    for name in wanted(policy, release, &node) {
        if !keep(&node, name, !release.is(26, 7)) {
            node = node.deploy(name, "true");
        }
    }
    for name in left.filter(|_| has_driver_pod) {
        if !keep(&node, name, true) {
            node = node.deploy(name, "");
        }
    }
    if has_driver_pod && node.get("nvidia.com/gpu.deploy.driver") == Some("true") {
        node = node.label("nvidia.com/gpu-driver-upgrade-state", "upgrade-done");
    }
    let is_default = node.get("nvidia.com/mig.config").is_none();
    match node.get("nvidia.com/gpu.deploy.mig-manager") {
        Some("true") if is_default => node
            .label("nvidia.com/mig.config", "all-disabled")
            .label("nvidia.com/mig.config.state", "success"),
        _ => node,
    }
}

fn is_on(policy: &Policy, release: &Release, part: &Part) -> bool {
    let mode = policy
        .at("sandboxWorkloads.mode")
        .as_str()
        .unwrap_or("kubevirt");
    let fits = match part.set {
        "nvidia-device-plugin-mps-control-daemon" => release.is(24, 3),
        "nvidia-driver-daemonset" => !policy.flag(("driver.useNvidiaDriverCRD", false)),
        "nvidia-kata-sandbox-device-plugin-daemonset" => mode == "kata" && release.is(26, 3),
        // There was no mode before v26.3.
        "nvidia-cc-manager" => mode == "kata" || !release.is(26, 3),
        "nvidia-sandbox-device-plugin-daemonset" => mode == "kubevirt",
        "nvidia-kata-manager" => !release.is(26, 7),
        _ => true,
    };
    fits && policy.flag(part.switch)
}

/// The DaemonSets that a policy asks for.
pub(super) fn sets(policy: &Policy, release: &Release, home: &str) -> Vec<Set> {
    let is_sandboxed = policy.flag(("sandboxWorkloads.enabled", false));
    let parts: Vec<&Part> = match policy.is("GPUCluster") {
        true => DRA.iter().collect(),
        false => PARTS
            .iter()
            .chain(if is_sandboxed { SANDBOX } else { &[] })
            .collect(),
    };
    let class = policy
        .at("operator.runtimeClass")
        .as_str()
        .unwrap_or("nvidia");
    let more = policy.at("daemonsets.tolerations").as_array().cloned();
    let made = parts
        .into_iter()
        .filter(|part| is_on(policy, release, part))
        .map(|part| {
            let set = Set::of(part, release, home, &policy.0).runtime_class(class);
            // GFD says on which nodes MPS can be used.
            let set = match part.set {
                "nvidia-device-plugin-mps-control-daemon" => {
                    set.selects("nvidia.com/mps.capable", "true")
                }
                _ => set,
            };
            match &more {
                Some(all) => all
                    .iter()
                    .fold(set.intolerant(), |set, it| set.tolerates(it.clone())),
                None => set,
            }
        });
    made.collect()
}
