//! docs/schema/: JSON Schemas of the reports, from the types that the plugins write.

use gpu_core::{
    answer::{Severity, Verdict, wire},
    audit::wire::AuditParts,
    drivertag::wire::DriverTagParts,
    facts::operands::ROSTER,
    order::wire::OrderParts,
    standing::state::STATES,
};
use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};

use super::PRINTED;

/// One kind of report.
pub(super) struct Report {
    /// The name of its file.
    pub(super) file: &'static str,
    kind: &'static str,
    about: &'static str,
    parts: fn(&mut SchemaGenerator) -> Value,
}

/// All reports.
pub(super) const REPORTS: &[Report] = &[
    Report {
        file: "audit-report",
        kind: "AuditReport",
        about: "kubectl gpu-audit -o json",
        parts: object::<AuditParts>,
    },
    Report {
        file: "order-report",
        kind: "OrderReport",
        about: "kubectl gpu-order -o json",
        parts: object::<OrderParts>,
    },
    Report {
        file: "drivertag-report",
        kind: "DriverTagReport",
        about: "kubectl gpu-drivertag -o json",
        parts: object::<DriverTagParts>,
    },
];

/// The schema as a file.
pub(super) fn page(report: &Report) -> String {
    // A value of maps and strings cannot fail to be written.
    serde_json::to_string_pretty(&schema(report)).unwrap_or_default() + "\n"
}

/// The schema of one kind of report: the envelope that all share, and the parts of its own.
fn schema(report: &Report) -> Value {
    let mut types = SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator();
    let mut properties = envelope(report.kind, &mut types);
    let parts = (report.parts)(&mut types);
    if let Some(parts) = parts["properties"].as_object() {
        properties.extend(parts.clone());
    }
    properties.extend([
        ("findings".to_owned(), list::<wire::WireFinding>(&mut types)),
        ("gaps".to_owned(), list::<wire::WireGap>(&mut types)),
    ]);
    let required: Vec<&String> = properties.keys().collect();
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$comment": PRINTED,
        "title": report.kind,
        "description": format!("What {} prints, version 1. Within it fields may be added, never renamed or removed.", report.about),
        "type": "object",
        "additionalProperties": false,
        "required": required,
        "properties": properties,
        "$defs": types.take_definitions(true),
    });
    with_words(with_public_names(schema))
}

fn envelope(kind: &str, types: &mut SchemaGenerator) -> Map<String, Value> {
    let verdicts = [Verdict::Ok, Verdict::Findings, Verdict::Unknown].map(Verdict::name);
    let fields = [
        ("apiVersion", json!({ "const": wire::API_VERSION })),
        ("kind", json!({ "const": kind })),
        ("tool", of::<wire::Tool>(types)),
        ("source", of::<wire::Source>(types)),
        (
            "seenAt",
            json!({
                "description": "The time of the answer; null where nothing tells.",
                "type": ["string", "null"],
                "format": "date-time",
            }),
        ),
        ("operator", of::<wire::Operator>(types)),
        (
            "verdict",
            json!({
                "description": "The answer as a whole; ok means that there is no error.",
                "enum": verdicts,
            }),
        ),
        ("summary", of::<wire::Summary>(types)),
    ];
    fields
        .into_iter()
        .map(|(name, schema)| (name.to_owned(), schema))
        .collect()
}

fn of<T: JsonSchema>(types: &mut SchemaGenerator) -> Value {
    types.subschema_for::<T>().to_value()
}

fn list<T: JsonSchema>(types: &mut SchemaGenerator) -> Value {
    json!({ "type": "array", "items": of::<T>(types) })
}

/// The type itself rather than a reference to it.
fn object<T: JsonSchema>(types: &mut SchemaGenerator) -> Value {
    T::json_schema(types).to_value()
}

