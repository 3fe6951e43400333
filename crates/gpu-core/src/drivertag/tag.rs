//! An image tag: what one may hold, and the two forms a driver image's tag has.

use std::fmt;

use crate::facts::images::{DASHED_OS, TAG_LIMIT};

/// A legal image tag.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tag(String);

/// Why a text is no image tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IllegalTag {
    /// It is empty.
    Empty,
    /// It starts with a character that only may follow.
    Start(char),
    /// It holds a character that no tag may hold.
    Character(char),
    /// It has so many characters.
    Long(usize),
}

impl fmt::Display for IllegalTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("it is empty"),
            Self::Start(c) => write!(f, "a tag cannot start with {c:?}"),
            Self::Character(c) => write!(f, "a tag cannot hold {c:?}"),
            Self::Long(n) => write!(f, "it has {n} characters, and a tag at most {TAG_LIMIT}"),
        }
    }
}

impl Tag {
    /// Checks a tag by the grammar of the distribution spec: `[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}`.
    pub fn parse(text: &str) -> Result<Self, IllegalTag> {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let first = text.chars().next().ok_or(IllegalTag::Empty)?;
        if let Some(c) = text.chars().find(|&c| !is_word(c) && c != '.' && c != '-') {
            return Err(IllegalTag::Character(c));
        }
        if !is_word(first) {
            return Err(IllegalTag::Start(first));
        }
        match text.len() {
            n if n > TAG_LIMIT => Err(IllegalTag::Long(n)),
            _ => Ok(Self(text.to_owned())),
        }
    }

    /// `<version>-<os>`: the driver is built on the node.
    pub fn conventional(version: &str, os: &str) -> Result<Self, IllegalTag> {
        Self::parse(&format!("{version}-{os}"))
    }

    /// `<version>-<kernel>-<os>`: the kernel module is in the image.
    pub fn precompiled(version: &str, kernel: &str, os: &str) -> Result<Self, IllegalTag> {
        Self::parse(&format!("{version}-{kernel}-{os}"))
    }

    /// The tag as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The parts of a driver image's tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts<'a> {
    /// The driver's version or, in NVIDIA's precompiled images, its branch.
    pub version: &'a str,
    /// The kernel, in a precompiled image.
    pub kernel: Option<&'a str>,
    /// The OS part.
    pub os: &'a str,
}

impl<'a> Parts<'a> {
    /// Takes a tag apart from both ends, since a kernel may hold dashes. `None` where it has neither form.
    pub fn of(tag: &'a str) -> Option<Self> {
        let (version, rest) = tag.split_once('-')?;
        let is_version = version.starts_with(|c: char| c.is_ascii_digit())
            && version.chars().all(|c| c.is_ascii_digit() || c == '.');
        if !is_version {
            return None;
        }
        let at = os_start(rest)?;
        let os = &rest[at..];
        if at == 0 {
            return Some(Self {
                version,
                kernel: None,
                os,
            });
        }
        let kernel = &rest[..at - 1];
        kernel
            .starts_with(|c: char| c.is_ascii_digit())
            .then_some(Self {
                version,
                kernel: Some(kernel),
                os,
            })
    }
}

/// Where the OS part starts: at the last dash-group, or at an ID that holds a dash itself.
fn os_start(rest: &str) -> Option<usize> {
    let is_os = |it: &str| {
        it.starts_with(|c: char| c.is_ascii_lowercase())
            && it.contains(|c: char| c.is_ascii_digit())
    };
    let fits = |at: usize| at == 0 || rest.as_bytes()[at - 1] == b'-';
    let dashed = DASHED_OS.iter().find_map(|id| {
        let at = rest.rfind(id)?;
        let version = &rest[at + id.len()..];
        let is_version =
            version.starts_with(|c: char| c.is_ascii_digit()) && !version.contains('-');
        (fits(at) && is_version).then_some(at)
    });
    let last = rest.rfind('-').map_or(0, |it| it + 1);
    dashed.or_else(|| is_os(&rest[last..]).then_some(last))
}
