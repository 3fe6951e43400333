//! `cargo xtask dist --check`: two builds of the last commit, in two folders, compared byte for byte.

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    process::{Command, Stdio},
};

use super::{Release, checksums, make, platform::Platform};
use crate::{
    cargo::{root, see},
    say::say,
};

/// Paths of different lengths, so that what holds its own path has another size.
const FOLDERS: [&str; 2] = ["a", "another-folder/of-another-length"];

/// Builds twice and compares; the error names the files that differ.
pub(super) fn check(release: &Release, platforms: &[&'static Platform]) -> Result<(), String> {
    let place = tempfile::tempdir().map_err(|error| format!("no place to build in: {error}"))?;
    let mut sums = Vec::new();
    for name in FOLDERS {
        let tree = place.path().join(name);
        clone(&tree)?;
        let out = tree.join("dist");
        say(&format!("building in {}", tree.display()));
        make(&tree, &out, release, platforms)?;
        sums.push(sums_of(&out)?);
    }
    let differ = differences(&sums[0], &sums[1]);
    if !differ.is_empty() {
        return Err(format!("two builds differ in {}", differ.join(", ")));
    }
    for (name, sum) in &sums[0] {
        say(&format!("{sum}  {name}"));
    }
    say(&format!(
        "{} files are the same in two builds",
        sums[0].len()
    ));
    Ok(())
}

fn clone(to: &Path) -> Result<(), String> {
    let mut git = Command::new("git");
    git.args(["clone", "--quiet", "--local", "--no-hardlinks"])
        .arg(root())
        .arg(to)
        .stdin(Stdio::null());
    see(git)
}

fn sums_of(folder: &Path) -> Result<BTreeMap<String, String>, String> {
    let failed = |error| format!("cannot read {}: {error}", folder.display());
    let mut sums = BTreeMap::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let bytes = fs::read(entry.path()).map_err(failed)?;
        sums.insert(name, checksums::sha256(&bytes));
    }
    Ok(sums)
}

fn differences(a: &BTreeMap<String, String>, b: &BTreeMap<String, String>) -> Vec<String> {
    let names: std::collections::BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    let differ = names.into_iter().filter(|it| a.get(*it) != b.get(*it));
    differ.cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_differs_and_one_that_only_one_build_has_are_named() {
        let sums = |rows: &[(&str, &str)]| {
            let rows = rows
                .iter()
                .map(|(name, sum)| ((*name).to_owned(), (*sum).to_owned()));
            rows.collect::<BTreeMap<_, _>>()
        };
        let a = sums(&[("same", "1"), ("other", "2"), ("only", "3")]);
        let b = sums(&[("same", "1"), ("other", "4")]);
        assert_eq!(differences(&a, &b), ["only", "other"]);
        assert!(differences(&a, &a).is_empty());
    }
}
