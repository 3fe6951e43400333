//! What people and programs read.

use expect_test::expect;
use serde_json::{Value, json};

use super::{answered, driver_pod, driver_set, drivers, gpu_node, labelled, report, reporting};
use crate::answer::Answer;
use crate::drivertag::WhatIf;
use crate::drivertag::existence::Existence;
use crate::facts::images::KERNEL;
use crate::render::{Look, page};
use crate::testing::recorded;

const OLD: &str = "5.15.0-117-generic";
const NEW: &str = "5.15.0-118-generic";
const LIST: &str = "535-5.15.0-117-generic-ubuntu22.04\n";

/// Three alike nodes, one with a newer kernel, one with a driver of the host.
fn objects() -> Vec<Value> {
    let node = |name, kernel| gpu_node(name, kernel, "ubuntu 22.04");
    let image = "nvcr.io/nvidia/driver:535-5.15.0-117-generic-ubuntu22.04";
    vec![
        node("gpu-a", OLD),
        node("gpu-b", OLD),
        node("gpu-c", OLD),
        node("gpu-d", NEW),
        labelled(
            node("gpu-e", OLD),
            &[("nvidia.com/gpu.deploy.driver", Some("pre-installed"))],
        ),
        drivers("v24.9.2", "535", true),
        driver_set("nvidia-driver-daemonset", image, &[(KERNEL, OLD)]),
        driver_pod("gpu-a", image, json!({ "running": {} })),
    ]
}

