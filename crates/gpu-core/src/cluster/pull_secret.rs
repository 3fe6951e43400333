//! The credentials a cluster pulls images with: read only when somebody asks for them, and never shown.

use std::fmt;

use super::reads::Read;
use super::{Cluster, Kind};

/// The types of Secret that hold credentials of registries, and the key they stand under.
const TYPES: [(&str, &str); 2] = [
    ("kubernetes.io/dockerconfigjson", ".dockerconfigjson"),
    ("kubernetes.io/dockercfg", ".dockercfg"),
];

/// Bytes that no output shows.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Hidden(Vec<u8>);

impl Hidden {
    /// The bytes, for whoever shows them to a registry.
    pub fn expose(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hidden(…)")
    }
}

/// The credentials in one Secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PullSecret {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// A file of docker's: `config.json`, or the older `.dockercfg`.
    pub file: Hidden,
}

/// The lists to ask for when the cluster's own credentials are wanted: only Secrets of those types, in one namespace.
pub fn reads(namespace: &str) -> Vec<Read> {
    TYPES
        .iter()
        .map(|(kind, _)| Read::within(Kind::Secret, namespace).fields(&format!("type={kind}")))
        .collect()
}

impl Cluster {
    /// Takes the Secrets of those types in; others are passed over.
    pub(super) fn take_secrets(&mut self, rows: Vec<super::rows::Secret>) {
        self.pull_secrets.extend(rows.into_iter().filter_map(|it| {
            let (_, key) = TYPES.iter().find(|(kind, _)| *kind == it.kind)?;
            let file = decode(it.data.0.get(*key)?.as_str()?)?;
            Some(PullSecret {
                namespace: it.metadata.namespace.unwrap_or_default(),
                name: it.metadata.name,
                file: Hidden(file),
            })
        }));
    }
}

/// Base64 as Kubernetes writes it; `None` for anything else.
fn decode(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim().trim_end_matches('=');
    let mut bytes = Vec::with_capacity(digits.len() * 3 / 4);
    let (mut held, mut n_bits) = (0_u32, 0);
    for it in digits.bytes() {
        let value = match it {
            b'A'..=b'Z' => it - b'A',
            b'a'..=b'z' => it - b'a' + 26,
            b'0'..=b'9' => it - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        held = (held << 6 | u32::from(value)) & 0xfff;
        n_bits += 6;
        if n_bits >= 8 {
            n_bits -= 8;
            bytes.push((held >> n_bits & 0xff) as u8);
        }
    }
    // What is left over is less than a digit, and nothing.
    (n_bits < 6).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::rows::Rows;

    fn cluster(secrets: &str) -> Cluster {
        let mut cluster = Cluster::default();
        let rows = serde_json::from_str(secrets).unwrap();
        cluster.take(Rows::Secrets(rows));
        cluster
    }

    #[test]
    fn base64_is_decoded_at_every_length() {
        for (text, want) in [
            ("", Some(&b""[..])),
            ("YQ==", Some(b"a")),
            ("YWI=", Some(b"ab")),
            ("YWJj", Some(b"abc")),
            ("YWJjZA", Some(b"abcd")),
            ("+/8=\n", Some(&[0xfb, 0xff])),
            ("Y", None),
            ("Y Q=", None),
            ("hunter2!", None),
        ] {
            assert_eq!(decode(text).as_deref(), want, "{text}");
        }
    }

    #[test]
    fn only_credentials_of_registries_are_kept_and_nothing_shows_them() {
        let it = cluster(
            r#"[
            {"metadata":{"name":"ngc","namespace":"gpu"},"type":"kubernetes.io/dockerconfigjson",
             "data":{".dockerconfigjson":"aHVudGVyMg==","other":"eA=="}},
            {"metadata":{"name":"old","namespace":"gpu"},"type":"kubernetes.io/dockercfg",
             "data":{".dockercfg":"e30="}},
            {"metadata":{"name":"tls"},"type":"kubernetes.io/tls","data":{".dockerconfigjson":"eA=="}},
            {"metadata":{"name":"broken"},"type":"kubernetes.io/dockercfg","data":{".dockercfg":"?"}},
            {"metadata":{"name":"odd"},"type":"kubernetes.io/dockercfg","data":"hunter2"},
            {"metadata":{"name":"empty"},"type":"kubernetes.io/dockercfg","data":null}]"#,
        );
        let names: Vec<_> = it.pull_secrets.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["ngc", "old"]);
        assert_eq!(it.pull_secrets[0].file.expose(), b"hunter2");
        let shown = format!("{it:?}");
        assert!(!shown.contains("hunter2") && !shown.contains("aHVud") && !shown.contains("104"));
    }

    #[test]
    fn rows_show_nothing_either() {
        let rows: Vec<crate::cluster::rows::Secret> =
            serde_json::from_str(r#"[{"data":{"a":"aHVudGVyMg=="}}]"#).unwrap();
        assert!(!format!("{rows:?}").contains("aHVu"));
    }

    #[test]
    fn only_those_types_are_asked_for() {
        let all = reads("gpu-operator");
        let asked: Vec<_> = all.iter().map(|it| it.fields.as_str()).collect();
        assert_eq!(
            asked,
            [
                "type=kubernetes.io/dockerconfigjson",
                "type=kubernetes.io/dockercfg"
            ]
        );
        assert!(all.iter().all(|it| it.kind == Kind::Secret));
        assert!(
            all.iter()
                .all(|it| it.namespace.as_deref() == Some("gpu-operator"))
        );
    }
}
