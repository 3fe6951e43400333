//! Findings and gaps for people: what, why, what follows, what to do.

use owo_colors::OwoColorize;

use super::plain;
use crate::answer::{Finding, Gap, Severity};

/// All findings, worst first, an empty line between them.
pub(super) fn findings(findings: &[Finding], color: bool) -> String {
    findings
        .iter()
        .map(|it| finding(it, color))
        .collect::<Vec<_>>()
        .join("\n")
}

fn finding(it: &Finding, color: bool) -> String {
    let word = it.severity.name().to_uppercase();
    let word = match it.severity {
        _ if !color => word,
        Severity::Error => word.red().bold().to_string(),
        Severity::Warning => word.yellow().to_string(),
        Severity::Info => word.cyan().to_string(),
    };
    let mut text = format!("{word} {}\n", plain(&it.message));
    let mut part = |name: &str, value: &str| {
        if !value.is_empty() {
            text.push_str(&format!("  {name:<7}{}\n", plain(value)));
        }
    };
    part("cause", &it.cause);
    for (at, one) in it.consequences.iter().enumerate() {
        part(if at == 0 { "then" } else { "" }, one);
    }
    for (at, one) in it.evidence.iter().enumerate() {
        part(if at == 0 { "seen" } else { "" }, one);
    }
    part("fix", &it.fix);
    part("rule", it.rule);
    text
}

/// All gaps.
pub(super) fn gaps(gaps: &[Gap], color: bool) -> String {
    let one = |it: &Gap| {
        let word = if color {
            "UNSEEN".magenta().to_string()
        } else {
            "UNSEEN".to_owned()
        };
        format!(
            "{word} {}: {}\n  then   {}\n",
            plain(&it.what),
            plain(&it.why),
            plain(&it.effect)
        )
    };
    gaps.iter().map(one).collect()
}
