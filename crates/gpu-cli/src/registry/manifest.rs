//! What a manifest tells: is it one, is it a list of them, and which architectures it is for.

use std::collections::BTreeSet;

use serde::Deserialize;

use super::answer::Answer;

const IMAGES: [&str; 2] = [
    "application/vnd.oci.image.manifest.v1+json",
    "application/vnd.docker.distribution.manifest.v2+json",
];
const LISTS: [&str; 2] = [
    "application/vnd.oci.image.index.v1+json",
    "application/vnd.docker.distribution.manifest.list.v2+json",
];

/// What we understand, lists first: where there is one, it is what a tag means.
pub(super) fn accept() -> String {
    [LISTS, IMAGES].concat().join(", ")
}

/// Does the answer to a HEAD say that there is a manifest?
pub(super) fn is_named(answer: &Answer) -> bool {
    let kind = answer.media_type();
    let known = IMAGES.contains(&kind) || LISTS.contains(&kind);
    known || (answer.headers.contains_key("docker-content-digest") && kind != "text/html")
}

/// Which architectures a manifest is for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Manifest {
    /// A list, with those of its Linux images.
    List(BTreeSet<String>),
    /// One image, and the digest of the configuration that tells.
    Image(String),
    /// Something else with a schema version; it does not tell.
    Other,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    schema_version: u32,
    manifests: Option<Vec<Entry>>,
    config: Option<Descriptor>,
}

#[derive(Deserialize)]
struct Entry {
    platform: Option<Platform>,
}

#[derive(Deserialize)]
struct Platform {
    #[serde(default)]
    os: String,
    #[serde(default)]
    architecture: String,
}

#[derive(Deserialize)]
struct Descriptor {
    digest: String,
}

/// Reads a manifest; `None` if it is none.
pub(super) fn read(body: &[u8]) -> Option<Manifest> {
    let it: Document = serde_json::from_slice(body).ok()?;
    Some(match (it.schema_version, it.manifests, it.config) {
        (2, Some(entries), _) => Manifest::List(
            entries
                .into_iter()
                .filter_map(|it| it.platform)
                // What is attested about an image stands beside it as `unknown/unknown`.
                .filter(|it| it.os == "linux" && it.architecture != "unknown")
                .map(|it| it.architecture)
                .collect(),
        ),
        (2, None, Some(config)) => Manifest::Image(config.digest),
        _ => Manifest::Other,
    })
}

/// The architecture in an image's configuration.
pub(super) fn architecture(config: &[u8]) -> Option<String> {
    let it: Platform = serde_json::from_slice(config).ok()?;
    (!it.architecture.is_empty()).then_some(it.architecture)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_tell_their_linux_architectures_and_images_where_theirs_is_told() {
        let list = r#"{"schemaVersion":2,"manifests":[
            {"platform":{"os":"linux","architecture":"amd64"}},
            {"platform":{"os":"linux","architecture":"arm64","variant":"v8"}},
            {"platform":{"os":"windows","architecture":"riscv64"}},
            {"platform":{"os":"unknown","architecture":"unknown"}}, {}]}"#;
        let both = ["amd64", "arm64"].map(str::to_owned).into();
        assert_eq!(read(list.as_bytes()), Some(Manifest::List(both)));
        assert_eq!(
            read(br#"{"schemaVersion":2,"config":{"digest":"sha256:1"}}"#),
            Some(Manifest::Image("sha256:1".to_owned()))
        );
        assert_eq!(
            read(br#"{"schemaVersion":1,"fsLayers":[]}"#),
            Some(Manifest::Other)
        );
        assert_eq!(read(b"{}"), None);
        assert_eq!(read(b"<html>"), None);
        assert_eq!(
            architecture(br#"{"architecture":"arm64"}"#).as_deref(),
            Some("arm64")
        );
        assert_eq!(architecture(b"{}"), None);
    }
}
