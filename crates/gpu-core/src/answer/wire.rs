//! The JSON report, version 1: the envelope every plugin shares.
//!
//! These types are the contract with programs. They are not the internal types, so that those may
//! change; a field may be added here, never renamed or removed within version 1.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Answer, Finding, Gap};

/// `apiVersion` of every report.
pub const API_VERSION: &str = "kubectl-gpu/v1";

/// What the report says of where it comes from.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Source {
    /// `live` or `recorded`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The kubeconfig context; null for a recording.
    pub context: Option<String>,
    /// The operator's namespace; null where nothing tells.
    pub namespace: Option<String>,
    /// The files of a recording; absent for a live cluster.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
}

/// The program that answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Tool {
    /// Its binary's name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// What is the same in every report.
#[derive(Clone, Debug)]
pub struct Envelope {
    /// The program that answers.
    pub tool: Tool,
    /// Where the answer comes from.
    pub source: Source,
    /// The time of the answer, RFC 3339; null where nothing tells.
    pub seen_at: Option<String>,
}

/// The operator, as seen.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Operator {
    /// Its release; null where nothing tells.
    pub version: Option<String>,
    /// The policy that counts, as `ClusterPolicy/name`; null where there is none.
    pub policy: Option<String>,
    /// `status.state` of that policy.
    pub state: Option<String>,
}

/// Numbers of the report.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// Nodes in the report.
    pub nodes: usize,
    /// GPU nodes among them.
    pub gpu_nodes: usize,
    /// How many (node, operand) pairs are in each state.
    pub by_state: BTreeMap<&'static str, usize>,
    /// Findings that are errors.
    pub errors: usize,
    /// Findings that are warnings.
    pub warnings: usize,
}

/// What a plugin puts into its report.
#[derive(Debug, Default)]
pub struct Body {
    /// The operator, as seen.
    pub operator: Operator,
    /// Nodes, GPU nodes and states; errors and warnings are counted by `report`.
    pub summary: Summary,
    /// The plugin's own parts, in the order of the document.
    pub parts: Vec<(&'static str, serde_json::Value)>,
}

/// The object a finding is about.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WireSubject {
    kind: &'static str,
    namespace: Option<String>,
    name: String,
}

/// One finding.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WireFinding {
    rule: &'static str,
    severity: &'static str,
    node: Option<String>,
    operand: Option<&'static str>,
    subject: WireSubject,
    message: String,
    cause: String,
    consequences: Vec<String>,
    evidence: Vec<String>,
    fix: String,
}

/// One gap.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WireGap {
    what: String,
    why: String,
    effect: String,
}

impl From<&Finding> for WireFinding {
    fn from(it: &Finding) -> Self {
        let subject = it.subject.clone();
        Self {
            rule: it.rule,
            severity: it.severity.name(),
            node: it.node.clone(),
            operand: it.operand.map(crate::facts::operands::Id::name),
            subject: WireSubject {
                kind: subject.kind,
                namespace: subject.namespace,
                name: subject.name,
            },
            message: it.message.clone(),
            cause: it.cause.clone(),
            consequences: it.consequences.clone(),
            evidence: it.evidence.clone(),
            fix: it.fix.clone(),
        }
    }
}

impl From<&Gap> for WireGap {
    fn from(it: &Gap) -> Self {
        Self {
            what: it.what.clone(),
            why: it.why.clone(),
            effect: it.effect.clone(),
        }
    }
}

/// A value as JSON; our wire types have no map with odd keys and no number that JSON lacks, so it cannot fail.
pub fn json(value: impl Serialize) -> serde_json::Value {
    serde_json::to_value(value).unwrap_or_default()
}

/// The whole report, its fields in the order of the document.
pub fn report(answer: &dyn Answer, envelope: &Envelope) -> serde_json::Value {
    let mut body = answer.body();
    let count = |severity| {
        answer
            .findings()
            .iter()
            .filter(|it| it.severity == severity)
            .count()
    };
    body.summary.errors = count(super::Severity::Error);
    body.summary.warnings = count(super::Severity::Warning);
    let findings: Vec<_> = answer.findings().iter().map(WireFinding::from).collect();
    let gaps: Vec<_> = answer.gaps().iter().map(WireGap::from).collect();
    let mut fields = vec![
        ("apiVersion", json(API_VERSION)),
        ("kind", json(answer.kind())),
        ("tool", json(&envelope.tool)),
        ("source", json(&envelope.source)),
        ("seenAt", json(&envelope.seen_at)),
        ("operator", json(&body.operator)),
        ("verdict", json(answer.verdict().name())),
        ("summary", json(&body.summary)),
    ];
    fields.extend(body.parts);
    fields.extend([("findings", json(&findings)), ("gaps", json(&gaps))]);
    fields
        .into_iter()
        .map(|(key, value)| (key.to_owned(), value))
        .collect::<serde_json::Map<_, _>>()
        .into()
}
