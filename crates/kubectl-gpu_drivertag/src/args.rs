//! The flags of kubectl gpu-drivertag, and what its help tells.

use clap::Parser;
use gpu_cli::{
    Example, InventoryArgs, Plugin, Program, RegistryArgs, SharedArgs, SharedCommand, WhatIfArgs,
};
use gpu_core::cluster::Kind;
use gpu_core::drivertag;

/// What is true of this plugin in every run.
pub const PLUGIN: Plugin = Plugin {
    program: Program::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION")),
    formats: drivertag::FORMATS,
    columns: drivertag::columns,
    rules: || gpu_cli::texts(drivertag::RULES),
    reads: &[
        Kind::Node,
        Kind::Pod,
        Kind::DaemonSet,
        Kind::ClusterPolicy,
        Kind::NvidiaDriver,
        Kind::GpuCluster,
        Kind::Deployment,
    ],
    reads_on_request: &[("--use-pull-secrets", Kind::Secret)],
    examples: &[
        Example {
            purpose: "Which driver image each node needs, and which it runs",
            before: "",
            words: "",
        },
        Example {
            purpose: "Compare with the images there are",
            before: "crane ls nvcr.io/nvidia/driver > tags.txt",
            words: "--inventory tags.txt",
        },
        Example {
            purpose: "Before a new kernel: does its image exist?",
            before: "",
            words: "--kernel 6.8.0-51-generic --inventory tags.txt gpu-node-1",
        },
        Example {
            purpose: "The images to copy into a mirror",
            before: "",
            words: "-o mirror",
        },
        Example {
            purpose: "From a file",
            before: "kubectl get nodes,pods,daemonsets,clusterpolicies -A -o yaml > cluster.yaml",
            words: "-f cluster.yaml",
        },
    ],
};

/// Tell which driver image each node needs, and whether it is there.
///
/// Shows for every node the image it needs, the one it is asked to run and the one it runs, and compares with the images there are.
#[derive(Debug, Parser)]
#[command(version, args_conflicts_with_subcommands = true)]
pub struct Args {
    /// Nodes to answer for; all when absent.
    #[arg(value_name = "NODE")]
    pub nodes: Vec<String>,
    /// The images there are.
    #[command(flatten)]
    pub inventory: InventoryArgs,
    /// Whether registries are asked.
    #[command(flatten)]
    pub registry: RegistryArgs,
    /// A change to look at before it is made.
    #[command(flatten)]
    pub what_if: WhatIfArgs,
    /// The flags that every plugin has.
    #[command(flatten)]
    pub shared: SharedArgs,
    /// What to do instead.
    #[command(subcommand)]
    pub instead: Option<SharedCommand>,
}
