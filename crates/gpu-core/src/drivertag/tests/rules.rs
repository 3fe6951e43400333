//! Every rule where it speaks, and beside it where it is silent.

use expect_test::{Expect, expect};
use serde_json::{Value, json};

use super::{
    answered, by_nvidia_drivers, driver_pod, driver_set, drivers, gpu_node, labelled,
    nvidia_driver, reporting, said, tell,
};
use crate::answer::{Answer, FailOn, exit_code};
use crate::drivertag::RULES;
use crate::drivertag::existence::Existence;
use crate::facts::images::{KERNEL, OPENSHIFT_VERSION, OS_ID, OS_VERSION, OSTREE_VERSION};
use crate::testing::recorded;

const GENERIC: &str = "5.15.0-118-generic";

fn ubuntu(name: &str) -> Value {
    gpu_node(name, GENERIC, "ubuntu 22.04")
}

fn set(tag: &str) -> Value {
    driver_set(
        "nvidia-driver-daemonset",
        &format!("nvcr.io/nvidia/driver:{tag}"),
        &[],
    )
}

fn check(objects: impl IntoIterator<Item = Value>, list: &str, want: &Expect) {
    want.assert_eq(&tell(objects, list));
}

/// No rule but these says anything.
fn only(objects: impl IntoIterator<Item = Value>, list: &str, rules: &[&str]) {
    let cluster = recorded(objects);
    let report = super::report(&cluster, list, &super::WhatIf::default());
    let mut found: Vec<_> = report.findings().iter().map(|it| it.rule).collect();
    found.dedup();
    assert_eq!(found, rules, "{}", said(&report));
}

#[test]
fn a_cluster_in_order_is_silent() {
    let tag = "550.90.07-ubuntu22.04";
    let image = format!("nvcr.io/nvidia/driver:{tag}");
    let pod = driver_pod("gpu-a", &image, json!({ "running": {} }));
    only(
        [
            ubuntu("gpu-a"),
            drivers("v24.9.2", "550.90.07", false),
            set(tag),
            pod,
        ],
        tag,
        &[],
    );
}

