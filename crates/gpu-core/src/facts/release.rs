//! Operator releases, their order, and the ranges that other facts are valid in.
//!
//! Source: git tags of NVIDIA/gpu-operator. Read at: a22dbf67 (2026-08-21). Check again:
//! `cargo xtask facts --against DIR`.

use std::fmt;

/// A release of the GPU operator: `v24.9.2` is year 24, minor 9, patch 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Release {
    /// Year part, `24` in `v24.9.2`.
    pub major: u16,
    /// Month part, `9` in `v24.9.2`.
    pub minor: u16,
    /// Patch part, `2` in `v24.9.2`.
    pub patch: u16,
}

impl Release {
    /// The first release of a line: `Release::line(24, 9)` is v24.9.0.
    pub const fn line(major: u16, minor: u16) -> Self {
        Self {
            major,
            minor,
            patch: 0,
        }
    }

    /// Reads `v24.9.2`, `24.9.2`, `v24.9`, and image tags or OLM names that end in one
    /// (`gpu-operator-certified.v22.9.2`, `v24.9.2-ubi8`). `None` where there is no version.
    pub fn parse(text: &str) -> Option<Self> {
        let start = text
            .char_indices()
            .find(|&(at, c)| c.is_ascii_digit() && starts_version(text, at))
            .map(|(at, _)| at)?;
        let mut parts = text[start..].split(|c: char| !c.is_ascii_digit());
        let mut next = || parts.next().and_then(|part| part.parse::<u16>().ok());
        Some(Self {
            major: next()?,
            minor: next()?,
            patch: next().unwrap_or(0),
        })
    }
}

/// A version starts at a digit that no letter but `v` and no other digit precedes, and has a dot after its first number.
fn starts_version(text: &str, at: usize) -> bool {
    let before = text[..at].chars().next_back();
    let fresh = before.is_none_or(|c| c == 'v' || c == '.' || c == '-' || c == ':');
    let rest = text[at..].trim_start_matches(|c: char| c.is_ascii_digit());
    fresh && rest.starts_with('.') && rest[1..].starts_with(|c: char| c.is_ascii_digit())
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// Before every release: for what has always been there.
pub const ALWAYS: Release = Release::line(0, 0);
/// v22.9, the oldest line whose facts were read.
pub const V22_9: Release = Release::line(22, 9);
/// v23.6.
pub const V23_6: Release = Release::line(23, 6);
/// v23.9.
pub const V23_9: Release = Release::line(23, 9);
/// v24.3.
pub const V24_3: Release = Release::line(24, 3);
/// v25.3.
pub const V25_3: Release = Release::line(25, 3);
/// v25.10, the first with CDI on by default.
pub const V25_10: Release = Release::line(25, 10);
/// v26.3.
pub const V26_3: Release = Release::line(26, 3);
/// v26.7, the first with the GPUCluster (DRA) stack.
pub const V26_7: Release = Release::line(26, 7);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_is_found_in_every_place_it_is_written() {
        for (text, want) in [
            ("v24.9.2", "v24.9.2"),
            ("24.9.2", "v24.9.2"),
            ("v24.9", "v24.9.0"),
            ("gpu-operator-certified.v22.9.2", "v22.9.2"),
            ("nvcr.io/nvidia/gpu-operator:v25.3.4", "v25.3.4"),
            ("v26.7.0-ubi9", "v26.7.0"),
            ("gpu-operator-v23.9.2", "v23.9.2"),
        ] {
            assert_eq!(
                Release::parse(text).map(|it| it.to_string()).as_deref(),
                Some(want),
                "{text}"
            );
        }
    }

    #[test]
    fn no_release_is_read_from_a_digest_or_a_word() {
        for text in [
            "",
            "latest",
            "sha256:01699925399fc4c4",
            "gpu-operator",
            "v1",
            "99999999.1",
        ] {
            assert_eq!(Release::parse(text), None, "{text}");
        }
    }

    #[test]
    fn releases_are_ordered_by_their_numbers() {
        assert!(Release::parse("v25.3.4") < Release::parse("v25.10.0"));
        assert!(Release::parse("v25.10.1") < Some(V26_3));
    }
}
