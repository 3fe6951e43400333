//! A node's operating system as NFD's labels tell it, and the OS part that follows from it.

use crate::cluster::Node;
use crate::facts::images::{self, OS_TAG_RULES};
use crate::facts::release::Release;

/// `ID` and `VERSION_ID` of a node, as they stand: nothing is cleaned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Os {
    /// `ubuntu`, `rhel`, `sl-micro` …
    pub(super) id: String,
    /// `22.04`, `9.4`, `v1.6.1` …
    pub(super) version: String,
}

impl Os {
    /// Reads the labels. The error lists those that are absent or empty.
    pub(super) fn of(node: &Node) -> Result<Self, Vec<&'static str>> {
        let text = |key| node.label(key).filter(|it| !it.is_empty());
        match (text(images::OS_ID), text(images::OS_VERSION)) {
            (Some(id), Some(version)) => Ok(Self {
                id: id.to_owned(),
                version: version.to_owned(),
            }),
            (id, version) => {
                let missing = [(id, images::OS_ID), (version, images::OS_VERSION)];
                let missing = missing.iter().filter(|it| it.0.is_none());
                Err(missing.map(|it| it.1).collect())
            }
        }
    }

    /// Reads what a person writes: `ubuntu24.04`. The version starts at the first digit, or at a `v` before it
    /// where the ID is one that counts so.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let digit = text.find(|c: char| c.is_ascii_digit())?;
        let at = match text[..digit].strip_suffix('v') {
            // No ID that is known ends in v.
            Some(id) if !id.is_empty() => digit - 1,
            _ => digit,
        };
        let (id, version) = text.split_at(at);
        let is_id = !id.is_empty()
            && id
                .chars()
                .all(|c| c.is_ascii_lowercase() || matches!(c, '-' | '_' | '.'));
        is_id.then(|| Self {
            id: id.to_owned(),
            version: version.to_owned(),
        })
    }

    /// The OS part by the rule of a release.
    pub(super) fn tag(&self, release: Release) -> String {
        images::os_tag(release, &self.id, &self.version)
    }

    /// The OS parts by every rule there has been, the oldest first, each once.
    pub(super) fn candidates(&self) -> Vec<String> {
        let mut tags: Vec<_> = OS_TAG_RULES.iter().map(|it| self.tag(it.0)).collect();
        tags.dedup();
        tags
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::node;

    #[test]
    fn both_labels_are_needed_and_the_absent_ones_are_named() {
        let with = |labels: &[(&str, &str)]| {
            let start = node("gpu-a");
            let built = labels
                .iter()
                .fold(start, |it, (key, value)| it.label(key, value));
            Os::of(&built.build())
        };
        assert_eq!(with(&[]), Err(vec![images::OS_ID, images::OS_VERSION]));
        assert_eq!(
            with(&[(images::OS_ID, "rhel")]),
            Err(vec![images::OS_VERSION])
        );
        assert_eq!(
            with(&[(images::OS_ID, ""), (images::OS_VERSION, "9")]),
            Err(vec![images::OS_ID])
        );
        let os = with(&[(images::OS_ID, "talos"), (images::OS_VERSION, "v1.6.1")]).unwrap();
        assert_eq!(os.candidates(), ["talosv1.6.1"]);
    }

    #[test]
    fn candidates_are_what_any_release_would_say() {
        let os = |text| Os::parse(text).unwrap().candidates();
        assert_eq!(os("rhel9.7"), ["rhel9.7", "rhel9"]);
        assert_eq!(os("rhel10.1"), ["rhel10.1", "rhel10"]);
        assert_eq!(os("rocky8.4"), ["rocky8.4", "rocky8"]);
        assert_eq!(os("ubuntu22.04"), ["ubuntu22.04"]);
    }

    #[test]
    fn an_os_is_read_as_a_person_writes_it() {
        for (text, id, version) in [
            ("ubuntu24.04", "ubuntu", "24.04"),
            ("sl-micro6.1", "sl-micro", "6.1"),
            ("talosv1.6.1", "talos", "v1.6.1"),
            ("rhel9", "rhel", "9"),
        ] {
            let os = Os::parse(text).unwrap();
            assert_eq!((os.id.as_str(), os.version.as_str()), (id, version));
        }
        for text in ["", "ubuntu", "24.04", "Ubuntu24.04", "ubuntu 24.04"] {
            assert_eq!(Os::parse(text), None, "{text}");
        }
    }
}
