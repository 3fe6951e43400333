//! kubectl gpu-drivertag: which driver image does each node need, and is it there.

use std::process::ExitCode;

use gpu_cli::{Error, Frame};
use gpu_core::drivertag::{self, Stock};
use gpu_drivertag::{Args, PLUGIN};

fn main() -> ExitCode {
    gpu_cli::start(&PLUGIN, |args: &Args| match &args.instead {
        None => answer(args),
        Some(it) => it.run(&PLUGIN),
    })
}

fn answer(args: &Args) -> Result<ExitCode, Error> {
    let frame = Frame::new(PLUGIN.program, &args.shared, &args.nodes, PLUGIN.formats)?;
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
        .ask(PLUGIN.program, &args.shared, &cluster, &needs.questions())?;
    let stock = Stock { inventory, ..asked };
    frame.finish(&reader, &cluster, &drivertag::judge(needs, stock))
}
