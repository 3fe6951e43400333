//! Systems without process groups and signals: everything compiles, nothing starts.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::Command,
    sync::{Arc, atomic::AtomicBool},
};

use super::Signal;
use crate::Error;

pub(crate) fn supported() -> Result<(), Error> {
    Err(Error::Platform)
}

pub(crate) fn own_group(_: &mut Command) {}

pub(crate) fn send(_: u32, _: Signal) {}

pub(crate) fn set_on_signals(_: &Arc<AtomicBool>) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(crate) fn session_leader() -> Option<u32> {
    None
}

pub(crate) fn started(_: u32) -> Option<u64> {
    None
}

pub(crate) fn is_running(_: u32) -> bool {
    false
}

pub(crate) fn command_line(_: u32) -> String {
    String::new()
}

pub(crate) fn labs_root() -> PathBuf {
    std::env::temp_dir().join("kubectl-gpu-lab")
}

pub(crate) fn private_folder(_: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(crate) fn write_private(path: &Path, text: &str) -> io::Result<()> {
    fs::write(path, text)
}

pub(crate) fn is_at(_: &fs::File, path: &Path) -> bool {
    path.exists()
}
