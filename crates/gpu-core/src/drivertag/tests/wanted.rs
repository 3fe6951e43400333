//! What a node needs, row by row of how the operator makes references.

use serde_json::{Value, json};

use super::{
    by_nvidia_drivers, cluster_policy, driver_set, drivers, gpu_node, labelled, lines,
    nvidia_driver,
};
use crate::drivertag::WhatIf;
use crate::drivertag::outcome::Wish;
use crate::drivertag::wanted::needs;
use crate::drivertag::wire::why;
use crate::facts::images::{DRIVER_OWNER, KERNEL, OS_ID};
use crate::facts::release::Release;
use crate::standing::Scope;
use crate::testing::recorded;

const KERNEL_UBUNTU: &str = "5.15.0-118-generic";
const DIGEST: &str = "sha256:c8f79faac2365fa2ac3c44bdcad334ff36dfdecd0503bcacee07d7d12a842e1a";

/// What the first node needs: `role image` of each, or why there is none.
fn wanted(objects: Vec<Value>, release: &str) -> Vec<String> {
    let cluster = recorded(objects);
    let needs = needs(
        &cluster,
        &Scope::default(),
        Release::parse(release),
        &WhatIf::default(),
    )
    .unwrap();
    let node = &needs.nodes[0];
    match &node.outcome.wish {
        Wish::Images(all) => all
            .iter()
            .map(|(role, at)| format!("{} {}", role.name(), needs.images[*at].image))
            .collect(),
        Wish::Host(_) | Wish::Nothing(_) | Wish::Untold(_) => vec![why(node)],
    }
}

fn check(objects: Vec<Value>, release: &str, want: &[&str]) {
    assert_eq!(wanted(objects, release), want);
}

fn ubuntu() -> Value {
    gpu_node("gpu-a", KERNEL_UBUNTU, "ubuntu 22.04")
}

#[test]
fn a_cluster_policy_spells_an_image_in_every_way_there_is() {
    let by_digest = format!("driver nvcr.io/nvidia/driver@{DIGEST}");
    let whole_digest = format!("mirror.example/driver@{DIGEST}");
    for (driver, want) in [
        (
            json!({ "repository": "nvcr.io/nvidia", "image": "driver", "version": "550.90.07" }),
            "driver nvcr.io/nvidia/driver:550.90.07-ubuntu22.04",
        ),
        (
            json!({ "repository": "nvcr.io/nvidia", "image": "driver", "version": DIGEST }),
            by_digest.as_str(),
        ),
        (
            json!({ "image": "mirror.example:5000/driver:550.90.07" }),
            "driver mirror.example:5000/driver:550.90.07-ubuntu22.04",
        ),
        (
            json!({ "image": whole_digest }),
            &format!("driver {whole_digest}"),
        ),
        (
            json!({ "repository": "nvcr.io/nvidia", "version": "550.90.07" }),
            "driver.image is not set",
        ),
        (
            json!({ "image": "driver", "version": "550.90.07" }),
            "driver.repository is not set",
        ),
        (
            json!({ "repository": "nvcr.io/nvidia" }),
            "driver.image and driver.version is not set",
        ),
        (
            json!({}),
            "the policy names no image, and no DaemonSet shows the operator's default",
        ),
        (
            json!({ "repository": "r.example", "image": "driver", "version": 550 }),
            "driver r.example/driver:550-ubuntu22.04",
        ),
    ] {
        let policy = cluster_policy("v24.9.2", json!({ "driver": driver }));
        check(vec![ubuntu(), policy], "", &[want]);
    }
}

#[test]
fn a_cluster_policy_of_precompiled_drivers_needs_a_named_image() {
    for (driver, want) in [
        (
            json!({ "repository": "nvcr.io/nvidia", "image": "driver", "version": "535", "usePrecompiled": true }),
            "driver nvcr.io/nvidia/driver:535-5.15.0-118-generic-ubuntu22.04",
        ),
        (
            json!({ "image": "r.example/driver:535", "usePrecompiled": true }),
            "driver r.example/driver:535-5.15.0-118-generic-ubuntu22.04",
        ),
        (
            json!({ "usePrecompiled": true }),
            "drivers are precompiled, and the policy names no image",
        ),
        (
            json!({ "repository": "nvcr.io/nvidia", "image": "driver", "version": DIGEST, "usePrecompiled": true }),
            "drivers are precompiled, and a digest in driver.version takes no kernel",
        ),
        (
            json!({ "repository": "nvcr.io/nvidia", "image": "driver", "version": "550+1" }),
            "nvcr.io/nvidia/driver:550+1-ubuntu22.04 is no image: its tag is none: a tag cannot hold '+'",
        ),
        (
            json!({ "enabled": false, "repository": "nvcr.io/nvidia", "image": "driver", "version": "550.90.07" }),
            "driver.enabled is false in ClusterPolicy/cluster-policy",
        ),
    ] {
        let policy = cluster_policy("v24.9.2", json!({ "driver": driver }));
        check(vec![ubuntu(), policy], "", &[want]);
    }
}

