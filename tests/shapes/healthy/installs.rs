//! The operator's own ways to be installed, release by release.

use serde_json::json;

use super::Healthy;
use crate::build::{
    Card, Node, Policy, Release, Shape, V23_9, V24_6, V24_9, V25_10, V26_3, V26_7, hand_written,
    helm, nvidia_driver, pool, precompiled,
};

/// They.
pub(crate) const ALL: &[Healthy] = &[
    ("Helm defaults of v23.9", || defaults(&V23_9)),
    ("Helm defaults of v24.9", || defaults(&V24_9)),
    ("Helm defaults of v25.10", || defaults(&V25_10)),
    ("Helm defaults of v26.3", || defaults(&V26_3)),
    ("Helm defaults of v26.7", || defaults(&V26_7)),
    (
        "Helm without a namespace, beside workloads in default",
        in_default,
    ),
    (
        "a driver on the host, found by the driver manager",
        pre_installed,
    ),
    ("a driver on the host, told by the policy", || {
        changed(&V25_10, &[("driver.enabled", false)])
    }),
    ("driver and toolkit on the host", || {
        changed(
            &V25_10,
            &[("driver.enabled", false), ("toolkit.enabled", false)],
        )
    }),
    ("a ClusterPolicy by hand that says nothing of dcgm", by_hand),
    (
        "all optional operands off, and another device plugin",
        optional_off,
    ),
    ("every operand on", || {
        changed(
            &V25_10,
            &[("dcgm.enabled", true), ("nodeStatusExporter.enabled", true)],
        )
    }),
    ("precompiled drivers, one DaemonSet a kernel", kernels),
    ("NVIDIADriver pools of v25.10", || pools(&V25_10)),
    ("NVIDIADriver pools of v26.7 with owners", || pools(&V26_7)),
    ("an NVIDIADriver for vGPU guests", vgpu_guests),
    ("a taint that the policy tolerates", tolerated),
    ("a taint that came after the operands", tainted_later),
    ("a node being cordoned", || {
        defaults(&V25_10).node("gpu-a", Node::cordoned)
    }),
    ("a node opted out, without GPU pods", opted_out),
    ("single operands opted out", || {
        defaults(&V24_9).node("gpu-a", |it| it.deploy("dcgm-exporter", "false"))
    }),
    ("nodes without GPU only", no_gpu),
    ("a GPU that was taken out", taken_out),
    ("an NFD master that saw some reboots in a year", rebooted),
    ("300 nodes", many),
];

/// A control-plane node, one without GPU, one with a plain GPU, one with MIG.
pub(crate) fn nodes(release: &Release) -> Vec<Node> {
    vec![
        Node::control_plane("cp-a"),
        Node::cpu("cpu-a"),
        Node::gpu("gpu-a", release, Card::T4),
        Node::gpu("gpu-b", release, Card::A100),
    ]
}

/// What `helm install` makes of them.
pub(crate) fn defaults(release: &'static Release) -> Shape {
    Shape::of(release, nodes(release))
        .nfd()
        .operated(helm(release))
}

fn policy(release: &Release, changes: &[(&str, bool)]) -> Policy {
    changes
        .iter()
        .fold(helm(release), |it, (path, value)| it.with(path, *value))
}

/// The same with some values of the chart set.
pub(crate) fn changed(release: &'static Release, changes: &[(&str, bool)]) -> Shape {
    Shape::of(release, nodes(release))
        .nfd()
        .operated(policy(release, changes))
}

fn in_default() -> Shape {
    let web = crate::build::deployment_with_pods(
        "default",
        "web",
        &json!({ "app": "web" }),
        "nginx:1",
        "cpu-a",
    );
    Shape::of(&V25_10, nodes(&V25_10))
        .within("default")
        .nfd()
        .operated(helm(&V25_10))
        .with(web)
        .with([crate::build::workload(
            "default",
            "train",
            "gpu-b",
            "nvidia.com/gpu",
        )])
}

