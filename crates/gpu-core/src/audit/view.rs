//! What people and scripts read of an audit.

use std::collections::BTreeSet;

use crate::answer::{Block, Cell as TableCell, Finding, Page, Severity, Table, Tone};
use crate::cluster::{Cluster, DaemonSet, Kind, Refusal};
use crate::facts::operands::{Id, ON_SOME_NODES, ROSTER};
use crate::render::word;
use crate::standing::{Cell, NodeStanding, Standing, State};

/// So many nodes are shown whole; of more, those in order are folded into a count.
const NODES_SHOWN: usize = 12;

/// Names that a line of text lists before it counts the rest.
const NAMES_SHOWN: usize = 8;

/// The strict lines: `<node> MISSING <operand>` or `<node> OK`, `<node> UNKNOWN` where pods or DaemonSets were not read.
pub(super) fn lines(standing: &Standing<'_>) -> Vec<String> {
    let sure = standing.is_sure();
    let mut lines = Vec::new();
    for node in &standing.nodes {
        let name = word(&node.node.name);
        let missing: Vec<_> = node
            .cells
            .iter()
            .filter(|it| it.is_strictly_missing)
            .collect();
        match (sure, missing.is_empty()) {
            (false, _) => lines.push(format!("{name} UNKNOWN")),
            (true, true) => lines.push(format!("{name} OK")),
            (true, false) => lines.extend(
                missing
                    .iter()
                    .map(|it| format!("{name} MISSING {}", it.operand.name())),
            ),
        }
    }
    lines
}

/// The columns of the matrix: what each is called, and which operand it shows.
const MATRIX: [(&str, Id); 5] = [
    ("driver", Id::Driver),
    ("toolkit", Id::ContainerToolkit),
    ("device-plugin", Id::DevicePlugin),
    ("gfd", Id::GpuFeatureDiscovery),
    ("dcgm", Id::DcgmExporter),
];

/// The matrix: a Running pod or not, per node, and the number of Running pods of DaemonSets in the operator's
/// namespace; `unknown` in place of either where pods or DaemonSets were not read.
pub(super) fn matrix(standing: &Standing<'_>) -> Vec<String> {
    let sure = standing.is_sure();
    let row = |node: &NodeStanding<'_>| {
        let answer = |id| match node.cell(id) {
            _ if !sure => "unknown",
            Some(cell) if cell.is_running() => "yes",
            _ => "no",
        };
        let columns = MATRIX
            .iter()
            .map(|(name, id)| format!(" {name}={}", answer(*id)))
            .collect::<String>();
        word(&node.node.name) + &columns
    };
    let mut lines: Vec<_> = standing.nodes.iter().map(row).collect();
    let total = if sure {
        total_pods(standing.cluster).to_string()
    } else {
        "unknown".to_owned()
    };
    lines.push(format!("TOTAL_PODS={total}"));
    lines
}

fn total_pods(cluster: &Cluster) -> usize {
    let home = cluster.namespace.as_deref();
    let counts = |it: &&crate::cluster::Pod| {
        home == Some(it.namespace.as_str())
            && it.is_running()
            && it
                .owner
                .as_ref()
                .is_some_and(|owner| owner.kind == "DaemonSet")
    };
    cluster.pods.iter().filter(counts).count()
}

/// Errors on nodes that no `MISSING` line names, or about no node at all.
pub(super) fn errors_beyond_lines(standing: &Standing<'_>, findings: &[Finding]) -> usize {
    let shown = |name: &str| {
        standing
            .node(name)
            .is_some_and(|it| it.cells.iter().any(|cell| cell.is_strictly_missing))
    };
    let beyond =
        |it: &&Finding| it.severity == Severity::Error && !it.node.as_deref().is_some_and(shown);
    findings.iter().filter(beyond).count()
}

/// The page for people.
pub(super) fn page(standing: &Standing<'_>, findings: &[Finding], wide: bool) -> Page {
    let is_large = !wide && standing.nodes.len() > NODES_SHOWN;
    let blamed: BTreeSet<&str> = findings
        .iter()
        .filter(|it| it.severity != Severity::Info)
        .filter_map(|it| it.node.as_deref())
        .collect();
    let is_folded = |it: &&NodeStanding<'_>| {
        is_large && !blamed.contains(it.node.name.as_str()) && is_quiet(it)
    };
    let (folded, shown): (Vec<_>, Vec<_>) = standing.nodes.iter().partition(is_folded);
    let mut blocks = vec![Block::Table(node_table(&shown, wide))];
    blocks.extend(fold(&folded));
    if wide {
        blocks.push(Block::Table(daemon_set_table(standing.cluster)));
        blocks.push(Block::Text(skips_in_words(standing)));
    }
    Page {
        blocks,
        summary: summary(standing, findings),
    }
}

