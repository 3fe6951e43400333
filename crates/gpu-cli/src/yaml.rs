//! The report as YAML that Kubernetes' own parser reads back right.

use gpu_core::answer::Answer;
use gpu_core::answer::wire::{self, Envelope};
use gpu_core::render::plain;
use serde_json::Value;

/// The report as YAML; hostile characters become visible, since YAML would keep some of them raw.
pub(crate) fn yaml(answer: &dyn Answer, envelope: &Envelope) -> String {
    let report = visible(wire::report(answer, envelope));
    serde_yaml::to_string(&report).unwrap_or_default()
}

fn visible(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(plain(&text)),
        Value::Array(items) => items.into_iter().map(visible).collect(),
        Value::Object(fields) => fields
            .into_iter()
            .map(|(key, it)| (plain(&key), visible(it)))
            .collect(),
        other => other,
    }
}
