//! From many operands that do not work to the few that are themselves broken.

use super::state::{Cell, State};
use super::trouble::Trouble;
use crate::cluster::Refusal;
use crate::facts::barriers;
use crate::facts::operands::Id;

/// Something that is itself broken on a node, and what waits behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// The first broken operand.
    pub operand: Id,
    /// Operands broken by the very same thing, such as one taint.
    pub alike: Vec<Id>,
    /// Operands that wait behind these, nearest first.
    pub behind: Vec<Id>,
}

impl Root {
    /// The operands of the root itself: `driver, container-toolkit`.
    pub fn names(&self) -> String {
        std::iter::once(&self.operand)
            .chain(&self.alike)
            .map(|it| it.name())
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// The verb that goes with `names`.
    pub fn verb(&self, one: &'static str, several: &'static str) -> &'static str {
        if self.alike.is_empty() { one } else { several }
    }

    /// What waits, for the end of a message: `; container-toolkit, device-plugin wait behind it`.
    pub fn waiting_behind(&self) -> String {
        let names = self
            .behind
            .iter()
            .map(|it| it.name())
            .collect::<Vec<_>>()
            .join(", ");
        match self.behind.len() {
            0 => String::new(),
            1 => format!("; {names} waits behind it"),
            _ => format!("; {names} wait behind it"),
        }
    }
}

/// The roots of one node, in the order of the roster.
pub(super) fn roots(cells: &[Cell<'_>]) -> Vec<Root> {
    let troubled: Vec<&Cell<'_>> = cells.iter().filter(|it| it.trouble.is_some()).collect();
    let mut roots: Vec<(Root, Option<String>)> = Vec::new();
    for cell in troubled.iter().filter(|it| blocker(cells, it).is_none()) {
        let key = cell
            .trouble
            .as_ref()
            .and_then(|it| shared_cause(cell.operand, it));
        match roots.iter_mut().find(|(_, it)| it.is_some() && *it == key) {
            Some((root, _)) => root.alike.push(cell.operand),
            None => roots.push((
                Root {
                    operand: cell.operand,
                    alike: Vec::new(),
                    behind: Vec::new(),
                },
                key,
            )),
        }
    }
    for cell in &troubled {
        if let Some(first) = first_broken(cells, cell)
            && let Some((root, _)) = roots
                .iter_mut()
                .find(|(it, _)| it.operand == first || it.alike.contains(&first))
        {
            root.behind.push(cell.operand);
        }
    }
    roots.into_iter().map(|(root, _)| root).collect()
}

/// Two operands with the same key are broken by the same thing.
fn shared_cause(operand: Id, trouble: &Trouble<'_>) -> Option<String> {
    match trouble {
        Trouble::NoDaemonSet => Some("no DaemonSet".to_owned()),
        Trouble::Refused(_, Refusal::Taint(taint)) => Some(format!("taint {taint}")),
        Trouble::NotCreated(_) => Some("not created".to_owned()),
        Trouble::Unscheduled(_, words) => Some(format!("unscheduled {words}")),
        Trouble::Creating(_) => Some("not started".to_owned()),
        Trouble::Waits(_, init, _) => barriers::at(operand, init)
            .map(|it| format!("waits for {} in {init}", it.opener.name())),
        _ => None,
    }
}

/// The operand this one waits for, if that one does not work either.
fn blocker(cells: &[Cell<'_>], cell: &Cell<'_>) -> Option<Id> {
    let init = match cell.trouble.as_ref()? {
        Trouble::Waits(_, init, _) => init,
        Trouble::Fails(_, failure) if failure.is_init => &failure.container,
        // A pod with a RuntimeClass gets no sandbox before the toolkit has configured the runtime.
        Trouble::Creating(pod) => {
            let toolkit = cells.iter().find(|it| it.operand == Id::ContainerToolkit)?;
            let needs_it = pod
                .details
                .as_ref()
                .is_some_and(|it| it.runtime_class.is_some());
            return (needs_it && toolkit.trouble.is_some()).then_some(Id::ContainerToolkit);
        }
        _ => return None,
    };
    let barrier = barriers::at(cell.operand, init)?;
    let opener = cells.iter().find(|it| it.operand == barrier.opener)?;
    let is_past = barrier.step.is_some_and(|step| is_past_step(opener, step));
    (opener.trouble.is_some() && !is_past).then_some(barrier.opener)
}

/// Has the opener's pod finished the step that opens the barrier?
fn is_past_step(opener: &Cell<'_>, step: &str) -> bool {
    let Some(details) = opener.pods.first().and_then(|it| it.details.as_ref()) else {
        return false;
    };
    let Some(at) = details
        .init_containers
        .iter()
        .position(|it| it.name == step)
    else {
        return false;
    };
    details
        .waiting_init()
        .is_none_or(|(waiting, _)| waiting > at)
}

/// The end of the chain of blockers; `None` for an operand that is not blocked.
fn first_broken(cells: &[Cell<'_>], cell: &Cell<'_>) -> Option<Id> {
    let mut at = blocker(cells, cell)?;
    let mut seen = vec![cell.operand];
    loop {
        if seen.contains(&at) {
            return Some(at);
        }
        seen.push(at);
        let next = cells
            .iter()
            .find(|it| it.operand == at && it.state != State::Ready)?;
        match blocker(cells, next) {
            Some(further) => at = further,
            None => return Some(at),
        }
    }
}
