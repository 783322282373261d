//! Starts the daemon.

use std::process::ExitCode;

fn main() -> ExitCode {
    scoreld::main()
}
