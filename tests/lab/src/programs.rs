//! The programs of the control plane: found, or built once per machine from the Go module beside this package.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{Error, Missing, say::say};

/// The Kubernetes release that is built, and the name of its folder in the cache.
const RELEASE: &str = "v1.36.3";

/// A program, and the Go package it is built from.
struct Program {
    name: &'static str,
    package: &'static str,
    /// Whether an envtest folder (`KUBEBUILDER_ASSETS`) has it.
    in_assets: bool,
}

/// etcd first: it is the quickest to build, so a broken toolchain shows early.
const PROGRAMS: [Program; 6] = [
    Program {
        name: "etcd",
        package: "go.etcd.io/etcd/server/v3",
        in_assets: true,
    },
    Program {
        name: "kwok",
        package: "sigs.k8s.io/kwok/cmd/kwok",
        in_assets: false,
    },
    Program {
        name: "kubectl",
        package: "k8s.io/kubernetes/cmd/kubectl",
        in_assets: true,
    },
    Program {
        name: "kube-apiserver",
        package: "k8s.io/kubernetes/cmd/kube-apiserver",
        in_assets: true,
    },
    Program {
        name: "kube-controller-manager",
        package: "k8s.io/kubernetes/cmd/kube-controller-manager",
        in_assets: false,
    },
    Program {
        name: "kube-scheduler",
        package: "k8s.io/kubernetes/cmd/kube-scheduler",
        in_assets: false,
    },
];

/// An image registry: no part of the control plane and its Go module, so built at a release of its own.
const REGISTRY: [Program; 1] = [Program {
    name: "registry-v3.1.2",
    package: "github.com/distribution/distribution/v3/cmd/registry@v3.1.2",
    in_assets: false,
}];

/// The plugin manager of kubectl, and its validation of manifests, at the release that both are tested with.
const KREW: [Program; 2] = [
    Program {
        name: "krew-v0.4.3",
        package: "sigs.k8s.io/krew/cmd/krew@v0.4.3",
        in_assets: false,
    },
    Program {
        name: "validate-krew-manifest-v0.4.3",
        package: "sigs.k8s.io/krew/cmd/validate-krew-manifest@v0.4.3",
        in_assets: false,
    },
];

/// krew and its validation on this machine.
#[derive(Clone, Debug)]
pub struct Krew {
    /// The plugin manager; kubectl finds it by the name `kubectl-krew`.
    pub krew: PathBuf,
    /// The validation of manifests.
    pub validate: PathBuf,
}

/// Where the programs of the control plane lie on this machine.
#[derive(Clone, Debug)]
pub struct Programs {
    assets: Option<PathBuf>,
    cache: PathBuf,
}

impl Programs {
    /// Looks for every program in `KUBEBUILDER_ASSETS` (etcd, kube-apiserver and kubectl) and in the cache folder
    /// (`$XDG_CACHE_HOME` or `~/.cache`, then `kubectl-gpu-lab/<release>`), and builds what is in neither.
    ///
    /// # Errors
    /// [`Error::Missing`] if something has to be built and Go is not there or fails; [`Error::File`] if the cache
    /// folder cannot be written.
    pub fn find_or_build() -> Result<Programs, Error> {
        Programs::with(&PROGRAMS)
    }

    /// The image registry (`distribution`): looked for in the cache folder, and built if it is not there.
    ///
    /// # Errors
    /// As [`Programs::find_or_build`].
    pub fn registry() -> Result<PathBuf, Error> {
        let programs = Programs::with(&REGISTRY)?;
        Ok(programs.path(REGISTRY[0].name))
    }

    /// krew and its validation: looked for in the cache folder, and built if they are not there.
    ///
    /// # Errors
    /// As [`Programs::find_or_build`].
    pub fn krew() -> Result<Krew, Error> {
        let programs = Programs::with(&KREW)?;
        let [krew, validate] = [0, 1].map(|it: usize| programs.path(KREW[it].name));
        Ok(Krew { krew, validate })
    }

    fn with(wanted: &'static [Program]) -> Result<Programs, Error> {
        let programs = Programs::here();
        if programs.missing(wanted).is_empty() {
            return Ok(programs);
        }
        let go = Command::new("go").arg("version").output();
        if !go.is_ok_and(|it| it.status.success()) {
            return Err(Error::Missing(Missing::Go {
                programs: programs.missing(wanted).iter().map(|it| it.name).collect(),
                cache: programs.cache,
            }));
        }
        programs.build(wanted)?;
        Ok(programs)
    }

    /// The path of one of the programs, by its name.
    pub fn path(&self, name: &str) -> PathBuf {
        let asset = self.assets.as_ref().map(|it| it.join(name));
        let offered = PROGRAMS.iter().any(|it| it.name == name && it.in_assets);
        match asset {
            Some(asset) if offered && asset.is_file() => asset,
            _ => self.cache.join(name),
        }
    }

