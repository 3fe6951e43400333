//! What is read only when something is wrong: events, quotas, and the operator's own Deployment.

use jiff::Timestamp;

use super::node::Condition;
use super::selector::Labels;

/// Something that happened to an object.
#[derive(Clone, Debug)]
pub struct Event {
    /// Kind of the object.
    pub kind: String,
    /// Namespace of the object.
    pub namespace: String,
    /// Name of the object.
    pub name: String,
    /// One word, such as `FailedCreate`.
    pub reason: String,
    /// A sentence.
    pub message: String,
    /// When it happened the last time.
    pub at: Option<Timestamp>,
    /// How often it happened.
    pub count: u32,
}

/// A limit on what a namespace may hold.
#[derive(Clone, Debug)]
pub struct ResourceQuota {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// The priority classes it is for; empty where it is for all.
    pub priority_classes: Vec<String>,
    /// Resource, limit and use.
    pub limits: Vec<(String, String, String)>,
}

/// A Deployment: the operator's own, or NFD's.
#[derive(Clone, Debug)]
pub struct Deployment {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Its labels.
    pub labels: Labels,
    /// The replicas it wants.
    pub replicas: u32,
    /// The replicas that are available.
    pub available: u32,
    /// The images of its containers.
    pub images: Vec<String>,
    /// Why not all replicas are there, as its conditions say.
    pub trouble: Option<Condition>,
}

impl Deployment {
    /// Is this the GPU operator itself?
    pub fn is_gpu_operator(&self) -> bool {
        self.labels
            .get("app")
            .is_some_and(|it| it == "gpu-operator")
            || self
                .labels
                .get("app.kubernetes.io/component")
                .is_some_and(|it| it == "gpu-operator")
    }
}
