//! Which inputs `-f` names: files, patterns, folders, standard input.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::error::RecordedError;
use super::must_gather;
use super::snippet::visible;

/// How much of one input is read at most, also after decompression: far more than any recording
/// holds, and less than a decompression bomb wants.
pub(super) const LIMIT: u64 = 4 << 30;

/// One thing to read.
#[derive(Debug)]
pub(super) struct Input {
    /// As messages name it.
    pub(super) name: String,
    /// Where it is.
    pub(super) place: Place,
    /// How it was come by.
    pub(super) origin: Origin,
}

/// Where an input is.
#[derive(Debug)]
pub(super) enum Place {
    /// Standard input, which was read before.
    Stdin,
    /// A file.
    File(PathBuf),
}

/// How an input was come by, which says how bad it is if it cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// The user named it or its folder.
    Named,
    /// It lay somewhere below a folder.
    Found,
}

/// Reads standard input if it was asked for.
pub(super) fn stdin(filenames: &[String], stdin: &mut dyn Read) -> Result<Vec<u8>, RecordedError> {
    match filenames.iter().filter(|it| *it == "-").count() {
        0 => Ok(Vec::new()),
        1 => drain("<stdin>", stdin, 0),
        _ => Err(RecordedError::StdinTwice),
    }
}

/// Reads a file; a pipe or a device is fine too.
pub(super) fn bytes(name: &str, path: &Path) -> Result<Vec<u8>, RecordedError> {
    let mut file = File::open(path).map_err(|cause| unreadable(name, cause))?;
    let size = file.metadata().map_or(0, |it| it.len().min(LIMIT));
    drain(name, &mut file, usize::try_from(size).unwrap_or(0))
}

fn drain(name: &str, from: &mut dyn Read, expected: usize) -> Result<Vec<u8>, RecordedError> {
    let mut bytes = Vec::with_capacity(expected);
    from.take(LIMIT + 1)
        .read_to_end(&mut bytes)
        .map_err(|cause| unreadable(name, cause))?;
    if bytes.len() as u64 > LIMIT {
        return Err(RecordedError::TooLarge {
            name: name.to_owned(),
            limit: LIMIT,
        });
    }
    Ok(bytes)
}

/// All inputs, in the order they were named.
pub(super) fn find(filenames: &[String], recursive: bool) -> Result<Vec<Input>, RecordedError> {
    let mut inputs = Vec::new();
    for given in filenames {
        if given == "-" {
            inputs.push(Input {
                name: "<stdin>".to_owned(),
                place: Place::Stdin,
                origin: Origin::Named,
            });
        } else if is_address(given) {
            return Err(RecordedError::Address { url: given.clone() });
        } else {
            for path in expand(given)? {
                if path.is_dir() {
                    inputs.extend(folder(&path, recursive)?);
                } else {
                    inputs.push(file(path, Origin::Named));
                }
            }
        }
    }
    Ok(inputs)
}

fn is_address(given: &str) -> bool {
    let given = given.to_ascii_lowercase();
    given.starts_with("http://") || given.starts_with("https://")
}

fn file(path: PathBuf, origin: Origin) -> Input {
    Input {
        name: shown(&path),
        place: Place::File(path),
        origin,
    }
}

/// The path itself, or what the pattern matches that the shell left alone.
fn expand(given: &str) -> Result<Vec<PathBuf>, RecordedError> {
    match fs::metadata(given) {
        Ok(_) => Ok(vec![given.into()]),
        Err(cause) if cause.kind() != io::ErrorKind::NotFound => {
            Err(unreadable(&visible(given), cause))
        }
        Err(_) if given.contains(['*', '?', '[']) => {
            let matches: Vec<_> = glob::glob(given)
                .map(|it| it.filter_map(Result::ok).collect())
                .unwrap_or_default();
            if matches.is_empty() {
                let pattern = given.to_owned();
                return Err(RecordedError::NoMatch { pattern });
            }
            Ok(matches)
        }
        Err(_) => Err(RecordedError::Absent {
            path: given.to_owned(),
        }),
    }
}

/// The files of a folder, and of the folders in it where that is asked for or its kind calls for it.
fn folder(root: &Path, recursive: bool) -> Result<Vec<Input>, RecordedError> {
    let name = shown(root);
    let own = list(root).map_err(|cause| unreadable(&name, cause))?;
    if recursive || must_gather::is_one(&own.files, &own.folders) {
        let files = below(own);
        if files.is_empty() {
            return Err(RecordedError::NoFiles { name });
        }
        return Ok(files
            .into_iter()
            .map(|it| file(it, Origin::Found))
            .collect());
    }
    let files: Vec<_> = own.files.into_iter().filter(|it| is_ours(it)).collect();
    match (files.is_empty(), own.folders.is_empty()) {
        (true, false) => Err(RecordedError::OnlyFolders { name }),
        (true, true) => Err(RecordedError::NoFiles { name }),
        (false, _) => Ok(files
            .into_iter()
            .map(|it| file(it, Origin::Named))
            .collect()),
    }
}

struct Listing {
    files: Vec<PathBuf>,
    folders: Vec<PathBuf>,
}

/// What is in a folder, in name order. A link to a folder is neither: it could lead in a circle.
fn list(folder: &Path) -> io::Result<Listing> {
    let (mut files, mut folders) = (Vec::new(), Vec::new());
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            folders.push(path);
        } else if path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    folders.sort();
    Ok(Listing { files, folders })
}

/// Every file below, in the order of their paths. A folder that may not be opened is left out, like
/// one that the tool which made the tree could not write.
fn below(root: Listing) -> Vec<PathBuf> {
    let (mut files, mut ahead) = (root.files, root.folders);
    while let Some(folder) = ahead.pop() {
        if let Ok(more) = list(&folder) {
            files.extend(more.files);
            ahead.extend(more.folders);
        }
    }
    files.retain(|it| is_ours(it));
    files.sort();
    files
}

/// Does the name say JSON or YAML, compressed or not?
fn is_ours(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    [".json", ".yaml", ".yml"]
        .iter()
        .any(|it| name.ends_with(it))
}

fn shown(path: &Path) -> String {
    visible(&path.to_string_lossy())
}

fn unreadable(name: &str, cause: io::Error) -> RecordedError {
    RecordedError::Unreadable {
        name: name.to_owned(),
        cause,
    }
}
