//! kubectl gpu-audit: is every operand that should run on each node there, and if not, why.

use std::process::ExitCode;

use gpu_audit::{Args, Instead, PLUGIN};
use gpu_cli::{Error, Frame, SharedArgs};
use gpu_core::audit;

fn main() -> ExitCode {
    gpu_cli::start(&PLUGIN, |args: &Args| match &args.instead {
        None => answer(args),
        Some(Instead::Roster { all, shared }) => roster(*all, shared),
        Some(Instead::Shared(it)) => it.run(&PLUGIN),
    })
}

fn answer(args: &Args) -> Result<ExitCode, Error> {
    let frame = Frame::new(PLUGIN.program, &args.shared, &args.nodes, PLUGIN.formats)?;
    let reader = frame.open()?;
    let mut cluster = frame.read(&reader)?;
    let second_look = audit::second_look(&cluster, &frame.scope, frame.release);
    frame.read_more(&reader, &mut cluster, &second_look)?;
    let report =
        audit::audit(&cluster, &frame.scope, frame.release).map_err(gpu_cli::unknown_node)?;
    frame.finish(&reader, &cluster, &report)
}

fn roster(all: bool, shared: &SharedArgs) -> Result<ExitCode, Error> {
    let frame = Frame::new(PLUGIN.program, shared, &[], PLUGIN.formats)?;
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
