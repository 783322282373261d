//! Arguments of `search`.

use std::path::PathBuf;

use clap::Args;
use scorel_proto::Role;

use super::one_of::one_of;
use crate::moment::parse_moment;

#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    /// Words that all have to be there, in any order: also "a phrase", begin* and, behind `--`, -word for
    /// what must not be there. Quote them for the shell. With --regex, a regular expression
    #[arg(value_name = "QUERY", required = true)]
    pub(crate) query: Vec<String>,
    /// Search for a regular expression, in what tools wrote as well; reads all logs
    #[arg(long, short = 'e')]
    pub(crate) regex: bool,
    /// Only the sessions of this project directory [default: all projects]
    #[arg(long, short, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// Search archived sessions instead
    #[arg(long)]
    pub(crate) archived: bool,
    /// Only what this author wrote
    #[arg(long, value_name = "ROLE", value_parser = one_of(ROLES))]
    pub(crate) role: Option<Role>,
    /// Only since then: a day such as 2026-11-22, a time such as 2026-11-22T08:00:00Z, or an age such as
    /// 90m, 12h, 7d or 4w
    #[arg(long, value_name = "TIME", value_parser = parse_moment)]
    pub(crate) since: Option<u64>,
    /// How many hits at most
    #[arg(long, short = 'n', value_name = "N", default_value = "20",
        value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) limit: u32,
}

const ROLES: [(&str, &str, Role); 4] = [
    ("user", "The user", Role::User),
    ("assistant", "The model", Role::Assistant),
    ("tool", "A tool; only with --regex", Role::ToolResult),
    ("internal", "The daemon; only with --regex", Role::Internal),
];