/// `WireNode` is our name for a type, and `uint32` how it is kept; a reader of the schema needs neither.
fn with_public_names(schema: Value) -> Value {
    let is_ours = |name: &str, value: &Value| {
        name == "format" && value.as_str().is_some_and(|it| it.starts_with("uint"))
    };
    match schema {
        Value::Object(fields) => fields
            .into_iter()
            .filter(|(name, value)| !is_ours(name, value))
            .map(|(name, value)| {
                let public = name.strip_prefix("Wire").map(str::to_owned);
                (public.unwrap_or(name), with_public_names(value))
            })
            .collect::<Map<_, _>>()
            .into(),
        Value::Array(values) => values.into_iter().map(with_public_names).collect(),
        Value::String(text) => text.replace("#/$defs/Wire", "#/$defs/").into(),
        other => other,
    }
}

/// Types say `string` where only certain words are written; the tables know the words.
fn with_words(mut schema: Value) -> Value {
    let states: Vec<&str> = STATES.iter().map(|it| it.1).collect();
    let operands: Vec<&str> = ROSTER.iter().map(|it| it.name).collect();
    let severities = [Severity::Error, Severity::Warning, Severity::Info].map(Severity::name);
    for (place, words) in [
        ("/$defs/Operand/properties/state", states.as_slice()),
        ("/$defs/Operand/properties/operand", operands.as_slice()),
        ("/$defs/DaemonSet/properties/operand", operands.as_slice()),
        ("/$defs/Finding/properties/severity", severities.as_slice()),
        ("/$defs/Source/properties/type", &["live", "recorded"]),
        (
            "/$defs/Image/properties/inventory",
            &["present", "absent", "unknown", "not-asked"],
        ),
        (
            "/$defs/Image/properties/registry",
            &[
                "present",
                "absent",
                "wrong-arch",
                "denied",
                "throttled",
                "unreachable",
                "untrusted",
                "not-asked",
            ],
        ),
    ] {
        if let Some(Value::Object(field)) = schema.pointer_mut(place) {
            field.insert("enum".to_owned(), json!(words));
        }
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(kind: &str) -> Value {
        schema(REPORTS.iter().find(|it| it.kind == kind).unwrap())
    }

    #[test]
    fn the_fields_stand_in_the_order_of_the_document_and_all_are_required() {
        let schema = named("AuditReport");
        let fields: Vec<&str> = schema["properties"]
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        assert_eq!(
            fields,
            [
                "apiVersion",
                "kind",
                "tool",
                "source",
                "seenAt",
                "operator",
                "verdict",
                "summary",
                "daemonSets",
                "nodes",
                "findings",
                "gaps"
            ]
        );
        assert_eq!(schema["required"], json!(fields));
        assert_eq!(schema["additionalProperties"], false);
    }

    #[test]
    fn what_can_be_null_may_be_and_must_still_be_there() {
        let schema = named("AuditReport");
        let skip = &schema["$defs"]["Skip"];
        assert_eq!(
            skip["properties"]["value"]["type"],
            json!(["string", "null"])
        );
        assert!(
            skip["required"]
                .as_array()
                .unwrap()
                .contains(&json!("value"))
        );
    }

    #[test]
    fn what_is_left_out_when_empty_is_not_required() {
        let source = &named("AuditReport")["$defs"]["Source"];
        assert!(source["properties"]["files"].is_object());
        assert!(
            !source["required"]
                .as_array()
                .unwrap()
                .contains(&json!("files"))
        );
    }

    #[test]
    fn every_reference_leads_to_a_type_and_no_name_is_ours() {
        for report in REPORTS {
            let text = page(report);
            assert!(
                !text.contains("Wire") && !text.contains("uint"),
                "{}",
                report.kind
            );
            let schema = schema(report);
            for reference in text.split("\"#").skip(1) {
                let place = reference.split('"').next().unwrap();
                assert!(schema.pointer(place).is_some(), "{}: {place}", report.kind);
            }
        }
    }

    #[test]
    fn words_from_the_tables_are_in_the_schema() {
        let schema = named("AuditReport");
        let words = &schema["$defs"]["Operand"]["properties"]["state"]["enum"];
        assert_eq!(words.as_array().unwrap().len(), STATES.len());
        let words = &schema["$defs"]["Finding"]["properties"]["severity"]["enum"];
        assert_eq!(*words, json!(["error", "warning", "info"]));
        let words = &schema["$defs"]["DaemonSet"]["properties"]["operand"]["enum"];
        assert_eq!(words[0], "driver");
    }
}
