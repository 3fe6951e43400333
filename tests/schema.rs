//! Every JSON report is valid by the JSON Schema that docs/ holds.

use std::path::Path;

use serde_json::Value;
use suite::{plugin, root};

fn validator(name: &str) -> jsonschema::Validator {
    let text = std::fs::read_to_string(root().join("docs/schema").join(name))
        .expect("the schema is printed");
    let schema: Value = serde_json::from_str(&text).expect("a schema is JSON");
    jsonschema::validator_for(&schema).expect("a schema")
}

fn check(validator: &jsonschema::Validator, report: &Value, what: &Path) {
    let errors: Vec<_> = validator
        .iter_errors(report)
        .map(|it| format!("{} at {}", it, it.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{}: {errors:#?}", what.display());
}

#[test]
fn every_report_of_every_recorded_cluster_is_valid() {
    for (program, schema) in [
        ("kubectl-gpu_audit", "audit-report.v1.json"),
        ("kubectl-gpu_order", "order-report.v1.json"),
        ("kubectl-gpu_drivertag", "drivertag-report.v1.json"),
    ] {
        let validator = validator(schema);
        let folder =
            std::fs::read_dir(root().join("tests/clusters")).expect("the recorded clusters");
        for entry in folder
            .map(|it| it.expect("an entry").path())
            .filter(|it| it.is_dir())
        {
            let report = plugin(program)
                .arg_file(&entry)
                .args(["-o", "json"])
                .run()
                .json();
            check(&validator, &report, &entry);
        }
    }
}

#[test]
fn a_report_with_a_field_too_many_or_too_few_is_not_valid() {
    let validator = validator("audit-report.v1.json");
    let report = plugin("kubectl-gpu_audit")
        .args(["-f", "tests/clusters/operand-lab", "-o", "json"])
        .run()
        .json();
    let mut more = report.clone();
    more["surprise"] = Value::Bool(true);
    assert!(!validator.is_valid(&more));
    let mut less = report.clone();
    less.as_object_mut().expect("an object").remove("verdict");
    assert!(!validator.is_valid(&less));
    let mut wrong = report;
    wrong["verdict"] = Value::from(7);
    assert!(!validator.is_valid(&wrong));
}
