//! What can be wrong with recorded input, and what to do about it.

use std::io;

/// How to record a cluster so that nothing is missing.
const RECORD: &str = "record with `kubectl get nodes,pods,daemonsets -A -o yaml > cluster.yaml`, or, where the operator \
     is installed, `kubectl get nodes,pods,daemonsets,clusterpolicies,nvidiadrivers -A -o yaml > cluster.yaml`";

/// Why recorded input could not be read.
#[derive(Debug, thiserror::Error)]
pub enum RecordedError {
    /// Nothing is at this path.
    #[error("the path {path:?} does not exist")]
    Absent {
        /// As the user wrote it.
        path: String,
    },
    /// A pattern that no file matches.
    #[error("no file matches the pattern {pattern:?}")]
    NoMatch {
        /// As the user wrote it.
        pattern: String,
    },
    /// An address where a file was expected.
    #[error("{url:?} is an address, and -f reads files only")]
    Address {
        /// As the user wrote it.
        url: String,
    },
    /// `-` twice: the second would be empty.
    #[error("standard input (-) can be read only once")]
    StdinTwice,
    /// The operating system refused.
    #[error("cannot read {name}: {}", words(cause))]
    Unreadable {
        /// The file or folder.
        name: String,
        /// What it said.
        cause: io::Error,
    },
    /// A folder whose files are all further down.
    #[error("the folder {name} holds only folders")]
    OnlyFolders {
        /// The folder.
        name: String,
    },
    /// A folder with nothing to read in it.
    #[error("the folder {name} holds no .json, .yaml or .yml file")]
    NoFiles {
        /// The folder.
        name: String,
    },
    /// More than we are ready to hold in memory.
    #[error("{name} is larger than {limit} bytes")]
    TooLarge {
        /// The file.
        name: String,
        /// How much is read at most, after decompression.
        limit: u64,
    },
    /// Compressed data that breaks off or is damaged.
    #[error("{name} is gzip, but damaged or cut off: {}", words(cause))]
    Gzip {
        /// The file.
        name: String,
        /// What the decompressor said.
        cause: io::Error,
    },
    /// A packed file of a kind that is not unpacked here.
    #[error("{name} is a {what}")]
    Packed {
        /// The file.
        name: String,
        /// What it is: `tar archive`.
        what: &'static str,
        /// The command that unpacks it.
        unpack: &'static str,
    },
    /// Text, but not in UTF-8.
    #[error("{name} is UTF-16 text, and only UTF-8 is read")]
    Utf16 {
        /// The file.
        name: String,
    },
    /// Not text at all, or damaged.
    #[error("{name} is not text: line {line} holds bytes that are not UTF-8")]
    NotText {
        /// The file.
        name: String,
        /// Where, from 1.
        line: usize,
    },
    /// Nothing in it but white space and comments.
    #[error("{name} is empty")]
    Empty {
        /// The file.
        name: String,
    },
    /// Neither JSON nor YAML, or broken.
    #[error("{name}:{line}:{column}: {why}\n{snippet}")]
    Syntax {
        /// The file.
        name: String,
        /// Where, from 1.
        line: usize,
        /// Where in the line, in characters from 1.
        column: usize,
        /// What is wrong.
        why: String,
        /// The line itself, with a mark under the place.
        snippet: String,
        /// Did it break off, rather than go wrong?
        cut_off: bool,
    },
    /// Lists with nothing in them.
    #[error("{they_hold} no objects")]
    Hollow {
        /// Everything that was named, and the verb: `a.yaml, b.yaml hold`.
        they_hold: String,
    },
    /// Well-formed, but nothing of Kubernetes.
    #[error("{they_hold} no Kubernetes objects, but {found}")]
    Foreign {
        /// Everything that was named, and the verb: `a.yaml, b.yaml hold`.
        they_hold: String,
        /// What is there instead.
        found: String,
    },
}

impl RecordedError {
    /// What to try next, where there is something.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Absent { .. } | Self::StdinTwice | Self::TooLarge { .. } => return None,
            Self::NoMatch { .. } => "quote the pattern, or name the files".to_owned(),
            Self::Address { url } => format!("download it first: `curl -sSLO {url:?}`"),
            Self::Unreadable { cause, .. } if cause.kind() == io::ErrorKind::PermissionDenied => {
                "is the file yours? `ls -l` tells".to_owned()
            }
            Self::Unreadable { .. } => return None,
            Self::OnlyFolders { .. } => "add -R (--recursive) to read what is in them".to_owned(),
            Self::Gzip { .. } | Self::Syntax { cut_off: true, .. } => {
                format!("the recording broke off before its end; {RECORD}")
            }
            Self::Packed { unpack, .. } => format!("unpack it first: `{unpack}`"),
            Self::Utf16 { .. } => {
                "Windows PowerShell's `>` writes UTF-16: use `kubectl get … | Out-File -Encoding utf8 cluster.yaml`"
                    .to_owned()
            }
            Self::Syntax { .. } => "only JSON and YAML as kubectl prints them are read".to_owned(),
            Self::NoFiles { .. }
            | Self::NotText { .. }
            | Self::Empty { .. }
            | Self::Hollow { .. }
            | Self::Foreign { .. } => RECORD.to_owned(),
        };
        Some(hint)
    }

    /// The message without the lines that quote the source.
    pub(super) fn in_one_line(&self) -> String {
        let text = self.to_string();
        text.lines().next().unwrap_or_default().to_owned()
    }
}

/// The usual causes in kubectl's words; the others in the operating system's.
fn words(cause: &io::Error) -> String {
    match cause.kind() {
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::UnexpectedEof => "unexpected end of file".to_owned(),
        _ => cause.to_string(),
    }
}