/// With gpu-a's driver on its host.
pub(crate) fn pre_installed() -> Shape {
    let nodes = nodes(&V24_9).into_iter().map(|it| match it.name() {
        "gpu-a" => it.deploy("driver", "pre-installed"),
        _ => it,
    });
    Shape::of(&V24_9, nodes.collect())
        .nfd()
        .operated(helm(&V24_9))
}

/// A policy as people write it, with the operator's defaults for what it leaves out.
pub(crate) fn by_hand() -> Shape {
    let spec = json!({ "operator": { "defaultRuntime": "containerd" }, "driver": { "enabled": true }, "toolkit": { "enabled": true },
        "devicePlugin": {}, "dcgmExporter": {}, "gfd": {}, "daemonsets": {} });
    Shape::of(&V25_10, nodes(&V25_10))
        .nfd()
        .operated(hand_written("gpu-cluster-policy", spec))
}

fn optional_off() -> Shape {
    let off =
        ["devicePlugin", "gfd", "dcgmExporter", "migManager"].map(|it| format!("{it}.enabled"));
    let off: Vec<_> = off.iter().map(|it| (it.as_str(), false)).collect();
    let other = crate::build::foreign_set(
        "kube-system",
        "hami-device-plugin",
        "projecthami/hami:v2.6.1",
    )
    .selects("gpu", "on");
    changed(&V25_10, &off)
        .node("gpu-a", |it| {
            it.without("nvidia.com/cuda")
                .without("nvidia.com/mig")
                .label("gpu", "on")
        })
        .with_set(other)
        .with([crate::build::workload(
            "team",
            "train",
            "gpu-a",
            "nvidia.com/gpu",
        )])
}

pub(crate) fn kernels() -> Shape {
    let other = "5.15.0-119-generic";
    let branch = V24_6.driver.split('.').next().unwrap_or_default();
    let policy = helm(&V24_6)
        .with("driver.usePrecompiled", true)
        .with("driver.version", branch);
    let set = |kernel| precompiled(&V24_6, "gpu-operator", &policy, kernel, "ubuntu22.04");
    let (old, new) = (set("5.15.0-105-generic"), set(other));
    Shape::of(&V24_6, nodes(&V24_6))
        .nfd()
        .operated(policy)
        .node("gpu-b", |it| it.kernel(other))
        .without_set("nvidia-driver-daemonset")
        .with_set(old)
        .with_set(new)
}

/// Two NVIDIADrivers, one of them for a node of another operating system.
pub(crate) fn pools(release: &'static Release) -> Shape {
    let policy = helm(release).with("driver.useNvidiaDriverCRD", true);
    let stable = nvidia_driver("default", "gpu", release.driver).with("default", true);
    let canary = nvidia_driver("canary", "gpu", release.driver)
        .with("nodeSelector", json!({ "pool": "canary" }));
    let set = |owner: &Policy, os| pool(release, "gpu-operator", owner, os);
    let (first, second) = (
        set(&stable, ("ubuntu", "22.04")),
        set(&canary, ("ubuntu", "24.04")),
    );
    let owner = "nvidia.com/gpu-operator.driver.owner";
    Shape::of(release, nodes(release))
        .nfd()
        .operated(policy)
        .node("gpu-a", |it| {
            if release.is(26, 7) {
                it.label(owner, "default")
            } else {
                it
            }
        })
        .node("gpu-b", |it| {
            it.os("ubuntu", "24.04").label("pool", "canary")
        })
        .node("gpu-b", |it| {
            if release.is(26, 7) {
                it.label(owner, "canary")
            } else {
                it
            }
        })
        .with_set(first)
        .with_set(second)
        .with_policy(stable)
        .with_policy(canary)
}

