//! What people and scripts read of the order.

use super::chain::{Chain, Verdict};
use super::rules::STRICT;
use crate::answer::{Block, Cell, Finding, Page, Severity, Table, Tone};
use crate::render::word;
use crate::standing::Standing;

/// `ok` or the id of the worst finding; with several nodes, the node's name in front.
pub(super) fn lines(chains: &[Chain], findings: &[Finding], is_single: bool) -> Vec<String> {
    let answer = |chain: &Chain| {
        let mut errors = findings
            .iter()
            .filter(|it| it.severity == Severity::Error && it.node.as_deref() == Some(&chain.node))
            .map(|it| it.rule);
        // The strict rule is what scripts look for, so it is the one shown where it applies.
        let strict = errors.clone().find(|it| *it == STRICT);
        match strict.or_else(|| errors.next()) {
            Some(rule) => rule,
            None if chain.verdict == Verdict::Unknown => "unknown",
            None => "ok",
        }
    };
    let line = |it: &Chain| match is_single {
        true => answer(it).to_owned(),
        false => format!("{} {}", word(&it.node), answer(it)),
    };
    chains.iter().map(line).collect()
}

/// Errors about no node at all.
pub(super) fn errors_beyond_lines(findings: &[Finding]) -> usize {
    findings
        .iter()
        .filter(|it| it.severity == Severity::Error && it.node.is_none())
        .count()
}

/// The page for people: the chain of each node that has one to show.
pub(super) fn page(
    standing: &Standing<'_>,
    chains: &[Chain],
    findings: &[Finding],
    wide: bool,
) -> Page {
    let is_shown = |it: &&Chain| wide || chains.len() == 1 || it.verdict != Verdict::Ok;
    let shown: Vec<_> = chains.iter().filter(is_shown).collect();
    let mut blocks: Vec<_> = shown.iter().flat_map(|it| node_blocks(it)).collect();
    let n_folded = chains.len() - shown.len();
    if n_folded > 0 {
        let plural = if n_folded == 1 { "" } else { "s" };
        blocks.push(Block::Text(vec![format!(
            "{n_folded} node{plural} in order (-o wide shows them)"
        )]));
    }
    let n_broken = chains
        .iter()
        .filter(|it| it.verdict == Verdict::Broken)
        .count();
    let n = |severity| findings.iter().filter(|it| it.severity == severity).count();
    let plural = |n: usize| if n == 1 { "" } else { "s" };
    let (errors, warnings) = (n(Severity::Error), n(Severity::Warning));
    let summary = format!(
        "{} node{}, {n_broken} with a broken link; {errors} error{}, {warnings} warning{}",
        standing.nodes.len(),
        plural(standing.nodes.len()),
        plural(errors),
        plural(warnings),
    );
    Page { blocks, summary }
}

/// The columns of a node's table.
pub(super) const COLUMNS: [&str; 4] = ["LINK", "STATE", "WAITS-FOR", "WHY"];

