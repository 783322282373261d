//! `scorelctl logs`: the files that the daemon logs to. No daemon is asked, and none is started.

mod log_files;
mod log_follower;
mod log_line;

use std::time::Duration;

use clap::Args;
use scorel_client::DaemonHome;
use tokio::time::{MissedTickBehavior, interval};

use crate::failure::Failure;
use crate::interrupts::Interrupts;
use crate::output::Output;
use log_files::LogFiles;
use log_follower::LogFollower;
use log_line::LogLine;

/// The log to print: the daemon's own, or the service manager's.
#[derive(Debug, Args)]
pub(crate) struct LogsArgs {
    /// Print new lines as they come
    #[arg(long, short)]
    pub(crate) follow: bool,
    /// The number of lines to begin with
    #[arg(long, short = 'n', value_name = "N", default_value_t = 200)]
    pub(crate) lines: u32,
}

/// The interval at which followed files are read.
const PACE: Duration = Duration::from_millis(200);

pub(super) async fn run(
    args: &LogsArgs,
    home: &DaemonHome,
    output: &mut Output,
) -> Result<(), Failure> {
    let files = LogFiles::new(home.path().join("logs"));
    let found = files.last_lines(args.lines as usize)?;
    print(&found.lines, output)?;
    if args.follow {
        return follow(LogFollower::new(files, found.end), output).await;
    }
    if found.end.is_none() {
        let directory = files.directory().display();
        output.note(&format!("no log in {directory}: a daemon writes one"))?;
    }
    Ok(())
}

async fn follow(mut follower: LogFollower, output: &mut Output) -> Result<(), Failure> {
    let mut interrupts = Interrupts::listen()?;
    let mut pace = interval(PACE);
    pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        output.flush()?;
        tokio::select! {
            _ = pace.tick() => print(&follower.new_lines()?, output)?,
            () = interrupts.next() => return Ok(()),
        }
    }
}

fn print(lines: &[String], output: &mut Output) -> Result<(), Failure> {
    for line in lines {
        if output.json {
            output.json(&LogLine::parse(line))?;
        } else {
            output.line(line)?;
        }
    }
    Ok(())
}
