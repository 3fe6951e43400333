//! kubectl gpu-order: which prerequisite is missing on this node, and what is the first broken link.

use std::process::ExitCode;

use gpu_cli::{Error, Frame};
use gpu_core::{audit, order};
use gpu_order::{Args, PLUGIN};

fn main() -> ExitCode {
    gpu_cli::start(&PLUGIN, |args: &Args| match &args.instead {
        None => answer(args),
        Some(it) => it.run(&PLUGIN),
    })
}

fn answer(args: &Args) -> Result<ExitCode, Error> {
    let frame = Frame::new(PLUGIN.program, &args.shared, &args.nodes, PLUGIN.formats)?;
    let reader = frame.open()?;
    let mut cluster = frame.read(&reader)?;
    let second_look = order::second_look(&cluster, &frame.scope, frame.release, audit::RULES);
    frame.read_more(&reader, &mut cluster, &second_look)?;
    let report = order::order(&cluster, &frame.scope, frame.release, audit::RULES)
        .map_err(gpu_cli::unknown_node)?;
    frame.finish(&reader, &cluster, &report)
}
