//! What the lab asks of the operating system: process groups, signals, private folders.

#[cfg(unix)]
mod unix;
#[cfg(unix)]
pub(crate) use unix::*;

#[cfg(not(unix))]
mod other;
#[cfg(not(unix))]
pub(crate) use other::*;

/// The signals the lab sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signal {
    /// Please end.
    Terminate,
    /// End.
    Kill,
}
