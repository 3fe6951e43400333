//! checksums.txt, in the form that `sha256sum --check` reads.

use std::{fs, path::Path};

use sha2::{Digest, Sha256};

/// The name of the list.
const FILE: &str = "checksums.txt";

/// The checksum of these bytes: 64 lower-case digits, since krew takes no others.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|it| format!("{it:02x}"))
        .collect()
}

/// The names in `folder` that belong to a release, sorted.
fn released(folder: &Path, tag: &str) -> Result<Vec<String>, String> {
    let failed = |error| format!("cannot read {}: {error}", folder.display());
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let name = entry
            .map_err(failed)?
            .file_name()
            .to_string_lossy()
            .into_owned();
        if name.contains(&format!("-{tag}-")) && !name.starts_with('.') {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

/// Writes the list for a release, whoever has put its files into `folder`.
pub(super) fn write(folder: &Path, tag: &str) -> Result<(), String> {
    let mut text = String::new();
    for name in released(folder, tag)? {
        let bytes =
            fs::read(folder.join(&name)).map_err(|error| format!("cannot read {name}: {error}"))?;
        text.push_str(&format!("{}  {name}\n", sha256(&bytes)));
    }
    super::keep(folder, FILE, text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_holds_the_files_of_one_release_by_name() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["x-v1.0.0-b", "x-v1.0.0-a", "x-v0.9.0-a", "other"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        write(folder.path(), "v1.0.0").unwrap();
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(
            fs::read_to_string(folder.path().join(FILE)).unwrap(),
            format!("{empty}  x-v1.0.0-a\n{empty}  x-v1.0.0-b\n")
        );
    }
}
