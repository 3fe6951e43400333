//! What is built for: krew's names of a platform, Rust's name of it, and the form of its archive.

use std::env;

/// A platform that releases are built for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Platform {
    /// The operating system in Go's words, as krew selects it.
    pub(crate) os: &'static str,
    /// The architecture in Go's words.
    pub(crate) arch: &'static str,
    /// Rust's name. musl, because a program that is linked to glibc does not start on an older system.
    pub(crate) triple: &'static str,
}

const PLATFORMS: &[Platform] = &[
    Platform {
        os: "linux",
        arch: "amd64",
        triple: "x86_64-unknown-linux-musl",
    },
    Platform {
        os: "linux",
        arch: "arm64",
        triple: "aarch64-unknown-linux-musl",
    },
    Platform {
        os: "darwin",
        arch: "amd64",
        triple: "x86_64-apple-darwin",
    },
    Platform {
        os: "darwin",
        arch: "arm64",
        triple: "aarch64-apple-darwin",
    },
    Platform {
        os: "windows",
        arch: "amd64",
        triple: "x86_64-pc-windows-gnu",
    },
];

impl Platform {
    /// The platform that is called `os/arch`, or `host` for this machine's own.
    pub(crate) fn named(name: &str) -> Result<&'static Platform, String> {
        let name = match name {
            "host" => &host(),
            other => other,
        };
        let known = || PLATFORMS.iter().map(Platform::name).collect::<Vec<_>>();
        PLATFORMS
            .iter()
            .find(|it| it.name() == name)
            .ok_or_else(|| {
                format!(
                    "nothing is built for '{name}'; there are: {}",
                    known().join(", ")
                )
            })
    }

    /// `os/arch`.
    pub(crate) fn name(&self) -> String {
        format!("{}/{}", self.os, self.arch)
    }

    /// Is it this machine's own?
    pub(crate) fn is_host(&self) -> bool {
        self.name() == host()
    }

    /// What the name of a program ends with.
    pub(crate) fn exe(&self) -> &'static str {
        match self.os {
            "windows" => ".exe",
            _ => "",
        }
    }

    /// What the name of an archive ends with; Windows unpacks no tar by itself on older releases.
    pub(crate) fn ending(&self) -> &'static str {
        match self.os {
            "windows" => "zip",
            _ => "tar.gz",
        }
    }

    /// The name of an archive: of a plugin's binary, or of the suite.
    pub(crate) fn archive(&self, what: &str, tag: &str) -> String {
        format!("{what}-{tag}-{}-{}.{}", self.os, self.arch, self.ending())
    }
}

/// This machine in Go's words.
fn host() -> String {
    let os = match env::consts::OS {
        "macos" => "darwin",
        other => other,
    };
    let arch = match env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    };
    format!("{os}/{arch}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{cargo::root, plugins};

    #[test]
    fn everything_that_plugins_yaml_asks_for_can_be_named() {
        for plugin in plugins::read(root()).unwrap() {
            for name in plugin.platforms {
                assert_eq!(Platform::named(&name).unwrap().name(), name);
            }
        }
        assert!(
            Platform::named("plan9/amd64")
                .unwrap_err()
                .contains("there are: linux/amd64,")
        );
    }

    #[test]
    fn the_host_is_one_of_them_and_knows_itself() {
        assert!(Platform::named("host").unwrap().is_host());
        assert_eq!(PLATFORMS.iter().filter(|it| it.is_host()).count(), 1);
    }

    #[test]
    fn windows_gets_a_zip_and_the_others_a_tar() {
        let named = |it| {
            Platform::named(it)
                .unwrap()
                .archive("kubectl-gpu_x", "v1.2.3")
        };
        assert_eq!(
            named("windows/amd64"),
            "kubectl-gpu_x-v1.2.3-windows-amd64.zip"
        );
        assert_eq!(
            named("linux/arm64"),
            "kubectl-gpu_x-v1.2.3-linux-arm64.tar.gz"
        );
    }
}
