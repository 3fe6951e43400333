//! The manifest of a plugin in the form that krew-release-bot renders: the one form that everything is made from.

use crate::{
    dist::{LICENSE, Platform},
    plugins::Plugin,
};

/// What the bot puts the name of the release for.
const TAG: &str = "{{ .TagName }}";
/// With this the line starts that the bot makes two lines of.
const CALL: &str = "{{addURIAndSha \"";
const HOMEPAGE: &str = env!("CARGO_PKG_REPOSITORY");

/// Where the archives of a release are fetched from, unless somebody says otherwise.
pub(super) fn base_url(tag: &str) -> String {
    format!("{HOMEPAGE}/releases/download/{tag}")
}

/// The template of a plugin, for the platforms that it is built for.
pub(super) fn template(plugin: &Plugin, platforms: &[&Platform]) -> String {
    let Plugin { name, short, .. } = plugin;
    let mut text = format!(
        "\
# Printed from plugins.yaml by `cargo xtask krew`.
apiVersion: krew.googlecontainertools.github.com/v1alpha2
kind: Plugin
metadata:
  name: {name}
spec:
  version: {TAG}
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
    for it in platforms {
        text.push_str(&row(&plugin.binary, it));
    }
    text
}

/// The bot puts two lines in place of `addURIAndSha`, the second indented by four: so is this list.
fn row(binary: &str, platform: &Platform) -> String {
    let Platform { os, arch, .. } = platform;
    let exe = platform.exe();
    let uri = format!("{}/{}", base_url(TAG), platform.archive(binary, TAG));
    format!(
        "  - selector:
      matchLabels:
        os: {os}
        arch: {arch}
    {CALL}{uri}\" .TagName }}}}
    bin: {binary}{exe}
    files:
    - from: {binary}{exe}
      to: .
    - from: {LICENSE}
      to: .
"
    )
}

/// The manifest that the bot would make of a template: `at` turns the name of an archive into its address and checksum.
pub(super) fn render(
    template: &str,
    tag: &str,
    mut at: impl FnMut(&str) -> Result<(String, String), String>,
) -> Result<String, String> {
    let mut text = String::new();
    for line in template.lines() {
        match line
            .trim_start()
            .strip_prefix(CALL)
            .and_then(|it| it.split('"').next())
        {
            Some(uri) => {
                let uri = uri.replace(TAG, tag);
                let archive = uri.rsplit('/').next().unwrap_or_default();
                let (uri, sha256) = at(archive)?;
                text.push_str(&format!("    uri: {uri}\n    sha256: {sha256}\n"));
            }
            None => {
                text.push_str(&line.replace(TAG, tag));
                text.push('\n');
            }
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{cargo::root, krew::manifest, plugins};

    fn all() -> Vec<(Plugin, String)> {
        let plugins = plugins::read(root()).unwrap();
        plugins
            .into_iter()
            .map(|it| {
                let platforms: Vec<&Platform> = it
                    .platforms
                    .iter()
                    .map(|it| Platform::named(it).unwrap())
                    .collect();
                let text = template(&it, &platforms);
                (it, text)
            })
            .collect()
    }

    #[test]
    fn every_template_renders_to_a_manifest_that_krew_and_its_reviewers_take() {
        for (plugin, template) in all() {
            let at =
                |archive: &str| Ok((format!("https://example.com/{archive}"), "0a".repeat(32)));
            let text = render(&template, "v0.1.0", at).unwrap();
            assert!(!text.contains("{{"), "{text}");
            let file = format!("{}.yaml", plugin.name);
            assert_eq!(manifest::problems(&file, &text), [""; 0]);
            assert_eq!(text.matches("sha256:").count(), plugin.platforms.len());
        }
    }

    #[test]
    fn the_bots_own_addresses_are_those_of_the_release() {
        let mut archives = Vec::new();
        for (_, template) in all() {
            for line in template.lines().filter(|it| it.contains(CALL)) {
                let uri = line.split('"').nth(1).unwrap().replace(TAG, "v1.2.3");
                archives.push(
                    uri.strip_prefix(&format!("{}/", base_url("v1.2.3")))
                        .unwrap()
                        .to_owned(),
                );
            }
        }
        assert!(archives.contains(&"kubectl-gpu_audit-v1.2.3-linux-arm64.tar.gz".to_owned()));
        assert!(archives.contains(&"kubectl-gpu_audit-v1.2.3-windows-amd64.zip".to_owned()));
    }

    #[test]
    fn an_archive_without_a_checksum_ends_it() {
        let (_, template) = &all()[0];
        let error = render(template, "v1.0.0", |archive| Err(format!("no {archive}")));
        assert!(
            error
                .unwrap_err()
                .starts_with("no kubectl-gpu_audit-v1.0.0-")
        );
    }
}