#[test]
fn an_nvidia_driver_spells_an_image_in_every_way_there_is() {
    let by_digest = format!("driver nvcr.io/nvidia/driver@{DIGEST}");
    for (spec, want) in [
        (
            json!({ "version": "580.105.08" }),
            "driver nvcr.io/nvidia/driver:580.105.08-ubuntu22.04",
        ),
        (
            json!({ "repository": "m.example", "image": "d", "version": "580.105.08" }),
            "driver m.example/d:580.105.08-ubuntu22.04",
        ),
        (json!({ "version": DIGEST }), by_digest.as_str()),
        (
            json!({ "image": "m.example/d:580.105.08" }),
            "driver m.example/d:580.105.08-ubuntu22.04",
        ),
        (
            json!({ "version": "580", "usePrecompiled": true }),
            "driver nvcr.io/nvidia/driver:580-5.15.0-118-generic-ubuntu22.04",
        ),
        (
            json!({ "version": DIGEST, "usePrecompiled": true }),
            "drivers are precompiled, and a digest in driver.version takes no kernel",
        ),
        // No default of the operator's environment counts here.
        (json!({}), "repository and image and version is not set"),
        (
            json!({ "version": "580.1.2", "nodeSelector": { "pool": "a" } }),
            "no NVIDIADriver selects it",
        ),
    ] {
        let objects = vec![
            ubuntu(),
            by_nvidia_drivers("v25.10.1"),
            nvidia_driver("pool", spec),
        ];
        check(objects, "", &[want]);
    }
}

#[test]
fn the_os_part_of_the_tag_changes_with_the_release() {
    for (os, release, want) in [
        ("rhel 9.7", "v25.10.1", "580.82.07-rhel9.7"),
        ("rhel 9.7", "v26.3.3", "580.82.07-rhel9.7"),
        ("rhel 9.7", "v26.7.0", "580.82.07-rhel9"),
        ("rhel 10.1", "v25.10.1", "580.82.07-rhel10.1"),
        ("rhel 10.1", "v26.3.0", "580.82.07-rhel10"),
        ("rocky 8.4", "v25.10.1", "580.82.07-rocky8.4"),
        ("rocky 8.4", "v26.3.0", "580.82.07-rocky8"),
        ("ol 9.3", "v26.3.3", "580.82.07-ol9.3"),
        ("ol 9.3", "v26.7.0", "580.82.07-ol9"),
        ("rhcos 4.18", "v26.7.0", "580.82.07-rhcos4.18"),
        ("ubuntu 24.04", "v26.7.0", "580.82.07-ubuntu24.04"),
    ] {
        let node = || gpu_node("gpu-a", "5.14.0-611.5.1.el9_7.x86_64", os);
        let want = format!("driver nvcr.io/nvidia/driver:{want}");
        check(
            vec![node(), drivers(release, "580.82.07", false)],
            "",
            &[&want],
        );
        // What was typed counts more than what the cluster says.
        check(
            vec![node(), drivers("v23.9.0", "580.82.07", false)],
            release,
            &[&want],
        );
        let driver = nvidia_driver("all", json!({ "version": "580.82.07" }));
        check(
            vec![node(), by_nvidia_drivers(release), driver],
            "",
            &[&want],
        );
    }
}

#[test]
fn a_precompiled_tag_holds_the_label_with_its_architecture_and_not_the_raw_kernel() {
    let kernel = "5.14.0-284.54.1.el9_2.aarch64_64k";
    let mut node = gpu_node("gpu-a", kernel, "rhcos 4.15");
    node["status"]["nodeInfo"]["kernelVersion"] = json!("5.14.0-284.54.1.el9_2.aarch64+64k");
    let want = "driver nvcr.io/nvidia/driver:550.54.14-5.14.0-284.54.1.el9_2.aarch64_64k-rhcos4.15";
    check(
        vec![node, drivers("v24.9.2", "550.54.14", true)],
        "",
        &[want],
    );
}

