//! Image registries: is an image there, and which tags are. Async behind a plain interface, as for the cluster.
//!
//! In reading order: `args` and `options` (what was asked for), `config`, `credential_program` and `keychain` (credentials),
//! `place` (an image → host and repository), `trust` and `transport` (one HTTP request), `host` (one registry:
//! scheme, pauses, redirects), `challenge`, `token` and `session` (what it wants to be shown), `manifest` and
//! `existence` (one image), `link` and `tags` (all tags).
//!
//! This is not oci-client, although that is the crate for registries: it hides `Retry-After`, so that nobody can wait
//! as told; it keeps one credential a registry, where `auth.json` and pull secrets have one a repository; it has no
//! refresh tokens; its `list_tags` reads one page; and it needs chrono, which deny.toml forbids. What remains is an
//! HTTP client, and kube brings one: this adds no package to the tree.

mod answer;
mod args;
mod challenge;
mod client;
mod config;
mod credential_program;
mod existence;
mod failure;
mod host;
mod keychain;
mod link;
mod manifest;
mod options;
mod patience;
mod place;
mod session;
mod stock;
mod tags;
mod token;
mod transport;
mod trust;
mod veil;

pub use args::RegistryArgs;
pub use config::CredentialFile;
pub use existence::look_up;
pub use options::{Log, Options, Surroundings};
pub use place::Mirror;
pub use tags::list_tags;
