//! plugins.yaml: the one list of plugins, and what is true of every row.

use std::{collections::BTreeSet, fs, path::Path};

use gpu_core::cluster::kind::{KINDS, KindRow};
use serde::Deserialize;

/// The file, as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    plugins: Vec<Plugin>,
}

/// One plugin.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Plugin {
    /// What is typed after `kubectl`, and krew's name for it.
    pub(crate) name: String,
    /// The program, and the package that makes it.
    pub(crate) binary: String,
    /// The first release that has it.
    pub(crate) since: String,
    /// One line for lists.
    pub(crate) short: String,
    /// A few sentences, wrapped.
    pub(crate) description: String,
    /// The resources it reads, as `plural` or `plural.group`.
    pub(crate) reads: Vec<String>,
    /// What it is built for, as `os/arch` in Go's words.
    pub(crate) platforms: Vec<String>,
}

impl Plugin {
    /// The program that kubectl asks for completions.
    pub(crate) fn shim(&self) -> String {
        self.binary.replacen("kubectl-", "kubectl_complete-", 1)
    }
}

/// What krew's own validation can tell apart.
pub(crate) const PLATFORMS: &[&str] = &[
    "darwin/amd64",
    "darwin/arm64",
    "linux/386",
    "linux/amd64",
    "linux/arm",
    "linux/arm64",
    "linux/ppc64le",
    "windows/386",
    "windows/amd64",
    "windows/arm64",
];

/// Words that every plugin could claim; krew's reviewers send them back.
const EMPTY_WORDS: &[&str] = &[
    "kubectl",
    "kubernetes",
    "plugin",
    "tool",
    "simple",
    "easily",
];

/// krew's reviewers ask for it; its code does not.
const SHORT: usize = 50;
const WRAPPED: usize = 80;

/// Reads the list and checks every row.
pub(crate) fn read(root: &Path) -> Result<Vec<Plugin>, String> {
    let text = fs::read_to_string(root.join("plugins.yaml"))
        .map_err(|error| format!("cannot read plugins.yaml: {error}"))?;
    let plugins = parse(&text)?;
    let mut problems: Vec<String> = plugins.iter().flat_map(problems).collect();
    problems.extend(compare(&plugins, &packages(root)?));
    if problems.is_empty() {
        return Ok(plugins);
    }
    Err(format!(
        "plugins.yaml: {}",
        problems.join("\nplugins.yaml: ")
    ))
}

fn parse(text: &str) -> Result<Vec<Plugin>, String> {
    let list: List =
        serde_yaml::from_str(text).map_err(|error| format!("plugins.yaml: {error}"))?;
    Ok(list.plugins)
}

/// The resource of a kind, as kubectl takes it.
fn resource(row: &KindRow) -> String {
    match row.group {
        "" => row.plural.to_owned(),
        group => format!("{}.{group}", row.plural),
    }
}

/// The packages that make plugins.
fn packages(root: &Path) -> Result<BTreeSet<String>, String> {
    let entries = fs::read_dir(root.join("crates"))
        .map_err(|error| format!("cannot read crates/: {error}"))?;
    Ok(entries
        .filter_map(Result::ok)
        .map(|it| it.file_name().to_string_lossy().into_owned())
        .filter(|it| it.starts_with("kubectl-"))
        .collect())
}

fn compare(plugins: &[Plugin], packages: &BTreeSet<String>) -> Vec<String> {
    let listed: BTreeSet<String> = plugins.iter().map(|it| it.binary.clone()).collect();
    let mut problems: Vec<String> = packages
        .difference(&listed)
        .map(|it| format!("crates/{it} is not listed"))
        .collect();
    let unmade = listed.difference(packages);
    problems.extend(unmade.map(|it| format!("there is no crates/{it}")));
    if listed.len() != plugins.len() {
        problems.push("a plugin is listed twice".to_owned());
    }
    problems
}

/// What is wrong with one row.
fn problems(it: &Plugin) -> Vec<String> {
    let claims = [names(it), texts(it), lists(it)].concat();
    claims
        .into_iter()
        .filter(|(holds, _)| !holds)
        .map(|(_, problem)| format!("{}: {problem}", it.name))
        .collect()
}

/// Something that has to hold, and what to say where it does not.
type Claim = (bool, String);

fn names(it: &Plugin) -> Vec<Claim> {
    let legal = |c: char| c.is_ascii_lowercase() || c == '-';
    let binary = format!("kubectl-{}", it.name.replace('-', "_"));
    vec![
        (
            it.name.starts_with("gpu-") && it.name.chars().all(legal),
            "the name is not gpu- and lower-case words".to_owned(),
        ),
        (
            it.binary == binary,
            format!("kubectl looks for {binary}, not {}", it.binary),
        ),
        (
            is_version(&it.since),
            format!("since {} is no release", it.since),
        ),
    ]
}

