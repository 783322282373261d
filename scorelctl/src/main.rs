//! Starts the command line client.

use std::process::ExitCode;

fn main() -> ExitCode {
    scorelctl::main()
}
