//! The kinds of object a plugin can ask for.

use super::rows::{self, Rows};

/// A kind of object, as the API server serves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[rustfmt::skip]
pub enum Kind {
    Node, Pod, DaemonSet, ClusterPolicy, NvidiaDriver, GpuCluster, Event, ResourceQuota, Deployment, Secret,
}

/// One row a kind.
#[derive(Debug)]
pub struct KindRow {
    /// Its key.
    pub kind: Kind,
    /// `kind` in a manifest.
    pub name: &'static str,
    /// API group, empty for the core group.
    pub group: &'static str,
    /// The version we read.
    pub version: &'static str,
    /// The resource's name in a URL and in kubectl.
    pub plural: &'static str,
    /// Does it live in namespaces?
    pub namespaced: bool,
    /// Is a recording without any of it incomplete, rather than of a cluster without it?
    pub expected_in_recordings: bool,
}

const fn row(
    kind: Kind,
    name: &'static str,
    group: &'static str,
    version: &'static str,
    plural: &'static str,
    namespaced: bool,
    expected_in_recordings: bool,
) -> KindRow {
    KindRow {
        kind,
        name,
        group,
        version,
        plural,
        namespaced,
        expected_in_recordings,
    }
}

/// All kinds; `KINDS[kind as usize]` is the row of `kind`.
#[rustfmt::skip]
pub const KINDS: [KindRow; 10] = [
    row(Kind::Node,          "Node",          "",           "v1",       "nodes",           false, true),
    row(Kind::Pod,           "Pod",           "",           "v1",       "pods",            true,  true),
    row(Kind::DaemonSet,     "DaemonSet",     "apps",       "v1",       "daemonsets",      true,  true),
    row(Kind::ClusterPolicy, "ClusterPolicy", "nvidia.com", "v1",       "clusterpolicies", false, false),
    row(Kind::NvidiaDriver,  "NVIDIADriver",  "nvidia.com", "v1alpha1", "nvidiadrivers",   false, false),
    row(Kind::GpuCluster,    "GPUCluster",    "nvidia.com", "v1alpha1", "gpuclusters",     false, false),
    row(Kind::Event,         "Event",         "",           "v1",       "events",          true,  false),
    row(Kind::ResourceQuota, "ResourceQuota", "",           "v1",       "resourcequotas",  true,  false),
    row(Kind::Deployment,    "Deployment",    "apps",       "v1",       "deployments",     true,  false),
    row(Kind::Secret,        "Secret",        "",           "v1",       "secrets",         true,  false),
];

/// Something that holds objects of one kind: a page, a recorded object.
pub trait Objects {
    /// Why they could not be read.
    type Error;

    /// Reads them as rows of this shape.
    fn rows<T: serde::de::DeserializeOwned>(self) -> Result<Vec<T>, Self::Error>;
}

