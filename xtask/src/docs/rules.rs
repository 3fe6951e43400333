//! docs/rules.md: every rule, what it finds and what to do then.

use gpu_core::{
    audit, drivertag, order,
    standing::{Plugin, Rule},
};

use super::{PRINTED, code, table};

/// The page.
pub(super) fn page() -> String {
    let standing = || audit::RULES.iter().chain(order::RULES);
    let rows: Vec<Vec<String>> = standing()
        .map(row)
        .chain(drivertag::RULES.iter().map(row))
        .collect();
    let table = table(&["rule", "severity", "plugin", "finds"], &rows);
    let mut text = format!(
        "<!-- {PRINTED} -->\n\n# Rules\n\nAn **error** breaks a GPU workload now or soon, a **warning** will bite \
         later, an **info** is worth knowing.\nWhat is an error for the plugin that a rule belongs to is a warning in the \
         other.\n`rules` lists a plugin's rules on the command line, `explain RULE` prints one.\n\n{table}"
    );
    text.extend(standing().map(section));
    text.extend(drivertag::RULES.iter().map(section));
    text
}

fn row<F>(it: &Rule<F>) -> Vec<String> {
    let link = format!("[{}](#{})", it.id, it.id);
    let plugin = commands(it.plugin, ", ");
    vec![
        link,
        it.severity.name().to_owned(),
        plugin,
        it.summary.to_owned(),
    ]
}

fn section<F>(rule: &Rule<F>) -> String {
    let mut summary = rule.summary.chars();
    let first: String = summary
        .next()
        .into_iter()
        .flat_map(char::to_uppercase)
        .collect();
    format!(
        "\n## {}\n\n{} of {}. {first}{}.\n\n{}\n",
        rule.id,
        match rule.severity.name() {
            "error" => "An error",
            "warning" => "A warning",
            _ => "An info",
        },
        commands(rule.plugin, " and "),
        summary.as_str(),
        rule.explanation.trim()
    )
}

/// The commands of the plugins that a rule belongs to.
fn commands(plugin: Plugin, between: &str) -> String {
    let commands: &[&str] = match plugin {
        Plugin::Audit => &["kubectl gpu-audit"],
        Plugin::Order => &["kubectl gpu-order"],
        Plugin::DriverTag => &["kubectl gpu-drivertag"],
        Plugin::Both => &["kubectl gpu-audit", "kubectl gpu-order"],
    };
    let commands: Vec<String> = commands.iter().map(|it| code(it)).collect();
    commands.join(between)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_a_row_and_a_section_with_its_explanation() {
        let page = page();
        for rule in audit::RULES.iter().chain(order::RULES) {
            check(&page, rule);
        }
        for rule in drivertag::RULES {
            check(&page, rule);
        }
    }

    fn check<F>(page: &str, rule: &Rule<F>) {
        assert!(page.contains(&format!("[{}](#{})", rule.id, rule.id)));
        assert!(page.contains(&format!("\n## {}\n", rule.id)));
        assert!(page.contains(rule.explanation.trim()));
    }
}
