use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, ValueEnum};
use scorel_proto::ResultDelivery;

use crate::agent_task_selector::AgentTaskSelector;
use crate::selector::SessionSelector;

#[derive(Debug, Args)]
pub(crate) struct SpawnArgs {
    /// The session that gives the task: an id, or its beginning or end [default: the project's orchestrator]
    #[arg(
        long,
        short = 's',
        value_name = "ID|PART",
        default_value = SessionSelector::DEFAULT,
        hide_default_value = true
    )]
    pub(crate) parent: SessionSelector,
    /// Project directory, registered on first use [default: the working directory]
    #[arg(long, short, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// The task in a few words [default: the beginning of the prompt]
    #[arg(long, short, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// The workflow for whose quota the runtime counts
    #[arg(long, value_name = "ID", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) workflow: Option<String>,
    /// Go on in the session of a runtime that has ended: its id, or the beginning or end of it. The
    /// session that gave its task gives this one too
    #[arg(long = "continue", value_name = "RUNTIME")]
    pub(crate) continued: Option<AgentTaskSelector>,
    /// What becomes of the result
    #[arg(long, value_name = "WHAT", default_value = "none")]
    pub(crate) deliver: DeliverArg,
    /// Wait until the runtime has ended, and print its result
    #[arg(long, short)]
    pub(crate) wait: bool,
    /// An agent that `scorelctl agents` lists
    #[arg(value_name = "TYPE", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) agent_type: String,
    /// The task; `-`, or no text when standard input is not a terminal, reads standard input
    #[arg(value_name = "PROMPT")]
    pub(crate) prompt: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DeliverArg {
    /// The parent's model reads it: in its running turn, or in a turn of its own
    Turn,
    /// It stays with the runtime, for people
    None,
}

impl From<DeliverArg> for ResultDelivery {
    fn from(arg: DeliverArg) -> Self {
        match arg {
            DeliverArg::Turn => Self::Turn,
            DeliverArg::None => Self::None,
        }
    }
}
