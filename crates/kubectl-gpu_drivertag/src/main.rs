//! kubectl gpu-drivertag: which driver image does each node need, and is it there.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use gpu_cli::{Error, Frame, InventoryArgs, Program, RegistryArgs, SharedArgs, WhatIfArgs};
use gpu_core::drivertag::{self, Stock};

const PROGRAM: Program = Program::new(env!("CARGO_BIN_NAME"), env!("CARGO_PKG_VERSION"));

/// Tell which driver image each node needs, and whether it is there.
///
/// Reads nodes, DaemonSets, the pods of the operator's namespace and its policies; changes nothing.
#[derive(Parser)]
#[command(version, bin_name = "kubectl gpu-drivertag", args_conflicts_with_subcommands = true, after_help = gpu_cli::args::EXIT_CODES)]
struct Args {
    /// Nodes to answer for; all when absent.
    #[arg(value_name = "NODE")]
    nodes: Vec<String>,
    #[command(flatten)]
    inventory: InventoryArgs,
    #[command(flatten)]
    registry: RegistryArgs,
    #[command(flatten)]
    what_if: WhatIfArgs,
    #[command(flatten)]
    shared: SharedArgs,
    #[command(subcommand)]
    instead: Option<Instead>,
}

#[derive(Subcommand)]
enum Instead {
    /// List the rules.
    Rules,
    /// Explain a rule.
    Explain {
        /// The rule's id.
        rule: String,
    },
}

fn main() -> ExitCode {
    let args = Args::parse();
    gpu_cli::end(match &args.instead {
        None => answer(&args),
        Some(Instead::Rules) => gpu_cli::rules(drivertag::RULES),
        Some(Instead::Explain { rule }) => gpu_cli::explain(drivertag::RULES, rule),
    })
}

fn answer(args: &Args) -> Result<ExitCode, Error> {
    let frame = Frame::new(PROGRAM, &args.shared, &args.nodes, drivertag::FORMATS)?;
    let what_if = args
        .what_if
        .read(&frame.scope, &args.shared, &args.inventory)?;
    let inventory = args.inventory.read(&args.shared)?;
    let reader = frame.open()?;
    let mut cluster = frame.read(&reader)?;
    let second_look = drivertag::second_look(&cluster, frame.release);
    frame.read_more(&reader, &mut cluster, &second_look)?;
    let pull_secrets = args.registry.reads(&cluster);
    frame.read_more(&reader, &mut cluster, &pull_secrets)?;
    let needs = drivertag::needs(&cluster, &frame.scope, frame.release, &what_if)
        .map_err(gpu_cli::unknown_node)?;
    let asked = args
        .registry
        .ask(PROGRAM, &args.shared, &cluster, &needs.questions())?;
    let stock = Stock { inventory, ..asked };
    frame.finish(&reader, &cluster, &drivertag::judge(needs, stock))
}
