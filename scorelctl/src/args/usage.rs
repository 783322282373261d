use clap::{Args, ValueEnum};
use scorel_proto::UsageGrouping;

#[derive(Debug, Args)]
pub(crate) struct UsageArgs {
    /// The unit that each row sums up
    #[arg(long, value_name = "WHAT", default_value = "day")]
    pub(crate) by: UsageBy,
    /// First day, such as 2026-11-22 [default: the first there is]
    #[arg(long, value_name = "DAY")]
    pub(crate) from: Option<String>,
    /// Last day [default: today]
    #[arg(long, value_name = "DAY")]
    pub(crate) to: Option<String>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum UsageBy {
    /// A day in the daemon's time zone
    Day,
    /// A model
    Model,
    /// A project
    Project,
    /// A session
    Session,
}

impl From<UsageBy> for UsageGrouping {
    fn from(by: UsageBy) -> Self {
        match by {
            UsageBy::Day => Self::Day,
            UsageBy::Model => Self::Model,
            UsageBy::Project => Self::Project,
            UsageBy::Session => Self::Session,
        }
    }
}
