//! The command line. Doc comments here are the help texts.

mod agents;
mod config;
mod duration;
mod files;
mod init;
mod keeping;
mod logs;
mod naming;
mod on_ask;
mod one_of;
mod overview;
mod programs;
mod projects;
mod protocol_name;
mod queue;
mod runners;
mod runtimes;
mod search;
mod service;
mod spawn;
mod target;
mod transfer;
mod travel;
mod trust;
mod usage;
mod wait;

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::NonEmptyStringValueParser;
use clap::{ArgAction, Args, Parser, Subcommand};
use scorel_proto::{ToolPreset, WhileRunning};

#[cfg(test)]
pub(crate) use agents::AGENT_KEYS;
pub(crate) use agents::{AgentsArgs, AgentsCommand, QuotaArgs, SetAgentArgs};
pub(crate) use config::ConfigArgs;
pub(crate) use files::{FilesArgs, FilesCommand, RestoreHow};
pub(crate) use init::InitArgs;
pub(crate) use keeping::{DeleteArgs, GcArgs, UndeleteArgs};
pub(crate) use logs::LogsArgs;
pub(crate) use naming::{ArchiveArgs, RenameArgs};
pub(crate) use on_ask::OnAsk;
pub(crate) use overview::{DescribedCommand, commands};
pub(crate) use programs::{CompletedShell, CompletionsArgs, ManArgs};
pub(crate) use projects::{ProjectsArgs, ProjectsCommand};
pub(crate) use queue::{NewItemArgs, QueueArgs, QueueCommand, SteerArgs};
pub(crate) use runners::{RunnersArgs, RunnersCommand};
pub(crate) use runtimes::{
    GraphArgs, RuntimesArgs, RuntimesCommand, WorktreesArgs, WorktreesCommand,
};
pub(crate) use search::SearchArgs;
pub(crate) use service::{ServiceArgs, ServiceCommand};
pub(crate) use spawn::SpawnArgs;
pub(crate) use target::TargetArgs;
pub(crate) use transfer::{ExportArgs, ExportFormat, ImportArgs};
pub(crate) use travel::{BranchArgs, CloneArgs, MovedFilesArgs, ResendArgs, RewindArgs};
pub(crate) use trust::{SkillsArgs, TrustArgs, TrustChange};
pub(crate) use usage::UsageArgs;
pub(crate) use wait::{WaitArgs, WaitFor};

use one_of::one_of;
use protocol_name::protocol_name;

use crate::exit::Exit;
use crate::selector::SessionSelector;

/// Command-line client of the Scorel daemon, which runs coding agents
#[derive(Debug, Parser)]
#[command(name = "scorelctl", version, after_help = Exit::help(), max_term_width = 100,
    arg_required_else_help = true, help_template = overview::template())]
pub(crate) struct CliArguments {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
    #[command(subcommand)]
    pub(crate) command: CliCommand,
}

