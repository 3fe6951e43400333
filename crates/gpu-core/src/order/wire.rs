//! The JSON of gpu-order, version 1.

use serde::Serialize;

use super::chain::{Chain, Link};
use crate::answer::wire::{Body, json};
use crate::facts::barriers::Barrier;
use crate::standing::Standing;

/// A node and its chain.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WireNode {
    name: String,
    /// `ok`, `broken` or `unknown`.
    verdict: &'static str,
    first_broken: Option<String>,
    links: Vec<WireLink>,
}

/// One link of a chain.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WireLink {
    operand: String,
    state: &'static str,
    waits_for: Vec<&'static str>,
    barrier: Option<WireBarrier>,
    why: String,
}

/// The barrier a link waits at.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WireBarrier {
    init_container: &'static str,
    file: &'static str,
    opens_by: &'static str,
}

/// The parts of an OrderReport beside the envelope.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OrderParts {
    nodes: Vec<WireNode>,
}

/// The parts of the report.
pub(super) fn body(standing: &Standing<'_>, chains: &[Chain]) -> Body {
    let parts = OrderParts {
        nodes: chains.iter().map(node).collect(),
    };
    Body {
        operator: standing.operator(),
        summary: standing.summary(),
        parts: vec![("nodes", json(parts.nodes))],
    }
}

fn node(it: &Chain) -> WireNode {
    WireNode {
        name: it.node.clone(),
        verdict: it.verdict.name(),
        first_broken: it.first_broken.clone(),
        links: it.links.iter().map(link).collect(),
    }
}

fn link(it: &Link) -> WireLink {
    WireLink {
        operand: it.name.clone(),
        state: it.state,
        waits_for: it.waits_for.clone(),
        barrier: it.barrier.map(barrier),
        why: it.why.clone(),
    }
}

fn barrier(it: &Barrier) -> WireBarrier {
    WireBarrier {
        init_container: it.init_container,
        file: it.file,
        opens_by: it.opener.name(),
    }
}
