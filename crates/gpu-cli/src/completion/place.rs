//! Where kubectl finds programs: the folders of PATH, and the one where krew links plugins.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// What of the environment decides where the shim belongs.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    /// `PATH`.
    pub(super) path: Vec<PathBuf>,
    /// Where krew links plugins, if that can be told.
    pub(super) krew: Option<PathBuf>,
}

impl Places {
    pub(super) fn of_process() -> Self {
        let text = |name: &str| env::var_os(name).filter(|it| !it.is_empty());
        let home = text("HOME").map(PathBuf::from).or_else(env::home_dir);
        Self::of(text("PATH"), text("KREW_ROOT"), home)
    }

    fn of(path: Option<OsString>, krew_root: Option<OsString>, home: Option<PathBuf>) -> Self {
        let path = path.iter().flat_map(env::split_paths);
        let krew = krew_root.map(PathBuf::from);
        Self {
            path: path.filter(|it| it.is_absolute()).collect(),
            krew: krew
                .or_else(|| Some(home?.join(".krew")))
                .map(|it| it.join("bin")),
        }
    }

    /// Would kubectl look here?
    pub(super) fn is_searched(&self, folder: &Path) -> bool {
        let real = |it: &Path| it.canonicalize().unwrap_or_else(|_| it.to_owned());
        self.path
            .iter()
            .any(|it| it == folder || real(it) == real(folder))
    }

    /// The folder for what belongs beside this program: krew's, if the program is linked there or kubectl looks
    /// there anyway, else the first of `PATH` that has the program.
    pub(super) fn beside(&self, program: &str) -> Option<PathBuf> {
        let file = format!("{program}{}", env::consts::EXE_SUFFIX);
        let has = |it: &&PathBuf| it.join(&file).is_file();
        let krew = self.krew.as_ref();
        let krew = krew.filter(|it| has(it) || (it.is_dir() && self.is_searched(it)));
        krew.or_else(|| self.path.iter().find(has)).cloned()
    }

    /// Every folder where such a thing may lie.
    pub(super) fn all(&self) -> Vec<PathBuf> {
        let mut all: Vec<PathBuf> = Vec::new();
        for it in self.krew.iter().chain(&self.path) {
            if !all.contains(it) {
                all.push(it.clone());
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn krews_folder_is_first_where_it_counts() {
        let folder = tempfile::tempdir().unwrap();
        let (krew, local) = (folder.path().join("krew/bin"), folder.path().join("local"));
        std::fs::create_dir_all(&krew).unwrap();
        std::fs::create_dir(&local).unwrap();
        let program = format!("kubectl-x{}", env::consts::EXE_SUFFIX);
        std::fs::write(local.join(&program), "").unwrap();
        let places = |path: &[&PathBuf]| Places {
            path: path.iter().map(|&it| it.clone()).collect(),
            krew: Some(krew.clone()),
        };
        assert_eq!(places(&[&local]).beside("kubectl-x"), Some(local.clone()));
        assert_eq!(
            places(&[&local, &krew]).beside("kubectl-x"),
            Some(krew.clone())
        );
        assert_eq!(places(&[]).beside("kubectl-x"), None);
        std::fs::write(krew.join(&program), "").unwrap();
        assert_eq!(places(&[&local]).beside("kubectl-x"), Some(krew.clone()));
    }

    #[test]
    fn krews_folder_is_named_by_its_variable_or_at_home() {
        let krew = |root: Option<&str>, home: Option<&str>| {
            Places::of(None, root.map(Into::into), home.map(Into::into)).krew
        };
        assert_eq!(krew(Some("/k"), Some("/h")), Some("/k/bin".into()));
        assert_eq!(krew(None, Some("/h")), Some("/h/.krew/bin".into()));
        assert_eq!(krew(None, None), None);
    }
}
