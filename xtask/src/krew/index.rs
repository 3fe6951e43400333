//! An index for krew: a git repository with plugins/ at its root.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

use crate::{
    cargo::{see, take},
    generated::Generated,
};

/// Writes these manifests, and no others, into the repository at `folder`, and commits what has changed. A folder that is
/// no repository becomes one. Returns whether something has changed.
pub(super) fn write(folder: &Path, manifests: &[Generated], message: &str) -> Result<bool, String> {
    let plugins = folder.join("plugins");
    let failed = |error| format!("cannot write {}: {error}", plugins.display());
    match fs::remove_dir_all(&plugins) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(failed(error)),
        _ => fs::create_dir_all(&plugins).map_err(failed)?,
    }
    for it in manifests {
        let name = it.path.rsplit('/').next().unwrap_or_default();
        fs::write(plugins.join(name), &it.text).map_err(failed)?;
    }
    if !folder.join(".git").exists() {
        see(git(folder, &["init", "--quiet", "--initial-branch=main"]))?;
    }
    see(git(folder, &["add", "--all", "plugins"]))?;
    if take(git(folder, &["status", "--porcelain", "--", "plugins"]))?.is_empty() {
        return Ok(false);
    }
    see(git(folder, &["commit", "--quiet", "--message", message]))?;
    Ok(true)
}

/// git in the index, as somebody even where nobody has said who they are.
fn git(folder: &Path, args: &[&str]) -> Command {
    const WHO: &str = "kubectl-gpu";
    let mut command = Command::new("git");
    command
        .arg("-C")
        .arg(folder)
        .args(args)
        .stdin(Stdio::null());
    for role in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{role}_NAME"), WHO);
        command.env(format!("GIT_{role}_EMAIL"), format!("{WHO}@localhost"));
    }
    // A hook or a variable of another repository has no business here.
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        command.env_remove(name);
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(name: &str, text: &str) -> Generated {
        Generated {
            path: format!("krew-manifests/{name}.yaml"),
            text: text.to_owned(),
        }
    }

    #[test]
    fn an_index_is_made_changed_and_left_alone_where_nothing_changes() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("index");
        let commits = || take(git(&folder, &["rev-list", "--count", "HEAD"])).unwrap();
        let both = [manifest("a", "1\n"), manifest("b", "1\n")];
        assert!(write(&folder, &both, "v1").unwrap());
        assert!(!write(&folder, &both, "v1").unwrap());
        assert_eq!(commits().trim(), "1");
        assert!(write(&folder, &[manifest("a", "2\n")], "v2").unwrap());
        assert_eq!(commits().trim(), "2");
        assert_eq!(
            take(git(&folder, &["ls-files"])).unwrap(),
            "plugins/a.yaml\n"
        );
    }
}
