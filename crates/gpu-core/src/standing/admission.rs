//! Which DaemonSet of an operand admits a node, and if none does, why.

use crate::cluster::{DaemonSet, Node, Refusal};

/// The DaemonSet that puts a pod on this node; else the one that comes nearest, with what it refuses for.
/// `None` where the operand has no DaemonSet at all.
pub(super) fn nearest<'a>(
    daemon_sets: &[&'a DaemonSet],
    node: &Node,
) -> Option<(&'a DaemonSet, Option<Refusal>)> {
    let refusals = daemon_sets.iter().map(|it| (*it, it.refuses(node)));
    // A taint means that everything else fitted, and a label that most of it did not.
    refusals.min_by_key(|(_, refusal)| match refusal {
        None => 0,
        Some(Refusal::Taint(_)) => 1,
        Some(Refusal::Affinity { .. }) => 2,
        Some(Refusal::Label { .. }) => 3,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{daemon_set, node};

    #[test]
    fn the_daemon_set_that_comes_nearest_tells_why() {
        let node = node("gpu-1")
            .label("nvidia.com/gpu.deploy.driver", "true")
            .taint("team=ml:NoSchedule")
            .build();
        let other_kernel = daemon_set("nvidia-driver-daemonset-5.4")
            .selects("kernel", "5.4")
            .build();
        let tainted = daemon_set("nvidia-driver-daemonset-5.15")
            .selects("nvidia.com/gpu.deploy.driver", "true")
            .build();
        let tolerant = daemon_set("nvidia-driver-daemonset-6")
            .tolerates("team", "Exists")
            .build();
        let (it, why) = nearest(&[&other_kernel, &tainted], &node).unwrap();
        assert_eq!(it.name, "nvidia-driver-daemonset-5.15");
        assert!(matches!(why, Some(Refusal::Taint(it)) if it.to_string() == "team=ml:NoSchedule"));
        let (it, why) = nearest(&[&other_kernel, &tainted, &tolerant], &node).unwrap();
        assert_eq!((it.name.as_str(), why), ("nvidia-driver-daemonset-6", None));
        assert!(nearest(&[], &node).is_none());
    }
}
