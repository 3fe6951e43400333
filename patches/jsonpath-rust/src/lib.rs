//! The one thing that kube asks of jsonpath-rust, without the million bytes of regular expressions and grammar behind it.
//!
//! kube reads a token from the output of a program by such a path, for the auth provider `gcp` alone. kubectl has dropped
//! that provider, and gpu-cli refuses it before kube sees it (`read/live/credentials.rs`), so nothing ever comes here; if
//! it did, it would hear that there is no such query.

use std::fmt;

use serde_json::Value;

/// No query is understood.
#[derive(Debug)]
pub struct NoQueries;

impl fmt::Display for NoQueries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSONPath is not supported here")
    }
}

impl std::error::Error for NoQueries {}

/// Values that can be asked by path; the name and the form are those that kube calls.
pub trait JsonPath {
    /// Always [`NoQueries`].
    fn query(&self, path: &str) -> Result<Vec<&Value>, NoQueries>;
}

impl JsonPath for Value {
    fn query(&self, _path: &str) -> Result<Vec<&Value>, NoQueries> {
        Err(NoQueries)
    }
}
