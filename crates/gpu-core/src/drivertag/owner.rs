//! Which NVIDIADriver a node belongs to.

use super::recipe::is_for_vgpu_hosts;
use crate::cluster::{Cluster, Node, Policy};
use crate::facts::images::DRIVER_OWNER;

/// The NVIDIADrivers that claim a node.
#[derive(Clone, Debug)]
pub(super) enum Owner<'a> {
    /// Exactly one.
    One(&'a Policy),
    /// None does.
    Nobody,
    /// Several, and the operator then assigns none.
    Several(Vec<&'a Policy>),
}

/// Finds it: the owner that the operator wrote, else the one whose selector matches; a default one counts only
/// where no other matches. Source: NVIDIA/gpu-operator internal/nvidiadriver/nvidiadriver.go.
pub(super) fn owner<'a>(cluster: &'a Cluster, node: &Node, for_vgpu_hosts: bool) -> Owner<'a> {
    let fit = || {
        cluster
            .nvidia_drivers()
            .filter(move |it| is_for_vgpu_hosts(it) == for_vgpu_hosts)
    };
    let written = node.label(DRIVER_OWNER);
    if let Some(it) = fit().find(|it| written == Some(&it.name)) {
        return Owner::One(it);
    }
    let (defaults, others): (Vec<_>, Vec<_>) = fit()
        .filter(|it| selects(it, node))
        .partition(|it| it.flag("default") == Some(true));
    let claims = if others.is_empty() { defaults } else { others };
    match claims.as_slice() {
        [] => Owner::Nobody,
        [one] => Owner::One(one),
        _ => Owner::Several(claims),
    }
}

/// Does the node selector of an NVIDIADriver match? Without one it matches every GPU node.
pub(super) fn selects(driver: &Policy, node: &Node) -> bool {
    let Some(wanted) = driver.at("nodeSelector").and_then(|it| it.as_object()) else {
        return true;
    };
    wanted
        .iter()
        .all(|(key, value)| node.label(key) == value.as_str())
}
