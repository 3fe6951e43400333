//! kubectl gpu-order: which prerequisite is missing on this node, and what is the first broken link.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use gpu_cli::{Error, Frame, Program, SharedArgs};
use gpu_core::{audit, order};

const PROGRAM: Program = Program::new(env!("CARGO_BIN_NAME"), env!("CARGO_PKG_VERSION"));

/// Show the chain of operands on a node and its first broken link.
///
/// Reads nodes, DaemonSets, the pods of the operator's namespace and its policies; changes nothing.
#[derive(Parser)]
#[command(version, bin_name = "kubectl gpu-order", args_conflicts_with_subcommands = true, after_help = gpu_cli::args::EXIT_CODES)]
struct Args {
    /// Nodes to look at; all when absent.
    #[arg(value_name = "NODE")]
    nodes: Vec<String>,
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
        Some(Instead::Rules) => gpu_cli::rules(order::RULES),
        Some(Instead::Explain { rule }) => gpu_cli::explain(order::RULES, rule),
    })
}

fn answer(args: &Args) -> Result<ExitCode, Error> {
    let frame = Frame::new(PROGRAM, &args.shared, &args.nodes, order::FORMATS)?;
    let reader = frame.open()?;
    let mut cluster = frame.read(&reader)?;
    let second_look = order::second_look(&cluster, &frame.scope, frame.release, audit::RULES);
    frame.read_more(&reader, &mut cluster, &second_look)?;
    let report = order::order(&cluster, &frame.scope, frame.release, audit::RULES)
        .map_err(gpu_cli::unknown_node)?;
    frame.finish(&reader, &cluster, &report)
}