fn node_blocks(chain: &Chain) -> Vec<Block> {
    let title = match (&chain.first_broken, chain.verdict) {
        (Some(first), _) => format!("node/{}: first broken link is {first}", chain.node),
        (None, Verdict::Unknown) => format!("node/{}: could not tell", chain.node),
        (None, _) => format!("node/{}: in order", chain.node),
    };
    let header = COLUMNS.map(str::to_owned).to_vec();
    let row = |it: &super::chain::Link| {
        let tone = if it.is_broken {
            Tone::Bad
        } else if it.state == "ready" {
            Tone::Good
        } else {
            Tone::Quiet
        };
        let is_first = chain.first_broken.as_deref() == Some(&it.name);
        let name = if is_first {
            format!("> {}", it.name)
        } else {
            format!("  {}", it.name)
        };
        let waits = if it.waits_for.is_empty() {
            "<none>".to_owned()
        } else {
            it.waits_for.join(",")
        };
        vec![
            Cell::from(name),
            Cell::toned(it.state, tone),
            Cell::from(waits),
            Cell::from(it.why.clone()),
        ]
    };
    let table = Table {
        header,
        rows: chain.links.iter().map(row).collect(),
    };
    vec![Block::Text(vec![title]), Block::Table(table)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{Answer, Subject};
    use crate::cluster::Cluster;
    use crate::facts::operands::{CORE, Id};
    use crate::order::{RULES, order};
    use crate::render::{self, Look};
    use crate::standing::Scope;
    use crate::testing::{cluster, core_daemon_sets, gpu_node, node, pod_of, running};
    use expect_test::{Expect, expect};

    fn chain(node: &str, verdict: Verdict) -> Chain {
        Chain {
            node: node.to_owned(),
            verdict,
            first_broken: None,
            links: Vec::new(),
        }
    }

    fn finding(rule: &'static str, severity: Severity, node: Option<&str>) -> Finding {
        Finding {
            rule,
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
    fn a_line_is_ok_unknown_or_the_rule_that_found_an_error() {
        use Severity::{Error, Info, Warning};
        let on = |rule, severity| finding(rule, severity, Some("gpu-1"));
        for (verdict, findings, want) in [
            (Verdict::Ok, vec![], "ok"),
            (Verdict::Ok, vec![on("a", Warning), on("b", Info)], "ok"),
            (Verdict::Broken, vec![on("a", Warning)], "ok"),
            (Verdict::Unknown, vec![], "unknown"),
            (Verdict::Unknown, vec![on("a", Error)], "a"),
            (Verdict::Broken, vec![on("a", Error), on("b", Error)], "a"),
            // Scripts look for the strict rule, so it is the one shown.
            (
                Verdict::Broken,
                vec![on("a", Error), on(STRICT, Error)],
                STRICT,
            ),
            (
                Verdict::Broken,
                vec![on("a", Error), on(STRICT, Warning)],
                "a",
            ),
            (
                Verdict::Ok,
                vec![
                    finding("a", Error, Some("gpu-2")),
                    finding("b", Error, None),
                ],
                "ok",
            ),
        ] {
            let chains = [chain("gpu-1", verdict)];
            assert_eq!(lines(&chains, &findings, true), [want]);
            assert_eq!(lines(&chains, &findings, false), [format!("gpu-1 {want}")]);
        }
    }

    #[test]
    fn with_several_nodes_each_has_a_line() {
        let chains = [chain("a", Verdict::Ok), chain("b c", Verdict::Unknown)];
        assert_eq!(lines(&chains, &[], false), ["a ok", "b\\u{20}c unknown"]);
        assert_eq!(lines(&[], &[], false), [""; 0]);
    }

    #[test]
    fn only_errors_about_no_node_are_beyond_the_lines() {
        use Severity::{Error, Warning};
        let findings = [
            finding("a", Error, None),
            finding("b", Error, Some("gpu-1")),
            finding("c", Warning, None),
        ];
        assert_eq!(errors_beyond_lines(&findings), 1);
        assert_eq!(errors_beyond_lines(&[]), 0);
    }

    /// The page of some nodes; findings are left to their own tests.
    fn check(cluster: &Cluster, names: &[&str], wide: bool, want: &Expect) {
        let scope = Scope {
            names: names.iter().map(|it| (*it).to_owned()).collect(),
            ..Scope::default()
        };
        let report = order(cluster, &scope, None, &[]).unwrap();
        let text = render::page(&report, wide, &Look::default()).unwrap();
        let parts = text
            .split("\n\n")
            .filter(|it| !it.starts_with("ERROR") && !it.starts_with("WARNING"));
        want.assert_eq(&parts.collect::<Vec<_>>().join("\n\n"));
    }

    fn example() -> Cluster {
        let nodes = ["gpu-1", "gpu-2"]
            .map(gpu_node)
            .into_iter()
            .chain([node("cpu-1")]);
        let mut pods = running(&CORE, "gpu-1");
        pods.push(pod_of(Id::Driver, "gpu-2").container_waits("ImagePullBackOff"));
        pods.push(pod_of(Id::ContainerToolkit, "gpu-2").waits_in(&["driver-validation"], 0));
        cluster(nodes, core_daemon_sets(), pods)
    }

    #[test]
    fn nodes_in_order_are_folded_into_a_count() {
        check(
            &example(),
            &[],
            false,
            &expect![[r#"
            node/gpu-2: first broken link is driver

            LINK                      STATE       WAITS-FOR            WHY
            > driver                  not-ready   <none>               image registry.example/driver:1 cannot be pulled (ImagePullBackOff)
              container-toolkit       not-ready   driver               it waits in init container driver-validation
              device-plugin           missing     operator-validator   daemonset/nvidia-device-plugin-daemonset wants a pod on this node and has made none
              gpu-feature-discovery   missing     operator-validator   daemonset/gpu-feature-discovery wants a pod on this node and has made none
              dcgm-exporter           missing     operator-validator   daemonset/nvidia-dcgm-exporter wants a pod on this node and has made none

            2 nodes in order (-o wide shows them)

            3 nodes, 1 with a broken link; 0 errors, 0 warnings
        "#]],
        );
    }

    #[test]
    fn a_node_that_was_named_is_shown_whole() {
        check(
            &example(),
            &["gpu-1"],
            false,
            &expect![[r#"
            node/gpu-1: in order

            LINK                      STATE   WAITS-FOR            WHY
              driver                  ready   <none>
              container-toolkit       ready   driver
              device-plugin           ready   operator-validator
              gpu-feature-discovery   ready   operator-validator
              dcgm-exporter           ready   operator-validator

            1 node, 0 with a broken link; 0 errors, 0 warnings
        "#]],
        );
    }

    #[test]
    fn a_wide_page_shows_every_node() {
        let cluster = cluster(
            [gpu_node("gpu-1"), node("cpu-1")],
            core_daemon_sets(),
            running(&CORE, "gpu-1"),
        );
        check(
            &cluster,
            &[],
            true,
            &expect![[r#"
            node/cpu-1: in order

            node/gpu-1: in order

            LINK                      STATE   WAITS-FOR            WHY
              driver                  ready   <none>
              container-toolkit       ready   driver
              device-plugin           ready   operator-validator
              gpu-feature-discovery   ready   operator-validator
              dcgm-exporter           ready   operator-validator

            2 nodes, 0 with a broken link; 0 errors, 0 warnings
        "#]],
        );
    }

    #[test]
    fn a_node_that_could_not_be_judged_says_so() {
        let cluster = cluster(
            [gpu_node("gpu-1").not_ready("Unknown")],
            core_daemon_sets(),
            running(&CORE, "gpu-1"),
        );
        let report = order(&cluster, &Scope::default(), None, RULES).unwrap();
        let text = render::page(&report, false, &Look::default()).unwrap();
        assert!(text.starts_with("node/gpu-1: could not tell\n"), "{text}");
        assert_eq!(report.lines(), ["gpu-1 unknown"]);
    }
}
