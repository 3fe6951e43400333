//! Whether an image is there, by what lists and registries say together.

use super::{drivers, gpu_node, inventory};
use crate::answer::Answer;
use crate::drivertag::existence::Existence;
use crate::drivertag::inventory::Listed;
use crate::drivertag::judge::{Availability, State};
use crate::drivertag::{Inventory, Stock, WhatIf, judge, needs};
use crate::standing::Scope;
use crate::testing::recorded;

#[test]
fn absent_anywhere_is_absent_and_silence_is_no_answer() {
    use Availability::{Absent, Present, Unknown};
    for (listed, registry, want) in [
        (Listed::Present, Existence::Present, Present),
        (Listed::Present, Existence::NotAsked, Present),
        (Listed::NotAsked, Existence::Present, Present),
        (Listed::Unknown, Existence::Present, Present),
        (Listed::Present, Existence::Denied("401".into()), Present),
        (Listed::Absent, Existence::NotAsked, Absent),
        (Listed::Absent, Existence::Present, Absent),
        (Listed::Present, Existence::Absent, Absent),
        (Listed::NotAsked, Existence::Absent, Absent),
        (
            Listed::Present,
            Existence::WrongArchitecture(vec!["arm64".into()]),
            Absent,
        ),
        (Listed::NotAsked, Existence::NotAsked, Unknown),
        (Listed::Unknown, Existence::NotAsked, Unknown),
        (Listed::NotAsked, Existence::Denied("403".into()), Unknown),
        (
            Listed::NotAsked,
            Existence::Throttled("429".into()),
            Unknown,
        ),
        (
            Listed::NotAsked,
            Existence::Unreachable("refused".into()),
            Unknown,
        ),
        (
            Listed::Unknown,
            Existence::Untrusted("issuer".into()),
            Unknown,
        ),
    ] {
        let state = State {
            inventory: listed,
            registry,
            nearest: None,
        };
        assert_eq!(state.availability(), want, "{state:?}");
    }
}

#[test]
fn tags_that_a_registry_listed_are_hints_and_no_inventory() {
    let cluster = recorded([
        gpu_node("gpu-a", "5.15.0-118-generic", "ubuntu 22.04"),
        drivers("v24.9.2", "535", true),
    ]);
    let needs = || needs(&cluster, &Scope::default(), None, &WhatIf::default()).unwrap();
    let mut listed = Inventory::default();
    listed.take_tags(
        "nvidia/driver",
        ["535-5.15.0-117-generic-ubuntu22.04".to_owned()],
    );
    let stock = Stock {
        answers: vec![Existence::Absent],
        listed: listed.clone(),
        ..Stock::default()
    };
    let body = judge(needs(), stock).body();
    let image = &body.parts.iter().find(|it| it.0 == "images").unwrap().1[0];
    assert_eq!(image["registry"], "absent");
    assert_eq!(image["inventory"], "not-asked");
    assert_eq!(image["nearest"], "535-5.15.0-117-generic-ubuntu22.04");
    // What is there needs no hint.
    let stock = Stock {
        answers: vec![Existence::Present],
        listed,
        ..Stock::default()
    };
    let body = judge(needs(), stock).body();
    let image = &body.parts.iter().find(|it| it.0 == "images").unwrap().1[0];
    assert_eq!(image["nearest"], serde_json::Value::Null);
}

#[test]
fn a_list_that_does_not_speak_of_an_image_leaves_it_open() {
    let policy = super::cluster_policy(
        "v24.9.2",
        serde_json::json!({
            "driver": { "repository": "nvcr.io/nvidia", "image": "driver", "version": "550.90.07" },
            "gds": { "enabled": true, "repository": "nvcr.io/nvidia/cloud-native", "image": "nvidia-fs", "version": "2.17.5" },
        }),
    );
    let cluster = recorded([
        gpu_node("gpu-a", "5.15.0-118-generic", "ubuntu 22.04"),
        policy,
    ]);
    for (list, want) in [
        ("550.90.07-ubuntu22.04", "unknown"),
        ("550.90.07-ubuntu22.04\n2.17.5-ubuntu22.04", "present"),
        (
            "550.90.07-ubuntu22.04\nm.example/nvidia-fs:2.16.1-ubuntu22.04",
            "absent",
        ),
        ("2.17.5-ubuntu22.04", "absent"),
    ] {
        let needs = needs(&cluster, &Scope::default(), None, &WhatIf::default()).unwrap();
        let stock = Stock {
            inventory: Some(inventory(list)),
            ..Stock::default()
        };
        let lines = judge(needs, stock).lines();
        assert_eq!(
            lines,
            [format!("gpu-a 550.90.07-ubuntu22.04 {want}")],
            "{list}"
        );
    }
}
