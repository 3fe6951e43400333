//! The flags of kubectl gpu-audit, and what its help tells.

use clap::{Parser, Subcommand};
use gpu_cli::{Example, Plugin, Program, SharedArgs, SharedCommand};
use gpu_core::audit;
use gpu_core::cluster::Kind;

/// What is true of this plugin in every run.
pub const PLUGIN: Plugin = Plugin {
    program: Program::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION")),
    formats: audit::FORMATS,
    columns: audit::columns,
    rules: || gpu_cli::texts(audit::RULES),
    reads: &[
        Kind::Node,
        Kind::Pod,
        Kind::DaemonSet,
        Kind::ClusterPolicy,
        Kind::NvidiaDriver,
        Kind::GpuCluster,
        Kind::Event,
        Kind::ResourceQuota,
        Kind::Deployment,
    ],
    reads_on_request: &[],
    examples: &[
        Example {
            purpose: "Which operand is missing on which node, and why",
            before: "",
            words: "",
        },
        Example {
            purpose: "One node, with everything there is to say about it",
            before: "",
            words: "gpu-node-1 -o wide",
        },
        Example {
            purpose: "For a pipeline: exit code 1 for warnings too, the report as JSON",
            before: "",
            words: "--fail-on warning -o json",
        },
        Example {
            purpose: "From a file",
            before: "kubectl get nodes,pods,daemonsets -A -o yaml > cluster.yaml",
            words: "-f cluster.yaml",
        },
        Example {
            purpose: "Which label asks for which operand",
            before: "",
            words: "roster",
        },
        Example {
            purpose: "What a finding means",
            before: "",
            words: "explain operand-missing",
        },
    ],
};

/// Tell which operand is missing on which node, and why.
///
/// Shows for every node which operands of the GPU operator should run there and do not, why, and the next command.
#[derive(Debug, Parser)]
#[command(version, args_conflicts_with_subcommands = true)]
pub struct Args {
    /// Nodes to audit; all when absent.
    #[arg(value_name = "NODE")]
    pub nodes: Vec<String>,
    /// The flags that every plugin has.
    #[command(flatten)]
    pub shared: SharedArgs,
    /// What to do instead.
    #[command(subcommand)]
    pub instead: Option<Instead>,
}

/// What to do instead of an answer.
#[derive(Debug, Subcommand)]
pub enum Instead {
    /// Print which label asks for which operand.
    Roster {
        /// Print the other operands of the release too.
        #[arg(long)]
        all: bool,
        /// The flags that every plugin has.
        #[command(flatten)]
        shared: Box<SharedArgs>,
    },
    /// What every plugin does instead.
    #[command(flatten)]
    Shared(SharedCommand),
}
