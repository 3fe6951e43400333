//! A rule: what it is called, how bad it is, and the plain function that looks for it.

use super::Standing;
use crate::answer::{Finding, Severity, Subject};
use crate::cluster::Node;
use crate::facts::operands::Id;

/// The plugin a rule belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plugin {
    /// `kubectl gpu-audit`.
    Audit,
    /// `kubectl gpu-order`.
    Order,
    /// A broken link that is a missing operand too: an error in both.
    Both,
    /// `kubectl gpu-drivertag`.
    DriverTag,
}

/// Looks at where operands stand.
pub type Find = fn(&Standing<'_>) -> Vec<Found>;

/// One rule. `F` looks for it; most rules look at where operands stand.
#[derive(Debug)]
pub struct Rule<F = Find> {
    /// Kebab-case; the name of its file with `-` for `_`.
    pub id: &'static str,
    /// How bad what it finds is.
    pub severity: Severity,
    /// Whose rule it is; another plugin shows its errors as warnings.
    pub plugin: Plugin,
    /// One line.
    pub summary: &'static str,
    /// What happens, why, and what to do; some sentences.
    pub explanation: &'static str,
    /// Looks for it.
    pub find: F,
}

impl Found {
    /// What is said about a node; the rest is added with `Found { operand: …, ..Found::on(node) }`.
    pub fn on(node: &Node) -> Self {
        Self {
            node: Some(node.name.clone()),
            ..Self::about(Subject::from(node))
        }
    }

    /// What is said about any object.
    pub fn about(subject: Subject) -> Self {
        Self {
            node: None,
            operand: None,
            subject,
            message: String::new(),
            cause: String::new(),
            consequences: Vec::new(),
            evidence: Vec::new(),
            fix: String::new(),
        }
    }

    /// The finding: who said it, how bad it is, and what was said.
    pub fn finding(self, rule: &'static str, severity: Severity) -> Finding {
        Finding {
            rule,
            severity,
            node: self.node,
            operand: self.operand,
            subject: self.subject,
            message: self.message,
            cause: self.cause,
            consequences: self.consequences,
            evidence: self.evidence,
            fix: self.fix,
        }
    }
}

/// What a rule says; who said it and how bad it is, the runner adds.
#[derive(Clone, Debug)]
pub struct Found {
    /// The node it is about.
    pub node: Option<String>,
    /// The operand it is about.
    pub operand: Option<Id>,
    /// The object to look at.
    pub subject: Subject,
    /// What is wrong, one sentence.
    pub message: String,
    /// Why, one sentence.
    pub cause: String,
    /// What follows from it, a clause each.
    pub consequences: Vec<String>,
    /// What was seen, a clause each.
    pub evidence: Vec<String>,
    /// The command to type next, or what to change.
    pub fix: String,
}

/// Runs rules for a plugin; the result has the worst first, then by node, operand and rule.
pub fn run(rules: &[Rule], plugin: Plugin, standing: &Standing<'_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for rule in rules {
        let is_own = rule.plugin == plugin || rule.plugin == Plugin::Both;
        for it in (rule.find)(standing) {
            let severity = match rule.severity {
                Severity::Error if !is_own || is_a_guess(rule, plugin, standing, &it) => {
                    Severity::Warning
                }
                own => own,
            };
            findings.push(it.finding(rule.id, severity));
        }
    }
    sort(&mut findings);
    findings
}

/// Without an install of an operator, what its operands ought to be is a guess: only a label that says true, with no
/// Running pod for it, is an error of the audit then, and only the strict rule one of gpu-order.
fn is_a_guess(rule: &Rule, plugin: Plugin, standing: &Standing<'_>, found: &Found) -> bool {
    if standing.regime.is_installed {
        return false;
    }
    let on_node = found.node.as_ref().and_then(|name| standing.node(name));
    let is_missing = on_node.is_some_and(|it| it.cells.iter().any(|cell| cell.is_strictly_missing));
    match plugin {
        Plugin::Order => rule.plugin != Plugin::Order,
        Plugin::Audit | Plugin::Both | Plugin::DriverTag => !is_missing,
    }
}

/// Worst first, then by node, operand and rule.
pub fn sort(findings: &mut [Finding]) {
    findings.sort_by(|a, b| {
        (a.severity, &a.node, a.operand, a.rule).cmp(&(b.severity, &b.node, b.operand, b.rule))
    });
}
