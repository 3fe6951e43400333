//! kubectl gpu-audit: is every operand that should run on each node there, and if not, why.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use gpu_cli::{Error, Frame, Program, SharedArgs};
use gpu_core::audit;

const PROGRAM: Program = Program::new(env!("CARGO_BIN_NAME"), env!("CARGO_PKG_VERSION"));

/// Tell which operand is missing on which node, and why.
///
/// Reads nodes, DaemonSets, the pods of the operator's namespace and its policies; changes nothing.
#[derive(Parser)]
#[command(version, bin_name = "kubectl gpu-audit", args_conflicts_with_subcommands = true, after_help = gpu_cli::args::EXIT_CODES)]
struct Args {
    /// Nodes to audit; all when absent.
    #[arg(value_name = "NODE")]
    nodes: Vec<String>,
    #[command(flatten)]
    shared: SharedArgs,
    #[command(subcommand)]
    instead: Option<Instead>,
}

#[derive(Subcommand)]
enum Instead {
    /// Print which label asks for which operand.
    Roster {
        /// Print the other operands of the release too.
        #[arg(long)]
        all: bool,
        #[command(flatten)]
        shared: Box<SharedArgs>,
    },
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
        Some(Instead::Roster { all, shared }) => roster(*all, shared),
        Some(Instead::Rules) => gpu_cli::rules(audit::RULES),
        Some(Instead::Explain { rule }) => gpu_cli::explain(audit::RULES, rule),
    })
}

fn answer(args: &Args) -> Result<ExitCode, Error> {
    let frame = Frame::new(PROGRAM, &args.shared, &args.nodes, audit::FORMATS)?;
    let reader = frame.open()?;
    let mut cluster = frame.read(&reader)?;
    let second_look = audit::second_look(&cluster, &frame.scope, frame.release);
    frame.read_more(&reader, &mut cluster, &second_look)?;
    let report =
        audit::audit(&cluster, &frame.scope, frame.release).map_err(gpu_cli::unknown_node)?;
    frame.finish(&reader, &cluster, &report)
}

fn roster(all: bool, shared: &SharedArgs) -> Result<ExitCode, Error> {
    let frame = Frame::new(PROGRAM, shared, &[], audit::FORMATS)?;
    let release = match (all, frame.release) {
        // The release in use decides which operands there are, so the cluster is asked.
        (true, None) => {
            let cluster = frame.read(&frame.open()?)?;
            audit::release(&cluster)
        }
        (_, given) => given,
    };
    let lines = audit::roster::roster(all, release);
    gpu_cli::print(&gpu_core::render::lines(&lines))
}
