//! The process around a control plane; the lab starts it, nobody else does.

use std::process::ExitCode;

fn main() -> ExitCode {
    lab::supervisor::main()
}
