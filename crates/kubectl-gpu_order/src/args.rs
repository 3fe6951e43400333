//! The flags of kubectl gpu-order, and what its help tells.

use clap::Parser;
use gpu_cli::{Example, Plugin, Program, SharedArgs, SharedCommand};
use gpu_core::cluster::Kind;
use gpu_core::order;

/// What is true of this plugin in every run.
pub const PLUGIN: Plugin = Plugin {
    program: Program::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION")),
    formats: order::FORMATS,
    columns: order::columns,
    rules: || gpu_cli::texts(order::RULES),
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
            purpose: "The chain of operands on one node, and its first broken link",
            before: "",
            words: "gpu-node-1",
        },
        Example {
            purpose: "One line a node, all nodes",
            before: "",
            words: "-o lines",
        },
        Example {
            purpose: "Only the nodes with a label, as JSON",
            before: "",
            words: "-l nvidia.com/gpu.present=true -o json",
        },
        Example {
            purpose: "From a file",
            before: "kubectl get nodes,pods,daemonsets -A -o yaml > cluster.yaml",
            words: "-f cluster.yaml",
        },
        Example {
            purpose: "What it looks for",
            before: "",
            words: "rules",
        },
    ],
};

/// Show the chain of operands on a node and its first broken link.
///
/// Each operand waits for the one before it. Shows their chain on every node, what each waits for, and the first that is broken, with its cause and the next command.
#[derive(Debug, Parser)]
#[command(version, args_conflicts_with_subcommands = true)]
pub struct Args {
    /// Nodes to look at; all when absent.
    #[arg(value_name = "NODE")]
    pub nodes: Vec<String>,
    /// The flags that every plugin has.
    #[command(flatten)]
    pub shared: SharedArgs,
    /// What to do instead.
    #[command(subcommand)]
    pub instead: Option<SharedCommand>,
}
