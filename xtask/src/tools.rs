//! Where programs of others are kept that take minutes to make: once per machine, outside the work tree.

use std::{env, path::PathBuf};

/// The folder of one tool; its name carries the version, so that another version does not meet an old folder.
pub(crate) fn folder(name: &str) -> PathBuf {
    let cache = env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .filter(|it| it.is_absolute())
        .or_else(|| env::home_dir().map(|it| it.join(".cache")))
        .unwrap_or_else(env::temp_dir);
    cache.join("kubectl-gpu-tools").join(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cargo::root;

    #[test]
    fn a_tool_lies_outside_the_work_tree_in_a_folder_of_its_own() {
        let folder = folder("cargo-deny-1.2.3");
        assert!(folder.ends_with("kubectl-gpu-tools/cargo-deny-1.2.3"));
        assert!(!folder.starts_with(root()));
    }
}
