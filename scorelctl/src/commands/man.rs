use clap::CommandFactory as _;
use scorel_manual::Manual;

use crate::args::{CliArguments, ManArgs};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;

/// Writes the manual pages, and prints their paths.
pub(super) fn run(args: &ManArgs, output: &mut Output) -> Result<(), Failure> {
    let manual = Manual::new(CliArguments::command())
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
    })?;
    Ok(())
}
