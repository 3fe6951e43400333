//! Folders that a support tool wrote: how to tell one, and what a file of it would have held.

use std::path::{Path, PathBuf};

use gpu_core::cluster::Kind;
use gpu_core::cluster::kind::KINDS;

/// Files that NVIDIA's script writes whatever it finds; one of them is enough to know its folder.
const WRITTEN_BY_NVIDIA: [&str; 5] = [
    "gpu_operand_pods.yaml",
    "gpu_operand_ds.yaml",
    "gpu_operator_pod.yaml",
    "gpu_operand_pods.status",
    "gpu_nodes.status",
];

/// Is this what NVIDIA's script wrote, or a folder around it, as `oc adm must-gather` makes one?
pub(super) fn is_one(files: &[PathBuf], folders: &[PathBuf]) -> bool {
    let is_known = |it: &Path| WRITTEN_BY_NVIDIA.iter().any(|name| it.ends_with(name));
    files.iter().any(|it| is_known(it))
        || folders
            .iter()
            .any(|it| WRITTEN_BY_NVIDIA.iter().any(|name| it.join(name).exists()))
}

/// The kinds that are lost with a file: those its path speaks of, else those its text does.
pub(super) fn kinds(path: &str, text: Option<&str>) -> Vec<Kind> {
    let named: Vec<_> = all().filter(|kind| is_named(*kind, path)).collect();
    match text {
        _ if !named.is_empty() => named,
        Some(text) => all().filter(|kind| is_held(*kind, text)).collect(),
        // Nobody can say what was in it.
        None => all().filter(|it| it.row().expected_in_recordings).collect(),
    }
}

fn all() -> impl Iterator<Item = Kind> {
    KINDS.iter().map(|row| row.kind)
}

/// Does the path speak of this kind: `gpu_operand_ds.yaml`, `cluster_policy.yaml`, `core/nodes/a.yaml`?
fn is_named(kind: Kind, path: &str) -> bool {
    let (row, path) = (kind.row(), path.to_ascii_lowercase());
    let one = row.name.to_ascii_lowercase();
    let is_it =
        |word: &str| word == row.plural || word == one || (kind == Kind::DaemonSet && word == "ds");
    let mut parts = path.rsplit(['/', '\\']);
    let file = parts.next().unwrap_or_default();
    let stem = file.split_once('.').map_or(file, |(stem, _)| stem);
    is_it(&stem.replace(['_', '-'], ""))
        || stem.split(['_', '-']).any(is_it)
        || parts.next().is_some_and(is_it)
}

/// Does the text hold an object of this kind, as far as one can tell without reading it? In YAML only
/// the outermost `kind` counts: inner ones are references.
fn is_held(kind: Kind, text: &str) -> bool {
    let name = kind.row().name;
    let yaml = |line: &str| {
        let inner = line.strip_prefix("  ").or_else(|| line.strip_prefix("- "));
        let value = inner.unwrap_or(line).strip_prefix("kind: ");
        value.is_some_and(|it| it.trim() == name)
    };
    let json = |it: &str| text.contains(&format!("\"kind\":{it}\"{name}\""));
    ["", " "].iter().any(|it| json(it)) || text.lines().any(yaml)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lost_file_tells_by_its_name_what_it_held() {
        for (path, kind) in [
            ("x/gpu_operand_pods.yaml", Kind::Pod),
            ("x/gpu_operator_pod.yaml.gz", Kind::Pod),
            ("x/gpu_operand_ds.yaml", Kind::DaemonSet),
            ("x/cluster_policy.yaml", Kind::ClusterPolicy),
            ("x/nvidiadrivers.yaml", Kind::NvidiaDriver),
            ("cluster-scoped-resources/core/nodes/gpu-a.yaml", Kind::Node),
            ("namespaces/gpu/apps/daemonsets.yaml", Kind::DaemonSet),
            (
                "c\\nvidia.com\\clusterpolicies\\gpu-cluster-policy.yaml",
                Kind::ClusterPolicy,
            ),
        ] {
            assert_eq!(kinds(path, Some("")), [kind], "{path}");
        }
        assert_eq!(kinds("x/openshift_version.yaml", Some("")), []);
    }

    #[test]
    fn a_lost_file_with_another_name_tells_by_its_text() {
        let yaml = "items:\n- apiVersion: v1\n  kind: Pod\n  metadata:\n    ownerReferences:\n    - kind: DaemonSet\n";
        assert_eq!(kinds("a.yaml", Some(yaml)), [Kind::Pod]);
        assert_eq!(kinds("a.json", Some(r#"{"kind": "Node","#)), [Kind::Node]);
        assert_eq!(
            kinds("a.gz", None),
            [Kind::Node, Kind::Pod, Kind::DaemonSet]
        );
    }
}
