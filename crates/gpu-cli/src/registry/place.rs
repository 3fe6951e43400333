//! Where an image is asked for: its own registry, or a mirror.

use gpu_core::drivertag::existence::{ImageRef, Reference};

/// The mirror of `--registry=PREFIX`.
///
/// The registry of every image is replaced by the prefix, the repository is kept whole, as mirrors and pull-through
/// caches lay it out: with `harbor.example.com/nvcr`, `nvcr.io/nvidia/driver` is asked for as
/// `harbor.example.com/nvcr/nvidia/driver`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mirror {
    registry: String,
    path: String,
    /// Written with `http://`.
    plain: bool,
}

impl Mirror {
    /// Reads `HOST[:PORT][/PATH]`, with `https://` or `http://` before it where somebody writes that.
    /// The error says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (scheme, rest) = text.split_once("://").unwrap_or(("", text));
        if !["", "http", "https"].contains(&scheme) {
            return Err(format!("\"{scheme}\" is no way to reach a registry"));
        }
        let (registry, path) = rest.split_once('/').unwrap_or((rest, ""));
        let path = path.trim_end_matches('/');
        let named = !scheme.is_empty() || registry == "localhost" || registry.contains(['.', ':']);
        if !named || !is_host(registry) {
            return Err(
                "it has to start with the host of a registry, such as harbor.example.com/nvcr"
                    .to_owned(),
            );
        }
        if !path.is_empty() && !is_repository(path) {
            return Err(format!(
                "\"{path}\" cannot be a part of a repository's name"
            ));
        }
        Ok(Self {
            registry: registry.to_owned(),
            path: path.to_owned(),
            plain: scheme == "http",
        })
    }
}

/// A repository of one registry.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Place {
    /// Host and port as images name the registry, for credentials.
    pub(super) registry: String,
    /// The repository in the registry.
    pub(super) repository: String,
    /// Was plain HTTP asked for by name?
    pub(super) plain: bool,
}

impl Place {
    /// Where the image is asked for. The error says what of its name no registry can be asked: names come from the
    /// cluster, and become a part of an address.
    pub(super) fn of(image: &ImageRef, mirror: Option<&Mirror>) -> Result<Self, String> {
        let place = match mirror {
            None => Self {
                registry: image.registry.clone(),
                repository: image.repository.clone(),
                plain: false,
            },
            Some(it) => Self {
                registry: it.registry.clone(),
                repository: match it.path.as_str() {
                    "" => image.repository.clone(),
                    path => format!("{path}/{}", image.repository),
                },
                plain: it.plain,
            },
        };
        if !is_host(&place.registry) {
            return Err(format!(
                "\"{}\" is not the host of a registry",
                place.registry
            ));
        }
        if !is_repository(&place.repository) {
            return Err(format!(
                "\"{}\" is not a repository's name",
                place.repository
            ));
        }
        Ok(place)
    }

    /// Docker Hub answers under another name than its images have.
    pub(super) fn host(&self) -> &str {
        if is_docker_hub(&self.registry) {
            return "registry-1.docker.io";
        }
        &self.registry
    }
}

/// The names of Docker Hub.
pub(super) fn is_docker_hub(registry: &str) -> bool {
    ["docker.io", "index.docker.io", "registry-1.docker.io"].contains(&registry)
}

/// Host and port of this machine itself, where plain HTTP is nothing to fear.
pub(super) fn is_loopback(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(v6) => v6.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    let address = name.parse::<std::net::IpAddr>();
    name == "localhost" || address.is_ok_and(|it| it.is_loopback())
}

fn is_host(text: &str) -> bool {
    // No `@`: what stands before it would be taken for a login.
    let legal = |c: char| c.is_ascii_alphanumeric() || ".-:[]_".contains(c);
    let authority = text.parse::<http::uri::Authority>();
    text.chars().all(legal) && authority.is_ok_and(|it| !it.host().is_empty())
}

fn is_repository(text: &str) -> bool {
    let part = |it: &str| {
        let legal = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        !it.is_empty() && it.chars().all(legal) && it != "." && it != ".."
    };
    text.len() <= 255 && text.split('/').all(part)
}

