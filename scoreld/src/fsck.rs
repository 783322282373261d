//! `scoreld fsck`: command line, output streams and exit code around `scorel-fsck`.

mod args;

use std::io::{self, Write};

pub(crate) use args::FsckArgs;
pub(crate) use scorel_fsck::FsckExit;

use scorel_fsck::{FsckError, FsckReport, write_error, write_report};
use scorel_home::HomeSource;

pub(crate) fn run(args: &FsckArgs) -> FsckExit {
    let written = check_or_repair(args).and_then(|report| {
        let mut out = io::BufWriter::new(io::stdout().lock());
        match write_report(&report, args.json, &mut out).and_then(|()| out.flush()) {
            // A reader that closes the output, as `head` does, has seen what it wanted.
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(FsckError::Print(error)),
            _ => Ok(report.exit()),
        }
    });
    written.unwrap_or_else(|error| {
        // stderr is closed: no other channel is left to report that on.
        let _ignored: io::Result<()> = write_error(&error, args.json, io::stderr().lock());
        FsckExit::Unchecked
    })
}

fn check_or_repair(args: &FsckArgs) -> Result<FsckReport, FsckError> {
    let root = HomeSource::from_environment(args.home.clone()).locate()?;
    let session = args.session.as_deref();
    if args.repair {
        scorel_fsck::repair(&root, session)
    } else {
        scorel_fsck::check(&root, session)
    }
}
