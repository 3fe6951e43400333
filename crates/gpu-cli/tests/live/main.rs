//! The live reader against an API server made of threads on the loopback interface.
// Said once more for clippy, which knows tests by it.
#![cfg(test)]

mod access;
mod bench;
mod completion;
mod plugin;
mod reading;
mod server;
mod tls;
mod trouble;
