//! `cargo xtask facts --against DIR`: what a checkout of the operator's sources says and our tables do not.
//!
//! A comparison of text, so that it needs no Go and survives templates: DaemonSets with their deploy label and init
//! containers, deploy labels in the operator's code, PCI labels, and the Helm chart's switches. It prints what
//! differs; whoever reads it decides which side is right, and changes a row.

mod checkout;

use std::collections::BTreeSet;
use std::path::Path;

use gpu_core::facts::barriers::{BARRIERS, DRIVER_MANAGER, VALIDATOR_STEPS};
use gpu_core::facts::labels::{DEPLOY_OPERANDS, DEPLOY_PREFIX, GPU_PCI};
use gpu_core::facts::operands::{self, Id, Name, ROSTER};

use crate::{
    Failure,
    say::{answer, say},
};
use checkout::{Checkout, DaemonSet};

/// Deploy labels that the operator writes and no operand has.
const WITHOUT_OPERAND: [&str; 1] = ["client"];

/// Compares, and fails where something differs.
pub(crate) fn run(args: &[String]) -> Result<(), Failure> {
    let [flag, dir] = args else {
        return Err(Failure::Usage(
            "usage: cargo xtask facts --against DIR, a checkout of the GPU operator".to_owned(),
        ));
    };
    if flag != "--against" {
        return Err(Failure::Usage(format!(
            "'{flag}' is not understood; the only flag is --against DIR"
        )));
    }
    let checkout = Checkout::read(Path::new(dir))?;
    let differences = differences(&checkout);
    if differences.is_empty() {
        say(&format!(
            "facts: {dir} says what the tables say ({} DaemonSets)",
            checkout.daemon_sets.len()
        ));
        return Ok(());
    }
    answer(&differences.join("\n"));
    Err(Failure::Failed(format!(
        "{} differences between {dir} and the tables",
        differences.len()
    )))
}

/// What differs, a line each.
fn differences(checkout: &Checkout) -> Vec<String> {
    let mut lines = daemon_sets(checkout);
    lines.extend(labels(checkout));
    lines.extend(helm_defaults(checkout));
    for key in GPU_PCI.iter().filter(|key| !checkout.code.contains(**key)) {
        lines.push(format!("PCI label {key}: not in the operator's code"));
    }
    lines
}

fn daemon_sets(checkout: &Checkout) -> Vec<String> {
    let mut lines = Vec::new();
    for it in &checkout.daemon_sets {
        match operands::by_daemon_set(&it.name) {
            None => lines.push(format!(
                "{}: DaemonSet {} is of no operand",
                it.path, it.name
            )),
            Some(id) => lines.extend(one_daemon_set(id, it)),
        }
    }
    for row in &ROSTER {
        // A name that only starts so is made at run time and stands in no file.
        let is_there = |name: &Name| match name {
            Name::Is(name) => checkout.daemon_sets.iter().any(|it| it.name == *name),
            Name::Starts(_) => true,
        };
        for name in row.daemon_sets.iter().filter(|it| !is_there(it)) {
            lines.push(format!(
                "operand {}: no file has DaemonSet {name:?}",
                row.name
            ));
        }
    }
    lines
}