#[test]
fn what_is_absent_is_the_first_line() {
    let cluster = recorded(objects());
    expect![[r#"
        gpu-d 535-5.15.0-118-generic-ubuntu22.04 absent
        gpu-a 535-5.15.0-117-generic-ubuntu22.04 present
        gpu-b 535-5.15.0-117-generic-ubuntu22.04 present
        gpu-c 535-5.15.0-117-generic-ubuntu22.04 present
        gpu-e - pre-installed
    "#]]
    .assert_eq(
        &(report(&cluster, LIST, &WhatIf::default())
            .lines()
            .join("\n")
            + "\n"),
    );
    let unasked = report(&cluster, "", &WhatIf::default()).lines();
    assert_eq!(
        unasked[0],
        "gpu-a 535-5.15.0-117-generic-ubuntu22.04 unknown"
    );
}

#[test]
fn the_page_shows_nodes_groups_and_the_odd_one() {
    let cluster = recorded(objects());
    let report = report(&cluster, LIST, &WhatIf::default());
    expect![[r#"
        NODE    NEEDS                                ASKED                                RUNS                                 IMAGE
        gpu-d   535-5.15.0-118-generic-ubuntu22.04   -                                    -                                    ABSENT
        gpu-a   535-5.15.0-117-generic-ubuntu22.04   535-5.15.0-117-generic-ubuntu22.04   535-5.15.0-117-generic-ubuntu22.04   present
        gpu-b   535-5.15.0-117-generic-ubuntu22.04   535-5.15.0-117-generic-ubuntu22.04   -                                    present
        gpu-c   535-5.15.0-117-generic-ubuntu22.04   535-5.15.0-117-generic-ubuntu22.04   -                                    present
        gpu-e   pre-installed                        -                                    -                                    -

        BRANCH   KERNEL               OS            ARCH    COUNT   IMAGE     NODES
        535      5.15.0-117-generic   ubuntu22.04   amd64   3       present   gpu-a, gpu-b, gpu-c
        535      5.15.0-118-generic   ubuntu22.04   amd64   1       ABSENT    gpu-d

        node/gpu-d is the odd one of pool amd64: 5.15.0-118-generic, while 3 nodes have 5.15.0-117-generic

        ERROR node/gpu-d needs nvcr.io/nvidia/driver:535-5.15.0-118-generic-ubuntu22.04, which is not in the inventory
          cause  a precompiled driver fits one kernel, and the nearest build is for kernel 5.15.0-117-generic
          then   the driver pod cannot start there, and all operands wait behind it
          seen   driver.version 535, OS part ubuntu22.04, kernel 5.15.0-118-generic
                 nearest there is: 535-5.15.0-117-generic-ubuntu22.04
          fix    build or copy nvcr.io/nvidia/driver:535-5.15.0-118-generic-ubuntu22.04, keep the node on kernel 5.15.0-117-generic, or set usePrecompiled=false with a full version
          rule   image-absent

        5 nodes (1 with a driver of the host), 2 images needed, 1 absent; 1 error; operator v24.9.2
    "#]].assert_eq(&page(&report, false, &Look::default()).unwrap());
}

#[test]
fn the_wide_page_shows_what_everything_was_made_from() {
    let cluster = recorded(objects());
    let report = report(&cluster, LIST, &WhatIf::default());
    expect![[r#"
        NODE    NEEDS                                ASKED                                RUNS                                 IMAGE     KERNEL               OS            ARCH    INVENTORY   REGISTRY    NEAREST
        gpu-d   535-5.15.0-118-generic-ubuntu22.04   -                                    -                                    ABSENT    5.15.0-118-generic   ubuntu22.04   amd64   absent      not-asked   535-5.15.0-117-generic-ubuntu22.04
        gpu-a   535-5.15.0-117-generic-ubuntu22.04   535-5.15.0-117-generic-ubuntu22.04   535-5.15.0-117-generic-ubuntu22.04   present   5.15.0-117-generic   ubuntu22.04   amd64   present     not-asked   -
        gpu-b   535-5.15.0-117-generic-ubuntu22.04   535-5.15.0-117-generic-ubuntu22.04   -                                    present   5.15.0-117-generic   ubuntu22.04   amd64   present     not-asked   -
        gpu-c   535-5.15.0-117-generic-ubuntu22.04   535-5.15.0-117-generic-ubuntu22.04   -                                    present   5.15.0-117-generic   ubuntu22.04   amd64   present     not-asked   -
        gpu-e   pre-installed                        -                                    -                                    -         5.15.0-117-generic   ubuntu22.04   amd64   -           -           -

        BRANCH   KERNEL               OS            ARCH    COUNT   IMAGE     NODES
        535      5.15.0-117-generic   ubuntu22.04   amd64   3       present   gpu-a, gpu-b, gpu-c
        535      5.15.0-118-generic   ubuntu22.04   amd64   1       ABSENT    gpu-d

        node/gpu-d is the odd one of pool amd64: 5.15.0-118-generic, while 3 nodes have 5.15.0-117-generic

        ERROR node/gpu-d needs nvcr.io/nvidia/driver:535-5.15.0-118-generic-ubuntu22.04, which is not in the inventory
          cause  a precompiled driver fits one kernel, and the nearest build is for kernel 5.15.0-117-generic
          then   the driver pod cannot start there, and all operands wait behind it
          seen   driver.version 535, OS part ubuntu22.04, kernel 5.15.0-118-generic
                 nearest there is: 535-5.15.0-117-generic-ubuntu22.04
          fix    build or copy nvcr.io/nvidia/driver:535-5.15.0-118-generic-ubuntu22.04, keep the node on kernel 5.15.0-117-generic, or set usePrecompiled=false with a full version
          rule   image-absent

        5 nodes (1 with a driver of the host), 2 images needed, 1 absent; 1 error; operator v24.9.2
    "#]].assert_eq(&page(&report, true, &Look::default()).unwrap());
}

#[test]
fn many_nodes_are_folded_and_those_with_trouble_are_shown() {
    let mut objects = objects();
    objects.extend((0..20).map(|it| gpu_node(&format!("more-{it:02}"), OLD, "ubuntu 22.04")));
    let cluster = recorded(objects);
    let report = report(&cluster, LIST, &WhatIf::default());
    let page = page(&report, false, &Look::default()).unwrap();
    assert!(
        page.contains("24 nodes in order (-o wide shows them)"),
        "{page}"
    );
    assert!(page.contains("\ngpu-d "), "{page}");
    assert!(!page.contains("\ngpu-a "), "{page}");
}

#[test]
fn a_mirror_gets_every_reference_once() {
    let cluster = recorded(objects());
    let report = report(&cluster, LIST, &WhatIf::default());
    assert_eq!(
        report.own_format("mirror").unwrap(),
        "nvcr.io/nvidia/driver:535-5.15.0-117-generic-ubuntu22.04\n\
         nvcr.io/nvidia/driver:535-5.15.0-118-generic-ubuntu22.04\n"
    );
    assert_eq!(report.own_format("matrix"), None);
}

#[test]
fn the_build_matrix_holds_what_is_not_there() {
    let matrix = |list: &str| {
        let cluster = recorded(objects());
        let text = report(&cluster, list, &WhatIf::default())
            .own_format("build-matrix")
            .unwrap();
        serde_json::from_str::<Value>(&text).unwrap()
    };
    let build =
        |kernel| json!({ "branch": "535", "kernel": kernel, "os": "ubuntu22.04", "arch": "amd64" });
    assert_eq!(matrix(LIST), json!([build(NEW)]));
    assert_eq!(matrix(""), json!([build(OLD), build(NEW)]));
    assert_eq!(
        matrix("535-5.15.0-117-generic-ubuntu22.04\n535-5.15.0-118-generic-ubuntu22.04"),
        json!([])
    );
}

#[test]
fn of_an_image_that_lacks_an_architecture_only_that_one_is_built() {
    let arm = reporting(gpu_node("gpu-a", NEW, "ubuntu 22.04"), NEW, "", "arm64");
    let cluster = recorded([
        arm,
        gpu_node("gpu-b", NEW, "ubuntu 22.04"),
        drivers("v24.9.2", "535", true),
    ]);
    let report = answered(
        &cluster,
        &Existence::WrongArchitecture(vec!["arm64".into()]),
    );
    let text = report.own_format("build-matrix").unwrap();
    let want = json!([{ "branch": "535", "kernel": NEW, "os": "ubuntu22.04", "arch": "arm64" }]);
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), want);
}

/// A part of the report on these nodes.
fn part(name: &str) -> Value {
    let cluster = recorded(objects());
    let body = report(&cluster, LIST, &WhatIf::default()).body();
    let (_, part) = body.parts.into_iter().find(|it| it.0 == name).unwrap();
    part
}

#[test]
fn the_report_holds_wanted_asked_and_running_side_by_side() {
    let nodes = part("nodes");
    expect![[r#"
        {
          "name": "gpu-a",
          "kernel": "5.15.0-117-generic",
          "nodeKernel": "5.15.0-117-generic",
          "kernelAgrees": true,
          "osTag": "ubuntu22.04",
          "arch": "amd64",
          "policy": "ClusterPolicy/cluster-policy",
          "wanted": [
            {
              "role": "driver",
              "image": "nvcr.io/nvidia/driver",
              "tag": "535-5.15.0-117-generic-ubuntu22.04",
              "digest": null
            }
          ],
          "asked": [
            {
              "role": "driver",
              "image": "nvcr.io/nvidia/driver",
              "tag": "535-5.15.0-117-generic-ubuntu22.04",
              "digest": null,
              "daemonSet": "nvidia-driver-daemonset"
            }
          ],
          "running": [
            {
              "role": "driver",
              "image": "nvcr.io/nvidia/driver",
              "tag": "535-5.15.0-117-generic-ubuntu22.04",
              "digest": null,
              "pod": "driver-gpu-a",
              "status": "Running"
            }
          ],
          "verdict": "ok",
          "why": ""
        }"#]]
    .assert_eq(&format!("{:#}", nodes[0]));
    assert_eq!(nodes[4]["verdict"], "pre-installed");
    assert_eq!(nodes[4]["wanted"], json!([]));
    assert_eq!(part("stages"), json!([]));
}

#[test]
fn the_report_holds_every_image_with_the_nodes_that_need_it() {
    expect![[r#"
        [
          {
            "image": "nvcr.io/nvidia/driver",
            "tag": "535-5.15.0-117-generic-ubuntu22.04",
            "digest": null,
            "arch": [
              "amd64"
            ],
            "nodes": [
              "gpu-a",
              "gpu-b",
              "gpu-c"
            ],
            "inventory": "present",
            "registry": "not-asked",
            "nearest": null
          },
          {
            "image": "nvcr.io/nvidia/driver",
            "tag": "535-5.15.0-118-generic-ubuntu22.04",
            "digest": null,
            "arch": [
              "amd64"
            ],
            "nodes": [
              "gpu-d"
            ],
            "inventory": "absent",
            "registry": "not-asked",
            "nearest": "535-5.15.0-117-generic-ubuntu22.04"
          }
        ]"#]]
    .assert_eq(&format!("{:#}", part("images")));
    let cluster = recorded(objects());
    let body = report(&cluster, LIST, &WhatIf::default()).body();
    assert_eq!(body.summary.by_state["ok"], 3);
    assert_eq!(body.summary.by_state["absent"], 1);
}

#[test]
fn five_thousand_nodes_with_twelve_combinations_are_twelve_questions() {
    let node = |at: usize| {
        gpu_node(
            &format!("gpu-{at:04}"),
            &format!("5.15.0-{}-generic", at % 12),
            "ubuntu 22.04",
        )
    };
    let mut objects: Vec<_> = (0..5000).map(node).collect();
    objects.push(drivers("v24.9.2", "535", true));
    let cluster = recorded(objects);
    let needs = crate::drivertag::needs(
        &cluster,
        &crate::standing::Scope::default(),
        None,
        &WhatIf::default(),
    )
    .unwrap();
    let questions = needs.questions();
    assert_eq!(questions.len(), 12);
    assert!(questions.iter().all(|it| it.architectures == ["amd64"]));
}