    fn here() -> Programs {
        let cache = env::var_os("XDG_CACHE_HOME")
            .map(PathBuf::from)
            .filter(|it| it.is_absolute())
            .or_else(|| env::home_dir().map(|it| it.join(".cache")))
            .unwrap_or_else(env::temp_dir);
        Programs {
            assets: env::var_os("KUBEBUILDER_ASSETS").map(PathBuf::from),
            cache: cache.join("kubectl-gpu-lab").join(RELEASE),
        }
    }

    fn missing(&self, wanted: &'static [Program]) -> Vec<&'static Program> {
        let absent = |it: &&Program| !self.path(it.name).is_file();
        wanted.iter().filter(absent).collect()
    }

    fn build(&self, wanted: &'static [Program]) -> Result<(), Error> {
        fs::create_dir_all(&self.cache).map_err(Error::file(&self.cache))?;
        let lock = self.cache.join(".lock");
        let file = fs::File::create(&lock).map_err(Error::file(&lock))?;
        if file.try_lock().is_err() {
            say("another process is building programs of the lab; waiting for it");
            file.lock().map_err(Error::file(&lock))?;
        }
        // What another process has built meanwhile is no longer missing.
        let missing = self.missing(wanted);
        for (done, program) in missing.iter().enumerate() {
            say(&format!(
                "building {} ({} of {}; about 2 minutes each, once per machine)",
                program.name,
                done + 1,
                missing.len()
            ));
            self.build_one(program)?;
        }
        Ok(())
    }

    /// Builds under another name first, so that an interrupted build leaves no half program under the right one.
    fn build_one(&self, program: &Program) -> Result<(), Error> {
        let module = Path::new(env!("CARGO_MANIFEST_DIR")).join("../control-plane");
        let unfinished = self.cache.join(format!(".{}.unfinished", program.name));
        // A package with a release of its own is installed into a folder; one of the module is built into a file.
        let released = program.package.split_once('@');
        let mut go = Command::new("go");
        go.env("CGO_ENABLED", "0").current_dir(&module);
        let verb = if released.is_some() {
            go.env("GOBIN", &unfinished).args(["install", "-trimpath"]);
            "install"
        } else {
            go.args(["build", "-trimpath", "-ldflags", &linker_flags(), "-o"])
                .arg(&unfinished);
            "build"
        };
        let built = go
            .arg(program.package)
            .output()
            .map_err(|source| Error::Run {
                program: "go".to_owned(),
                source,
            })?;
        if !built.status.success() {
            return Err(Error::Missing(Missing::Build {
                verb,
                program: program.name,
                package: program.package,
                module,
                output: last_lines(&String::from_utf8_lossy(&built.stderr)),
            }));
        }
        let finished = self.cache.join(program.name);
        let Some((package, _)) = released else {
            return fs::rename(&unfinished, &finished).map_err(Error::file(finished));
        };
        let name = package.rsplit('/').next().unwrap_or(package);
        fs::rename(unfinished.join(name), &finished).map_err(Error::file(finished))?;
        fs::remove_dir_all(&unfinished).map_err(Error::file(unfinished))
    }
}

/// Without the version the API server calls itself v0.0.0, and clients adapt to that.
fn linker_flags() -> String {
    let version = "-X k8s.io/component-base/version.git";
    let mut numbers = RELEASE.trim_start_matches('v').split('.');
    let major = numbers.next().unwrap_or_default();
    let minor = numbers.next().unwrap_or_default();
    format!("-s -w {version}Version={RELEASE} {version}Major={major} {version}Minor={minor}")
}

/// The end of a long output: where the reason usually is.
pub(crate) fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(12)..].join("\n")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{PROGRAMS, Programs, linker_flags};

    #[test]
    fn an_assets_folder_comes_first_for_the_programs_that_such_folders_have() {
        let folder = tempfile::tempdir().unwrap();
        let assets = folder.path();
        for name in ["etcd", "kubectl", "kwok"] {
            fs::write(assets.join(name), "").unwrap();
        }
        let programs = Programs {
            assets: Some(assets.to_owned()),
            cache: "/nowhere".into(),
        };
        assert_eq!(programs.path("etcd"), assets.join("etcd"));
        assert!(programs.path("kube-apiserver").starts_with("/nowhere"));
        assert!(programs.path("kwok").starts_with("/nowhere"));
        assert_eq!(programs.missing(&PROGRAMS).len(), PROGRAMS.len() - 2);
    }

    #[test]
    fn the_server_is_told_its_version() {
        assert!(linker_flags().contains("gitMinor=36"));
    }
}