#[test]
fn what_runs_beside_the_driver_has_a_tag_for_the_system_too() {
    let policy = cluster_policy(
        "v24.9.2",
        json!({
            "driver": { "repository": "nvcr.io/nvidia", "image": "driver", "version": "550.90.07", "rdma": { "enabled": true } },
            "gds": { "enabled": true, "repository": "nvcr.io/nvidia/cloud-native", "image": "nvidia-fs", "version": "2.17.5" },
            "gdrcopy": { "enabled": true, "repository": "nvcr.io/nvidia/cloud-native", "image": "gdrdrv", "version": "v2.4.1-1" },
        }),
    );
    check(
        vec![ubuntu(), policy],
        "",
        &[
            "driver nvcr.io/nvidia/driver:550.90.07-ubuntu22.04",
            "peermem nvcr.io/nvidia/driver:550.90.07-ubuntu22.04",
            "gds nvcr.io/nvidia/cloud-native/nvidia-fs:2.17.5-ubuntu22.04",
            "gdrcopy nvcr.io/nvidia/cloud-native/gdrdrv:v2.4.1-1-ubuntu22.04",
        ],
    );
}

#[test]
fn hosts_of_virtual_machines_need_another_driver_or_none() {
    let policy = || {
        cluster_policy(
            "v24.9.2",
            json!({
                "sandboxWorkloads": { "enabled": true },
                "driver": { "repository": "nvcr.io/nvidia", "image": "driver", "version": "550.90.07" },
                "vgpuManager": { "enabled": true, "repository": "m.example", "image": "vgpu-manager", "version": "550.90.05" },
            }),
        )
    };
    let node = |workload| {
        labelled(
            ubuntu(),
            &[("nvidia.com/gpu.workload.config", Some(workload))],
        )
    };
    check(
        vec![node("vm-vgpu"), policy()],
        "",
        &["vgpu-manager m.example/vgpu-manager:550.90.05-ubuntu22.04"],
    );
    check(
        vec![node("vm-passthrough"), policy()],
        "",
        &["virtual machines get its GPUs whole"],
    );
    check(
        vec![node("container"), policy()],
        "",
        &["driver nvcr.io/nvidia/driver:550.90.07-ubuntu22.04"],
    );
}

#[test]
fn no_tag_is_invented_for_a_driver_of_the_host() {
    let label = "nvidia.com/gpu.deploy.driver";
    for (labels, want) in [
        (
            &[(label, Some("pre-installed"))][..],
            "nvidia.com/gpu.deploy.driver=pre-installed",
        ),
        (
            &[(label, Some("false"))],
            "nvidia.com/gpu.deploy.driver=false",
        ),
        (
            &[
                (label, None),
                ("nvidia.com/gpu.deploy.operands", Some("false")),
            ],
            "nvidia.com/gpu.deploy.operands=false",
        ),
    ] {
        let objects = || {
            vec![
                labelled(ubuntu(), labels),
                drivers("v24.9.2", "550.90.07", false),
            ]
        };
        check(objects(), "", &[want]);
        assert_eq!(lines(objects(), "x"), ["gpu-a - pre-installed"]);
    }
}

#[test]
fn labels_that_are_missing_are_named_and_nothing_is_guessed() {
    let policy = || drivers("v24.9.2", "550", true);
    check(
        vec![labelled(ubuntu(), &[(KERNEL, None)]), policy()],
        "",
        &["the node has no kernel label, and drivers are precompiled"],
    );
    check(
        vec![labelled(ubuntu(), &[(OS_ID, None)]), policy()],
        "",
        &["without feature.node.kubernetes.io/system-os_release.ID"],
    );
}

#[test]
fn the_operators_own_default_is_read_off_a_daemon_set() {
    let policy = || cluster_policy("v24.9.2", json!({ "driver": {} }));
    let by_digest = format!("nvcr.io/nvidia/driver@{DIGEST}");
    check(
        vec![
            ubuntu(),
            policy(),
            driver_set("nvidia-driver-daemonset", &by_digest, &[]),
        ],
        "",
        &[&format!("driver {by_digest}")],
    );
    // The DaemonSet was made for another node's system.
    let tag = "nvcr.io/nvidia/driver:550.90.07-rhel9.4";
    check(
        vec![
            ubuntu(),
            policy(),
            driver_set("nvidia-driver-daemonset", tag, &[]),
        ],
        "",
        &["driver nvcr.io/nvidia/driver:550.90.07-ubuntu22.04"],
    );
}

