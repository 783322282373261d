use std::path::PathBuf;

use clap::{Args, Command};
use scorel_manual::Manual;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;

#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// The directory to write the pages into, such as build/man1
    #[arg(value_name = "DIR")]
    pub(crate) directory: PathBuf,
}

/// Writes the manual pages of the whole command line, and prints their paths.
pub(super) fn run(args: &ManArgs, root: Command, output: &mut Output) -> Result<(), Failure> {
    let manual = Manual::new(root)
        .see_also(&["scoreld"])
        .described_by(&[("scorelctl-config", "scoreld-config")]);
    let written = manual.write_to(&args.directory).map_err(|error| {
        let directory = args.directory.display();
        let message = format!("cannot write manual pages into {directory}: {error}");
        Failure::new(Exit::Internal, "io", message)
    })?;
    output.results(&written, |output| {
        let mut paths = written.iter();
        paths.try_for_each(|path| output.line(&path.display().to_string()))
    })
}