/// Options of every command.
#[derive(Debug, Clone, Args)]
pub(crate) struct GlobalArgs {
    /// The daemon's home directory [default: $SCOREL_HOME, else ~/.scorel]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) home: Option<PathBuf>,
    /// Print JSON for programs: one value per line
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Fail if no daemon is running, instead of starting one
    #[arg(long, global = true)]
    pub(crate) no_start: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CliCommand {
    /// Send a message to an agent and follow its answer
    Send(SendArgs),
    /// Wait until a session is idle, or asks for permission
    Wait(WaitArgs),
    /// Print a session's last turn, then follow it live
    Tail(TailArgs),
    #[command(flatten)]
    Connected(ConnectedCommand),
    /// Give an agent a task
    Spawn(SpawnArgs),
    /// Set up a model: find API keys and local servers, write the configuration, test it
    Init(InitArgs),
    /// Show the daemon's state
    Status(StatusArgs),
    /// Call any method of the daemon's protocol (`rpc.discover` describes them)
    Call(CallArgs),
    /// Bridge standard input and output to the daemon's socket, for editors
    Stdio,
    /// Print the daemon's log files; works without a daemon
    Logs(LogsArgs),
    /// Stop the daemon and wait until it has exited; running turns are cancelled
    Stop,
    /// Restart the daemon, for example after an upgrade; running turns go on
    Restart,
    /// Have the service manager run the daemon: install, start, stop, look
    Service(ServiceArgs),
    /// Check the files in the home directory for damage, and repair them
    Fsck(FsckArgs),
    /// Check the installation, the configuration and the system, and suggest fixes
    Doctor,
    /// Show, check and change the configuration: `show`, `get`, `set`, `unset`, `check`, `edit`
    #[command(disable_help_flag = true)]
    Config(ConfigArgs),
    /// Print the script with which a shell completes commands, options, session ids and models
    Completions(CompletionsArgs),
    /// Describe every command in a line
    Commands,
    /// Say what the exit codes mean
    #[command(after_help = Exit::help())]
    ExitCodes,
    /// Write the manual pages, for packages
    #[command(hide = true)]
    Man(ManArgs),
}

/// The commands that begin with a connection to the daemon.
#[derive(Debug, Subcommand)]
pub(crate) enum ConnectedCommand {
    /// List sessions, most recently changed first
    Sessions(SessionsArgs),
    /// Search the conversations of all projects
    Search(SearchArgs),
    /// List the registered project directories; add, rename or remove one
    Projects(ProjectsArgs),
    /// Print a session's conversation
    Show(ShowArgs),
    /// Tell the running turn something: it reads it before its next model call
    Steer(SteerArgs),
    /// List the messages that wait, or change them
    Queue(QueueArgs),
    /// Show a session's turns and branches
    Tree(TargetArgs),
    /// Go back to the end of an earlier turn; the turns after it stay, as a branch
    Rewind(RewindArgs),
    /// Switch to another branch of the conversation
    Branch(BranchArgs),
    /// Create a session with a copy of the conversation
    Clone(CloneArgs),
    /// Give a session another title
    Rename(RenameArgs),
    /// Archive a session: lists leave it out, and nothing else changes
    Archive(ArchiveArgs),
    /// Delete a session; for some days it can be brought back
    Delete(DeleteArgs),
    /// Bring a deleted session back
    Undelete(UndeleteArgs),
    /// Write a session to a file: for people, for programs, or to import it elsewhere
    Export(ExportArgs),
    /// Create a session with the conversation of a file
    Import(ImportArgs),
    /// Send a message again, edited or not, in place of the one before
    Resend(ResendArgs),
    /// List the files that a session changed, and restore them
    Files(FilesArgs),
    /// Cancel the running turn
    Cancel(CancelArgs),
    /// End a turn's wait for a rate limit
    EndWait(TargetArgs),
    /// Replace the older part of a conversation by a summary
    Compact(CompactArgs),
    /// Show what the next request to the model would hold, and how large it is
    Context(TargetArgs),
    /// Answer a permission request; without one, list the open requests
    Approve(ApproveArgs),
    /// List the available models
    Models(ModelsArgs),
    /// List the programs that can run a session's turns, check one, or look at the contexts that they keep
    Runners(RunnersArgs),
    /// List the agents that take tasks, change one, or set how many may run at once
    Agents(AgentsArgs),
    /// List the tasks that agents were given; show, move or stop one
    Runtimes(RuntimesArgs),
    /// Draw the tree of tasks below a session
    Graph(GraphArgs),
    /// List the git worktrees that agents work in, or remove one
    Worktrees(WorktreesArgs),
    /// List the skills of the user and of a project
    Skills(SkillsArgs),
    /// List the items that a project brings, such as skills, and trust them
    Trust(TrustArgs),
    /// Sum up the tokens and the cost of all model calls
    Usage(UsageArgs),
    /// Report what the daemon keeps and nothing needs any more, and remove it
    Gc(GcArgs),
}

#[derive(Debug, Args)]
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
    /// Print the session id and exit once the message is accepted
    #[arg(long, short)]
    pub(crate) detach: bool,
    /// Stop waiting for the outcome after so many seconds, with exit code 8; the turn continues
    #[arg(long, value_name = "SECONDS", value_parser = duration::seconds, conflicts_with = "detach")]
    pub(crate) timeout: Option<Duration>,
    /// What to do with the message if a turn is running
    #[arg(long, value_name = "WHAT", default_value = "follow-up",
        value_parser = one_of(WHILE_RUNNING))]
    pub(crate) while_running: WhileRunning,
    /// What to do when a tool needs permission [default: ask on a terminal, else deny]
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

#[derive(Debug, Args)]
pub(crate) struct TailArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// Start at the event with this number; if it does not exist yet, wait for it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..1 << 53))]
    pub(crate) from_seq: Option<u64>,
    /// Keep following live events [default: true]
    #[arg(
        long, value_name = "BOOL", num_args = 0..=1, require_equals = true,
        default_value_t = true, default_missing_value = "true", action = ArgAction::Set,
        hide_default_value = true, hide_possible_values = true
    )]
    pub(crate) follow: bool,
    /// Exit once all existing events are printed
    #[arg(long, conflicts_with = "follow")]
    pub(crate) no_follow: bool,
    /// Start the daemon again whenever it has ended [default: only the service manager brings it
    /// back]
    #[arg(long, conflicts_with = "no_follow")]
    pub(crate) start: bool,
}

