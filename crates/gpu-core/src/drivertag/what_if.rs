//! What would be needed after a change: another kernel, system or driver, on some nodes, in stages.

use super::kernel;
use super::os_tag::Os;
use crate::cluster::Node;
use crate::cluster::selector::Selector;
use crate::facts::images;
use crate::standing::Scope;

/// What changes on a node; what is not named stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// The kernel it will run, as its label will say it.
    kernel: Option<String>,
    /// The system it will run.
    os: Option<Os>,
    /// The driver it will get: a full version, or a branch where images are precompiled.
    driver: Option<String>,
}

/// A change of some nodes.
#[derive(Clone, Debug)]
pub struct Stage {
    /// As typed, or as the line of the plan has it.
    pub(super) title: String,
    /// The nodes it changes.
    pub(super) scope: Scope,
    pub(super) change: Change,
}

/// Changes one after the other; none is the present.
#[derive(Clone, Debug, Default)]
pub struct WhatIf {
    pub(super) stages: Vec<Stage>,
}

/// A line of a plan that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadPlan {
    /// Its number, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub why: String,
}

impl Change {
    /// Reads what was typed; a kernel may be raw, as `uname -r` prints it. The error says what is wrong.
    pub fn new(
        kernel: Option<&str>,
        os: Option<&str>,
        driver: Option<&str>,
    ) -> Result<Self, String> {
        Ok(Self {
            kernel: kernel.map(kernel_named).transpose()?,
            os: os.map(os_named).transpose()?,
            driver: driver.map(driver_named).transpose()?,
        })
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        match key {
            "kernel" => self.kernel = Some(kernel_named(value)?),
            "os" => self.os = Some(os_named(value)?),
            "driver" => self.driver = Some(driver_named(value)?),
            _ => return Err(format!("{key}= is neither kernel=, os= nor driver=")),
        }
        Ok(())
    }
}

fn kernel_named(text: &str) -> Result<String, String> {
    match kernel::label_of(text) {
        it if it.starts_with(|c: char| c.is_ascii_digit()) => Ok(it),
        _ => Err(format!(
            "{text:?} is no kernel release, such as 5.15.0-119-generic"
        )),
    }
}

fn os_named(text: &str) -> Result<Os, String> {
    Os::parse(text).ok_or_else(|| format!("{text:?} is no system, such as ubuntu24.04"))
}

fn driver_named(text: &str) -> Result<String, String> {
    let parts: Vec<_> = text.split('.').collect();
    let is_number = |it: &&str| !it.is_empty() && it.chars().all(|c| c.is_ascii_digit());
    if parts.len() > 3 || !parts.iter().all(is_number) {
        return Err(format!("{text:?} is no driver, such as 570 or 570.148.08"));
    }
    Ok(text.to_owned())
}

impl WhatIf {
    /// One change of the nodes of a scope; nothing where nothing changes.
    pub fn change(change: Change, scope: &Scope) -> Self {
        if change == Change::default() {
            return Self::default();
        }
        let named = [
            change.kernel.as_ref().map(|it| format!("kernel={it}")),
            change
                .os
                .as_ref()
                .map(|it| format!("os={}{}", it.id, it.version)),
            change.driver.as_ref().map(|it| format!("driver={it}")),
        ];
        let stage = Stage {
            title: named.into_iter().flatten().collect::<Vec<_>>().join(" "),
            scope: scope.clone(),
            change,
        };
        Self {
            stages: vec![stage],
        }
    }

    /// Reads a plan: a stage a line, `<node or selector> kernel=… os=… driver=…`, with comments after `#`.
    /// `all` stands for every node.
    pub fn plan(text: &str) -> Result<Self, BadPlan> {
        let mut stages = Vec::new();
        for (at, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if !line.is_empty() {
                let stage = stage(line).map_err(|why| BadPlan { line: at + 1, why })?;
                stages.push(stage);
            }
        }
        match stages.is_empty() {
            true => Err(BadPlan {
                line: 1,
                why: "the plan has no line".to_owned(),
            }),
            false => Ok(Self { stages }),
        }
    }

    /// Is this about the future?
    pub fn is_some(&self) -> bool {
        !self.stages.is_empty()
    }
}

fn stage(line: &str) -> Result<Stage, String> {
    let mut words = line.split_whitespace();
    let target = words.next().unwrap_or_default();
    let mut change = Change::default();
    for word in words {
        let (key, value) = word
            .split_once('=')
            .ok_or_else(|| format!("{word:?} is neither kernel=…, os=… nor driver=…"))?;
        change.set(key, value)?;
    }
    if change == Change::default() {
        return Err("it changes nothing: kernel=…, os=… or driver=… is missing".to_owned());
    }
    let is_selector = target.contains(['=', '!', ',']);
    let scope = match target {
        "all" | "*" => Scope::default(),
        it if is_selector => Scope {
            names: Vec::new(),
            selector: Selector::parse(it)?,
        },
        it => Scope {
            names: vec![it.to_owned()],
            selector: Selector::default(),
        },
    };
    Ok(Stage {
        title: line.split_whitespace().collect::<Vec<_>>().join(" "),
        scope,
        change,
    })
}

/// What decides a node's tag, now or after some changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Profile {
    /// The kernel, as NFD's label has it.
    pub(super) kernel: Option<String>,
    /// The system; the error lists the labels that are absent.
    pub(super) os: Result<Os, Vec<&'static str>>,
    /// Another driver than the policy's.
    pub(super) driver: Option<String>,
}

impl Profile {
    /// A node as it is.
    pub(super) fn of(node: &Node) -> Self {
        let kernel = node.label(images::KERNEL).filter(|it| !it.is_empty());
        Self {
            kernel: kernel.map(str::to_owned),
            os: Os::of(node),
            driver: None,
        }
    }

    /// Makes a change.
    pub(super) fn apply(&mut self, change: &Change) {
        if let Some(kernel) = &change.kernel {
            self.kernel = Some(kernel.clone());
        }
        if let Some(os) = &change.os {
            self.os = Ok(os.clone());
        }
        if let Some(driver) = &change.driver {
            self.driver = Some(driver.clone());
        }
    }
}