#[test]
fn image_absent_names_the_tag_the_reason_and_the_nearest() {
    let precompiled = || [ubuntu("gpu-a"), drivers("v24.9.2", "535", true)];
    check(
        precompiled(),
        "535-5.15.0-117-generic-ubuntu22.04",
        &expect![[r#"
        gpu-a 535-5.15.0-118-generic-ubuntu22.04 absent
        error image-absent: node/gpu-a needs nvcr.io/nvidia/driver:535-5.15.0-118-generic-ubuntu22.04, which is not in the inventory
          because a precompiled driver fits one kernel, and the nearest build is for kernel 5.15.0-117-generic
          fix build or copy nvcr.io/nvidia/driver:535-5.15.0-118-generic-ubuntu22.04, keep the node on kernel 5.15.0-117-generic, or set usePrecompiled=false with a full version
    "#]],
    );
    check(
        precompiled(),
        "550-5.15.0-118-generic-ubuntu22.04",
        &expect![[r#"
        gpu-a 535-5.15.0-118-generic-ubuntu22.04 absent
        error image-absent: node/gpu-a needs nvcr.io/nvidia/driver:535-5.15.0-118-generic-ubuntu22.04, which is not in the inventory
          because kernel 5.15.0-118-generic of ubuntu22.04 is there in version 550 and not in 535
          fix build or copy nvcr.io/nvidia/driver:535-5.15.0-118-generic-ubuntu22.04, or set driver.version to 550
    "#]],
    );
    check(
        precompiled(),
        "535.1.2-ubuntu22.04",
        &expect![[r#"
        gpu-a 535-5.15.0-118-generic-ubuntu22.04 absent
        error image-absent: node/gpu-a needs nvcr.io/nvidia/driver:535-5.15.0-118-generic-ubuntu22.04, which is not in the inventory
          because no precompiled driver of this branch, kernel flavour and system is there
          fix build or copy nvcr.io/nvidia/driver:535-5.15.0-118-generic-ubuntu22.04
    "#]],
    );
}

#[test]
fn image_absent_knows_why_an_image_never_was() {
    let talos = gpu_node("gpu-a", "6.1.69-talos", "talos v1.6.1");
    check(
        [talos, drivers("v24.9.2", "535", true)],
        "x",
        &expect![[r#"
        gpu-a 535-6.1.69-talos-talosv1.6.1 absent
        error image-absent: node/gpu-a needs nvcr.io/nvidia/driver:535-6.1.69-talos-talosv1.6.1, which is not in the inventory
          because NVIDIA publishes no driver images for Talos (system talos)
          fix use the system extension with the driver and set driver.enabled=false
    "#]],
    );
    check(
        [ubuntu("gpu-a"), drivers("v24.9.2", "535.104.05", true)],
        "x",
        &expect![[r#"
        gpu-a 535.104.05-5.15.0-118-generic-ubuntu22.04 absent
        error image-absent: node/gpu-a needs nvcr.io/nvidia/driver:535.104.05-5.15.0-118-generic-ubuntu22.04, which is not in the inventory
          because driver.version is 535.104.05, and the tags of NVIDIA's precompiled images start with the branch alone: 535
          fix kubectl edit clusterpolicy/cluster-policy
    "#]],
    );
    check(
        [ubuntu("gpu-a"), drivers("v24.9.2", "535", false)],
        "x",
        &expect![[r#"
        gpu-a 535-ubuntu22.04 absent
        error image-absent: node/gpu-a needs nvcr.io/nvidia/driver:535-ubuntu22.04, which is not in the inventory
          because driver.version is 535, a branch, and the tags of drivers that are not precompiled start with a full version such as 535.x.y
          fix kubectl edit clusterpolicy/cluster-policy
    "#]],
    );
    let openshift = gpu_node("gpu-a", "5.14.0-570.el9_6.x86_64", "rhel 9.6");
    let openshift = labelled(openshift, &[(OPENSHIFT_VERSION, Some("4.19"))]);
    check(
        [openshift, drivers("v25.3.4", "570.124.06", false)],
        "570.124.06-rhcos4.19",
        &expect![[r#"
        gpu-a 570.124.06-rhel9.6 absent
        error image-absent: node/gpu-a needs nvcr.io/nvidia/driver:570.124.06-rhel9.6, which is not in the inventory
          because from OpenShift 4.19 on nodes call themselves rhel, so the OS part is rhel9.6 and no name made from the OpenShift release fits
          fix build or copy the image as nvcr.io/nvidia/driver:570.124.06-rhel9.6
    "#]],
    );
}

#[test]
fn only_a_404_of_a_registry_is_absent() {
    let cluster = recorded([ubuntu("gpu-a"), drivers("v24.9.2", "535", true)]);
    for (answer, exit, want) in [
        (Existence::Present, 0, "present"),
        (Existence::Absent, 1, "absent"),
        (
            Existence::WrongArchitecture(vec!["amd64".into()]),
            1,
            "absent",
        ),
        (Existence::Denied("401 Unauthorized".into()), 3, "unknown"),
        (
            Existence::Throttled("429, again in 1 h".into()),
            3,
            "unknown",
        ),
        (
            Existence::Unreachable("no route to host".into()),
            3,
            "unknown",
        ),
        (Existence::Untrusted("unknown issuer".into()), 3, "unknown"),
        (Existence::NotAsked, 0, "unknown"),
    ] {
        let report = answered(&cluster, &answer);
        let lines = report.lines();
        assert!(lines[0].ends_with(want), "{answer:?}: {lines:?}");
        assert_eq!(
            exit_code(&report, FailOn::Error),
            exit,
            "{answer:?}: {}",
            said(&report)
        );
    }
    expect![[r#"
        gpu-a 535-5.15.0-118-generic-ubuntu22.04 absent
        error image-other-architecture: node/gpu-a is amd64, and nvcr.io/nvidia/driver:535-5.15.0-118-generic-ubuntu22.04 is there for other architectures only
          because the manifest list holds no image for linux/amd64
          fix build or copy the amd64 image too
    "#]].assert_eq(&said(&answered(&cluster, &Existence::WrongArchitecture(vec!["amd64".into()]))));
    expect![[r#"
        gpu-a 535-5.15.0-118-generic-ubuntu22.04 unknown
        gap registry nvcr.io: not allowed to look: 401 Unauthorized; whether nvcr.io/nvidia/driver:535-5.15.0-118-generic-ubuntu22.04 exists is not known
    "#]].assert_eq(&said(&answered(&cluster, &Existence::Denied("401 Unauthorized".into()))));
}

#[test]
fn asks_another_image_says_whose_image_it_is() {
    let policy = || drivers("v24.9.2", "550.90.07", false);
    check(
        [ubuntu("gpu-a"), policy(), set("550.90.07-ubuntu20.04")],
        "",
        &expect![[r#"
        gpu-a 550.90.07-ubuntu22.04 unknown
        error asks-another-image: node/gpu-a needs 550.90.07-ubuntu22.04, and daemonset/nvidia-driver-daemonset asks for 550.90.07-ubuntu20.04
          because no GPU node is ubuntu20.04, so the DaemonSet was made for something that is gone
          fix kubectl describe clusterpolicy/cluster-policy
    "#]],
    );
    check(
        [ubuntu("gpu-a"), policy(), set("535.104.05-ubuntu22.04")],
        "",
        &expect![[r#"
        gpu-a 550.90.07-ubuntu22.04 unknown
        error asks-another-image: node/gpu-a needs 550.90.07-ubuntu22.04, and daemonset/nvidia-driver-daemonset asks for 535.104.05-ubuntu22.04
          because the policy asks for driver 550.90.07, and the operator has not brought it to the DaemonSet, which has 535.104.05
          fix kubectl describe clusterpolicy/cluster-policy
    "#]],
    );
    check(
        [
            ubuntu("gpu-a"),
            policy(),
            set("550-5.15.0-118-generic-ubuntu22.04"),
        ],
        "",
        &expect![[r#"
        gpu-a 550.90.07-ubuntu22.04 unknown
        error asks-another-image: node/gpu-a needs 550.90.07-ubuntu22.04, and daemonset/nvidia-driver-daemonset asks for 550-5.15.0-118-generic-ubuntu22.04
          because the DaemonSet asks for a precompiled driver, and the policy does not
          fix kubectl describe clusterpolicy/cluster-policy
    "#]],
    );
    let rhel = gpu_node("gpu-a", "5.14.0-1.el9_4.x86_64", "rhel 9.4");
    check(
        [
            rhel,
            drivers("v26.7.0", "580.1.2", false),
            set("580.1.2-rhel9.4"),
        ],
        "",
        &expect![[r#"
        gpu-a 580.1.2-rhel9 unknown
        error asks-another-image: node/gpu-a needs 580.1.2-rhel9, and daemonset/nvidia-driver-daemonset asks for 580.1.2-rhel9.4
          because releases of the operator differ in the OS part, rhel9.4 or rhel9, and the DaemonSet has that of another release
          fix kubectl describe clusterpolicy/cluster-policy
    "#]],
    );
    // The same tag in a mirror is the same image.
    let mirrored = driver_set(
        "nvidia-driver-daemonset",
        "m.example/driver:550.90.07-ubuntu22.04",
        &[],
    );
    only([ubuntu("gpu-a"), policy(), mirrored], "", &[]);
}

#[test]
fn mixed_os_is_about_one_cluster_policy() {
    let other = || gpu_node("gpu-b", GENERIC, "ubuntu 20.04");
    let policy = || drivers("v24.9.2", "550.90.07", false);
    check(
        [ubuntu("gpu-a"), other(), policy()],
        "",
        &expect![[r#"
        gpu-a 550.90.07-ubuntu22.04 unknown
        gpu-b 550.90.07-ubuntu20.04 unknown
        error mixed-os: GPU nodes have 2 systems (ubuntu20.04, ubuntu22.04), and ClusterPolicy/cluster-policy makes one driver image for all of them
          because under a ClusterPolicy the system of one GPU node decides the tag of every driver pod
          fix set driver.useNvidiaDriverCRD=true and make one NVIDIADriver a system, or keep one system
    "#]],
    );
    // NVIDIADrivers give each system its own tag, minors of one major share one since v26.7, and a node with a
    // driver of the host takes no part.
    let driver = nvidia_driver("all", json!({ "version": "550.90.07" }));
    only(
        [
            ubuntu("gpu-a"),
            other(),
            by_nvidia_drivers("v24.9.2"),
            driver,
        ],
        "",
        &[],
    );
    let rhel =
        |name, version: &str| gpu_node(name, "5.14.0-1.el9.x86_64", &format!("rhel {version}"));
    only(
        [
            rhel("a", "9.6"),
            rhel("b", "9.7"),
            drivers("v26.7.0", "580.1.2", false),
        ],
        "",
        &[],
    );
    let host = labelled(
        other(),
        &[("nvidia.com/gpu.deploy.driver", Some("pre-installed"))],
    );
    only([ubuntu("gpu-a"), host, policy()], "", &[]);
}

#[test]
fn nfd_label_stale_knows_how_nfd_writes() {
    let precompiled = || drivers("v24.9.2", "535", true);
    let stale = reporting(
        ubuntu("gpu-a"),
        "5.15.0-119-generic",
        "Ubuntu 22.04.4 LTS",
        "amd64",
    );
    check(
        [stale.clone(), precompiled()],
        "",
        &expect![[r#"
        gpu-a 535-5.15.0-118-generic-ubuntu22.04 unknown
        warning nfd-label-stale: node/gpu-a has the stale label feature.node.kubernetes.io/kernel-version.full=5.15.0-118-generic, and the node itself reports 5.15.0-119-generic
          because NFD has not followed a reboot or an upgrade of the node
          fix kubectl get pods -A -o wide --field-selector spec.nodeName=gpu-a -l app.kubernetes.io/name=node-feature-discovery
    "#]],
    );
    // Without precompiled drivers the kernel in the label decides nothing.
    only([stale, drivers("v24.9.2", "535.1.2", false)], "", &[]);
    let plus = gpu_node("gpu-a", "6.6.87", "cos 121");
    let plus = reporting(
        plus,
        "6.6.87+",
        "Container-Optimized OS from Google",
        "amd64",
    );
    let private = json!({ "repository": "m.example", "image": "driver", "version": "570", "usePrecompiled": true });
    only(
        [
            plus,
            super::cluster_policy("v24.9.2", json!({ "driver": private })),
        ],
        "",
        &[],
    );
}

#[test]
fn nfd_label_stale_compares_the_system_too() {
    let upgraded = reporting(ubuntu("gpu-a"), GENERIC, "Ubuntu 24.04.1 LTS", "amd64");
    check(
        [upgraded, drivers("v24.9.2", "535.1.2", false)],
        "",
        &expect![[r#"
        gpu-a 535.1.2-ubuntu22.04 unknown
        warning nfd-label-stale: node/gpu-a has the stale label feature.node.kubernetes.io/system-os_release.VERSION_ID=22.04, and the node itself reports Ubuntu 24.04.1 LTS
          because NFD has not followed a reboot or an upgrade of the node
          fix kubectl get pods -A -o wide --field-selector spec.nodeName=gpu-a -l app.kubernetes.io/name=node-feature-discovery
    "#]],
    );
    let rhcos = |reports: &str| {
        let node = gpu_node("gpu-a", "5.14.0-427.el9_4.x86_64", "rhcos 4.16");
        let node = labelled(node, &[(OSTREE_VERSION, Some("416.94.202407030122-0"))]);
        reporting(
            node,
            "5.14.0-427.el9_4.x86_64",
            &format!("Red Hat Enterprise Linux CoreOS {reports} (Plow)"),
            "amd64",
        )
    };
    only(
        [
            rhcos("416.94.202407030122-0"),
            drivers("v24.9.2", "550.1.2", false),
        ],
        "",
        &[],
    );
    check(
        [
            rhcos("416.94.202408260940-0"),
            drivers("v24.9.2", "550.1.2", false),
        ],
        "",
        &expect![[r#"
        gpu-a 550.1.2-rhcos4.16 unknown
        warning nfd-label-stale: node/gpu-a has the stale label feature.node.kubernetes.io/system-os_release.OSTREE_VERSION=416.94.202407030122-0, and the node itself reports 416.94.202408260940-0
          because NFD has not followed a reboot or an upgrade of the node
          fix kubectl get pods -A -o wide --field-selector spec.nodeName=gpu-a -l app.kubernetes.io/name=node-feature-discovery
    "#]],
    );
}

#[test]
fn labels_that_are_missing_are_errors_where_a_policy_needs_them() {
    let bare = labelled(ubuntu("gpu-a"), &[(OS_ID, None), (OS_VERSION, None)]);
    check(
        [
            bare.clone(),
            drivers("v24.9.2", "550.90.07", false),
            set("550.90.07-"),
        ],
        "",
        &expect![[r#"
        gpu-a - unknown
        error tag-without-os: daemonset/nvidia-driver-daemonset asks for nvcr.io/nvidia/driver:550.90.07-, whose tag has no OS part
          because the GPU node that the operator looked at has no OS labels
          fix kubectl get nodes -L feature.node.kubernetes.io/system-os_release.ID,feature.node.kubernetes.io/system-os_release.VERSION_ID
        error os-label-missing: node/gpu-a is missing the labels feature.node.kubernetes.io/system-os_release.ID and feature.node.kubernetes.io/system-os_release.VERSION_ID, so nobody can say which driver image it needs
          because NFD has not labelled it, or its worker cannot run there
          fix kubectl get pods -A -o wide -l app.kubernetes.io/name=node-feature-discovery
    "#]],
    );
    only([bare, set("550.90.07-ubuntu22.04")], "", &[]);
    let no_kernel = labelled(ubuntu("gpu-a"), &[(KERNEL, None)]);
    check(
        [no_kernel.clone(), drivers("v24.9.2", "550", true)],
        "",
        &expect![[r#"
        gpu-a - unknown
        error kernel-label-missing: node/gpu-a has no label feature.node.kubernetes.io/kernel-version.full, so nobody can say which driver image it needs
          because NFD has not labelled it, or its worker cannot run there
          fix kubectl get pods -A -o wide -l app.kubernetes.io/name=node-feature-discovery
    "#]],
    );
    only([no_kernel, drivers("v24.9.2", "550.90.07", false)], "", &[]);
}

#[test]
fn nvidia_drivers_have_to_cover_every_node_once() {
    let pool = |name: &str, value: &str| {
        nvidia_driver(
            name,
            json!({ "version": "580.1.2", "nodeSelector": { "pool": value } }),
        )
    };
    let node = |name, value| labelled(ubuntu(name), &[("pool", Some(value))]);
    let mut left = driver_set(
        "nvidia-gpu-driver-ubuntu22.04-abc",
        "nvcr.io/nvidia/driver:580.1.2-ubuntu22.04",
        &[("pool", "b")],
    );
    left["metadata"]["ownerReferences"] =
        json!([{ "kind": "NVIDIADriver", "name": "a", "controller": true }]);
    let base = || by_nvidia_drivers("v25.10.1");
    check(
        [
            node("gpu-a", "a"),
            node("gpu-b", "b"),
            base(),
            pool("a", "a"),
            left,
        ],
        "",
        &expect![[r#"
        gpu-a 580.1.2-ubuntu22.04 unknown
        gpu-b - unknown
        error no-nvidiadriver: no NVIDIADriver selects node/gpu-b
          because the node selectors of all NVIDIADrivers ask for labels it does not have
          fix kubectl get nvidiadrivers -o yaml
        warning daemonset-orphaned: daemonset/nvidia-gpu-driver-ubuntu22.04-abc is an orphan: no NVIDIADriver wants it for its nodes gpu-b
          because nvidiadriver/a made it and does not select these nodes
          fix kubectl get nvidiadriver a -o jsonpath={.spec.nodeSelector}
    "#]],
    );
    check(
        [node("gpu-a", "a"), base(), pool("x", "a"), pool("y", "a")],
        "",
        &expect![[r#"
        gpu-a - unknown
        error nvidiadrivers-conflict: node/gpu-a is selected by the NVIDIADrivers x and y
          because their node selectors overlap
          fix kubectl edit nvidiadriver x
    "#]],
    );
    only(
        [
            node("gpu-a", "a"),
            node("gpu-b", "b"),
            base(),
            pool("a", "a"),
            pool("b", "b"),
        ],
        "",
        &[],
    );
}

#[test]
fn a_version_of_the_wrong_kind_is_said_before_anybody_is_asked() {
    check(
        [ubuntu("gpu-a"), drivers("v24.9.2", "535.104.05", true)],
        "",
        &expect![[r#"
        gpu-a 535.104.05-5.15.0-118-generic-ubuntu22.04 unknown
        warning branch-and-version-confused: the tag 535.104.05-5.15.0-118-generic-ubuntu22.04 will not be found
          because driver.version is 535.104.05, and the tags of NVIDIA's precompiled images start with the branch alone: 535
          fix kubectl edit clusterpolicy/cluster-policy
    "#]],
    );
    check(
        [ubuntu("gpu-a"), drivers("v24.9.2", "535", false)],
        "",
        &expect![[r#"
        gpu-a 535-ubuntu22.04 unknown
        warning branch-and-version-confused: the tag 535-ubuntu22.04 will not be found
          because driver.version is 535, a branch, and the tags of drivers that are not precompiled start with a full version such as 535.x.y
          fix kubectl edit clusterpolicy/cluster-policy
    "#]],
    );
    // Precompiled images for RHEL are built by oneself, with the full version.
    let rhel = gpu_node("gpu-a", "5.14.0-1.el9_4.x86_64", "rhel 9.4");
    let own = json!({ "repository": "m.example", "image": "driver", "version": "550.54.14", "usePrecompiled": true });
    only(
        [
            rhel,
            super::cluster_policy("v24.9.2", json!({ "driver": own })),
        ],
        "",
        &[],
    );
    check(
        [
            ubuntu("gpu-a"),
            drivers("v24.9.2", "565.57.01-ubuntu22.04", false),
        ],
        "565.57.01-ubuntu22.04",
        &expect![[r#"
        gpu-a 565.57.01-ubuntu22.04-ubuntu22.04 absent
        error driver-version-has-os: driver.version is 565.57.01-ubuntu22.04, which already ends in the OS part
          because the operator appends it a second time, which makes 565.57.01-ubuntu22.04-ubuntu22.04
          fix kubectl edit clusterpolicy/cluster-policy: set driver.version to 565.57.01
        error image-absent: node/gpu-a needs nvcr.io/nvidia/driver:565.57.01-ubuntu22.04-ubuntu22.04, which is not in the inventory
          because driver.version already ends in the OS part ubuntu22.04, and the operator appends it a second time
          fix kubectl edit clusterpolicy/cluster-policy: set driver.version to 565.57.01
    "#]],
    );
}

#[test]
fn what_nvidia_never_published_is_said_where_nobody_was_asked() {
    let gke = || {
        [
            gpu_node("gpu-a", "5.15.0-1028-gke", "ubuntu 22.04"),
            drivers("v24.9.2", "535", true),
        ]
    };
    check(
        gke(),
        "",
        &expect![[r#"
        gpu-a 535-5.15.0-1028-gke-ubuntu22.04 unknown
        warning image-never-published: node/gpu-a needs nvcr.io/nvidia/driver:535-5.15.0-1028-gke-ubuntu22.04, which NVIDIA has never published
          because NVIDIA publishes no precompiled driver for the kernel flavour "gke", only for aws, azure, azure-fde, generic, nvidia, oracle
          fix set usePrecompiled=false, or build the image
    "#]],
    );
    only(gke(), "535-5.15.0-1028-gke-ubuntu22.04", &[]);
    let amazon = gpu_node("gpu-a", "5.10.210-201.852.amzn2.x86_64", "amzn 2");
    check(
        [amazon, drivers("v24.9.2", "550.54.14", false)],
        "",
        &expect![[r#"
        gpu-a 550.54.14-amzn2 unknown
        warning image-never-published: node/gpu-a needs nvcr.io/nvidia/driver:550.54.14-amzn2, which NVIDIA has never published
          because NVIDIA publishes no driver images for Amazon Linux (system amzn)
          fix use an AMI that brings the driver and set driver.enabled=false
    "#]],
    );
}

#[test]
fn the_driver_pod_tells_what_the_tag_does_not() {
    let tag = "550.90.07-ubuntu22.04";
    let with = |image: &str, state: Value| {
        let image = format!("nvcr.io/nvidia/driver:{image}");
        [
            ubuntu("gpu-a"),
            drivers("v24.9.2", "550.90.07", false),
            set(tag),
            driver_pod("gpu-a", &image, state),
        ]
    };
    let waits =
        |reason: &str| json!({ "waiting": { "reason": reason, "message": "said the kubelet" } });
    check(
        with(tag, waits("ImagePullBackOff")),
        "",
        &expect![[r#"
        gpu-a 550.90.07-ubuntu22.04 unknown
        error image-not-pulled: node/gpu-a cannot pull nvcr.io/nvidia/driver:550.90.07-ubuntu22.04, which it needs
          because the kubelet says ImagePullBackOff: said the kubelet
          fix kubectl describe pod -n gpu-operator driver-gpu-a
    "#]],
    );
    check(
        with(tag, waits("CrashLoopBackOff")),
        tag,
        &expect![[r#"
        gpu-a 550.90.07-ubuntu22.04 present
        info driver-container-fails: the driver image of node/gpu-a is the right one; its container fails inside (CrashLoopBackOff, 3 restarts)
          because the image was pulled and its container started, so the tag is not the reason
          fix kubectl logs -n gpu-operator driver-gpu-a -c nvidia-driver-ctr --previous
    "#]],
    );
    check(
        with("550.54.14-ubuntu22.04", json!({ "running": {} })),
        "",
        &expect![[r#"
        gpu-a 550.90.07-ubuntu22.04 unknown
        info driver-image-outdated: node/gpu-a still runs 550.54.14-ubuntu22.04 and gets 550.90.07-ubuntu22.04 when its driver pod is replaced
          because its pod is replaced only when it is deleted
          fix kubectl delete pod -n gpu-operator driver-gpu-a
    "#]],
    );
    // One cause a node: what is absent cannot be pulled either.
    only(with(tag, waits("ImagePullBackOff")), "x", &["image-absent"]);
    only(with(tag, waits("ContainerCreating")), "", &[]);
}

#[test]
fn an_upgrade_of_the_operator_that_renames_images_is_told() {
    let rhel = gpu_node("gpu-a", "5.14.0-1.el9_4.x86_64", "rhel 9.4");
    let pod = driver_pod(
        "gpu-a",
        "nvcr.io/nvidia/driver:580.1.2-rhel9.4",
        json!({ "running": {} }),
    );
    check(
        [
            rhel,
            drivers("v26.7.0", "580.1.2", false),
            set("580.1.2-rhel9"),
            pod,
        ],
        "",
        &expect![[r#"
        gpu-a 580.1.2-rhel9 unknown
        info driver-image-outdated: node/gpu-a still runs 580.1.2-rhel9.4 and gets 580.1.2-rhel9 when its driver pod is replaced
          because an upgrade of the operator changed how the OS part is named; mirrors filled by the former name lack the new one
          fix kubectl delete pod -n gpu-operator driver-gpu-a
    "#]],
    );
}

#[test]
fn a_policy_that_names_no_image_and_one_that_is_none_are_errors() {
    let driver = json!({ "repository": "nvcr.io/nvidia", "version": "550.90.07" });
    check(
        [
            ubuntu("gpu-a"),
            super::cluster_policy("v24.9.2", json!({ "driver": driver })),
        ],
        "",
        &expect![[r#"
        gpu-a - unknown
        error policy-names-no-image: ClusterPolicy/cluster-policy makes no driver image
          because driver.image is not set
          fix kubectl edit clusterpolicy/cluster-policy
    "#]],
    );
    let short = format!("nvcr.io/nvidia/driver@sha256:{}", "a".repeat(63));
    let set = driver_set("nvidia-driver-daemonset", &short, &[]);
    check(
        [ubuntu("gpu-a"), drivers("v24.9.2", "550.90.07", false), set],
        "",
        &expect![[r#"
        gpu-a 550.90.07-ubuntu22.04 unknown
        error invalid-image: the image of driver is no image reference: its digest has 63 hexadecimal digits, and a sha256 digest has 64
          because what the policy or the operator's bundle says was shortened or mistyped
          fix kubectl get daemonset/nvidia-driver-daemonset -n gpu-operator -o yaml
    "#]],
    );
}

#[test]
fn an_unknown_release_is_said_where_it_matters() {
    let rhel = || gpu_node("gpu-a", "5.14.0-1.el9_7.x86_64", "rhel 9.7");
    check(
        [
            rhel(),
            drivers("", "580.1.2", false),
            set("580.1.2-rhel9.7"),
        ],
        "",
        &expect![[r#"
        gpu-a 580.1.2-rhel9.7 unknown
        info operator-version-unknown: the operator's version is not known; its DaemonSet follows the rule that gives rhel9.7
          because no policy, Deployment or DaemonSet names the operator's release
          fix pass --operator-version
    "#]],
    );
    check(
        [rhel(), drivers("", "580.1.2", false)],
        "",
        &expect![[r#"
        gpu-a - unknown
        gap operator version: no policy, Deployment or DaemonSet names the operator's release; the OS part of the tag of node/gpu-a may be rhel9.7 or rhel9; --operator-version settles it
    "#]],
    );
    only([ubuntu("gpu-a"), drivers("", "580.1.2", false)], "", &[]);
}

#[test]
fn every_rule_explains_itself() {
    for rule in RULES {
        assert!(
            rule.explanation.ends_with('.') && rule.explanation.len() > 100,
            "{}",
            rule.id
        );
    }
}
