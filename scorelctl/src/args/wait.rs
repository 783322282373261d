use std::time::Duration;

use clap::{Args, ValueEnum};

use super::duration;
use super::target::TargetArgs;

#[derive(Debug, Args)]
pub(crate) struct WaitArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// What to wait for
    #[arg(long = "for", value_name = "WHAT", default_value = "idle")]
    pub(crate) wait_for: WaitFor,
    /// Stop waiting after so many seconds, with exit code 8
    #[arg(long, value_name = "SECONDS", value_parser = duration::seconds)]
    pub(crate) timeout: Option<Duration>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum WaitFor {
    /// No turn runs, and none is going to: the queue is empty or paused
    Idle,
    /// The session, or a session that works for it, asks for permission
    Question,
}
