//! docs/rbac.yaml: the least that a plugin's user must be allowed, as ClusterRoles.

use std::collections::BTreeMap;

use super::PRINTED;
use crate::plugins::Plugin;

/// The file: one ClusterRole a plugin.
pub(super) fn page(plugins: &[Plugin]) -> String {
    let roles: Vec<String> = plugins.iter().map(role).collect();
    format!(
        "# {PRINTED}\n# What a user of each plugin must be allowed: lists only. Bind it with a ClusterRoleBinding.\n{}",
        roles.concat()
    )
}

fn role(plugin: &Plugin) -> String {
    let mut text = format!(
        "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: kubectl-{}\nrules:\n",
        plugin.name
    );
    for (group, resources) in by_group(&plugin.reads) {
        let resources = resources.join(", ");
        text.push_str(&format!(
            "  - apiGroups: [\"{group}\"]\n    resources: [{resources}]\n    verbs: [list]\n"
        ));
    }
    text
}

fn by_group(reads: &[String]) -> BTreeMap<&str, Vec<&str>> {
    let mut groups: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for read in reads {
        let (resource, group) = read.split_once('.').unwrap_or((read, ""));
        groups.entry(group).or_default().push(resource);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{cargo::root, plugins};

    #[test]
    fn a_role_reads_what_its_plugin_reads_and_does_nothing_else() {
        let plugins = plugins::read(root()).unwrap();
        for plugin in &plugins {
            let text = role(plugin);
            let role: serde_json::Value =
                serde_yaml::from_str(text.trim_start_matches("---\n")).unwrap();
            let mut reads = Vec::new();
            for rule in role["rules"].as_array().unwrap() {
                assert_eq!(rule["verbs"], serde_json::json!(["list"]));
                let group = rule["apiGroups"][0].as_str().unwrap();
                for resource in rule["resources"].as_array().unwrap() {
                    let resource = resource.as_str().unwrap();
                    reads.push(match group {
                        "" => resource.to_owned(),
                        group => format!("{resource}.{group}"),
                    });
                }
            }
            let mut wanted = plugin.reads.clone();
            wanted.sort();
            reads.sort();
            assert_eq!(reads, wanted);
        }
    }
}
