//! How lists travel: what is asked for in `Accept`, and how the bytes of a page become rows.

pub(crate) mod json;

use gpu_core::cluster::{Kind, rows::Rows};

/// One form that lists travel in.
pub(crate) trait Wire {
    /// What to put in the `Accept` header.
    fn accept(&self) -> &'static str;

    /// Reads one page. The error says why the bytes are not a page; an object that cannot be understood
    /// is no error but named in the page.
    fn decode(&self, kind: Kind, bytes: &[u8]) -> Result<Page, String>;
}

/// One page of a list.
#[derive(Debug)]
pub(crate) struct Page {
    /// What could be understood.
    pub(crate) rows: Rows,
    /// What could not: which object it is and what is wrong with it.
    pub(crate) unreadable: Vec<String>,
    /// What to ask the next page with.
    pub(crate) next: Option<String>,
}
