//! The text files of the work tree, as the rules see them.

use std::{fs, path::Path, process::Command};

use super::code::Code;

/// One text file.
#[derive(Debug)]
pub(super) struct File {
    /// Its path from the root, with `/`.
    pub(super) path: String,
    /// What it holds.
    pub(super) text: String,
}

/// All text files.
#[derive(Debug)]
pub(super) struct Tree {
    /// By path.
    pub(super) files: Vec<File>,
    /// What git knows, by path; `None` where there is no repository.
    pub(super) committed: Option<Vec<String>>,
}

impl File {
    /// Its Rust code, told apart from comments and literals.
    pub(super) fn code(&self) -> Code {
        Code::of(&self.text)
    }

    /// The last part of its path.
    pub(super) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// Is all of it for tests?
    pub(super) fn is_test(&self) -> bool {
        let is_folder = |it: &str| it == "tests" || it == "benches";
        self.path.split('/').any(is_folder)
            || matches!(self.name(), "testing.rs" | "tests.rs")
            || self.text.contains("#![cfg(test)]")
    }
}

impl Tree {
    /// Reads every file that is text; build output and what git keeps for itself is left out.
    pub(super) fn read(root: &Path) -> Result<Self, String> {
        let mut files = Vec::new();
        collect(root, "", &mut files).map_err(|error| format!("cannot read the tree: {error}"))?;
        files.sort_by(|a: &File, b| a.path.cmp(&b.path));
        Ok(Self {
            files,
            committed: committed(root),
        })
    }

    /// The Rust files below a folder, or all with `""`.
    pub(super) fn rust<'a>(&'a self, below: &'a str) -> impl Iterator<Item = &'a File> {
        self.files
            .iter()
            .filter(move |it| it.path.ends_with(".rs") && it.path.starts_with(below))
    }

    /// One file.
    pub(super) fn file(&self, path: &str) -> Option<&File> {
        self.files.iter().find(|it| it.path == path)
    }

    /// A made-up tree.
    #[cfg(test)]
    pub(super) fn of(files: &[(&str, &str)]) -> Self {
        let file = |(path, text): &(&str, &str)| File {
            path: (*path).to_owned(),
            text: (*text).to_owned(),
        };
        Self {
            files: files.iter().map(file).collect(),
            committed: None,
        }
    }
}

fn collect(folder: &Path, prefix: &str, files: &mut Vec<File>) -> Result<(), std::io::Error> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{prefix}{name}");
        // In a second work tree `.git` is a file that names a folder of this machine.
        if name == ".git" {
            continue;
        }
        if entry.file_type()?.is_dir() {
            if name != "target" {
                collect(&entry.path(), &format!("{path}/"), files)?;
            }
        } else if let Ok(text) = fs::read_to_string(entry.path()) {
            files.push(File { path, text });
        }
    }
    Ok(())
}

fn committed(root: &Path) -> Option<Vec<String>> {
    let output = Command::new("git")
        .args(["ls-files"])
        .current_dir(root)
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output
        .status
        .success()
        .then(|| text.lines().map(str::to_owned).collect())
}
