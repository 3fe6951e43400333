//! Objects as API servers and recordings have them → the model, field by field.

mod daemon_sets;
mod nodes;
mod order;
mod others;
mod ownership;
mod pods;

use jiff::Timestamp;

/// A time as Kubernetes writes it.
fn at(text: &str) -> Option<Timestamp> {
    Some(text.parse().unwrap())
}
