//! `gpu-audit roster`: which label asks for which operand.

use crate::facts::operands::{CORE, ROSTER};
use crate::facts::release::Release;
use crate::render::word;

/// `<operand>=<label key>`: the five core operands, then with `all` the others of the release
/// (of every release where it is not known).
pub fn roster(all: bool, release: Option<Release>) -> Vec<String> {
    let known = |since: Release, until: Option<Release>| {
        release.is_none_or(|it| it >= since && until.is_none_or(|until| it < until))
    };
    let core = CORE.iter().map(|it| it.row());
    let others = ROSTER
        .iter()
        .filter(|it| all && !CORE.contains(&it.id) && known(it.since, it.until));
    core.chain(others)
        .map(|it| format!("{}={}", word(it.name), it.label))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::release::{V22_9, V26_7};

    #[test]
    fn the_roster_is_the_five_core_operands_in_their_order() {
        let lines = roster(false, None);
        assert_eq!(lines[0], "driver=nvidia.com/gpu.deploy.driver");
        assert_eq!(
            lines[4],
            "dcgm-exporter=nvidia.com/gpu.deploy.dcgm-exporter"
        );
        assert_eq!(lines.len(), 5);
    }

    #[test]
    fn all_of_it_depends_on_the_release() {
        assert_eq!(roster(true, None).len(), ROSTER.len());
        assert!(
            !roster(true, Some(V22_9))
                .iter()
                .any(|it| it.starts_with("dra-driver="))
        );
        assert!(
            roster(true, Some(V26_7))
                .iter()
                .any(|it| it.starts_with("dra-driver="))
        );
    }
}
