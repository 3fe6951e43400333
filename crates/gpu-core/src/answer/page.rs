//! What a person reads: tables and text, as data; how it looks is `render`'s.

/// A page for people, from top to bottom.
#[derive(Debug, Default)]
pub struct Page {
    /// Its blocks, with an empty line between them.
    pub blocks: Vec<Block>,
    /// The last line.
    pub summary: String,
}

/// A part of a page.
#[derive(Debug)]
pub enum Block {
    /// A table.
    Table(Table),
    /// Lines of text.
    Text(Vec<String>),
}

/// A header and rows.
#[derive(Debug, Default)]
pub struct Table {
    /// Column names, in upper case.
    pub header: Vec<String>,
    /// Rows of as many cells.
    pub rows: Vec<Vec<Cell>>,
}

/// One cell.
#[derive(Clone, Debug)]
pub struct Cell {
    /// Its text, as it came from the cluster; `render` makes it safe.
    pub text: String,
    /// Its meaning, for colour.
    pub tone: Tone,
}

/// What a cell means; colour repeats it and never carries it alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// As it should be.
    Good,
    /// Wrong.
    Bad,
    /// Odd.
    Odd,
    /// Not applicable.
    Quiet,
    /// Neither.
    Plain,
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            tone: Tone::Plain,
        }
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self {
            text,
            tone: Tone::Plain,
        }
    }
}

impl Cell {
    /// A cell with a meaning.
    pub fn toned(text: impl Into<String>, tone: Tone) -> Self {
        Self {
            text: text.into(),
            tone,
        }
    }
}
