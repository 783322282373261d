//! Runs `scorelctl` for the tests.

use std::process::ExitCode;

fn main() -> ExitCode {
    scorelctl::main()
}
