//! Builds a whole cluster as its API server would return it: nodes and a policy are described, and what
//! the operator and the DaemonSet controller make of them follows.

mod controller;
mod driver;
mod foreign;
mod nfd;
mod node;
mod object;
mod operator;
mod parts;
pub(crate) mod pod;
mod policy;
mod recording;
mod release;
mod set;
mod shape;

pub(crate) use driver::{nvidia_driver, openshift_driver, pool, precompiled};
pub(crate) use foreign::{
    deployment_with_pods, event, foreign_set, gke_device_plugin, marked_by_hand, quota, workload,
};
pub(crate) use nfd::openshift as openshift_nfd;
pub(crate) use node::{Card, Node};
pub(crate) use policy::{Policy, gpu_cluster, hand_written, helm};
pub(crate) use recording::Recording;
pub(crate) use release::{Release, V23_9, V24_6, V24_9, V25_10, V26_3, V26_7};
pub(crate) use set::Set;
pub(crate) use shape::Shape;
