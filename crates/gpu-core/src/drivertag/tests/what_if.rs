//! Changes that are looked at before they are made.

use expect_test::{Expect, expect};
use serde_json::Value;

use super::{drivers, gpu_node, labelled, report, said};
use crate::answer::{Answer, FailOn, exit_code};
use crate::drivertag::what_if::{Change, WhatIf};
use crate::standing::Scope;
use crate::testing::recorded;

fn three() -> Vec<Value> {
    let pool = |it: Value, name| labelled(it, &[("pool", Some(name))]);
    vec![
        pool(gpu_node("gpu-a", "5.15.0-117-generic", "ubuntu 22.04"), "a"),
        pool(gpu_node("gpu-b", "5.15.0-117-generic", "ubuntu 22.04"), "a"),
        pool(gpu_node("gpu-c", "5.15.0-117-generic", "ubuntu 22.04"), "b"),
        drivers("v24.9.2", "535", true),
    ]
}

const LIST: &str = "535-5.15.0-117-generic-ubuntu22.04\n535-5.15.0-118-generic-ubuntu22.04\n";

fn check(what_if: &WhatIf, exit: u8, want: &Expect) {
    let cluster = recorded(three());
    let report = report(&cluster, LIST, what_if);
    want.assert_eq(&said(&report));
    assert_eq!(exit_code(&report, FailOn::Error), exit);
}

fn change(kernel: Option<&str>, os: Option<&str>, driver: Option<&str>, node: &str) -> WhatIf {
    let scope = Scope {
        names: node.split_whitespace().map(str::to_owned).collect(),
        ..Scope::default()
    };
    WhatIf::change(Change::new(kernel, os, driver).unwrap(), &scope)
}