/// Nothing to say about this node: no GPU, or all well.
fn is_quiet(node: &NodeStanding<'_>) -> bool {
    let shows = |it: &Cell<'_>| {
        matches!(
            it.state,
            State::Unknown | State::Paused | State::Unexpected | State::Missing | State::NotReady
        )
    };
    !node.cells.iter().any(shows)
}

fn fold(folded: &[&NodeStanding<'_>]) -> Option<Block> {
    let n_gpu = folded.iter().filter(|it| it.node.is_gpu()).count();
    let n_other = folded.len() - n_gpu;
    let mut parts = Vec::new();
    if n_gpu > 0 {
        parts.push(format!("{} in order", count(n_gpu, "GPU node")));
    }
    if n_other > 0 {
        parts.push(format!("{} without GPU", count(n_other, "node")));
    }
    (!parts.is_empty())
        .then(|| Block::Text(vec![format!("{} (-o wide shows them)", parts.join(", "))]))
}

/// `1 node`, `2 nodes`.
fn count(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

fn node_table(nodes: &[&NodeStanding<'_>], wide: bool) -> Table {
    // An operand that is off everywhere has no column; nor has one that only some nodes get, where none does.
    let is_idle = |it: &Cell<'_>| {
        it.state == State::Disabled
            || (it.state == State::NotWanted && ON_SOME_NODES.contains(&it.operand))
    };
    let has = |id: Id| {
        nodes
            .iter()
            .any(|it| it.cell(id).is_some_and(|it| wide || !is_idle(it)))
    };
    let columns: Vec<Id> = ROSTER
        .iter()
        .map(|it| it.id)
        .filter(|id| has(*id))
        .collect();
    let mut header = vec!["NODE".to_owned()];
    if wide {
        header.push("WORKLOAD".to_owned());
    }
    header.extend(columns.iter().map(|it| it.row().column.to_owned()));
    let row = |node: &&NodeStanding<'_>| {
        let mut cells = vec![TableCell::from(node.node.name.clone())];
        if wide {
            let workload = if node.node.is_gpu() {
                node.workload.name()
            } else {
                "<none>"
            };
            cells.push(workload.into());
        }
        cells.extend(columns.iter().map(|id| table_cell(node.cell(*id))));
        cells
    };
    Table {
        header,
        rows: nodes.iter().map(row).collect(),
    }
}

fn table_cell(cell: Option<&Cell<'_>>) -> TableCell {
    let Some(cell) = cell else {
        return TableCell::toned("-", Tone::Quiet);
    };
    match cell.state {
        State::Ready => TableCell::toned("ready", Tone::Good),
        State::Missing => TableCell::toned("MISSING", Tone::Bad),
        // kubectl's own word says more than "not-ready".
        State::NotReady => {
            let status = cell
                .trouble
                .as_ref()
                .and_then(crate::standing::Trouble::pod)
                .map(|it| it.status.clone());
            match status.as_deref() {
                None | Some("Running") => TableCell::toned("not-ready", Tone::Bad),
                Some(status) => TableCell::toned(status, Tone::Bad),
            }
        }
        state @ (State::Paused | State::Unexpected | State::Unknown) => {
            TableCell::toned(state.name(), Tone::Odd)
        }
        state @ (State::Disabled | State::PreInstalled | State::OptedOut | State::NotWanted) => {
            TableCell::toned(state.name(), Tone::Quiet)
        }
    }
}

fn daemon_set_table(cluster: &Cluster) -> Table {
    let header = ["OPERAND", "DAEMONSET", "DESIRED", "CURRENT", "READY"]
        .map(str::to_owned)
        .to_vec();
    let row = |it: &DaemonSet| -> Option<Vec<TableCell>> {
        let cells = [
            it.name.clone(),
            it.desired.to_string(),
            it.current.to_string(),
            it.ready.to_string(),
        ];
        let operand = it.operand?.name();
        Some(
            std::iter::once(operand.into())
                .chain(cells.into_iter().map(TableCell::from))
                .collect(),
        )
    };
    Table {
        header,
        rows: by_operand(cluster).into_iter().filter_map(row).collect(),
    }
}

/// The DaemonSets of operands, in the order of the roster.
pub(super) fn by_operand(cluster: &Cluster) -> Vec<&DaemonSet> {
    let mut found: Vec<_> = cluster
        .daemon_sets
        .iter()
        .filter(|it| it.operand.is_some())
        .collect();
    found.sort_by_key(|it| it.operand);
    found
}

/// A GPU node that a DaemonSet's selector skips: its name, the label, and the value it has.
pub(super) type Skip<'a> = (&'a str, String, Option<String>);