/// The last part of a manifest's address; the error as above.
pub(super) fn in_address(reference: &Reference) -> Result<&str, String> {
    match reference {
        Reference::Tag(it) => {
            let legal = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
            let ok = it.chars().all(legal) && !it.starts_with(['.', '-']);
            if ok && (1..=128).contains(&it.len()) {
                return Ok(it);
            }
            Err(format!("\"{it}\" is not a legal tag"))
        }
        Reference::Digest(it) if is_digest(it) => Ok(it),
        Reference::Digest(it) => Err(format!("\"{it}\" is not a digest")),
    }
}

/// `sha256:…`.
pub(super) fn is_digest(text: &str) -> bool {
    text.split_once(':').is_some_and(|(algorithm, hex)| {
        let word = |c: char| c.is_ascii_alphanumeric() || "+._-".contains(c);
        !algorithm.is_empty()
            && algorithm.chars().all(word)
            && hex.len() >= 32
            && hex.chars().all(|c| c.is_ascii_hexdigit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(registry: &str, repository: &str) -> ImageRef {
        ImageRef {
            registry: registry.to_owned(),
            repository: repository.to_owned(),
            reference: Reference::Tag("1".to_owned()),
        }
    }

    #[test]
    fn a_mirror_takes_the_registrys_place_and_keeps_the_repository() {
        for (prefix, want) in [
            (
                "harbor.example.com/nvcr",
                "harbor.example.com nvcr/nvidia/driver",
            ),
            (
                "harbor.example.com/a/b/",
                "harbor.example.com a/b/nvidia/driver",
            ),
            ("https://h:5000", "h:5000 nvidia/driver"),
            ("localhost/x", "localhost x/nvidia/driver"),
            ("[::1]:5000/x", "[::1]:5000 x/nvidia/driver"),
        ] {
            let mirror = Mirror::parse(prefix).unwrap();
            let place = Place::of(&image("nvcr.io", "nvidia/driver"), Some(&mirror)).unwrap();
            let got = format!("{} {}", place.registry, place.repository);
            assert_eq!(got, want, "{prefix}");
        }
        for wrong in [
            "",
            "mirror",
            "mirror/x",
            "ftp://h.x",
            "u:p@h.x",
            "h.x/a//b",
            "h.x/../b",
        ] {
            assert!(Mirror::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn names_from_the_cluster_cannot_lead_elsewhere() {
        for (registry, repository) in [
            ("me:pw@evil.example", "x"),
            ("nvcr.io/x", "x"),
            ("", "x"),
            ("nvcr.io", "../x"),
            ("nvcr.io", "x?y"),
            ("nvcr.io", "x#y"),
            ("nvcr.io", "x%2f"),
            ("nvcr.io", ""),
        ] {
            let got = Place::of(&image(registry, repository), None);
            assert!(got.is_err(), "{registry} {repository}");
        }
        for (reference, ok) in [
            (Reference::Tag("a/../b".to_owned()), false),
            (Reference::Tag(String::new()), false),
            (Reference::Tag("580-6.8.0+x".to_owned()), false),
            (Reference::Tag("580-6.8.0".to_owned()), true),
            (Reference::Digest("sha256:/../x".to_owned()), false),
            (
                Reference::Digest(format!("sha256:{}", "a".repeat(64))),
                true,
            ),
        ] {
            assert_eq!(in_address(&reference).is_ok(), ok, "{reference:?}");
        }
    }

    #[test]
    fn loopback_is_this_machine_alone() {
        for it in [
            "localhost",
            "localhost:5000",
            "127.0.0.1:1",
            "127.9.9.9",
            "[::1]:5000",
        ] {
            assert!(is_loopback(it), "{it}");
        }
        for it in [
            "localhost.example.com",
            "10.0.0.1",
            "nvcr.io",
            "[fd00::1]:5000",
            "",
        ] {
            assert!(!is_loopback(it), "{it}");
        }
    }
}
