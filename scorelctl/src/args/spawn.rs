use std::path::PathBuf;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use scorel_proto::ResultDelivery;

use super::one_of::one_of;
use crate::agent_task_selector::AgentTaskSelector;
use crate::selector::SessionSelector;

#[derive(Debug, Args)]
pub(crate) struct SpawnArgs {
    /// The session that gives the task: an id, or its beginning or end [default: the project's orchestrator]
    #[arg(long, short = 's', value_name = "ID|PART")]
    pub(crate) parent: Option<SessionSelector>,
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
    #[arg(long, value_name = "WHAT", default_value = "none", value_parser = one_of(DELIVERIES))]
    pub(crate) deliver: ResultDelivery,
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

const DELIVERIES: [(&str, &str, ResultDelivery); 2] = [
    (
        "turn",
        "The parent's model reads it: in its running turn, or in a turn of its own",
        ResultDelivery::Turn,
    ),
    (
        "none",
        "It stays with the runtime, for people",
        ResultDelivery::None,
    ),
];