/// The GPU nodes that the selector of a DaemonSet skips, each with the value that made it skip.
pub(super) fn skips<'a>(standing: &Standing<'a>, it: &DaemonSet) -> Vec<Skip<'a>> {
    let gpu_nodes = standing
        .nodes
        .iter()
        .map(|node| node.node)
        .filter(|node| node.is_gpu());
    gpu_nodes
        .filter_map(|node| match it.unselected(node) {
            Some(Refusal::Label { key, has, .. }) => Some((node.name.as_str(), key, has)),
            _ => None,
        })
        .collect()
}

fn skips_in_words(standing: &Standing<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    let all = by_operand(standing.cluster);
    for it in &all {
        let Some(operand) = it.operand else { continue };
        let alone = all
            .iter()
            .filter(|other| other.operand == it.operand)
            .count()
            == 1;
        let which = if alone {
            operand.name().to_owned()
        } else {
            format!("{} ({})", operand.name(), it.name)
        };
        let skips = skips(standing, it);
        let mut text = format!("{which}: desired {}", it.desired);
        for (at, (node, key, has)) in skips.iter().take(NAMES_SHOWN).enumerate() {
            let lead = if at == 0 { ", skips" } else { "," };
            let value = has
                .as_ref()
                .map_or_else(|| format!("{key} absent"), |has| format!("{key}={has}"));
            text.push_str(&format!("{lead} {node} ({value})"));
        }
        if skips.len() > NAMES_SHOWN {
            text.push_str(&format!(
                " and {}",
                count(skips.len() - NAMES_SHOWN, "more node")
            ));
        }
        lines.push(text);
    }
    lines
}

