use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use scorel_proto::{RunMode, ToolPreset, WhileRunning};

use crate::args::{OnAsk, one_of, protocol_name, seconds};
use crate::selector::SessionSelector;

#[derive(Debug, Default, Args)]
pub(crate) struct SendArgs {
    /// Session id, its beginning or end, or `new` [default: the project's latest session, else a new
    /// one]
    #[arg(long, short, value_name = "ID|PART|new")]
    pub(crate) session: Option<SessionSelector>,
    /// Project directory, registered on first use [default: the working directory]
    #[arg(long, short, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// Switch the session to this model: an id at the configured provider, or PROVIDER:ID as listed
    /// by `scorelctl models`
    #[arg(long, short)]
    pub(crate) model: Option<String>,
    /// Switch the session to this runner, as listed by `scorelctl runners`; `scorel` is the daemon's own
    /// engine
    #[arg(long, short, value_name = "RUNNER", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) runner: Option<String>,
    /// Switch the session to this set of tools
    #[arg(long, value_name = "PRESET",
        value_parser = protocol_name::<ToolPreset>(ToolPreset::ALL.map(ToolPreset::name)))]
    pub(crate) tools: Option<ToolPreset>,
    /// The purpose of this message alone, in the session of a workflow run
    #[arg(long, value_name = "MODE", value_parser = protocol_name::<RunMode>(RunMode::ALL.map(RunMode::name)))]
    pub(crate) mode: Option<RunMode>,
    /// Print the session id and exit once the message is accepted
    #[arg(long, short)]
    pub(crate) detach: bool,
    /// Stop waiting for the outcome after so many seconds, with exit code 8; the turn continues
    #[arg(long, value_name = "SECONDS", value_parser = seconds, conflicts_with = "detach")]
    pub(crate) timeout: Option<Duration>,
    /// The place of the message if a turn is running
    #[arg(long, value_name = "WHAT", default_value = "follow-up",
        value_parser = one_of(WHILE_RUNNING))]
    pub(crate) while_running: WhileRunning,
    /// The answer when a tool needs permission [default: ask on a terminal, else deny]
    #[arg(long, value_name = "WHAT")]
    pub(crate) on_ask: Option<OnAsk>,
    /// Attach a file of the project, text or a picture; may be repeated
    #[arg(long = "file", value_name = "PATH")]
    pub(crate) files: Vec<PathBuf>,
    /// The message; `-` after it adds standard input, and no text when that is not a terminal is the same
    /// as `-`. A pipe is not read otherwise.
    /// `@PATH` at the start of a word attaches that file of the project, `\@PATH` only names it
    #[arg(value_name = "TEXT")]
    pub(crate) text: Vec<String>,
}

const WHILE_RUNNING: [(&str, &str, WhileRunning); 3] = [
    (
        "follow-up",
        "Queue it; it gets a turn of its own afterwards",
        WhileRunning::FollowUp,
    ),
    (
        "steer",
        "Let the running turn read it before its next model call",
        WhileRunning::Steer,
    ),
    (
        "reject",
        "Fail instead of queueing it",
        WhileRunning::Reject,
    ),
];
