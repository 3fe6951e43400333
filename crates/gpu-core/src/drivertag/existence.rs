//! Does an image exist: the question that is put to a registry or an inventory, and the answers there are.

/// An image reference taken apart: `nvcr.io/nvidia/driver:580-6.8.0-51-generic-ubuntu24.04`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ImageRef {
    /// Host and port of the registry: `nvcr.io`.
    pub registry: String,
    /// Path within the registry: `nvidia/driver`.
    pub repository: String,
    /// Tag, or digest with its algorithm (`sha256:…`).
    pub reference: Reference,
}

/// What stands behind the repository.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reference {
    /// A tag.
    Tag(String),
    /// A digest, `sha256:…`.
    Digest(String),
}

/// One question: does this image exist, for these architectures (Go's names, such as `arm64`)?
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Question {
    /// The image.
    pub image: ImageRef,
    /// The architectures of the nodes that need it.
    pub architectures: Vec<String>,
}

/// What a registry answered. Only `Absent` says that the image is not there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Existence {
    /// It is there, for every architecture asked about.
    Present,
    /// The registry knows no such manifest (404).
    Absent,
    /// It is there, and not for these architectures.
    WrongArchitecture(Vec<String>),
    /// The registry does not let us look (401, 403); its words.
    Denied(String),
    /// The registry asked us to wait, longer than we do (429); its words.
    Throttled(String),
    /// Nobody answered, or what answered is no registry; why.
    Unreachable(String),
    /// The registry's certificate is not trusted; why.
    Untrusted(String),
    /// Nobody was asked.
    NotAsked,
}

impl Existence {
    /// As the JSON report writes it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Present => "present",
            Self::Absent => "absent",
            Self::WrongArchitecture(_) => "wrong-arch",
            Self::Denied(_) => "denied",
            Self::Throttled(_) => "throttled",
            Self::Unreachable(_) => "unreachable",
            Self::Untrusted(_) => "untrusted",
            Self::NotAsked => "not-asked",
        }
    }
}