impl TailArgs {
    pub(crate) const fn follows(&self) -> bool {
        self.follow && !self.no_follow
    }
}

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// Only the last N turns
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) last: Option<u32>,
    /// Print the prompt that each request begins with, instead of the conversation
    #[arg(long, conflicts_with_all = ["last", "logs"])]
    pub(crate) prompt: bool,
    /// Also print what runners wrote to their logs
    #[arg(long)]
    pub(crate) logs: bool,
    /// Print to the terminal itself [default: through $PAGER, or less]
    #[arg(long)]
    pub(crate) no_pager: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SessionsArgs {
    /// Only sessions with these words in their title; `scorelctl search` searches the conversations
    #[arg(value_name = "QUERY")]
    pub(crate) query: Vec<String>,
    /// Project directory [default: the working directory]
    #[arg(long, short, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// List the sessions of all projects
    #[arg(long, short, conflicts_with = "project")]
    pub(crate) all: bool,
    /// List archived sessions instead
    #[arg(long)]
    pub(crate) archived: bool,
    /// List deleted sessions that can be brought back instead
    #[arg(long, conflicts_with = "archived")]
    pub(crate) deleted: bool,
    /// Only sessions with a turn that has not ended
    #[arg(long, conflicts_with = "deleted")]
    pub(crate) running: bool,
}

#[derive(Debug, Args)]
pub(crate) struct StatusArgs {
    /// One line: for prompts and status bars
    #[arg(long)]
    pub(crate) short: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CancelArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// Also remove all queued messages
    #[arg(long)]
    pub(crate) clear_queue: bool,
    /// Also stop all runtimes that the session has given to agents [default: those that the cancelled
    /// turn has given]
    #[arg(long)]
    pub(crate) children: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CompactArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// Print the compaction's id and exit once it has begun
    #[arg(long, short)]
    pub(crate) detach: bool,
    /// What the summary should pay attention to
    #[arg(value_name = "INSTRUCTIONS")]
    pub(crate) instructions: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ApproveArgs {
    /// Request id, or its beginning or end
    #[arg(value_name = "REQUEST", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) request: Option<String>,
    /// Only this session: an id, or its beginning or end [default: all sessions]
    #[arg(long, short, value_name = "ID|PART")]
    pub(crate) session: Option<SessionSelector>,
    /// Allow the call, and similar ones for the rest of the session
    #[arg(long, requires = "request", conflicts_with_all = ["always", "deny"])]
    pub(crate) for_session: bool,
    /// Allow the call, and similar ones in this project from now on
    #[arg(long, requires = "request", conflicts_with = "deny")]
    pub(crate) always: bool,
    /// Deny the request
    #[arg(long, requires = "request")]
    pub(crate) deny: bool,
    /// Reason, recorded in the log; with --deny it is passed on to the model
    #[arg(long, value_name = "TEXT", requires = "request")]
    pub(crate) reason: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ModelsArgs {
    /// Only this provider's models; fail if its endpoint cannot be queried
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) provider: Option<String>,
    /// Do not query any endpoint: list what it listed before, and the built-in and configured models
    #[arg(long)]
    pub(crate) offline: bool,
    /// Also list models of providers for which there is no key
    #[arg(long)]
    pub(crate) all: bool,
}

/// For `--help`: `fsck` is run by scoreld, whose exit codes differ from [`Exit`].
const FSCK_EXIT_CODES: &str = "\
Exit codes:
  0  No damage was found, or all of it was repaired.
  1  Damage was found and not repaired.
  2  The command line is invalid.
  3  The check or the repair could not be performed.";

#[derive(Debug, Args)]
#[command(after_help = FSCK_EXIT_CODES)]
pub(crate) struct FsckArgs {
    /// Only this session: its id, or the beginning of it
    #[arg(long, short, value_name = "ID|PREFIX", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) session: Option<String>,
    /// Repair what can be repaired. Requires that no daemon is running; a log is copied before it
    /// is replaced
    #[arg(long)]
    pub(crate) repair: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CallArgs {
    /// Name of the method
    #[arg(value_name = "METHOD")]
    pub(crate) method: String,
    /// Parameters as JSON; `-` reads standard input
    #[arg(value_name = "JSON|-")]
    pub(crate) params: Option<String>,
}

#[cfg(test)]
mod tests;
