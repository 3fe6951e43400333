//! ClusterPolicy, NVIDIADriver and GPUCluster: what a person asked the operator for.

use jiff::Timestamp;
use serde_json::Value;

use super::Kind;
use super::node::Condition;
use super::selector::Labels;

/// One policy object, whatever its kind.
#[derive(Clone, Debug)]
pub struct Policy {
    /// ClusterPolicy, NVIDIADriver or GPUCluster.
    pub kind: Kind,
    /// Its name.
    pub name: String,
    /// Its labels; Helm writes the operator's release there.
    pub labels: Labels,
    /// When it was made; the oldest ClusterPolicy is the one that counts.
    pub created: Option<Timestamp>,
    /// `spec`, as written.
    pub spec: Value,
    /// `status.state`: `ready`, `notReady`, `ignored`, `disabled`.
    pub state: String,
    /// `status.namespace`: where the operator put its DaemonSets.
    pub namespace: Option<String>,
    /// Conditions that are True, by type, but for Ready.
    pub errors: Vec<(String, Condition)>,
}

impl Policy {
    /// What stands at a dotted path of the spec, such as `driver.enabled`.
    pub fn at(&self, path: &str) -> Option<&Value> {
        path.split('.')
            .try_fold(&self.spec, |at, key| at.get(key))
            .filter(|it| !it.is_null())
    }

    /// A switch of the spec; `None` where it says nothing.
    pub fn flag(&self, path: &str) -> Option<bool> {
        self.at(path)?.as_bool()
    }

    /// A word of the spec; `None` where it says nothing.
    pub fn text(&self, path: &str) -> Option<&str> {
        self.at(path)?.as_str()
    }

    /// As kubectl addresses it.
    pub fn address(&self) -> String {
        format!("{}/{}", self.kind.row().name.to_lowercase(), self.name)
    }

    /// As our reports name it: `ClusterPolicy/cluster-policy`.
    pub fn title(&self) -> String {
        format!("{}/{}", self.kind.row().name, self.name)
    }
}
