//! What a checkout of the GPU operator says, read as text.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use gpu_core::facts::labels::DEPLOY_PREFIX;

/// All of a checkout that is compared.
pub(super) struct Checkout {
    /// Its DaemonSets.
    pub(super) daemon_sets: Vec<DaemonSet>,
    /// Deploy labels that its code names.
    pub(super) deploy_labels: BTreeSet<String>,
    /// Keys of the Helm chart and their `enabled`.
    pub(super) helm_enabled: BTreeMap<String, bool>,
    /// The code that labels nodes.
    pub(super) code: String,
}

/// One DaemonSet of a manifest or template.
pub(super) struct DaemonSet {
    /// The file, from the root of the checkout.
    pub(super) path: String,
    /// Its name.
    pub(super) name: String,
    /// Deploy labels that it selects.
    pub(super) deploy_labels: BTreeSet<String>,
    /// Its init containers.
    pub(super) init_containers: Vec<String>,
}

/// Folders that hold DaemonSets, and the files that hold the rest.
const MANIFESTS: [&str; 2] = ["assets", "manifests"];
const LABELLING: &str = "controllers/state_manager.go";
const VALUES: &str = "deployments/gpu-operator/values.yaml";

impl Checkout {
    /// Reads a checkout. The error names the file or folder that is not there.
    pub(super) fn read(root: &Path) -> Result<Self, String> {
        let mut files = Vec::new();
        for folder in MANIFESTS {
            yaml_files(&root.join(folder), &mut files);
        }
        let mut daemon_sets = Vec::new();
        for file in &files {
            let path = file
                .strip_prefix(root)
                .unwrap_or(file)
                .to_string_lossy()
                .into_owned();
            daemon_sets.extend(daemon_set(path, &text(file)?));
        }
        if daemon_sets.is_empty() {
            return Err(format!(
                "{}: no DaemonSet in assets or manifests; is it a checkout of the GPU operator?",
                root.display()
            ));
        }
        let code = text(&root.join(LABELLING))?;
        let helm_enabled = helm_enabled(&text(&root.join(VALUES))?);
        Ok(Self {
            daemon_sets,
            deploy_labels: deploy_labels(&code),
            helm_enabled,
            code,
        })
    }
}

fn text(file: &Path) -> Result<String, String> {
    fs::read_to_string(file).map_err(|why| format!("{}: {why}", file.display()))
}

fn yaml_files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    let mut paths: Vec<_> = entries.flatten().map(|it| it.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            yaml_files(&path, found);
        } else if path
            .extension()
            .is_some_and(|it| it == "yaml" || it == "yml")
        {
            found.push(path);
        }
    }
}

/// The deploy labels of a text, by their prefix.
fn deploy_labels(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    // Code writes them in quotes, manifests as keys; prose after `//` is left out.
    for line in text
        .lines()
        .filter(|it| !it.trim_start().starts_with("//") && !it.trim_start().starts_with('#'))
    {
        for (at, _) in line.match_indices(DEPLOY_PREFIX) {
            let name: String = line[at + DEPLOY_PREFIX.len()..]
                .chars()
                .take_while(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || *c == '-')
                .collect();
            if !name.is_empty() {
                found.insert(format!("{DEPLOY_PREFIX}{name}"));
            }
        }
    }
    found
}

/// The DaemonSet of a manifest; none where the file is of another kind, or its name is made at run time.
fn daemon_set(path: String, text: &str) -> Option<DaemonSet> {
    let lines: Vec<&str> = text.lines().collect();
    let start = lines.iter().position(|it| it.trim() == "kind: DaemonSet")?;
    let metadata = lines[start..]
        .iter()
        .skip_while(|it| it.trim_end() != "metadata:");
    let name = metadata
        .skip(1)
        .take_while(|it| it.starts_with(' '))
        .find_map(|it| it.strip_prefix("  name: "))?;
    let name = name.trim().trim_matches('"');
    if name.contains("{{") {
        return None;
    }
    Some(DaemonSet {
        path,
        name: name.to_owned(),
        deploy_labels: deploy_labels(text),
        init_containers: init_containers(&lines[start..]),
    })
}

/// Names of list items directly below `initContainers:`; deeper lists (env, mounts) have names too.
fn init_containers(lines: &[&str]) -> Vec<String> {
    let indent = |it: &str| it.len() - it.trim_start().len();
    let Some(at) = lines.iter().position(|it| it.trim() == "initContainers:") else {
        return Vec::new();
    };
    let key = indent(lines[at]);
    let inside = |it: &&&str| {
        let text = it.trim_start();
        text.is_empty()
            || text.starts_with("{{")
            || indent(it) > key
            || (indent(it) == key && text.starts_with("- "))
    };
    let body: Vec<&str> = lines[at + 1..].iter().take_while(inside).copied().collect();
    let Some(item) = body
        .iter()
        .filter(|it| it.trim_start().starts_with("- "))
        .map(|it| indent(it))
        .min()
    else {
        return Vec::new();
    };
    let name = |it: &&str| {
        let own = it.strip_prefix(&format!("{}- name: ", " ".repeat(item)));
        own.or_else(|| it.strip_prefix(&format!("{}name: ", " ".repeat(item + 2))))
            .map(|it| it.trim().to_owned())
    };
    body.iter().filter_map(name).collect()
}

/// Top-level keys of the chart's values that have an `enabled` directly below.
fn helm_enabled(text: &str) -> BTreeMap<String, bool> {
    let mut found = BTreeMap::new();
    let mut key = "";
    for line in text.lines() {
        if let Some(top) = line
            .strip_suffix(':')
            .filter(|it| !it.starts_with([' ', '#']))
        {
            key = top;
        } else if let Some(value) = line.strip_prefix("  enabled: ") {
            found.insert(key.to_owned(), value.trim() == "true");
        }
    }
    found
}
