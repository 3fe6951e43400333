//! What krew, its validation and its reviewers ask of a manifest, and all of it at once.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::plugins::PLATFORMS;

/// A manifest. krew passes over a field that it does not know, so a typing error in an optional one would be found by
/// nobody: here it is an error.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Manifest {
    api_version: String,
    kind: String,
    metadata: Metadata,
    pub(super) spec: Spec,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Metadata {
    name: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Spec {
    version: String,
    #[serde(default)]
    homepage: String,
    short_description: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    #[expect(dead_code, reason = "krew knows it, and nothing is asked of it")]
    caveats: String,
    pub(super) platforms: Vec<PlatformRow>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PlatformRow {
    selector: Selector,
    pub(super) uri: String,
    pub(super) sha256: String,
    pub(super) bin: String,
    #[serde(default)]
    pub(super) files: Option<Vec<FileRule>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileRule {
    pub(super) from: String,
    pub(super) to: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
struct Selector {
    match_labels: BTreeMap<String, String>,
    match_expressions: Vec<Expression>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expression {
    key: String,
    operator: String,
    #[serde(default)]
    values: Vec<String>,
}

impl Selector {
    /// Does it select this pair? A key or an operator that krew does not have selects nothing.
    fn selects(&self, os: &str, arch: &str) -> bool {
        let value = |key: &str| match key {
            "os" => Some(os),
            "arch" => Some(arch),
            _ => None,
        };
        let labels = self
            .match_labels
            .iter()
            .all(|(key, it)| value(key) == Some(it.as_str()));
        let expressions = self.match_expressions.iter().all(|it| {
            let value = value(&it.key);
            let is_in = value.is_some_and(|value| it.values.iter().any(|it| it == value));
            match it.operator.as_str() {
                "In" => is_in,
                "NotIn" => !is_in,
                "Exists" => value.is_some(),
                "DoesNotExist" => value.is_none(),
                _ => false,
            }
        });
        labels && expressions
    }

    fn keys(&self) -> impl Iterator<Item = &str> {
        let labels = self.match_labels.keys().map(String::as_str);
        labels.chain(self.match_expressions.iter().map(|it| it.key.as_str()))
    }

    fn selected(&self) -> Vec<&'static str> {
        let pairs = PLATFORMS.iter().copied();
        pairs
            .filter(|it| {
                it.split_once('/')
                    .is_some_and(|(os, arch)| self.selects(os, arch))
            })
            .collect()
    }
}

/// krew's reviewers ask for it; its code does not.
const SHORT: usize = 50;
const WRAPPED: usize = 80;
/// Names that Windows keeps for devices.
const DEVICES: &[&str] = &["con", "prn", "aux", "nul"];

/// Something that has to hold, and what to say where it does not.
type Claim = (bool, String);

/// Reads a manifest; the error says what field is wrong, or unknown.
pub(super) fn parse(text: &str) -> Result<Manifest, String> {
    serde_yaml::from_str(text).map_err(|error| error.to_string())
}

/// Everything that is wrong with the text of a manifest whose file has this name.
pub(super) fn problems(file: &str, text: &str) -> Vec<String> {
    let manifest = match parse(text) {
        Ok(manifest) => manifest,
        Err(error) => return vec![error],
    };
    let mut claims = head(file, &manifest);
    claims.extend(texts(&manifest.spec));
    for (index, row) in manifest.spec.platforms.iter().enumerate() {
        for (holds, what) in platform(row) {
            claims.push((holds, format!("platform {}: {what}", index + 1)));
        }
    }
    claims.extend(overlaps(&manifest.spec.platforms));
    let broken = claims.into_iter().filter(|(holds, _)| !holds);
    broken.map(|(_, what)| what).collect()
}

fn head(file: &str, it: &Manifest) -> Vec<Claim> {
    let Manifest {
        api_version,
        kind,
        metadata: Metadata { name },
        spec,
    } = it;
    let legal = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let stem = name.split('.').next().unwrap_or_default().to_lowercase();
    let numbered = |it: &str| {
        let number = stem.strip_prefix(it).unwrap_or_default();
        number.len() == 1 && number.chars().all(|it| it.is_ascii_digit())
    };
    let device = DEVICES.contains(&stem.as_str()) || numbered("com") || numbered("lpt");
    let version = spec.version.strip_prefix('v').map(semver::Version::parse);
    vec![
        (
            api_version == "krew.googlecontainertools.github.com/v1alpha2",
            format!("apiVersion is {api_version}"),
        ),
        (kind == "Plugin", format!("kind is {kind}, not Plugin")),
        (
            !name.is_empty() && name.chars().all(legal) && !device,
            format!("the name '{name}' is not lower-case words with dashes"),
        ),
        (
            file == format!("{name}.yaml"),
            format!("the file is called {file}, not {name}.yaml"),
        ),
        (
            matches!(version, Some(Ok(_))),
            format!(
                "the version '{}' is not v and a semantic version",
                spec.version
            ),
        ),
    ]
}

fn texts(spec: &Spec) -> Vec<Claim> {
    let Spec {
        homepage,
        short_description: short,
        description,
        ..
    } = spec;
    let n_short = short.chars().count();
    let widest = description
        .lines()
        .map(|it| it.chars().count())
        .max()
        .unwrap_or_default();
    vec![
        (
            (1..=SHORT).contains(&n_short) && !short.contains('\n'),
            format!("shortDescription has {n_short} characters, not one line of up to {SHORT}"),
        ),
        (
            !description.trim().is_empty(),
            "there is no description".to_owned(),
        ),
        (
            widest <= WRAPPED,
            format!("a line of the description has {widest} characters, not up to {WRAPPED}"),
        ),
        (
            homepage.starts_with("https://"),
            format!("the homepage '{homepage}' is no https address"),
        ),
        (
            !spec.platforms.is_empty(),
            "there is no platform".to_owned(),
        ),
    ]
}

fn platform(row: &PlatformRow) -> Vec<Claim> {
    let PlatformRow {
        selector,
        bin,
        files,
        ..
    } = row;
    let selected = selector.selected();
    let mut claims = selection(selector, &selected);
    claims.extend(source(row));
    claims.push((is_clean(bin), format!("bin is '{bin}', no clean path")));
    claims.push((
        !selected.iter().any(|it| it.starts_with("windows/")) || bin.ends_with(".exe"),
        format!("bin is '{bin}'; on Windows it ends with .exe"),
    ));
    claims.push((
        files.as_ref().is_none_or(|it| !it.is_empty()),
        "files is there and empty".to_owned(),
    ));
    for FileRule { from, to } in files.iter().flatten() {
        claims.push((!from.is_empty(), "a rule of files has no from".to_owned()));
        claims.push((
            is_clean(to),
            format!("to is '{to}', which krew takes for unclean"),
        ));
        let escapes = from.split('/').any(|it| it == "..") || from.starts_with('/');
        claims.push((
            !escapes,
            format!("from is '{from}', which leaves the archive"),
        ));
    }
    claims
}

fn selection(selector: &Selector, selected: &[&str]) -> Vec<Claim> {
    let foreign = selector.keys().filter(|it| !matches!(*it, "os" | "arch"));
    let foreign: Vec<&str> = foreign.collect();
    vec![
        (
            selector.keys().next().is_some(),
            "the selector is empty".to_owned(),
        ),
        (
            foreign.is_empty(),
            format!(
                "the selector asks for {}; krew knows os and arch",
                foreign.join(", ")
            ),
        ),
        (
            !selected.is_empty(),
            "the selector selects no platform that krew supports".to_owned(),
        ),
    ]
}

fn source(row: &PlatformRow) -> Vec<Claim> {
    let PlatformRow { uri, sha256, .. } = row;
    let is_hex = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
    let file = uri.rsplit('/').next().unwrap_or_default();
    vec![
        (
            uri.starts_with("https://") || uri.starts_with("http://"),
            format!("the uri '{uri}' is no http address"),
        ),
        (
            file.ends_with(".tar.gz") || file.ends_with(".zip"),
            format!("the uri ends with '{file}', which is neither .tar.gz nor .zip"),
        ),
        (
            sha256.len() == 64 && sha256.chars().all(is_hex),
            format!("the sha256 '{sha256}' is not 64 lower-case digits"),
        ),
    ]
}

/// Is it a path as Go's `path.Clean` leaves it, and inside the folder?
fn is_clean(path: &str) -> bool {
    let part = |it: &str| !matches!(it, "" | "." | "..");
    path == "." || (!path.starts_with('/') && path.split('/').all(part))
}

fn overlaps(rows: &[PlatformRow]) -> Vec<Claim> {
    let count = |pair: &&str| {
        rows.iter()
            .filter(|it| it.selector.selected().contains(pair))
            .count()
    };
    PLATFORMS
        .iter()
        .map(|pair| {
            (
                count(pair) <= 1,
                format!("{pair} is selected {} times", count(pair)),
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "\
apiVersion: krew.googlecontainertools.github.com/v1alpha2
kind: Plugin
metadata:
  name: gpu-x
spec:
  version: v1.2.3
  homepage: https://example.com
  shortDescription: Say why
  description: |
    Says why.
  platforms:
  - selector:
      matchLabels:
        os: linux
        arch: amd64
    uri: https://example.com/x.tar.gz
    sha256: 0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a
    bin: kubectl-gpu_x
    files:
    - from: kubectl-gpu_x
      to: .
    - from: LICENSE
      to: .
";

    #[test]
    fn a_good_manifest_has_no_problem_and_each_bad_one_has_its_own() {
        assert_eq!(problems("gpu-x.yaml", GOOD), [""; 0]);
        for (from, to, want) in [
            ("v1alpha2", "v1", "apiVersion is"),
            ("kind: Plugin", "kind: Plug", "not Plugin"),
            ("name: gpu-x", "name: Gpu_X", "lower-case words"),
            ("name: gpu-x", "name: com1", "lower-case words"),
            ("name: gpu-x", "name: gpu-y", "called gpu-x.yaml"),
            ("v1.2.3", "1.2.3", "semantic version"),
            ("v1.2.3", "v1.2", "semantic version"),
            (
                "Say why",
                "Say why this is longer than anybody wants to read it",
                "characters",
            ),
            ("  description: |\n    Says why.\n", "", "no description"),
            ("  homepage: https://example.com\n", "", "no https address"),
            ("homepage:", "homepagex:", "homepagex"),
            ("os: linux", "os: beos", "selects no platform"),
            ("os: linux", "libc: musl", "krew knows os and arch"),
            ("https://example.com/x", "file:///x", "no http address"),
            ("x.tar.gz", "x.tar.xz", "neither"),
            ("0a0a0a", "0A0A0A", "64 lower-case"),
            ("bin: kubectl", "bin: ./kubectl", "no clean path"),
            ("os: linux", "os: windows", "ends with .exe"),
            (
                "to: .\n    - from: LICENSE\n      to: .",
                "to: ./x",
                "unclean",
            ),
            ("from: LICENSE", "from: ../LICENSE", "leaves the archive"),
            ("      to: .\n    - from", "    - from", "to"),
        ] {
            let text = GOOD.replacen(from, to, 1);
            let found = problems("gpu-x.yaml", &text).join("; ");
            assert!(found.contains(want), "{to}: {found}");
        }
    }

    #[test]
    fn a_pair_that_two_platforms_select_is_found_however_they_say_it() {
        let (_, row) = GOOD.split_once("  platforms:\n").unwrap();
        let by_expression = row.replace(
            "      matchLabels:\n        os: linux\n        arch: amd64\n",
            "      matchExpressions:\n      - {key: os, operator: NotIn, values: [darwin, windows]}\n",
        );
        for second in [row, &by_expression] {
            let found = problems("gpu-x.yaml", &format!("{GOOD}{second}"));
            assert_eq!(found, ["linux/amd64 is selected 2 times"], "{second}");
        }
    }
}