fn texts(it: &Plugin) -> Vec<Claim> {
    let n_short = it.short.chars().count();
    let mut claims = vec![
        (
            (1..=SHORT).contains(&n_short) && !it.short.contains('\n'),
            format!("short has {n_short} characters; krew's reviewers want one line of {SHORT}"),
        ),
        (
            !it.short.ends_with('.'),
            "short ends with a full stop".to_owned(),
        ),
        (
            !it.description.trim().is_empty(),
            "there is no description".to_owned(),
        ),
    ];
    for word in EMPTY_WORDS {
        let says = it.short.split(' ').any(|it| it.eq_ignore_ascii_case(word));
        claims.push((
            !says,
            format!("short says '{word}', which any plugin could"),
        ));
    }
    for line in it.description.lines() {
        claims.push((
            line.chars().count() <= WRAPPED,
            format!("'{line}' of the description is longer than {WRAPPED}"),
        ));
        claims.push((
            !line.split_whitespace().any(|it| it.starts_with('-')),
            format!("'{line}' of the description has a flag"),
        ));
    }
    claims
}

fn lists(it: &Plugin) -> Vec<Claim> {
    let n_platforms = it.platforms.iter().collect::<BTreeSet<_>>().len();
    let mut claims = vec![
        (!it.reads.is_empty(), "it reads nothing".to_owned()),
        (
            n_platforms > 0 && n_platforms == it.platforms.len(),
            "platforms are empty or repeated".to_owned(),
        ),
    ];
    for read in &it.reads {
        claims.push((
            KINDS.iter().any(|row| resource(row) == *read),
            format!("reads {read}, which is no kind of gpu-core"),
        ));
    }
    for platform in &it.platforms {
        claims.push((
            PLATFORMS.contains(&platform.as_str()),
            format!("{platform} is no platform of krew"),
        ));
    }
    claims
}

fn is_version(text: &str) -> bool {
    let parts: Vec<&str> = text.split('.').collect();
    parts.len() == 3 && parts.iter().all(|it| it.parse::<u16>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cargo::root;

    const GOOD: &str = "\
plugins:
  - name: gpu-x
    binary: kubectl-gpu_x
    since: 0.1.0
    short: Say why
    description: |
      Says why.
    reads: [nodes, daemonsets.apps]
    platforms: [linux/amd64]
";

    fn said(text: &str) -> String {
        match parse(text) {
            Ok(plugins) => plugins
                .iter()
                .flat_map(problems)
                .collect::<Vec<_>>()
                .join("; "),
            Err(error) => error,
        }
    }

    #[test]
    fn the_list_of_this_tree_holds() {
        read(root()).unwrap();
    }

    #[test]
    fn a_good_row_has_no_problem_and_each_bad_one_has_its_own() {
        assert_eq!(said(GOOD), "");
        for (from, to, want) in [
            ("name: gpu-x", "name: GPU_x", "lower-case words"),
            (
                "kubectl-gpu_x",
                "kubectl-gpu-x",
                "kubectl looks for kubectl-gpu_x",
            ),
            ("since: 0.1.0", "since: 0.1", "no release"),
            (
                "Say why",
                "Say why this is longer than anybody wants to read it",
                "characters",
            ),
            ("Say why", "A kubectl plugin", "any plugin could"),
            ("Say why", "Say why.", "full stop"),
            ("Says why.", "Use --why.", "has a flag"),
            (
                "Says why.",
                "A line of a description that goes on and on until nobody wants to read it any more, ever",
                "longer than 80",
            ),
            ("nodes,", "configmaps,", "no kind of gpu-core"),
            ("linux/amd64", "plan9/amd64", "no platform"),
            ("linux/amd64", "linux/amd64, linux/amd64", "repeated"),
            ("short:", "shrot:", "shrot"),
        ] {
            let text = GOOD.replace(from, to);
            assert!(said(&text).contains(want), "{to}: {}", said(&text));
        }
    }

    #[test]
    fn a_package_that_is_not_listed_and_a_row_without_a_package_are_found() {
        let plugins = parse(GOOD).unwrap();
        let packages = BTreeSet::from(["kubectl-gpu_y".to_owned()]);
        assert_eq!(
            compare(&plugins, &packages),
            [
                "crates/kubectl-gpu_y is not listed",
                "there is no crates/kubectl-gpu_x"
            ]
        );
    }

    #[test]
    fn a_platform_is_named_as_krew_names_it() {
        assert!(PLATFORMS.is_sorted());
        assert!(is_version("10.2.33") && !is_version("v1.2.3"));
    }
}
