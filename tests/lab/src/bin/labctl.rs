//! What `cargo xtask lab` runs.

use std::{env, process::ExitCode};

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    lab::command::run(&arguments)
}
