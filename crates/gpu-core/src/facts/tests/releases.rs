//! Releases: their order is the order in time, however they are written.

use crate::facts::labels::{
    DEPLOY_OPERANDS, DEPLOY_PREFIX, GPU_PCI, GPU_PRESENT, NFD_PREFIX, NVIDIA_PCI_VENDOR,
    WORKLOAD_CONFIG,
};
use crate::facts::release::{Release, V22_9, V23_6, V23_9, V24_3, V25_3, V25_10, V26_3, V26_7};

fn release(text: &str) -> Release {
    Release::parse(text).unwrap_or_else(|| panic!("{text} is no release"))
}

#[test]
fn every_release_of_the_line_up_comes_after_the_one_before() {
    let all = [
        "v22.9.2", "v23.3.2", "v23.6.2", "v23.9.2", "v24.3.0", "v24.6.2", "v24.9.2", "v25.3.4",
        "v25.10.1", "v26.3.3", "v26.7.0",
    ];
    for pair in all.windows(2) {
        assert!(release(pair[0]) < release(pair[1]), "{pair:?}");
    }
    for text in all {
        assert_eq!(release(text).to_string(), text);
    }
}

#[test]
fn named_lines_start_at_their_first_release() {
    for (line, first, before) in [
        (V22_9, "v22.9.0", "v22.6.9"),
        (V23_6, "v23.6.0", "v23.3.2"),
        (V23_9, "v23.9.0", "v23.6.2"),
        (V24_3, "v24.3.0", "v23.9.2"),
        (V25_3, "v25.3.0", "v24.9.2"),
        (V25_10, "v25.10.0", "v25.3.4"),
        (V26_3, "v26.3.0", "v25.10.1"),
        (V26_7, "v26.7.0", "v26.3.3"),
    ] {
        assert_eq!(release(first), line);
        assert!(release(before) < line, "{before}");
    }
}

#[test]
fn a_release_is_found_inside_of_what_installs_write() {
    for (text, want) in [
        ("gpu-operator-v25.10.1", Some("v25.10.1")),
        ("gpu-operator-25.10.1", Some("v25.10.1")),
        ("gpu-operator-certified.v24.9.2", Some("v24.9.2")),
        ("v25.3.0-rc.1", Some("v25.3.0")),
        ("devel-ubi8", None),
        ("a22dbf67", None),
        ("v25", None),
        ("24,9", None),
        ("ubuntu22.04", None),
        ("70000.1", None),
    ] {
        let found = Release::parse(text).map(|it| it.to_string());
        assert_eq!(found.as_deref(), want, "{text}");
    }
}

#[test]
fn labels_are_spelled_as_the_operator_and_nfd_spell_them() {
    assert_eq!(GPU_PRESENT, "nvidia.com/gpu.present");
    assert_eq!(WORKLOAD_CONFIG, "nvidia.com/gpu.workload.config");
    assert_eq!(DEPLOY_OPERANDS, "nvidia.com/gpu.deploy.operands");
    assert!(DEPLOY_OPERANDS.starts_with(DEPLOY_PREFIX));
    for key in GPU_PCI {
        let device = key.strip_prefix(NFD_PREFIX).unwrap();
        assert!(
            device.starts_with("pci-") && device.ends_with(".present"),
            "{key}"
        );
        assert!(device.contains(NVIDIA_PCI_VENDOR), "{key}");
    }
}
