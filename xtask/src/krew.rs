//! `cargo xtask krew`: krew-manifests/, one template a plugin, printed from plugins.yaml.
//!
//! They are templates of krew-release-bot: the version, the addresses and the checksums of archives are put in when a
//! release has made them, never typed.

use crate::{
    Failure,
    cargo::root,
    generated::{self, Generated},
    only_check,
    plugins::{self, Plugin},
    say::say,
};

const FOLDER: &str = "krew-manifests";
const HOMEPAGE: &str = env!("CARGO_PKG_REPOSITORY");

/// Writes the manifests, or only compares them.
pub(crate) fn run(args: &[String]) -> Result<(), Failure> {
    if only_check(args)? {
        return Ok(check()?);
    }
    for path in generated::write(root(), &manifests()?)? {
        say(&format!("wrote {path}"));
    }
    Ok(())
}

/// Compares what is there with what would be written.
pub(crate) fn check() -> Result<(), String> {
    let stale = generated::stale(root(), &manifests()?, FOLDER, ".yaml");
    if stale.is_empty() {
        return Ok(());
    }
    let stale = stale.join(", ");
    Err(format!(
        "not as plugins.yaml says: {stale}; run `cargo xtask krew`"
    ))
}

fn manifests() -> Result<Vec<Generated>, String> {
    let plugins = plugins::read(root())?;
    let manifest = |it: &Plugin| Generated {
        path: format!("{FOLDER}/{}.yaml", it.name),
        text: manifest(it),
    };
    Ok(plugins.iter().map(manifest).collect())
}

fn manifest(plugin: &Plugin) -> String {
    let Plugin { name, short, .. } = plugin;
    let mut text = format!(
        "\
# Printed from plugins.yaml by `cargo xtask krew`.
apiVersion: krew.googlecontainertools.github.com/v1alpha2
kind: Plugin
metadata:
  name: {name}
spec:
  version: {{{{ .TagName }}}}
  homepage: {HOMEPAGE}
  shortDescription: {short}
  description: |
"
    );
    for line in plugin.description.lines() {
        text.push_str(format!("    {line}").trim_end());
        text.push('\n');
    }
    text.push_str("  platforms:\n");
    for it in &plugin.platforms {
        text.push_str(&platform(&plugin.binary, it));
    }
    text
}

/// The bot puts two lines in place of `addURIAndSha`, the second indented by four: so is this list.
fn platform(binary: &str, platform: &str) -> String {
    let (os, arch) = platform.split_once('/').unwrap_or((platform, ""));
    let (exe, archive) = match os {
        "windows" => (".exe", "zip"),
        _ => ("", "tar.gz"),
    };
    let tag = "{{ .TagName }}";
    let uri = format!("{HOMEPAGE}/releases/download/{tag}/{binary}-{tag}-{os}-{arch}.{archive}");
    format!(
        "  - selector:
      matchLabels:
        os: {os}
        arch: {arch}
    {{{{addURIAndSha \"{uri}\" .TagName }}}}
    bin: {binary}{exe}
    files:
    - from: {binary}{exe}
      to: .
    - from: LICENSE
      to: .
"
    )
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs};

    use serde_json::Value;

    use super::*;

    /// A template as the bot renders it.
    fn rendered(template: &str) -> Value {
        let mut text = String::new();
        for line in template.lines() {
            let uri = line.split('"').nth(1);
            text.push_str(&match uri {
                Some(uri) if line.contains("addURIAndSha") => {
                    format!("    uri: {uri}\n    sha256: {}", "0a".repeat(32))
                }
                _ => line.to_owned(),
            });
            text.push('\n');
        }
        let text = text.replace("{{ .TagName }}", "v0.1.0");
        serde_yaml::from_str(&text).unwrap()
    }

    fn keys(it: &Value) -> Vec<&str> {
        let keys: BTreeSet<&str> = it.as_object().unwrap().keys().map(String::as_str).collect();
        keys.into_iter().collect()
    }

    /// krew ignores a field it does not know, so a typing error in an optional one would be found by nobody.
    #[test]
    fn a_rendered_manifest_has_krews_fields_and_no_others() {
        for plugin in plugins::read(root()).unwrap() {
            let it = rendered(&manifest(&plugin));
            assert_eq!(keys(&it), ["apiVersion", "kind", "metadata", "spec"]);
            assert_eq!(
                it["apiVersion"],
                "krew.googlecontainertools.github.com/v1alpha2"
            );
            assert_eq!(it["metadata"]["name"], plugin.name.as_str());
            let spec = &it["spec"];
            assert_eq!(
                keys(spec),
                [
                    "description",
                    "homepage",
                    "platforms",
                    "shortDescription",
                    "version"
                ]
            );
            assert_eq!(spec["version"], "v0.1.0");
            assert_eq!(spec["shortDescription"], plugin.short.as_str());
            assert_eq!(spec["description"], plugin.description.as_str());
            let platforms = spec["platforms"].as_array().unwrap();
            assert_eq!(platforms.len(), plugin.platforms.len());
            for it in platforms {
                assert_eq!(keys(it), ["bin", "files", "selector", "sha256", "uri"]);
                assert_eq!(keys(&it["selector"]), ["matchLabels"]);
                assert_eq!(keys(&it["selector"]["matchLabels"]), ["arch", "os"]);
                let files = it["files"].as_array().unwrap();
                assert_eq!(files[0]["from"], it["bin"]);
                assert_eq!(files[1]["from"], "LICENSE");
                assert!(files.iter().all(|it| it["to"] == "."));
            }
        }
    }

    #[test]
    fn windows_gets_a_zip_with_an_exe_and_the_others_a_tar() {
        let windows = platform("kubectl-gpu_x", "windows/amd64");
        assert!(windows.contains("kubectl-gpu_x-{{ .TagName }}-windows-amd64.zip"));
        assert!(windows.contains("bin: kubectl-gpu_x.exe\n"));
        let linux = platform("kubectl-gpu_x", "linux/arm64");
        assert!(linux.contains("kubectl-gpu_x-{{ .TagName }}-linux-arm64.tar.gz"));
        assert!(linux.contains("bin: kubectl-gpu_x\n"));
    }

    #[test]
    fn the_manifests_of_this_tree_are_fresh() {
        check().unwrap();
        // The file that an archive has to hold, by a name that krew's validation takes for a licence.
        assert!(fs::exists(root().join("LICENSE")).unwrap());
    }
}