#[test]
fn without_any_policy_daemon_sets_say_what_is_needed() {
    let set = |image| driver_set("nvidia-driver-daemonset", image, &[]);
    let conventional = "nvcr.io/nvidia/driver:550.90.07-ubuntu22.04";
    check(
        vec![ubuntu(), set(conventional)],
        "",
        &[&format!("driver {conventional}")],
    );
    let bare = labelled(ubuntu(), &[(OS_ID, None)]);
    check(
        vec![bare, set(conventional)],
        "",
        &[&format!("driver {conventional}")],
    );
    check(
        vec![ubuntu(), set("m.example/mine:1")],
        "",
        &["driver m.example/mine:1"],
    );
    check(
        vec![ubuntu()],
        "",
        &["no ClusterPolicy, NVIDIADriver or driver DaemonSet asks for a driver"],
    );
    // An image for another system may well be meant: nobody says otherwise.
    let other = "nvcr.io/nvidia/driver:550.90.07-ubuntu20.04";
    check(
        vec![ubuntu(), set(other)],
        "",
        &[&format!("driver {other}")],
    );
    // A node that joins with a newer kernel, which no DaemonSet selects yet.
    let old = driver_set(
        "nvidia-driver-daemonset-5.15.0-117-generic-ubuntu22.04",
        "nvcr.io/nvidia/driver:535-5.15.0-117-generic-ubuntu22.04",
        &[(KERNEL, "5.15.0-117-generic")],
    );
    check(
        vec![ubuntu(), old],
        "",
        &["driver nvcr.io/nvidia/driver:535-5.15.0-118-generic-ubuntu22.04"],
    );
}

#[test]
fn an_unknown_release_is_read_off_the_tag_that_is_asked_for() {
    let rhel = || gpu_node("gpu-a", "5.14.0-611.5.1.el9_7.x86_64", "rhel 9.7");
    let policy = || drivers("", "580.82.07", false);
    for (asked, want) in [
        (
            "580.82.07-rhel9.7",
            "driver nvcr.io/nvidia/driver:580.82.07-rhel9.7",
        ),
        (
            "580.82.07-rhel9",
            "driver nvcr.io/nvidia/driver:580.82.07-rhel9",
        ),
        (
            "580.82.07-ubuntu22.04",
            "the operator's version is not known, so the OS part is rhel9.7 or rhel9",
        ),
    ] {
        let set = driver_set(
            "nvidia-driver-daemonset",
            &format!("nvcr.io/nvidia/driver:{asked}"),
            &[],
        );
        check(vec![rhel(), policy(), set], "", &[want]);
    }
    check(
        vec![ubuntu(), policy()],
        "",
        &["driver nvcr.io/nvidia/driver:580.82.07-ubuntu22.04"],
    );
}

#[test]
fn one_nvidia_driver_counts_for_a_node() {
    let of = |name: &str, version: &str, more: Value| {
        let mut spec = json!({ "version": version });
        for (key, value) in more.as_object().unwrap() {
            spec[key] = value.clone();
        }
        nvidia_driver(name, spec)
    };
    let pool_a = || json!({ "nodeSelector": { "pool": "a" } });
    let node = || labelled(ubuntu(), &[("pool", Some("a"))]);
    let base = || by_nvidia_drivers("v26.7.0");
    let image = |version: &str| format!("driver nvcr.io/nvidia/driver:{version}-ubuntu22.04");
    let default = || of("default", "580.1.1", json!({ "default": true }));
    check(vec![node(), base(), default()], "", &[&image("580.1.1")]);
    check(
        vec![node(), base(), default(), of("a", "580.2.2", pool_a())],
        "",
        &[&image("580.2.2")],
    );
    check(
        vec![
            node(),
            base(),
            of("a", "580.2.2", pool_a()),
            of("b", "580.3.3", json!({})),
        ],
        "",
        &["NVIDIADrivers a and b select it"],
    );
    let owned = labelled(node(), &[(DRIVER_OWNER, Some("default"))]);
    check(
        vec![owned, base(), default(), of("a", "580.2.2", pool_a())],
        "",
        &[&image("580.1.1")],
    );
    check(vec![node(), base()], "", &["no NVIDIADriver selects it"]);
    // Objects that the policy does not ask for count for nothing.
    check(
        vec![
            node(),
            drivers("v26.7.0", "570.1.1", false),
            of("a", "580.2.2", pool_a()),
        ],
        "",
        &[&image("570.1.1")],
    );
}
