//! How driver images are named, row by row and release by release.

use crate::facts::images::{
    DASHED_OS, OS_TAG_RULES, PUBLISHED_OS, ROLES, Role, UNPUBLISHED_OS, os_tag,
};
use crate::facts::release::Release;

/// The last release before each change of the rule, and the first after it.
const RELEASES: [&str; 6] = [
    "v1.8.2", "v25.10.1", "v26.3.0", "v26.3.3", "v26.7.0", "v27.1.0",
];

#[test]
fn the_os_part_follows_the_rule_of_every_release() {
    for (id, version, want) in [
        ("ubuntu", "22.04", ["ubuntu22.04"; 6]),
        ("ubuntu", "26.04", ["ubuntu26.04"; 6]),
        (
            "rhel",
            "8.9",
            ["rhel8.9", "rhel8.9", "rhel8.9", "rhel8.9", "rhel8", "rhel8"],
        ),
        (
            "rhel",
            "9.4",
            ["rhel9.4", "rhel9.4", "rhel9.4", "rhel9.4", "rhel9", "rhel9"],
        ),
        (
            "rhel",
            "10.1",
            [
                "rhel10.1", "rhel10.1", "rhel10", "rhel10", "rhel10", "rhel10",
            ],
        ),
        ("rhel", "10", ["rhel10"; 6]),
        (
            "rocky",
            "8.4",
            [
                "rocky8.4", "rocky8.4", "rocky8", "rocky8", "rocky8", "rocky8",
            ],
        ),
        (
            "rocky",
            "9.5",
            [
                "rocky9.5", "rocky9.5", "rocky9", "rocky9", "rocky9", "rocky9",
            ],
        ),
        (
            "ol",
            "9.3",
            ["ol9.3", "ol9.3", "ol9.3", "ol9.3", "ol9", "ol9"],
        ),
        ("rhcos", "4.14", ["rhcos4.14"; 6]),
        ("rhcos", "4.18", ["rhcos4.18"; 6]),
        ("sles", "15.5", ["sles15.5"; 6]),
        ("sl-micro", "6.1", ["sl-micro6.1"; 6]),
        ("amzn", "2", ["amzn2"; 6]),
        ("amzn", "2023", ["amzn2023"; 6]),
        ("cos", "121", ["cos121"; 6]),
        ("debian", "12", ["debian12"; 6]),
        ("talos", "v1.6.1", ["talosv1.6.1"; 6]),
        ("buildroot", "2021.02.12", ["buildroot2021.02.12"; 6]),
        ("scos", "4.18", ["scos4.18"; 6]),
    ] {
        for (release, want) in RELEASES.iter().zip(want) {
            let at = Release::parse(release).unwrap();
            assert_eq!(os_tag(at, id, version), want, "{id} {version} at {release}");
        }
    }
}

#[test]
fn rules_are_in_the_order_of_their_releases() {
    assert!(OS_TAG_RULES.windows(2).all(|it| it[0].0 < it[1].0));
}

#[test]
fn a_system_is_published_or_has_a_way_out_and_never_both() {
    for (id, name, hint) in UNPUBLISHED_OS {
        assert!(!PUBLISHED_OS.contains(&id), "{id}");
        assert!(!name.is_empty() && !hint.ends_with('.'), "{id}");
    }
    assert!(DASHED_OS.iter().all(|it| it.contains('-')));
}

#[test]
fn every_role_stands_at_its_own_place_and_is_found_by_its_container() {
    for (role, name, container) in ROLES {
        assert_eq!(role.name(), name);
        assert_eq!(Role::of_container(container), Some(role));
    }
    for other in ["openshift-driver-toolkit-ctr", "k8s-driver-manager", ""] {
        assert_eq!(Role::of_container(other), None);
    }
}
