//! An image reference: how one is read, and what can be wrong with it.

use std::fmt;

use super::existence::{ImageRef, Reference};
use super::tag::{IllegalTag, Tag};
use crate::facts::images::DIGEST_DIGITS;

/// The registry of a reference that names none.
const DOCKER_HUB: &str = "docker.io";

/// An image as somebody spelled it, taken apart at its tag and its digest.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Image {
    /// Registry and repository, as spelled: `nvcr.io/nvidia/driver`.
    pub name: String,
    /// The tag, where it has one.
    pub tag: Option<String>,
    /// The digest, where it has one.
    pub digest: Option<String>,
}

/// Why a text is no image reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InvalidImage {
    /// There is no name before the tag.
    NoName,
    /// The name holds a character that no repository may hold.
    Name(char),
    /// The tag is none.
    Tag(IllegalTag),
    /// A sha256 digest with so many digits.
    DigestLength(usize),
    /// A digest that is none at all.
    Digest(String),
}

impl fmt::Display for InvalidImage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoName => f.write_str("it names no repository"),
            Self::Name(c) => write!(f, "a repository's name cannot hold {c:?}"),
            Self::Tag(why) => write!(f, "its tag is none: {why}"),
            Self::DigestLength(n) => write!(
                f,
                "its digest has {n} hexadecimal digits, and a sha256 digest has {DIGEST_DIGITS}"
            ),
            Self::Digest(it) => write!(f, "{it:?} is no digest"),
        }
    }
}

impl Image {
    /// Reads a reference as the kubelet does, without completing what it leaves out.
    pub fn parse(text: &str) -> Result<Self, InvalidImage> {
        let (rest, digest) = match text.split_once('@') {
            Some((rest, digest)) => (rest, Some(check_digest(digest)?)),
            None => (text, None),
        };
        // A colon before the last slash is that of a port.
        let after_path = rest.rfind('/').map_or(0, |it| it + 1);
        let (name, tag) = match rest[after_path..].find(':') {
            Some(at) => (&rest[..after_path + at], Some(&rest[after_path + at + 1..])),
            None => (rest, None),
        };
        check_name(name)?;
        let tag = tag.map(Tag::parse).transpose().map_err(InvalidImage::Tag)?;
        Ok(Self {
            name: name.to_owned(),
            tag: tag.map(|it| it.as_str().to_owned()),
            digest,
        })
    }

    /// The tag or, without one, the digest: what tells two images of one name apart.
    pub fn version(&self) -> &str {
        let text = self.tag.as_deref().or(self.digest.as_deref());
        text.unwrap_or("latest")
    }

    /// Do both name the same version? Where one has only a tag and the other only a digest, nothing can be said.
    pub fn differs(&self, other: &Self) -> bool {
        match (&self.tag, &other.tag, &self.digest, &other.digest) {
            (_, _, Some(a), Some(b)) => a != b,
            (Some(a), Some(b), _, _) => a != b,
            _ => false,
        }
    }

    /// The last part of the repository: a mirror keeps it and changes what stands before it.
    pub fn base_name(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or(&self.name)
    }

    /// As a registry is asked for it, with what was left out completed.
    pub fn reference(&self) -> ImageRef {
        let (registry, repository) = match self.name.split_once('/') {
            Some((first, rest)) if first.contains(['.', ':']) || first == "localhost" => {
                (first, rest.to_owned())
            }
            Some(_) => (DOCKER_HUB, self.name.clone()),
            None => (DOCKER_HUB, format!("library/{}", self.name)),
        };
        ImageRef {
            registry: registry.to_owned(),
            repository,
            reference: match &self.digest {
                Some(it) => Reference::Digest(it.clone()),
                None => Reference::Tag(self.version().to_owned()),
            },
        }
    }
}

impl fmt::Display for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if let Some(tag) = &self.tag {
            write!(f, ":{tag}")?;
        }
        match &self.digest {
            Some(digest) => write!(f, "@{digest}"),
            None => Ok(()),
        }
    }
}

fn check_name(name: &str) -> Result<(), InvalidImage> {
    let (host, path) = match name.split_once('/') {
        Some((host, path)) if host.contains(['.', ':']) || host == "localhost" => (host, path),
        _ => ("", name),
    };
    let is_host = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':' | '[' | ']');
    let is_path = |c: char| {
        c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '.' | '-' | '_' | '/')
    };
    if path.is_empty() || path.starts_with('/') || path.ends_with('/') || path.contains("//") {
        return Err(InvalidImage::NoName);
    }
    let bad = host.chars().find(|&c| !is_host(c));
    match bad.or_else(|| path.chars().find(|&c| !is_path(c))) {
        Some(c) => Err(InvalidImage::Name(c)),
        None => Ok(()),
    }
}

fn check_digest(text: &str) -> Result<String, InvalidImage> {
    let (algorithm, digits) = text.split_once(':').unwrap_or_default();
    let is_hex =
        |it: &str| !it.is_empty() && it.chars().all(|c| matches!(c, '0'..='9' | 'a'..='f'));
    match (algorithm, is_hex(digits)) {
        ("sha256", true) if digits.len() != DIGEST_DIGITS => {
            Err(InvalidImage::DigestLength(digits.len()))
        }
        ("", _) | (_, false) => Err(InvalidImage::Digest(text.to_owned())),
        _ => Ok(text.to_owned()),
    }
}