impl Kind {
    /// Its row.
    pub fn row(self) -> &'static KindRow {
        &KINDS[self as usize]
    }

    /// The kind of an object by its `apiVersion` and `kind`; `None` for kinds nobody reads.
    /// Versions are not compared, so that an older or newer one of the same group is still read.
    /// Secrets are not among them: they are read when somebody asks for them, and never from a recording.
    pub fn of(api_version: &str, kind: &str) -> Option<Self> {
        let group = api_version.split_once('/').map_or("", |(group, _)| group);
        let same = |row: &&KindRow| {
            row.kind != Self::Secret
                && row.name == kind
                && (row.group == group || (row.kind == Self::Event && group == "events.k8s.io"))
        };
        KINDS.iter().find(same).map(|row| row.kind)
    }

    /// Reads objects of this kind from wherever they are; the error is the source's.
    pub fn read<S: Objects>(self, from: S) -> Result<Rows, S::Error> {
        match self {
            Self::Node => from.rows::<rows::Node>().map(Rows::Nodes),
            Self::Pod => from.rows::<rows::Pod>().map(Rows::Pods),
            Self::DaemonSet => from.rows::<rows::DaemonSet>().map(Rows::DaemonSets),
            Self::ClusterPolicy | Self::NvidiaDriver | Self::GpuCluster => from
                .rows::<rows::Policy>()
                .map(|it| Rows::Policies(self, it)),
            Self::Event => from.rows::<rows::Event>().map(Rows::Events),
            Self::ResourceQuota => from.rows::<rows::ResourceQuota>().map(Rows::ResourceQuotas),
            Self::Deployment => from.rows::<rows::Deployment>().map(Rows::Deployments),
            Self::Secret => from.rows::<rows::Secret>().map(Rows::Secrets),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_stands_at_its_own_place() {
        for (at, row) in KINDS.iter().enumerate() {
            assert_eq!(row.kind as usize, at, "{}", row.name);
        }
    }

    #[test]
    fn kinds_are_told_apart_by_group_and_not_by_version() {
        assert_eq!(Kind::of("v1", "Node"), Some(Kind::Node));
        assert_eq!(Kind::of("apps/v1beta2", "DaemonSet"), Some(Kind::DaemonSet));
        assert_eq!(
            Kind::of("nvidia.com/v1", "ClusterPolicy"),
            Some(Kind::ClusterPolicy)
        );
        assert_eq!(Kind::of("events.k8s.io/v1", "Event"), Some(Kind::Event));
        assert_eq!(Kind::of("metrics.k8s.io/v1beta1", "Pod"), None);
        assert_eq!(Kind::of("example.com/v1", "ClusterPolicy"), None);
    }

    #[test]
    fn kinds_stand_where_the_api_server_serves_them() {
        let served = KINDS.map(|it| {
            let scope = if it.namespaced {
                "namespaced"
            } else {
                "cluster"
            };
            format!(
                "{}/{} {} {} {scope}",
                it.group, it.version, it.name, it.plural
            )
        });
        assert_eq!(
            served,
            [
                "/v1 Node nodes cluster",
                "/v1 Pod pods namespaced",
                "apps/v1 DaemonSet daemonsets namespaced",
                "nvidia.com/v1 ClusterPolicy clusterpolicies cluster",
                "nvidia.com/v1alpha1 NVIDIADriver nvidiadrivers cluster",
                "nvidia.com/v1alpha1 GPUCluster gpuclusters cluster",
                "/v1 Event events namespaced",
                "/v1 ResourceQuota resourcequotas namespaced",
                "apps/v1 Deployment deployments namespaced",
                "/v1 Secret secrets namespaced",
            ]
        );
    }

    #[test]
    fn a_recording_without_nodes_pods_or_daemon_sets_is_incomplete() {
        for row in &KINDS {
            let want = matches!(row.kind, Kind::Node | Kind::Pod | Kind::DaemonSet);
            assert_eq!(row.expected_in_recordings, want, "{}", row.name);
        }
    }

    #[test]
    fn every_kind_is_found_by_how_its_objects_name_it() {
        for row in KINDS.iter().filter(|it| it.kind != Kind::Secret) {
            let api_version = match row.group {
                "" => row.version.to_owned(),
                group => format!("{group}/{}", row.version),
            };
            assert_eq!(
                Kind::of(&api_version, row.name),
                Some(row.kind),
                "{}",
                row.name
            );
            assert_eq!(row.kind.row().name, row.name);
        }
        for (api_version, kind) in [
            ("v1", "node"),
            ("v1", "Secret"),
            ("v1", "DaemonSet"),
            ("apps/v1", "Pod"),
            ("nvidia.com/v1", "Pod"),
            ("events.k8s.io/v1", "Pod"),
            ("", ""),
        ] {
            assert_eq!(Kind::of(api_version, kind), None, "{api_version} {kind}");
        }
    }

    struct Text(&'static str);

    impl Objects for Text {
        type Error = serde_json::Error;

        fn rows<T: serde::de::DeserializeOwned>(self) -> Result<Vec<T>, Self::Error> {
            serde_json::from_str(self.0)
        }
    }

    #[test]
    fn every_kind_reads_its_own_rows() {
        for row in &KINDS {
            let rows = row
                .kind
                .read(Text(
                    r#"[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]"#,
                ))
                .unwrap();
            let (kind, n_rows) = match &rows {
                Rows::Nodes(it) => (Kind::Node, it.len()),
                Rows::Pods(it) => (Kind::Pod, it.len()),
                Rows::DaemonSets(it) => (Kind::DaemonSet, it.len()),
                Rows::Policies(kind, it) => (*kind, it.len()),
                Rows::Events(it) => (Kind::Event, it.len()),
                Rows::ResourceQuotas(it) => (Kind::ResourceQuota, it.len()),
                Rows::Deployments(it) => (Kind::Deployment, it.len()),
                Rows::Secrets(it) => (Kind::Secret, it.len()),
            };
            assert_eq!((kind, n_rows), (row.kind, 2));
        }
    }

    #[test]
    fn the_error_is_the_sources_own() {
        for text in [
            "",
            "{}",
            "[1]",
            r#"[{"metadata":7}]"#,
            r#"[{"metadata":{"labels":[]}}]"#,
        ] {
            assert!(Kind::Pod.read(Text(text)).is_err(), "{text}");
        }
    }
}
