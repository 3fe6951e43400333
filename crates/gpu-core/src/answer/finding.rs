//! One thing that is wrong, and one thing that could not be seen.

use crate::cluster::{DaemonSet, Node, Pod, Policy};
use crate::facts::operands::Id;

/// How bad it is; the worst comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// A GPU workload is or will be broken.
    Error,
    /// Odd; will bite later.
    Warning,
    /// Worth knowing.
    Info,
}

impl Severity {
    /// As every output writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Info => "info",
        }
    }
}

/// The object a finding is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Subject {
    /// `Node`, `Pod`, `ClusterPolicy` …
    pub kind: &'static str,
    /// Its namespace, where its kind has one.
    pub namespace: Option<String>,
    /// Its name.
    pub name: String,
}

impl Subject {
    /// As kubectl addresses it: `pod/name`, `clusterpolicy.nvidia.com/name`.
    pub fn address(&self) -> String {
        let group = match self.kind {
            "DaemonSet" | "Deployment" => ".apps",
            "ClusterPolicy" | "NVIDIADriver" | "GPUCluster" => ".nvidia.com",
            _ => "",
        };
        format!("{}{group}/{}", self.kind.to_lowercase(), self.name)
    }
}

impl From<&Node> for Subject {
    fn from(it: &Node) -> Self {
        Self {
            kind: "Node",
            namespace: None,
            name: it.name.clone(),
        }
    }
}

impl From<&Pod> for Subject {
    fn from(it: &Pod) -> Self {
        Self {
            kind: "Pod",
            namespace: Some(it.namespace.clone()),
            name: it.name.clone(),
        }
    }
}

impl From<&DaemonSet> for Subject {
    fn from(it: &DaemonSet) -> Self {
        Self {
            kind: "DaemonSet",
            namespace: Some(it.namespace.clone()),
            name: it.name.clone(),
        }
    }
}

impl From<&Policy> for Subject {
    fn from(it: &Policy) -> Self {
        Self {
            kind: it.kind.row().name,
            namespace: None,
            name: it.name.clone(),
        }
    }
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule that found it.
    pub rule: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// The node it is about, if it is about one.
    pub node: Option<String>,
    /// The operand it is about, if it is about one.
    pub operand: Option<Id>,
    /// The object to look at.
    pub subject: Subject,
    /// What is wrong, one sentence.
    pub message: String,
    /// Why, one sentence.
    pub cause: String,
    /// What follows from it, a clause each.
    pub consequences: Vec<String>,
    /// What was seen, a clause each.
    pub evidence: Vec<String>,
    /// The command to type next, or what to change.
    pub fix: String,
}

/// Something that could not be seen and mattered to the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// The kind of object.
    pub what: String,
    /// Why it was not seen.
    pub why: String,
    /// What is not known for that.
    pub effect: String,
}
