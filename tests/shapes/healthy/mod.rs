//! Healthy clusters of every shape: both plugins say ok, and nothing else.

mod clouds;
mod installs;
mod sharing;
mod without;
mod workloads;

pub(crate) use clouds::{gke, openshift};
pub(crate) use installs::{
    by_hand, defaults, kernels as precompiled_kernels, nodes as installs_nodes, pools,
    pre_installed, tolerated,
};
pub(crate) use sharing::{configured, mps};
pub(crate) use without::static_plugin;
pub(crate) use workloads::{dra, sandbox};

use crate::ask::{Answer, alarms, ask, each, in_words, once};
use crate::build::Shape;
use suite::plugin;

/// A healthy cluster: its name in a sentence, and how it is made.
pub(crate) type Healthy = (&'static str, fn() -> Shape);

/// All of them.
pub(crate) fn all() -> Vec<Healthy> {
    [
        installs::ALL,
        clouds::ALL,
        workloads::ALL,
        sharing::ALL,
        without::ALL,
    ]
    .concat()
}

/// What is said about one of them.
pub(crate) fn asked((name, shape): &Healthy) -> std::sync::Arc<std::sync::OnceLock<Answer>> {
    once(name, || ask(&shape().record().list()))
}

/// What of an answer is not as it is for a healthy cluster.
pub(crate) fn alarmed(answer: &Answer) -> Vec<String> {
    let mut problems = Vec::new();
    for (who, (said, report)) in [("audit", &answer.audit), ("order", &answer.order)] {
        if said.code != Some(0) || report["verdict"] != "ok" {
            problems.push(format!(
                "{who}: exit {:?}, verdict {}, gaps {}",
                said.code, report["verdict"], report["gaps"]
            ));
        }
        if !alarms(report).is_empty() {
            problems.push(format!("{who} cries:\n{}", in_words(report)));
        }
        let broken = report["nodes"]
            .as_array()
            .expect("nodes")
            .iter()
            .filter(|it| it["verdict"] == "broken");
        problems.extend(broken.map(|it| format!("{who} calls {} broken", it["name"])));
    }
    if answer.lines.code != Some(0) || answer.lines.out.lines().any(|it| !it.ends_with(" OK")) {
        problems.push(format!(
            "lines, exit {:?}:\n{}",
            answer.lines.code, answer.lines.out
        ));
    }
    problems
}

#[test]
fn nobody_cries_on_a_healthy_cluster() {
    each(
        &all(),
        |(name, _)| name,
        |it| alarmed(asked(it).get().expect("it was asked")),
    );
}

/// What gpu-drivertag says that it does not say of a healthy cluster.
fn alarmed_about_images((_, shape): &Healthy) -> Vec<String> {
    let said = plugin("kubectl-gpu_drivertag")
        .args(["-f", "-", "-o", "json"])
        .input(shape().record().list().to_string())
        .run();
    let report = said.json();
    let is_silent = said.code == Some(0) && alarms(&report).is_empty();
    let nodes = report["nodes"].as_array().into_iter().flatten();
    let unsure = nodes.filter(|it| {
        !["ok", "pre-installed"].contains(&it["verdict"].as_str().unwrap_or_default())
    });
    let mut problems: Vec<_> = unsure
        .map(|it| format!("{}: {} {}", it["name"], it["verdict"], it["why"]))
        .collect();
    if !is_silent {
        problems.push(format!(
            "exit {:?}, gaps {}:\n{}",
            said.code,
            report["gaps"],
            in_words(&report)
        ));
    }
    problems
}

#[test]
fn the_driver_images_of_a_healthy_cluster_are_the_right_ones() {
    each(&all(), |(name, _)| name, alarmed_about_images);
}

#[test]
fn a_healthy_cluster_shows_its_operands_ready() {
    for it in installs::ALL {
        let name = it.0;
        let cell = asked(it);
        let report = &cell.get().expect("it was asked").audit.1;
        let ready = report["summary"]["byState"]["ready"]
            .as_u64()
            .unwrap_or_default();
        let has_gpu = report["summary"]["gpuNodes"] != 0;
        assert_eq!(ready > 0, has_gpu, "{name}: {}", report["summary"]);
        assert!(
            report["operator"]["version"].is_string(),
            "{name}: {}",
            report["operator"]
        );
    }
}
