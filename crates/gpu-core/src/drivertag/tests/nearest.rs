//! The nearest image there is.

use std::collections::BTreeSet;

use crate::drivertag::nearest::nearest;

/// What is wanted, what is there, and the nearest of it.
fn check(rows: &[(&str, &[&str], &str)]) {
    for (wanted, there, want) in rows {
        let tags: BTreeSet<_> = there.iter().copied().collect();
        assert_eq!(
            nearest(wanted, &tags).unwrap_or_default(),
            *want,
            "{wanted}"
        );
    }
}

#[test]
fn of_precompiled_drivers_the_one_for_the_nearest_kernel_is_nearest() {
    check(&[
        // The kernel is compared number by number, in the same branch, flavour and system.
        (
            "535-5.15.0-118-generic-ubuntu22.04",
            &[
                "535-5.15.0-117-generic-ubuntu22.04",
                "535-5.15.0-97-generic-ubuntu22.04",
            ],
            "535-5.15.0-117-generic-ubuntu22.04",
        ),
        (
            "535-5.15.0-100-generic-ubuntu22.04",
            &[
                "535-5.15.0-97-generic-ubuntu22.04",
                "535-5.15.0-91-generic-ubuntu22.04",
                "535-5.15.0-1051-aws-ubuntu22.04",
            ],
            "535-5.15.0-97-generic-ubuntu22.04",
        ),
        (
            "535-5.15.0-100-generic-ubuntu22.04",
            &[
                "535-5.15.0-99-generic-ubuntu22.04",
                "535-5.15.0-101-generic-ubuntu22.04",
            ],
            "535-5.15.0-101-generic-ubuntu22.04",
        ),
        (
            "535-5.15.0-97-generic-ubuntu22.04",
            &["535-5.15.0-118-generic-ubuntu22.04"],
            "535-5.15.0-118-generic-ubuntu22.04",
        ),
        (
            "550-6.8.0-49-generic-ubuntu22.04",
            &[
                "550-5.15.0-120-generic-ubuntu22.04",
                "550-6.8.0-49-generic-ubuntu24.04",
            ],
            "550-5.15.0-120-generic-ubuntu22.04",
        ),
        // Without one of the branch, the same kernel in another branch.
        (
            "535-6.8.0-1046-azure-fde-ubuntu24.04",
            &[
                "580-6.8.0-1046-azure-fde-ubuntu24.04",
                "580-6.8.0-1046-azure-ubuntu24.04",
            ],
            "580-6.8.0-1046-azure-fde-ubuntu24.04",
        ),
        (
            "580-6.8.0-60-generic-ubuntu24.04",
            &[
                "580-6.8.0-60-aws-ubuntu24.04",
                "580-6.8.0-60-generic-ubuntu22.04",
            ],
            "",
        ),
    ]);
}

#[test]
fn of_other_drivers_the_one_for_the_same_system_is_nearest() {
    check(&[
        // Another version for the same system, the nearest one.
        (
            "580.173.02-ubuntu26.04",
            &[
                "580.173.02-ubuntu24.04",
                "610.57.04-ubuntu26.04",
                "595.91.07-ubuntu26.04",
                "595-7.0.0-27-generic-ubuntu26.04",
            ],
            "595.91.07-ubuntu26.04",
        ),
        (
            "550.54.15-ubuntu22.04",
            &["550.54.14-ubuntu22.04", "550.90.07-ubuntu22.04"],
            "550.54.14-ubuntu22.04",
        ),
        // Else the same version for the nearest version of the system.
        (
            "535.104.12-rhel8.9",
            &[
                "535.104.12-rhel8.6",
                "535.104.12-rhel8.8",
                "535.104.12-rhel9.2",
                "535.104.12-ubuntu22.04",
            ],
            "535.104.12-rhel8.8",
        ),
        (
            "470.57.02-rhcos4.9",
            &[
                "470.57.02-rhcos4.6",
                "470.57.02-rhcos4.8",
                "460.91.03-rhcos4.8",
            ],
            "470.57.02-rhcos4.8",
        ),
        (
            "470.57.02-rocky8.4",
            &["470.57.02-rhel8.4", "470.57.02-centos8"],
            "",
        ),
        ("mine", &["mine-2", "580.1.2-ubuntu22.04"], ""),
        ("580.1.2-ubuntu22.04", &["580.1.2-ubuntu22.04"], ""),
    ]);
}
