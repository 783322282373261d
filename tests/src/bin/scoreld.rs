//! Runs `scoreld` for the tests.

use std::process::ExitCode;

fn main() -> ExitCode {
    scoreld::main()
}