fn one_daemon_set(id: Id, it: &DaemonSet) -> Vec<String> {
    let row = id.row();
    let mut lines = Vec::new();
    if !it.deploy_labels.is_empty() && !it.deploy_labels.contains(row.label) {
        lines.push(format!(
            "{}: selects {:?}, the table has {}",
            it.path, it.deploy_labels, row.label
        ));
    }
    let ours: BTreeSet<&str> = BARRIERS
        .iter()
        .filter(|it| it.waiter == id)
        .map(|it| it.init_container)
        .collect();
    let is_check = |name: &&str| name.ends_with("-validation");
    let theirs: BTreeSet<&str> = it
        .init_containers
        .iter()
        .map(String::as_str)
        .filter(is_check)
        .collect();
    let steps: BTreeSet<&str> = VALIDATOR_STEPS.iter().map(|(step, _)| *step).collect();
    let unknown = theirs
        .difference(&ours)
        .filter(|name| !(id == Id::OperatorValidator && steps.contains(*name)));
    lines.extend(unknown.map(|name| {
        format!(
            "{}: init container {name} is no barrier of {}",
            it.path, row.name
        )
    }));
    lines.extend(
        ours.difference(&theirs)
            .map(|name| format!("{}: {} does not wait in {name}", it.path, row.name)),
    );
    let has_manager = it.init_containers.iter().any(|name| name == DRIVER_MANAGER);
    if has_manager != matches!(id, Id::Driver | Id::VgpuManager | Id::VfioManager) {
        lines.push(format!(
            "{}: init container {DRIVER_MANAGER} is {}",
            it.path,
            if has_manager { "new" } else { "gone" }
        ));
    }
    lines
}

fn labels(checkout: &Checkout) -> Vec<String> {
    let ours: BTreeSet<String> = ROSTER.iter().map(|it| it.label.to_owned()).collect();
    let exempt = |it: &&String| {
        *it == DEPLOY_OPERANDS
            || WITHOUT_OPERAND
                .iter()
                .any(|name| **it == format!("{DEPLOY_PREFIX}{name}"))
    };
    let theirs = &checkout.deploy_labels;
    let new = theirs
        .difference(&ours)
        .filter(|it| !exempt(it))
        .map(|it| format!("deploy label {it}: in the code, not in the table"));
    let gone = ours
        .difference(theirs)
        .map(|it| format!("deploy label {it}: in the table, not in the code"));
    new.chain(gone).collect()
}

