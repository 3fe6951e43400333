//! What help tells beyond flags: what is read, how a run ends, and examples.

use gpu_core::cluster::Kind;

use crate::plugin::Plugin;

/// How a run ends: the code, and what it means.
pub const EXIT_CODES: [(u8, &str); 4] = [
    (0, "nothing wrong"),
    (1, "findings of the severity of --fail-on"),
    (2, "what was typed makes no sense"),
    (
        3,
        "could not tell (unreachable, forbidden, unreadable), nothing worse found",
    ),
];

/// The end of `-h`.
pub(crate) fn short(invoked: &str) -> String {
    format!("Examples, exit codes and what is read: {invoked} --help")
}

/// The end of `--help`; the examples come last, for that is where the eye is.
pub(crate) fn long(plugin: &Plugin, invoked: &str) -> String {
    let codes: String = EXIT_CODES
        .iter()
        .map(|(code, meaning)| format!("  {code}  {meaning}\n"))
        .collect();
    let examples: Vec<String> = plugin
        .examples
        .iter()
        .map(|it| {
            let lines = Plugin::lines(it, invoked).join("\n  ");
            format!("  # {}\n  {lines}\n", it.purpose)
        })
        .collect();
    format!(
        "What it reads:\n  {}\n\nExit codes:\n{codes}\nExamples:\n{}",
        reads(plugin).join("\n  "),
        examples.join("\n")
    )
}

/// What is read and what never is, in sentences.
pub fn reads(plugin: &Plugin) -> Vec<String> {
    let all: Vec<String> = plugin.reads.iter().map(|it| resource(*it)).collect();
    let mut lines = vec![format!("Lists {}.", all.join(", "))];
    let on_request = plugin.reads_on_request.iter();
    lines.extend(on_request.map(|(flag, it)| format!("Lists {} only with {flag}.", resource(*it))));
    let secrets = match plugin.reads_on_request.is_empty() {
        true => "Secrets, ",
        false => "",
    };
    lines.push(format!(
        "It never writes, and never reads {secrets}ConfigMaps, logs or anything inside a container."
    ));
    lines.push(
        "With --filename it asks no cluster. The Tab key after -n lists namespaces.".to_owned(),
    );
    lines
}

/// A kind as kubectl and ClusterRoles name it.
fn resource(kind: Kind) -> String {
    let row = kind.row();
    match row.group {
        "" => row.plural.to_owned(),
        group => format!("{}.{group}", row.plural),
    }
}