fn vgpu_guests() -> Shape {
    let policy = helm(&V25_10).with("driver.useNvidiaDriverCRD", true);
    let driver = nvidia_driver("vgpu", "vgpu", "580.95.05-grid");
    let set = pool(&V25_10, "gpu-operator", &driver, ("ubuntu", "22.04"));
    let guest = |it: Node| {
        it.label("nvidia.com/vgpu.host-driver-version", "580.95.02")
            .label("nvidia.com/vgpu.present", "true")
    };
    let nodes = nodes(&V25_10)
        .into_iter()
        .map(|it| if it.name() == "gpu-b" { guest(it) } else { it });
    Shape::of(&V25_10, nodes.collect())
        .nfd()
        .operated(policy)
        .with_set(set)
        .with_policy(driver)
}

/// Every operand tolerates a taint of the team, and so does NFD.
pub(crate) fn tolerated() -> Shape {
    let team = json!({ "key": "team", "operator": "Equal", "value": "ml", "effect": "NoExecute" });
    let gpu = json!({ "key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule" });
    let policy = helm(&V25_10).with("daemonsets.tolerations", json!([gpu, team]));
    Shape::of(&V25_10, nodes(&V25_10))
        .nfd()
        .operated(policy)
        .node("gpu-a", |it| {
            it.taint("team=ml:NoExecute")
                .taint("nvidia.com/gpu=present:NoSchedule")
                .taint("spot:PreferNoSchedule")
        })
        .sets_where(
            |it| it.name().ends_with("worker"),
            |it| it.tolerates(team.clone()),
        )
}

fn tainted_later() -> Shape {
    // NoSchedule keeps new pods away and leaves those alone that are there.
    defaults(&V25_10).node("gpu-a", |it| {
        it.taint("node.kubernetes.io/maintenance:NoSchedule")
    })
}

fn opted_out() -> Shape {
    let nodes = nodes(&V25_10).into_iter().map(|it| match it.name() {
        "gpu-a" => it
            .deploy("operands", "false")
            .without("nvidia.com/cuda")
            .offers("nvidia.com/gpu", 0, 0),
        _ => it,
    });
    Shape::of(&V25_10, nodes.collect())
        .nfd()
        .operated(helm(&V25_10))
}

fn no_gpu() -> Shape {
    let nodes = vec![
        Node::control_plane("cp-a"),
        Node::cpu("cpu-a"),
        Node::cpu("cpu-b").taint("dedicated=db:NoSchedule"),
    ];
    Shape::of(&V25_10, nodes).nfd().operated(helm(&V25_10))
}

fn taken_out() -> Shape {
    defaults(&V25_10).node("gpu-a", |it| {
        it.without("nvidia.com/gpu.deploy.")
            .without("feature.node.kubernetes.io/pci-10de")
            .label("nvidia.com/gpu.present", "false")
            .offers("nvidia.com/gpu", 0, 0)
    })
}

/// Each reboot of its node counts as a restart.
fn rebooted() -> Shape {
    let mut shape = defaults(&V25_10);
    let is_master = |it: &&mut serde_json::Value| {
        it["kind"] == "Pod" && it["metadata"]["labels"]["role"] == "master"
    };
    let pod = shape
        .others
        .iter_mut()
        .find(is_master)
        .expect("NFD has a master");
    pod["metadata"]["creationTimestamp"] = json!("2025-03-01T09:00:00Z");
    pod["status"]["containerStatuses"][0]["restartCount"] = json!(6);
    pod["status"]["containerStatuses"][0]["lastState"] = json!({ "terminated": { "exitCode": 255, "reason": "Unknown",
        "startedAt": "2025-10-01T09:00:00Z", "finishedAt": "2026-01-05T03:00:00Z" } });
    shape
}

fn many() -> Shape {
    let name = |at: usize| format!("gpu-{at:03}");
    let mut nodes = vec![Node::control_plane("cp-a")];
    nodes.extend((0..150).map(|at| Node::gpu(&name(at), &V25_10, Card::B200)));
    nodes.extend((0..149).map(|at| Node::cpu(&format!("cpu-{at:03}"))));
    Shape::of(&V25_10, nodes).nfd().operated(helm(&V25_10))
}
