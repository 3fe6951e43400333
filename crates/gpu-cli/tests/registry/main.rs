//! The registry client against a registry made of threads on the loopback interface, which misbehaves as told.
// Said once more for clippy, which knows tests by it.
#![cfg(test)]

mod answers;
mod bench;
mod credentials;
mod mock;
mod paging;
mod proxy;
mod secrecy;
mod time;
mod tls;
mod tokens;