#[test]
fn a_kernel_whose_image_is_there_costs_nobody_the_driver() {
    check(
        &change(Some("5.15.0-118-generic"), None, None, ""),
        0,
        &expect![[r#"
        gpu-a 535-5.15.0-118-generic-ubuntu22.04 present
        gpu-b 535-5.15.0-118-generic-ubuntu22.04 present
        gpu-c 535-5.15.0-118-generic-ubuntu22.04 present
    "#]],
    );
}

#[test]
fn a_kernel_without_image_names_the_nodes_that_would_lose_their_driver() {
    check(
        &change(Some("5.15.0-119-generic"), None, None, "gpu-b"),
        1,
        &expect![[r#"
        gpu-b 535-5.15.0-119-generic-ubuntu22.04 absent
        gpu-a 535-5.15.0-117-generic-ubuntu22.04 present
        gpu-c 535-5.15.0-117-generic-ubuntu22.04 present
        error image-absent: after the change node/gpu-b needs nvcr.io/nvidia/driver:535-5.15.0-119-generic-ubuntu22.04, which is not in the inventory
          because a precompiled driver fits one kernel, and the nearest build is for kernel 5.15.0-118-generic
          fix build or copy nvcr.io/nvidia/driver:535-5.15.0-119-generic-ubuntu22.04, keep the node on kernel 5.15.0-118-generic, or set usePrecompiled=false with a full version
    "#]],
    );
}

#[test]
fn another_system_on_one_node_is_two_systems_for_the_policy() {
    check(
        &change(None, Some("ubuntu24.04"), None, "gpu-c"),
        1,
        &expect![[r#"
        gpu-c 535-5.15.0-117-generic-ubuntu24.04 absent
        gpu-a 535-5.15.0-117-generic-ubuntu22.04 present
        gpu-b 535-5.15.0-117-generic-ubuntu22.04 present
        error mixed-os: after the change GPU nodes have 2 systems (ubuntu22.04, ubuntu24.04), and ClusterPolicy/cluster-policy makes one driver image for all of them
          because under a ClusterPolicy the system of one GPU node decides the tag of every driver pod
          fix set driver.useNvidiaDriverCRD=true and make one NVIDIADriver a system, or keep one system
        error image-absent: after the change node/gpu-c needs nvcr.io/nvidia/driver:535-5.15.0-117-generic-ubuntu24.04, which is not in the inventory
          because no precompiled driver of this branch, kernel flavour and system is there
          fix build or copy nvcr.io/nvidia/driver:535-5.15.0-117-generic-ubuntu24.04
    "#]],
    );
}

#[test]
fn another_driver_is_another_branch() {
    check(
        &change(None, None, Some("570"), ""),
        1,
        &expect![[r#"
        gpu-a 570-5.15.0-117-generic-ubuntu22.04 absent
        gpu-b 570-5.15.0-117-generic-ubuntu22.04 absent
        gpu-c 570-5.15.0-117-generic-ubuntu22.04 absent
        error image-absent: after the change node/gpu-a needs nvcr.io/nvidia/driver:570-5.15.0-117-generic-ubuntu22.04, which is not in the inventory
          because kernel 5.15.0-117-generic of ubuntu22.04 is there in version 535 and not in 570
          fix build or copy nvcr.io/nvidia/driver:570-5.15.0-117-generic-ubuntu22.04, or set driver.version to 535
        error image-absent: after the change node/gpu-b needs nvcr.io/nvidia/driver:570-5.15.0-117-generic-ubuntu22.04, which is not in the inventory
          because kernel 5.15.0-117-generic of ubuntu22.04 is there in version 535 and not in 570
          fix build or copy nvcr.io/nvidia/driver:570-5.15.0-117-generic-ubuntu22.04, or set driver.version to 535
        error image-absent: after the change node/gpu-c needs nvcr.io/nvidia/driver:570-5.15.0-117-generic-ubuntu22.04, which is not in the inventory
          because kernel 5.15.0-117-generic of ubuntu22.04 is there in version 535 and not in 570
          fix build or copy nvcr.io/nvidia/driver:570-5.15.0-117-generic-ubuntu22.04, or set driver.version to 535
    "#]],
    );
}

#[test]
fn a_plan_is_looked_at_stage_by_stage() {
    let plan = "\
# first the pool that nobody misses
pool=b kernel=5.15.0-118-generic

gpu-a kernel=5.15.0-119-generic  # then one node
all driver=570
";
    let cluster = recorded(three());
    let report = report(&cluster, LIST, &WhatIf::plan(plan).unwrap());
    let body = report.body();
    let stages = &body.parts.iter().find(|it| it.0 == "stages").unwrap().1;
    expect![[r#"
        [
          {
            "change": "pool=b kernel=5.15.0-118-generic",
            "nodes": [
              "gpu-c"
            ],
            "images": [
              "nvcr.io/nvidia/driver:535-5.15.0-118-generic-ubuntu22.04"
            ],
            "absent": []
          },
          {
            "change": "gpu-a kernel=5.15.0-119-generic",
            "nodes": [
              "gpu-a"
            ],
            "images": [
              "nvcr.io/nvidia/driver:535-5.15.0-119-generic-ubuntu22.04"
            ],
            "absent": [
              "nvcr.io/nvidia/driver:535-5.15.0-119-generic-ubuntu22.04"
            ]
          },
          {
            "change": "all driver=570",
            "nodes": [
              "gpu-a",
              "gpu-b",
              "gpu-c"
            ],
            "images": [
              "nvcr.io/nvidia/driver:570-5.15.0-117-generic-ubuntu22.04",
              "nvcr.io/nvidia/driver:570-5.15.0-118-generic-ubuntu22.04",
              "nvcr.io/nvidia/driver:570-5.15.0-119-generic-ubuntu22.04"
            ],
            "absent": [
              "nvcr.io/nvidia/driver:570-5.15.0-117-generic-ubuntu22.04",
              "nvcr.io/nvidia/driver:570-5.15.0-118-generic-ubuntu22.04",
              "nvcr.io/nvidia/driver:570-5.15.0-119-generic-ubuntu22.04"
            ]
          }
        ]"#]]
    .assert_eq(&format!("{stages:#}"));
}

#[test]
fn what_is_wrong_only_on_the_way_is_told_too() {
    let told = |plan: &str| {
        let cluster = recorded(three());
        said(&report(&cluster, LIST, &WhatIf::plan(plan).unwrap()))
    };
    expect![[r#"
        gpu-a 535-5.15.0-118-generic-ubuntu22.04 present
        gpu-b 535-5.15.0-117-generic-ubuntu22.04 present
        gpu-c 535-5.15.0-117-generic-ubuntu22.04 present
        error image-absent: stage 1 (gpu-a kernel=5.15.0-119-generic) needs nvcr.io/nvidia/driver:535-5.15.0-119-generic-ubuntu22.04, which is not there
          because a later stage needs it no more, and until then its nodes have no driver
          fix build or copy nvcr.io/nvidia/driver:535-5.15.0-119-generic-ubuntu22.04, or make one stage of the two
    "#]].assert_eq(&told("gpu-a kernel=5.15.0-119-generic\ngpu-a kernel=5.15.0-118-generic\n"));
    expect![[r#"
        gpu-a 535-5.15.0-117-generic-ubuntu22.04 present
        gpu-b 535-5.15.0-117-generic-ubuntu22.04 present
        gpu-c 535-5.15.0-117-generic-ubuntu22.04 present
        error image-absent: stage 1 (gpu-a os=ubuntu24.04) needs nvcr.io/nvidia/driver:535-5.15.0-117-generic-ubuntu24.04, which is not there
          because a later stage needs it no more, and until then its nodes have no driver
          fix build or copy nvcr.io/nvidia/driver:535-5.15.0-117-generic-ubuntu24.04, or make one stage of the two
        error mixed-os: after stage 1 (gpu-a os=ubuntu24.04) GPU nodes have 2 systems, and ClusterPolicy/cluster-policy makes one driver image for all of them
          because under a ClusterPolicy the system of one GPU node decides the tag of every driver pod
          fix set driver.useNvidiaDriverCRD=true and make one NVIDIADriver a system first
    "#]].assert_eq(&told("gpu-a os=ubuntu24.04\ngpu-a os=ubuntu22.04\n"));
}

#[test]
fn a_plan_that_makes_no_sense_is_refused_with_its_line() {
    for (text, line, why) in [
        ("", 1, "no line"),
        ("# nothing\n", 1, "no line"),
        ("gpu-a\n", 1, "changes nothing"),
        ("\ngpu-a kernel\n", 2, "neither kernel=…"),
        ("gpu-a color=red", 1, "color= is neither"),
        ("gpu-a kernel=none", 1, "no kernel release"),
        ("gpu-a os=24.04", 1, "no system"),
        ("gpu-a driver=latest", 1, "no driver"),
        ("=x kernel=1.2", 1, "label selector"),
    ] {
        let bad = WhatIf::plan(text).unwrap_err();
        assert_eq!(bad.line, line, "{text}");
        assert!(bad.why.contains(why), "{text}: {}", bad.why);
    }
}

#[test]
fn a_raw_kernel_is_taken_as_nfd_will_label_it() {
    let what_if = change(
        Some("5.14.0-284.54.1.el9_2.aarch64+64k"),
        None,
        None,
        "gpu-a",
    );
    let cluster = recorded(three());
    let lines = report(&cluster, "", &what_if).lines();
    assert_eq!(
        lines[0],
        "gpu-a 535-5.14.0-284.54.1.el9_2.aarch64_64k-ubuntu22.04 unknown"
    );
}

#[test]
fn nothing_that_changes_is_the_present() {
    assert!(!change(None, None, None, "gpu-a").is_some());
    for (kernel, os, driver) in [
        (Some("x"), None, None),
        (None, Some("x"), None),
        (None, None, Some("5.5.5.5")),
    ] {
        assert!(Change::new(kernel, os, driver).is_err());
    }
}
