//! Files that are printed from the code: written, or compared with what is there.

use std::{collections::BTreeSet, fs, path::Path};

use crate::{cargo::root, say::say};

/// One printed file.
#[derive(Debug)]
pub(crate) struct Generated {
    /// Its path from the root, with `/`.
    pub(crate) path: String,
    /// What it holds.
    pub(crate) text: String,
}

/// Writes the files of this tree that differ, and tells which.
pub(crate) fn print(files: &[Generated]) -> Result<(), String> {
    for path in write(root(), files)? {
        say(&format!("wrote {path}"));
    }
    Ok(())
}

/// Compares the files of this tree with what would be written. In a folder of `whole`, nothing else may end like that. The
/// error says of what the files should be printed (`from`), and by which chore.
pub(crate) fn compare(
    files: &[Generated],
    whole: &[(&str, &str)],
    from: &str,
    chore: &str,
) -> Result<(), String> {
    // A stale file is found once for each folder.
    let stale: BTreeSet<String> = whole
        .iter()
        .flat_map(|(folder, ending)| stale(root(), files, folder, ending))
        .collect();
    if stale.is_empty() {
        return Ok(());
    }
    let stale = Vec::from_iter(stale).join(", ");
    Err(format!("not as {from}: {stale}; run `cargo xtask {chore}`"))
}

/// Writes the files that differ, and returns which.
fn write(root: &Path, files: &[Generated]) -> Result<Vec<String>, String> {
    let mut written = Vec::new();
    for file in files.iter().filter(|it| differs(root, it)) {
        let path = root.join(&file.path);
        let failed = |error| format!("cannot write {}: {error}", file.path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        fs::write(&path, &file.text).map_err(failed)?;
        written.push(file.path.clone());
    }
    Ok(written)
}

/// The files that are not as the code prints them, and those in `folder` that nothing prints.
fn stale(root: &Path, files: &[Generated], folder: &str, ending: &str) -> Vec<String> {
    let mut stale: Vec<String> = files
        .iter()
        .filter(|it| differs(root, it))
        .map(|it| it.path.clone())
        .collect();
    let present = fs::read_dir(root.join(folder)).into_iter().flatten();
    for entry in present.filter_map(Result::ok) {
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{folder}/{name}");
        if name.ends_with(ending) && files.iter().all(|it| it.path != path) {
            stale.push(format!("{path} (nothing prints it)"));
        }
    }
    stale
}

/// Git may have checked the file out with the line ends of Windows.
fn differs(root: &Path, file: &Generated) -> bool {
    match fs::read_to_string(root.join(&file.path)) {
        Ok(present) => present.replace("\r\n", "\n") != file.text,
        Err(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_found_written_and_then_found_no_more() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let file = |name: &str, text: &str| Generated {
            path: format!("made/{name}"),
            text: text.to_owned(),
        };
        let files = [file("a.yaml", "a\nb\n"), file("b.yaml", "b\n")];
        assert_eq!(stale(root, &files, "made", ".yaml").len(), 2);
        assert_eq!(write(root, &files).unwrap().len(), 2);
        assert!(stale(root, &files, "made", ".yaml").is_empty());

        fs::write(root.join("made/a.yaml"), "a\r\nb\r\n").unwrap();
        assert!(stale(root, &files, "made", ".yaml").is_empty());
        fs::write(root.join("made/b.yaml"), "other\n").unwrap();
        fs::write(root.join("made/old.yaml"), "").unwrap();
        fs::write(root.join("made/README.md"), "").unwrap();
        assert_eq!(
            stale(root, &files, "made", ".yaml"),
            ["made/b.yaml", "made/old.yaml (nothing prints it)"]
        );
        assert_eq!(write(root, &files).unwrap(), ["made/b.yaml"]);
    }
}
