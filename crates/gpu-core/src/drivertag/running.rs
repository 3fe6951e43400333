//! The driver pods of a node: which images run, and which cannot be pulled.

use std::collections::HashMap;

use super::reference::Image;
use crate::cluster::pod::{Container, State};
use crate::cluster::{Cluster, Pod};
use crate::facts::images::Role;
use crate::facts::operands::Id;

/// One container of a driver pod whose image is made for one system.
#[derive(Debug)]
pub(super) struct Running<'a> {
    /// What it is for.
    pub(super) role: Role,
    /// Its image.
    pub(super) image: Image,
    /// Its pod.
    pub(super) pod: &'a Pod,
    /// Itself.
    pub(super) container: &'a Container,
}

/// Words by which the kubelet says that it has no image yet. Source: kubernetes pkg/kubelet/images/types.go.
const NO_IMAGE: [&str; 5] = [
    "ErrImagePull",
    "ImagePullBackOff",
    "InvalidImageName",
    "ImageInspectError",
    "ErrImageNeverPull",
];

impl Running<'_> {
    /// Has the image been on the node, as a container of it was started?
    pub(super) fn was_started(&self) -> bool {
        match &self.container.state {
            State::Running(_) | State::Ended(_) => true,
            State::Waiting(..) => self.container.restarts > 0 || self.container.last.is_some(),
            State::Unsaid => false,
        }
    }

    /// Why the image could not be had: one word, and a sentence where the kubelet says one.
    pub(super) fn pull_trouble(&self) -> Option<(&str, &str)> {
        match &self.container.state {
            State::Waiting(reason, message) if NO_IMAGE.contains(&reason.as_str()) => {
                Some((reason, message))
            }
            _ => None,
        }
    }

    /// Does the container start and fail again and again?
    pub(super) fn crashes(&self) -> bool {
        matches!(&self.container.state, State::Waiting(reason, _) if reason == "CrashLoopBackOff")
    }
}

/// Containers of driver pods by the node they are on.
pub(super) fn by_node(cluster: &Cluster) -> HashMap<&str, Vec<Running<'_>>> {
    let mut by_node: HashMap<_, Vec<_>> = HashMap::new();
    for pod in &cluster.pods {
        let own_role = match pod.operand {
            Some(Id::Driver) => Role::Driver,
            Some(Id::VgpuManager) => Role::VgpuManager,
            _ => continue,
        };
        let (Some(node), false) = (pod.node.as_deref(), pod.is_finished()) else {
            continue;
        };
        by_node
            .entry(node)
            .or_default()
            .extend(containers(pod, own_role));
    }
    by_node
}

fn containers(pod: &Pod, own_role: Role) -> Vec<Running<'_>> {
    let Some(details) = &pod.details else {
        return Vec::new();
    };
    let all = || details.containers.iter();
    let mut found: Vec<_> = all()
        .filter_map(|it| Some((Role::of_container(&it.name)?, it)))
        .collect();
    if found.is_empty() {
        found.extend(all().next().map(|it| (own_role, it)));
    }
    found
        .into_iter()
        .filter_map(|(role, container)| {
            Some(Running {
                role,
                image: Image::parse(&container.image).ok()?,
                pod,
                container,
            })
        })
        .collect()
}
