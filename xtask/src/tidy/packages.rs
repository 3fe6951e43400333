//! Rules about packages: who may depend on what, and how many a plugin brings.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::cargo::{cargo, take};

/// All that gpu-core may use; none of them does anything by itself.
const OF_CORE: &[&str] = &[
    "comfy-table",
    "jiff",
    "owo-colors",
    "schemars",
    "serde",
    "serde_json",
];
/// Packages of the conversation with a server and with shells, for gpu-cli alone.
const OF_CLI: &[&str] = &["clap_complete", "k8s-openapi", "kube", "rustls", "tokio"];
/// What prints manual pages, which no plugin carries.
const OF_MANUAL: &[&str] = &["clap_mangen"];
/// What a plugin may bring.
const PACKAGES: usize = 300;

/// Asks cargo about this tree.
pub(super) fn problems() -> Result<Vec<String>, String> {
    let text = take(cargo(&[
        "metadata",
        "--format-version=1",
        "--no-deps",
        "--locked",
    ]))?;
    let metadata: Value =
        serde_json::from_str(&text).map_err(|error| format!("cargo metadata: {error}"))?;
    let mut problems = borders(&metadata);
    for plugin in names(&metadata).filter(|it| it.starts_with("kubectl-")) {
        let tree = take(cargo(&[
            "tree",
            "--package",
            plugin,
            "--edges=normal",
            "--target=all",
            "--prefix=none",
            "--format={p}",
            "--locked",
        ]))?;
        problems.extend(too_many(plugin, &tree));
    }
    Ok(problems)
}

fn packages(metadata: &Value) -> impl Iterator<Item = &Value> {
    metadata["packages"].as_array().into_iter().flatten()
}

fn names(metadata: &Value) -> impl Iterator<Item = &str> {
    packages(metadata).filter_map(|it| it["name"].as_str())
}

fn borders(metadata: &Value) -> Vec<String> {
    let mut problems = Vec::new();
    for package in packages(metadata) {
        let name = package["name"].as_str().unwrap_or_default();
        let dependencies = package["dependencies"].as_array().into_iter().flatten();
        for dependency in dependencies {
            let used = dependency["name"].as_str().unwrap_or_default();
            let is_normal = dependency["kind"].is_null();
            if name == "gpu-core" && is_normal && !OF_CORE.contains(&used) {
                problems.push(format!(
                    "crates/gpu-core/Cargo.toml:1: gpu-core may not use {used}"
                ));
            }
            if used == "schemars" && name == "gpu-core" && dependency["optional"] != true {
                problems.push("crates/gpu-core/Cargo.toml:1: schemars is not optional".to_owned());
            }
            // The chores serve archives to krew; no plugin has that.
            let serves = name == "xtask" && used == "tokio";
            for (packages, owner) in [(OF_CLI, "gpu-cli"), (OF_MANUAL, "manual")] {
                if packages.contains(&used) && name != owner && !serves {
                    problems.push(format!(
                        "Cargo.lock:1: {name} uses {used}, which is for {owner} alone"
                    ));
                }
            }
        }
    }
    problems
}

/// `tree` has a package a line, some of them more than once.
fn too_many(plugin: &str, tree: &str) -> Vec<String> {
    let packages: BTreeSet<&str> = tree
        .lines()
        .map(|it| {
            it.trim_end_matches(" (*)")
                .trim_end_matches(" (proc-macro)")
        })
        .filter(|it| !it.is_empty())
        .collect();
    if packages.len() <= PACKAGES {
        return Vec::new();
    }
    let n_packages = packages.len();
    vec![format!(
        "Cargo.lock:1: {plugin} brings {n_packages} packages; at most {PACKAGES}"
    )]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn found(package: &str, dependency: Value) -> Vec<String> {
        borders(&json!({"packages": [{"name": package, "dependencies": [dependency]}]}))
    }

    #[test]
    fn a_dependency_across_a_border_is_found() {
        for (package, dependency, want) in [
            (
                "gpu-core",
                json!({"name": "regex", "kind": null}),
                "gpu-core may not use regex",
            ),
            (
                "gpu-core",
                json!({"name": "kube", "kind": "dev"}),
                "for gpu-cli alone",
            ),
            (
                "gpu-core",
                json!({"name": "schemars", "kind": null, "optional": false}),
                "not optional",
            ),
            (
                "suite",
                json!({"name": "tokio", "kind": null}),
                "suite uses tokio",
            ),
            (
                "kubectl-gpu_audit",
                json!({"name": "clap_mangen", "kind": null}),
                "for manual alone",
            ),
        ] {
            let found = found(package, dependency);
            assert_eq!(found.len(), 1, "{found:?}");
            assert!(found[0].contains(want), "{found:?}");
        }
    }

    #[test]
    fn a_dependency_within_its_border_is_silent() {
        for (package, dependency) in [
            (
                "gpu-core",
                json!({"name": "serde", "kind": null, "optional": false}),
            ),
            ("gpu-core", json!({"name": "insta", "kind": "dev"})),
            (
                "gpu-core",
                json!({"name": "schemars", "kind": null, "optional": true}),
            ),
            ("gpu-cli", json!({"name": "kube", "kind": null})),
        ] {
            assert_eq!(found(package, dependency), [""; 0]);
        }
    }

    #[test]
    fn a_plugin_with_too_many_packages_is_found_and_repeats_count_once() {
        let line = |n: usize| format!("package-{n} v1.0.0\n");
        let most: String = (0..PACKAGES).map(line).collect();
        assert!(too_many("x", &format!("{most}package-0 v1.0.0 (*)\n")).is_empty());
        assert_eq!(too_many("x", &(most + &line(PACKAGES))).len(), 1);
    }
}