fn summary(standing: &Standing<'_>, findings: &[Finding]) -> String {
    let n = |severity| findings.iter().filter(|it| it.severity == severity).count();
    let n_gpu = standing.nodes.iter().filter(|it| it.node.is_gpu()).count();
    let operator = match (standing.regime.leading(), standing.regime.release) {
        (None, None) => "no ClusterPolicy".to_owned(),
        (None, Some(release)) => format!("operator {release}, no ClusterPolicy"),
        (Some(policy), release) => {
            let state = if policy.state.is_empty() {
                "no state yet"
            } else {
                &policy.state
            };
            let release = release.map_or_else(String::new, |it| format!("operator {it}, "));
            format!("{release}{} {state}", policy.title())
        }
    };
    let nodes_unseen = if standing.cluster.has_seen(Kind::Node) {
        ""
    } else {
        " seen"
    };
    format!(
        "{}{nodes_unseen}, {n_gpu} with GPU; {}, {}; {operator}",
        count(standing.nodes.len(), "node"),
        count(n(Severity::Error), "error"),
        count(n(Severity::Warning), "warning"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{Answer, Subject};
    use crate::audit::Report;
    use crate::cluster::Coverage;
    use crate::facts::operands::CORE;
    use crate::render::{self, Look};
    use crate::standing::{Scope, standing};
    use crate::testing::{
        NodeBuilder, PodBuilder, cluster, core_daemon_sets, daemon_set, gpu_node, node, pod_of,
        policy, running, take,
    };
    use expect_test::{Expect, expect};
    use serde_json::json;

    /// What the audit says of a cluster, without any finding; those have their own tests.
    fn report(cluster: &Cluster) -> Report<'_> {
        Report {
            standing: standing(cluster, &Scope::default(), None).unwrap(),
            findings: Vec::new(),
            gaps: Vec::new(),
        }
    }

    fn check_page(cluster: &Cluster, wide: bool, want: &Expect) {
        want.assert_eq(&render::page(&report(cluster), wide, &Look::default()).unwrap());
    }

    fn check_lines(nodes: Vec<NodeBuilder>, pods: Vec<PodBuilder>, want: &[&str]) {
        let cluster = cluster(nodes, core_daemon_sets(), pods);
        assert_eq!(report(&cluster).lines(), want);
    }

    fn matrix_of(cluster: &Cluster) -> Vec<String> {
        let text = report(cluster).own_format("matrix").unwrap();
        text.lines().map(str::to_owned).collect()
    }

    fn check_matrix(nodes: Vec<NodeBuilder>, pods: Vec<PodBuilder>, want: &[&str]) {
        let cluster = cluster(nodes, core_daemon_sets(), pods);
        assert_eq!(matrix_of(&cluster), want);
    }

    #[test]
    fn a_line_for_each_operand_that_is_labelled_true_and_has_no_running_pod() {
        let plugin = || pod_of(Id::DevicePlugin, "gpu-1");
        let only = |value: &str| vec![node("gpu-1").deploys(Id::DevicePlugin, value)];
        check_lines(only("true"), vec![], &["gpu-1 MISSING device-plugin"]);
        check_lines(only("true"), vec![plugin()], &["gpu-1 OK"]);
        check_lines(
            only("true"),
            vec![plugin().phase("Running", false)],
            &["gpu-1 OK"],
        );
        for phase in ["Pending", "Failed", "Succeeded", "Unknown"] {
            check_lines(
                only("true"),
                vec![plugin().phase(phase, false)],
                &["gpu-1 MISSING device-plugin"],
            );
        }
        for value in [
            "false",
            "",
            "pre-installed",
            "True",
            "paused-for-driver-upgrade",
        ] {
            check_lines(only(value), vec![], &["gpu-1 OK"]);
        }
    }

    #[test]
    fn lines_are_sorted_by_node_and_then_in_the_order_of_the_roster() {
        check_lines(
            vec![gpu_node("b"), gpu_node("a"), node("c")],
            running(&[Id::Driver, Id::DcgmExporter], "b")
                .into_iter()
                .chain(running(&CORE, "a"))
                .collect(),
            &[
                "a OK",
                "b MISSING container-toolkit",
                "b MISSING device-plugin",
                "b MISSING gpu-feature-discovery",
                "c OK",
            ],
        );
    }

    #[test]
    fn a_pod_on_another_node_helps_nobody() {
        let two = ["a", "b"]
            .map(|it| node(it).deploys(Id::Driver, "true"))
            .into();
        check_lines(
            two,
            running(&[Id::Driver], "a"),
            &["a OK", "b MISSING driver"],
        );
    }

    #[test]
    fn what_was_not_read_is_unknown_on_every_node() {
        for kind in [Kind::Pod, Kind::DaemonSet] {
            let mut cluster = cluster(
                [gpu_node("a"), node("b")],
                core_daemon_sets(),
                running(&CORE, "a"),
            );
            cluster.note(kind, Coverage::Unseen("forbidden".into()));
            assert_eq!(
                report(&cluster).lines(),
                ["a UNKNOWN", "b UNKNOWN"],
                "{kind:?}"
            );
        }
    }

    #[test]
    fn what_a_policy_switches_off_has_no_line() {
        let mut cluster = cluster(
            [gpu_node("a").deploys(Id::NodeStatusExporter, "true")],
            [],
            [],
        );
        take(
            &mut cluster,
            [policy(
                Kind::ClusterPolicy,
                json!({ "driver": { "enabled": false }, "gfd": { "enabled": false } }),
            )],
        );
        assert_eq!(
            report(&cluster).lines(),
            [
                "a MISSING container-toolkit",
                "a MISSING device-plugin",
                "a MISSING dcgm-exporter"
            ]
        );
    }

    #[test]
    fn a_name_from_the_cluster_stays_one_word() {
        check_lines(vec![node("a b\u{1b}")], vec![], &["a\\u{20}b^[ OK"]);
    }

    #[test]
    fn the_matrix_says_yes_where_a_pod_runs_whatever_the_label() {
        check_matrix(
            vec![
                gpu_node("b"),
                node("c"),
                gpu_node("a").deploys(Id::Driver, "false"),
            ],
            running(&CORE, "b")
                .into_iter()
                .chain(running(&CORE[1..3], "a"))
                .collect(),
            &[
                "a driver=no toolkit=yes device-plugin=yes gfd=no dcgm=no",
                "b driver=yes toolkit=yes device-plugin=yes gfd=yes dcgm=yes",
                "c driver=no toolkit=no device-plugin=no gfd=no dcgm=no",
                "TOTAL_PODS=7",
            ],
        );
    }

    #[test]
    fn the_matrix_asks_for_the_phase_alone() {
        let pods = vec![
            pod_of(Id::Driver, "a").phase("Running", false),
            pod_of(Id::ContainerToolkit, "a").phase("Pending", false),
            pod_of(Id::DevicePlugin, "a").phase("Succeeded", false),
            pod_of(Id::GpuFeatureDiscovery, "a")
                .container_waits("CrashLoopBackOff")
                .phase("Running", false),
        ];
        check_matrix(
            vec![gpu_node("a")],
            pods,
            &[
                "a driver=yes toolkit=no device-plugin=no gfd=yes dcgm=no",
                "TOTAL_PODS=2",
            ],
        );
    }

    #[test]
    fn the_matrix_of_what_was_not_read_says_neither_yes_nor_no() {
        for kind in [Kind::Pod, Kind::DaemonSet] {
            let mut cluster = cluster([gpu_node("a")], core_daemon_sets(), running(&CORE, "a"));
            cluster.note(kind, Coverage::Unseen("forbidden".into()));
            let unknown =
                "driver=unknown toolkit=unknown device-plugin=unknown gfd=unknown dcgm=unknown";
            assert_eq!(
                matrix_of(&cluster),
                [format!("a {unknown}"), "TOTAL_PODS=unknown".to_owned()],
                "{kind:?}"
            );
        }
    }

    #[test]
    fn the_last_column_is_the_exporter_and_not_dcgm() {
        check_matrix(
            vec![node("a").deploys(Id::Dcgm, "true")],
            running(&[Id::Dcgm], "a"),
            &[
                "a driver=no toolkit=no device-plugin=no gfd=no dcgm=no",
                "TOTAL_PODS=1",
            ],
        );
    }

    #[test]
    fn the_total_counts_running_pods_of_daemon_sets_in_the_operators_namespace() {
        let pod = |namespace: &str, kind: &str, phase: &str, name: &str| {
            json!({ "apiVersion": "v1", "kind": "Pod",
            "metadata": { "name": name, "namespace": namespace, "ownerReferences": [{ "kind": kind, "name": "x" }] },
            "status": { "phase": phase } })
        };
        let mut cluster = cluster([], core_daemon_sets(), []);
        take(
            &mut cluster,
            [
                pod("gpu-operator", "DaemonSet", "Running", "counts"),
                pod("gpu-operator", "DaemonSet", "Running", "counts-too"),
                pod("gpu-operator", "DaemonSet", "Pending", "waits"),
                pod("gpu-operator", "ReplicaSet", "Running", "operator"),
                pod("kube-system", "DaemonSet", "Running", "elsewhere"),
            ],
        );
        assert_eq!(matrix_of(&cluster), ["TOTAL_PODS=2"]);
    }

    /// One node of each state that a table can show.
    fn states() -> Cluster {
        let on = |name: &str| node(name).label("nvidia.com/gpu.present", "true");
        let labelled = |name: &str, value: &str| on(name).deploys(Id::DevicePlugin, value);
        let nodes = [
            labelled("ready", "true"),
            labelled("missing", "true"),
            labelled("crash", "true"),
            labelled("not-ready", "true"),
            labelled("opted-out", "false"),
            labelled("paused", "paused-for-mig-change"),
            labelled("unexpected", "false"),
            labelled("unreachable", "true").not_ready("Unknown"),
            on("unwanted"),
            node("cpu"),
        ];
        let pod = |node: &str| pod_of(Id::DevicePlugin, node);
        let pods = [
            pod("ready"),
            pod("crash").container_waits("CrashLoopBackOff"),
            pod("not-ready").phase("Running", false),
            pod("unexpected"),
            pod("unreachable"),
        ];
        cluster(nodes, core_daemon_sets().into_iter().skip(2).take(1), pods)
    }

    #[test]
    fn every_state_has_its_word_in_the_table() {
        check_page(
            &states(),
            false,
            &expect![[r#"
            NODE          PLUGIN
            cpu           -
            crash         CrashLoopBackOff
            missing       MISSING
            not-ready     not-ready
            opted-out     opted-out
            paused        paused
            ready         ready
            unexpected    unexpected
            unreachable   unknown
            unwanted      not-wanted

            10 nodes, 9 with GPU; 0 errors, 0 warnings; no ClusterPolicy
        "#]],
        );
    }

    #[test]
    fn a_wide_page_shows_what_nodes_are_for_and_which_nodes_a_daemon_set_skips() {
        check_page(
            &states(),
            true,
            &expect![[r#"
            NODE          WORKLOAD    PLUGIN
            cpu           <none>      -
            crash         container   CrashLoopBackOff
            missing       container   MISSING
            not-ready     container   not-ready
            opted-out     container   opted-out
            paused        container   paused
            ready         container   ready
            unexpected    container   unexpected
            unreachable   container   unknown
            unwanted      container   not-wanted

            OPERAND         DAEMONSET                        DESIRED   CURRENT   READY
            device-plugin   nvidia-device-plugin-daemonset   0         0         0

            device-plugin: desired 0, skips opted-out (nvidia.com/gpu.deploy.device-plugin=false), paused (nvidia.com/gpu.deploy.device-plugin=paused-for-mig-change), unexpected (nvidia.com/gpu.deploy.device-plugin=false), unwanted (nvidia.com/gpu.deploy.device-plugin absent)

            10 nodes, 9 with GPU; 0 errors, 0 warnings; no ClusterPolicy
        "#]],
        );
    }

    #[test]
    fn an_operand_that_is_off_has_a_column_only_on_a_wide_page() {
        let mut cluster = cluster(
            [gpu_node("gpu-1")],
            core_daemon_sets(),
            running(&CORE, "gpu-1"),
        );
        let spec = json!({ "dcgm": { "enabled": false }, "migManager": { "enabled": false } });
        take(&mut cluster, [policy(Kind::ClusterPolicy, spec)]);
        let header = |wide| {
            let text = render::page(&report(&cluster), wide, &Look::default()).unwrap();
            text.lines()
                .next()
                .unwrap()
                .split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        let core = [
            "DRIVER",
            "TOOLKIT",
            "VALIDATOR",
            "PLUGIN",
            "GFD",
            "EXPORTER",
        ];
        assert_eq!(header(false), [&["NODE"], &core[..]].concat());
        for column in core
            .into_iter()
            .chain(["WORKLOAD", "DCGM", "MIG", "STATUS-EXPORTER"])
        {
            assert!(header(true).contains(&column.to_owned()), "{column}");
        }
    }

    /// Many GPU nodes in order, one that is not, and some without GPU.
    fn large() -> Cluster {
        let many: Vec<_> = (0..12).map(|it| format!("gpu-{it:02}")).collect();
        let nodes = many.iter().map(|it| gpu_node(it)).chain([
            gpu_node("odd"),
            node("cpu-1"),
            node("cpu-2"),
        ]);
        let pods = many
            .iter()
            .flat_map(|it| running(&CORE, it))
            .chain(running(&CORE[1..], "odd"));
        cluster(nodes, core_daemon_sets(), pods)
    }

    #[test]
    fn of_many_nodes_those_in_order_are_folded_into_a_count() {
        check_page(
            &large(),
            false,
            &expect![[r#"
            NODE   DRIVER    TOOLKIT   PLUGIN   GFD     EXPORTER
            odd    MISSING   ready     ready    ready   ready

            12 GPU nodes in order, 2 nodes without GPU (-o wide shows them)

            15 nodes, 13 with GPU; 0 errors, 0 warnings; no ClusterPolicy
        "#]],
        );
        let wide = render::page(&report(&large()), true, &Look::default()).unwrap();
        assert!(
            wide.contains("\ngpu-00 ") && wide.contains("\ncpu-1 "),
            "{wide}"
        );
    }

    #[test]
    fn a_node_that_a_finding_names_is_not_folded_away() {
        let cluster = large();
        let mut report = report(&cluster);
        report.findings = vec![
            finding(Severity::Warning, Some("gpu-07")),
            finding(Severity::Info, Some("gpu-08")),
        ];
        let text = render::page(&report, false, &Look::default()).unwrap();
        assert!(
            text.contains("\ngpu-07 ") && !text.contains("\ngpu-08 "),
            "{text}"
        );
    }

    fn finding(severity: Severity, node: Option<&str>) -> Finding {
        Finding {
            rule: "some-rule",
            severity,
            node: node.map(str::to_owned),
            operand: None,
            subject: Subject {
                kind: "Node",
                namespace: None,
                name: "x".to_owned(),
            },
            message: String::new(),
            cause: String::new(),
            consequences: Vec::new(),
            evidence: Vec::new(),
            fix: String::new(),
        }
    }

    #[test]
    fn errors_are_beyond_the_lines_where_no_missing_line_stands_for_their_node() {
        let cluster = cluster([gpu_node("missing"), node("fine")], core_daemon_sets(), []);
        for (severity, node, want) in [
            (Severity::Error, Some("missing"), 0),
            (Severity::Error, Some("fine"), 1),
            (Severity::Error, None, 1),
            (Severity::Error, Some("gone"), 1),
            (Severity::Warning, None, 0),
            (Severity::Info, Some("fine"), 0),
        ] {
            let mut report = report(&cluster);
            report.findings = vec![finding(severity, node)];
            assert_eq!(report.errors_beyond_lines(), want, "{severity:?} {node:?}");
        }
    }

    #[test]
    fn a_daemon_set_that_skips_many_nodes_counts_those_it_does_not_name() {
        let nodes = (0..10).map(|it| gpu_node(&format!("gpu-{it}")).deploys(Id::Driver, "false"));
        let cluster = cluster(nodes, core_daemon_sets().into_iter().take(1), []);
        let text = render::page(&report(&cluster), true, &Look::default()).unwrap();
        let line = text
            .lines()
            .find(|it| it.starts_with("driver: desired 0, skips"))
            .unwrap();
        assert!(
            line.contains("gpu-7 (nvidia.com/gpu.deploy.driver=false) and 2 more nodes"),
            "{line}"
        );
        assert!(!line.contains("gpu-8"), "{line}");
    }

    #[test]
    fn several_daemon_sets_of_one_operand_are_told_apart() {
        let sets = ["nvidia-driver-daemonset-a", "nvidia-driver-daemonset-b"]
            .map(|it| daemon_set(it).selects("kernel", it));
        let cluster = cluster(
            [gpu_node("gpu-1").label("kernel", "nvidia-driver-daemonset-a")],
            sets,
            [],
        );
        let text = render::page(&report(&cluster), true, &Look::default()).unwrap();
        assert!(
            text.contains("driver (nvidia-driver-daemonset-a): desired 0\n"),
            "{text}"
        );
        assert!(
        text.contains("driver (nvidia-driver-daemonset-b): desired 0, skips gpu-1 (kernel=nvidia-driver-daemonset-a)\n"),
        "{text}"
    );
    }

    #[test]
    fn the_summary_counts_nodes_and_findings_and_names_the_operator() {
        let summary_of = |objects: Vec<serde_json::Value>, nodes: Vec<NodeBuilder>| {
            let mut cluster = cluster(nodes, [], []);
            take(&mut cluster, objects);
            let mut report = report(&cluster);
            report.findings = vec![
                finding(Severity::Error, None),
                finding(Severity::Warning, None),
                finding(Severity::Warning, None),
            ];
            report.page(false).summary
        };
        let mut helm = policy(Kind::ClusterPolicy, json!({}));
        helm["metadata"]["labels"] = json!({ "app.kubernetes.io/version": "v25.3.4" });
        helm["status"] = json!({ "state": "notReady" });
        for (objects, nodes, want) in [
            (
                vec![],
                vec![],
                "0 nodes, 0 with GPU; 1 error, 2 warnings; no ClusterPolicy",
            ),
            (
                vec![],
                vec![node("a")],
                "1 node, 0 with GPU; 1 error, 2 warnings; no ClusterPolicy",
            ),
            (
                vec![policy(Kind::ClusterPolicy, json!({}))],
                vec![gpu_node("a"), node("b")],
                "2 nodes, 1 with GPU; 1 error, 2 warnings; ClusterPolicy/cluster-policy no state yet",
            ),
            (
                vec![helm],
                vec![gpu_node("a"), node("b")],
                "2 nodes, 1 with GPU; 1 error, 2 warnings; operator v25.3.4, ClusterPolicy/cluster-policy notReady",
            ),
        ] {
            assert_eq!(summary_of(objects, nodes), want);
        }
    }

    #[test]
    fn nodes_that_were_not_all_seen_are_not_counted_as_all() {
        let mut cluster = cluster([gpu_node("a")], [], []);
        cluster.note(Kind::Node, Coverage::Unseen("forbidden".into()));
        assert!(
            report(&cluster)
                .page(false)
                .summary
                .starts_with("1 node seen, 1 with GPU; ")
        );
    }
}
