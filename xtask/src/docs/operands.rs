//! docs/operands.md: the roster, what operands wait for, and the states they can be in.

use gpu_core::{
    facts::{
        barriers::{self, BARRIERS, Barrier},
        labels::PAUSES,
        operands::{Name, Operand, ROSTER, Switch, Workload},
        release::ALWAYS,
    },
    standing::state::STATES,
};

use super::{PRINTED, code, table};

/// The page.
pub(super) fn page() -> String {
    [
        format!("<!-- {PRINTED} -->\n\n# Operands\n\n{ROSTER_TEXT}\n\n"),
        roster(),
        format!("\n## Switches\n\n{SWITCH_TEXT}\n\n"),
        switches(),
        format!("\n## Barriers\n\n{BARRIER_TEXT}\n\n"),
        waits(),
        format!("\n## Pauses\n\n{PAUSE_TEXT}\n\n"),
        pauses(),
        format!("\n## States\n\n{STATE_TEXT}\n\n"),
        states(),
    ]
    .concat()
}

const ROSTER_TEXT: &str = "Every operand of the GPU operator, in the order of every list. It runs on the nodes whose \
    deploy label is exactly `true`.\nA name with `*` stands for one DaemonSet a kernel, an operating system or a driver.";
const SWITCH_TEXT: &str = "What the policy says decides; where it says nothing, the operator's code does, and that is not \
    always what its Helm chart writes.";
const BARRIER_TEXT: &str = "Operands do not wait for each other's readiness but for files in `/run/nvidia/validations`; \
    the API server shows only the init container that does not finish.";
const PAUSE_TEXT: &str = "Some programs take operands away for a while by another value in their deploy label. If they are \
    interrupted, the value stays.";
const STATE_TEXT: &str = "How an operand stands on a node: the first of these that fits.";

fn roster() -> String {
    let row = |it: &Operand| {
        let also = it.also.map(|(key, value)| format!(" and `{key}={value}`"));
        vec![
            it.name.to_owned(),
            code(it.label) + &also.unwrap_or_default(),
            joined(it.daemon_sets.iter().map(|it| name(*it))),
            joined(it.workloads.iter().map(|it| Workload::name(*it).to_owned())),
            releases(it),
        ]
    };
    let rows: Vec<Vec<String>> = ROSTER.iter().map(row).collect();
    let head = [
        "operand",
        "deploy label",
        "DaemonSets",
        "nodes for",
        "releases",
    ];
    table(&head, &rows)
}

fn name(name: Name) -> String {
    match name {
        Name::Is(whole) => code(whole),
        Name::Starts(start) => code(&format!("{start}*")),
    }
}

fn releases(it: &Operand) -> String {
    match it.until {
        Some(until) => format!("{} up to before {until}", it.since),
        None if it.since == ALWAYS => "every release".to_owned(),
        None => format!("{} and later", it.since),
    }
}

fn switches() -> String {
    let row = |it: &Operand| {
        let Switch {
            path,
            code_default,
            helm_default,
        } = it.switch;
        let mode = it
            .mode
            .map(|it| format!(" and `sandboxWorkloads.mode={it}`"));
        let path = match path {
            "" => "none: always on".to_owned(),
            path => code(path),
        };
        vec![
            it.name.to_owned(),
            path + &mode.unwrap_or_default(),
            on(code_default),
            on(helm_default),
        ]
    };
    let rows: Vec<Vec<String>> = ROSTER.iter().map(row).collect();
    table(
        &[
            "operand",
            "switch in the policy",
            "without it",
            "Helm writes",
        ],
        &rows,
    )
}

fn on(is_on: bool) -> String {
    if is_on { "on" } else { "off" }.to_owned()
}

fn waits() -> String {
    let row = |it: &Barrier| {
        let opener = match it.step {
            Some(step) => format!("{} ({})", it.opener.name(), code(step)),
            None => it.opener.name().to_owned(),
        };
        let file = match it.file {
            "" => "none: it checks by itself".to_owned(),
            file => code(file),
        };
        vec![
            it.waiter.name().to_owned(),
            code(it.init_container),
            opener,
            file,
        ]
    };
    let rows: Vec<Vec<String>> = BARRIERS.iter().map(row).collect();
    let mut text = table(&["operand", "waits in", "opened by", "file"], &rows);
    let steps = barriers::VALIDATOR_STEPS.map(|(init, step)| format!("{} (`{step}`)", code(init)));
    text.push_str(&format!(
        "\nThe validator's own steps, in this order: {}.\n",
        steps.join(", ")
    ));
    text
}

fn pauses() -> String {
    let row = |(pauser, value, who): &(_, &str, &str)| {
        let paused = ROSTER.iter().filter(|it| it.paused_by.contains(pauser));
        vec![
            code(value),
            (*who).to_owned(),
            joined(paused.map(|it| it.name.to_owned())),
        ]
    };
    let rows: Vec<Vec<String>> = PAUSES.iter().map(row).collect();
    table(&["value", "written by", "operands"], &rows)
}

fn states() -> String {
    let row = |(_, name, meaning): &(_, &str, &str)| vec![code(name), (*meaning).to_owned()];
    let rows: Vec<Vec<String>> = STATES.iter().map(row).collect();
    table(&["state", "meaning"], &rows)
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operand_state_and_pause_is_on_the_page() {
        let page = page();
        for it in &ROSTER {
            assert_eq!(
                page.matches(&format!("\n| {} | `{}`", it.name, it.label))
                    .count(),
                1
            );
        }
        for (_, name, meaning) in STATES {
            assert!(page.contains(&format!("| `{name}` | {meaning} |")));
        }
        for (_, value, _) in PAUSES {
            assert!(page.contains(value));
        }
    }

    #[test]
    fn what_has_always_been_there_has_no_first_release() {
        assert_eq!(releases(&ROSTER[0]), "every release");
        assert!(!page().contains("v0.0"));
    }

    #[test]
    fn a_row_says_what_differs_between_code_and_chart() {
        assert!(switches().contains("| dcgm | `dcgm.enabled` | on | off |"));
        assert!(roster().contains("v23.6.0 up to before v26.7.0"));
        assert!(roster().contains("`nvidia-gpu-driver-*`"));
    }
}
