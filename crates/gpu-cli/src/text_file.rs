//! A text that a flag names: a file, or - for standard input.

use std::io::{ErrorKind, Read};

use crate::error::Error;

/// The name of standard input.
pub(crate) const STDIN: &str = "-";

/// Reads it. The error is a usage error where there is no such file.
pub(crate) fn read(flag: &'static str, file: &str) -> Result<String, Error> {
    let read = match file {
        STDIN => {
            let mut text = String::new();
            std::io::stdin()
                .lock()
                .read_to_string(&mut text)
                .map(|_| text)
        }
        file => std::fs::read_to_string(file),
    };
    read.map_err(|why| match why.kind() {
        ErrorKind::NotFound => Error::Usage(format!("{flag}: the path \"{file}\" does not exist")),
        _ => Error::BadFile {
            flag,
            file: file.to_owned(),
            why: why.to_string(),
        },
    })
}
