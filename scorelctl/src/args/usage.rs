use clap::Args;
use scorel_proto::UsageGrouping;

use super::one_of::one_of;

#[derive(Debug, Args)]
pub(crate) struct UsageArgs {
    /// The unit that each row sums up
    #[arg(long, value_name = "WHAT", default_value = "day", value_parser = one_of(GROUPINGS))]
    pub(crate) by: UsageGrouping,
    /// First day, such as 2026-11-22 [default: the first there is]
    #[arg(long, value_name = "DAY")]
    pub(crate) from: Option<String>,
    /// Last day [default: today]
    #[arg(long, value_name = "DAY")]
    pub(crate) to: Option<String>,
}

const GROUPINGS: [(&str, &str, UsageGrouping); 4] = [
    ("day", "A day in the daemon's time zone", UsageGrouping::Day),
    ("model", "A model", UsageGrouping::Model),
    ("project", "A project", UsageGrouping::Project),
    ("session", "A session", UsageGrouping::Session),
];
