use std::io::{self, Write as _};
use std::path::Path;

use clap::CommandFactory as _;
use scorel_manual::Manual;

use crate::args::Args;
use crate::exit::DaemonExit;

/// Writes the manual pages, and prints their paths.
pub(crate) fn write(directory: &Path) -> DaemonExit {
    let manual = Manual::new(Args::command()).see_also(&["scorelctl"]);
    let printed = manual.write_to(directory).and_then(|written| {
        let mut out = io::stdout().lock();
        written
            .iter()
            .try_for_each(|path| writeln!(out, "{}", path.display()))
    });
    match printed {
        Ok(()) => DaemonExit::Ok,
        Err(error) => {
            let directory = directory.display();
            // stderr is closed: no other channel is left to report that on.
            let _ignored: io::Result<()> = writeln!(
                io::stderr().lock(),
                "error: cannot write manual pages into {directory}: {error}"
            );
            DaemonExit::Io
        }
    }
}