fn helm_defaults(checkout: &Checkout) -> Vec<String> {
    let mut lines = Vec::new();
    for row in ROSTER
        .iter()
        .filter(|it| it.switch.path.ends_with(".enabled"))
    {
        // The DRA operands share two keys of the chart, whose values are the other stack's.
        let shared = matches!(row.id, Id::DcgmDra | Id::DcgmExporterDra);
        let key = row.switch.path.trim_end_matches(".enabled");
        match checkout.helm_enabled.get(key) {
            Some(theirs) if *theirs != row.switch.helm_default && !shared => {
                lines.push(format!(
                    "{}: the chart says {theirs}, the table {}",
                    row.switch.path, row.switch.helm_default
                ));
            }
            None => lines.push(format!("{}: the chart does not have it", row.switch.path)),
            Some(_) => {}
        }
    }
    lines.sort();
    lines.dedup();
    lines
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// A small tree that says what the tables say, and then is changed.
    fn tree() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        for row in &ROSTER {
            for name in row.daemon_sets {
                let Name::Is(name) = name else { continue };
                write(
                    &format!("assets/{name}/daemonset.yaml"),
                    &daemon_set(row.id, name),
                );
            }
        }
        let labels: String = ROSTER
            .iter()
            .map(|it| format!("\t\"{}\": \"true\",\n", it.label))
            .collect();
        let pci: String = GPU_PCI.iter().map(|it| format!("\t\"{it}\"\n")).collect();
        write(
            "controllers/state_manager.go",
            &format!("{labels}{pci}\t\"{DEPLOY_OPERANDS}\"\n"),
        );
        let chart: BTreeSet<String> = ROSTER
            .iter()
            .filter(|it| !matches!(it.id, Id::DcgmDra | Id::DcgmExporterDra))
            .filter_map(|it| {
                Some(format!(
                    "{}:\n  enabled: {}\n",
                    it.switch.path.strip_suffix(".enabled")?,
                    it.switch.helm_default
                ))
            })
            .collect();
        write(
            "deployments/gpu-operator/values.yaml",
            &chart.into_iter().collect::<String>(),
        );
        dir
    }

    fn daemon_set(id: Id, name: &str) -> String {
        let mut inits: Vec<_> = BARRIERS
            .iter()
            .filter(|it| it.waiter == id)
            .map(|it| it.init_container)
            .collect();
        if matches!(id, Id::Driver | Id::VgpuManager | Id::VfioManager) {
            inits.push(DRIVER_MANAGER);
        }
        let inits: String = inits
            .iter()
            .map(|it| format!("      - name: {it}\n        env:\n        - name: X\n"))
            .collect();
        format!(
            "apiVersion: apps/v1\nkind: DaemonSet\nmetadata:\n  name: {name}\nspec:\n  template:\n    spec:\n      nodeSelector:\n        {}: \"true\"\n      initContainers:\n{inits}      containers:\n      - name: main\n",
            id.row().label
        )
    }

    fn check(change: impl FnOnce(&Path), want: &[&str]) {
        let dir = tree();
        change(dir.path());
        let lines = differences(&Checkout::read(dir.path()).unwrap_or_else(|why| panic!("{why}")));
        assert_eq!(lines.len(), want.len(), "{lines:#?}");
        for part in want {
            assert!(
                lines.iter().any(|it| it.contains(part)),
                "{part}: {lines:#?}"
            );
        }
    }

    fn edit(dir: &Path, path: &str, from: &str, to: &str) {
        let path = dir.join(path);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{text}");
        fs::write(path, text.replace(from, to)).unwrap();
    }

    #[test]
    fn a_tree_that_says_the_same_differs_in_nothing() {
        check(|_| {}, &[]);
    }

    #[test]
    fn a_renamed_daemon_set_differs_on_both_sides() {
        let file = "assets/nvidia-dcgm/daemonset.yaml";
        check(
            |it| {
                edit(
                    it,
                    file,
                    "name: nvidia-dcgm\n",
                    "name: nvidia-dcgm-engine\n",
                )
            },
            &[
                "nvidia-dcgm-engine is of no operand",
                "operand dcgm: no file",
            ],
        );
    }

    #[test]
    fn another_label_barrier_or_manager_is_told() {
        let file = "assets/nvidia-mig-manager/daemonset.yaml";
        check(
            |it| edit(it, file, "gpu.deploy.mig-manager", "gpu.deploy.mig"),
            &["selects"],
        );
        check(
            |it| edit(it, file, "toolkit-validation", "runtime-validation"),
            &[
                "runtime-validation is no barrier",
                "does not wait in toolkit-validation",
            ],
        );
        check(
            |it| {
                edit(
                    it,
                    file,
                    "- name: toolkit-validation",
                    "- name: toolkit-validation\n      - name: k8s-driver-manager",
                )
            },
            &["is new"],
        );
    }

    #[test]
    fn labels_and_switches_of_the_code_are_compared() {
        let code = "controllers/state_manager.go";
        check(
            |it| edit(it, code, "gpu.deploy.dcgm\"", "gpu.deploy.engine\""),
            &[
                "gpu.deploy.engine: in the code",
                "gpu.deploy.dcgm: in the table",
            ],
        );
        check(
            |it| edit(it, code, GPU_PCI[0], "feature.node.kubernetes.io/gpu"),
            &["PCI label"],
        );
        let chart = "deployments/gpu-operator/values.yaml";
        check(
            |it| {
                edit(
                    it,
                    chart,
                    "dcgm:\n  enabled: false",
                    "dcgm:\n  enabled: true",
                )
            },
            &["dcgm.enabled: the chart says true"],
        );
        check(
            |it| edit(it, chart, "gfd:\n", "discovery:\n"),
            &["gfd.enabled: the chart does not have it"],
        );
    }

    #[test]
    fn a_folder_that_is_no_checkout_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let why = Checkout::read(dir.path()).err().unwrap();
        assert!(why.contains("assets"), "{why}");
    }
}
