//! The commands, one file each.

mod acp;
mod active_path;
mod agent_task_state;
mod agents;
mod approve;
mod archive;
mod attach;
mod blob;
mod branch;
mod call;
mod cancel;
mod channels;
mod clone;
mod compact;
mod completions;
mod confirm;
mod context;
mod cost_text;
mod daemon_end;
mod delete;
mod end_wait;
mod export;
mod ext;
mod files;
mod gc;
mod graph;
mod hooks;
mod import;
mod init;
mod input;
mod install;
mod interrupted;
mod logs;
mod man;
mod mcp;
mod models;
mod moved;
mod outgoing;
mod overview;
mod projects;
mod queue;
mod queue_pause;
mod records;
mod remote;
mod rename;
mod resend;
mod restart;
mod restored;
mod rewind;
mod run;
mod runners;
mod runtimes;
mod scoreld;
mod search;
mod send;
mod service;
mod sessions;
mod show;
mod size_text;
mod skills;
mod spawn;
mod stall;
mod status;
mod stdio;
mod steer;
mod stop;
mod stream_end;
mod sync_line;
mod tail;
mod tree;
mod trust;
mod upgrade_notice;
mod usage;
mod wait;
mod workflow;
mod worktrees;

use std::pin::{Pin, pin};

use clap::{CommandFactory as _, Parser, Subcommand};
use tokio::runtime::{Builder, Runtime};

use crate::args::{GlobalArgs, TargetArgs};
use crate::cli::Cli;
use crate::daemon::{DaemonConnector, LocalDaemon};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::interrupts::unless_ended;
use crate::output::Output;
use hooks::HooksCommand;
use mcp::McpCommand;

/// Command-line client of the Scorel daemon, which runs coding agents
#[derive(Debug, Parser)]
#[command(name = "scorelctl", version, after_help = Exit::help(), max_term_width = 100,
    help_template = overview::template())]
pub(crate) struct CliArguments {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
    /// Without one, `attach` at a terminal.
    #[command(subcommand)]
    pub(crate) command: Option<CliCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CliCommand {
    /// Talk with an agent at the terminal; what `scorelctl` alone does
    Attach(attach::AttachArgs),
    /// Send a message to an agent and follow its answer
    Send(send::SendArgs),
    /// Wait until a session is idle, or asks for permission
    Wait(wait::WaitArgs),
    /// Print a session's last turn, then follow it live
    Tail(tail::TailArgs),
    #[command(flatten)]
    Connected(ConnectedCommand),
    /// Give an agent a task
    Spawn(spawn::SpawnArgs),
    /// List, check, add, remove and restart plugins and other extensions, or read what one has said
    Ext(ext::ExtArgs),
    /// List workflow packages, check one, or add it
    Workflow(workflow::WorkflowArgs),
    /// Start runs of workflows, look at them, and have them go on
    Run(run::RunArgs),
    /// Set up a model: find API keys and local servers, write the configuration, test it
    Init(init::InitArgs),
    /// Show the daemon's state
    Status(status::StatusArgs),
    /// Call any method of the daemon's protocol (`rpc.discover` describes them)
    Call(call::CallArgs),
    /// Bridge standard input and output to the daemon's socket, for editors
    Stdio,
    /// Serve an editor that speaks the Agent Client Protocol, on standard input and output
    Acp,
    /// Print the daemon's log files; works without a daemon
    Logs(logs::LogsArgs),
    /// Stop the daemon and wait until it has exited; running turns are cancelled
    Stop,
    /// Reach the daemons of other machines by ssh: add, list, remove one
    Remote(remote::RemoteArgs),
    /// Restart the daemon, for example after an upgrade; running turns go on
    Restart,
    /// Have the service manager run the daemon: install, start, stop, look
    Service(service::ServiceArgs),
    /// Check the files in the home directory for damage, and repair them
    Fsck(scoreld::FsckArgs),
    /// Check the installation, the configuration and the system, and suggest fixes
    Doctor,
    /// Show, check and change the configuration: `show`, `get`, `set`, `unset`, `check`, `edit`
    #[command(disable_help_flag = true)]
    Config(scoreld::ConfigArgs),
    /// Show hooks, which are commands around calls, requests and turns; take over those of Claude Code
    Hooks(hooks::HooksArgs),
    /// List, try, add and remove servers of the Model Context Protocol, whose tools agents get
    Mcp(mcp::McpArgs),
    /// Print the script with which a shell completes commands, options, session ids and models
    Completions(completions::CompletionsArgs),
    /// Describe every command in a line
    Commands,
    /// Say what the exit codes mean
    #[command(after_help = Exit::help())]
    ExitCodes,
    /// Write the manual pages, for packages
    #[command(hide = true)]
    Man(man::ManArgs),
}

impl CliCommand {
    /// The name of a command that works with this machine's files and processes, and with no daemon elsewhere.
    const fn local_verb(&self) -> Option<&'static str> {
        Some(match self {
            Self::Ext(args) => return args.local_verb(),
            Self::Mcp(args) => return args.local_verb(),
            Self::Workflow(_) => "workflow",
            Self::Init(_) => "init",
            Self::Stdio => "stdio",
            Self::Logs(_) => "logs",
            Self::Stop => "stop",
            Self::Remote(_) => "remote",
            Self::Restart => "restart",
            Self::Service(_) => "service",
            Self::Fsck(_) => "fsck",
            Self::Doctor => "doctor",
            Self::Config(_) => "config",
            Self::Completions(_) => "completions",
            Self::Commands => "commands",
            Self::ExitCodes => "exit-codes",
            Self::Man(_) => "man",
            Self::Hooks(hooks::HooksArgs {
                action: HooksCommand::Import { .. },
            }) => "hooks import",
            Self::Attach(_)
            | Self::Send(_)
            | Self::Wait(_)
            | Self::Tail(_)
            | Self::Run(_)
            | Self::Connected(_)
            | Self::Spawn(_)
            | Self::Status(_)
            | Self::Hooks(_)
            | Self::Call(_)
            | Self::Acp => return None,
        })
    }
}

/// The commands that begin with a connection to the daemon.
#[derive(Debug, Subcommand)]
pub(crate) enum ConnectedCommand {
    /// List sessions, most recently changed first
    Sessions(sessions::SessionsArgs),
    /// Search the conversations of all projects
    Search(search::SearchArgs),
    /// List the registered project directories; add, rename or remove one
    Projects(projects::ProjectsArgs),
    /// Print a session's conversation
    Show(show::ShowArgs),
    /// Tell the running turn something: it reads it before its next model call
    Steer(steer::SteerArgs),
    /// List the messages that wait, or change them
    Queue(queue::QueueArgs),
    /// Show a session's turns and branches
    Tree(TargetArgs),
    /// Go back to the end of an earlier turn; the turns after it stay, as a branch
    Rewind(rewind::RewindArgs),
    /// Switch to another branch of the conversation
    Branch(branch::BranchArgs),
    /// Create a session with a copy of the conversation
    Clone(clone::CloneArgs),
    /// Give a session another title
    Rename(rename::RenameArgs),
    /// Archive a session: lists leave it out, and nothing else changes
    Archive(archive::ArchiveArgs),
    /// Delete a session; for some days it can be brought back
    Delete(delete::DeleteArgs),
    /// Bring a deleted session back
    Undelete(TargetArgs),
    /// Write a session to a file: for people, for programs, or to import it elsewhere
    Export(export::ExportArgs),
    /// Create a session with the conversation of a file
    Import(import::ImportArgs),
    /// Send a message again, edited or not, in place of the one before
    Resend(resend::ResendArgs),
    /// List the files that a session changed, and restore them
    Files(files::FilesArgs),
    /// Cancel the running turn
    Cancel(cancel::CancelArgs),
    /// End a turn's wait for a rate limit
    EndWait(TargetArgs),
    /// Replace the older part of a conversation by a summary
    Compact(compact::CompactArgs),
    /// Show what the next request to the model would hold, and how large it is
    Context(TargetArgs),
    /// Answer a permission request; without one, list the open requests
    Approve(approve::ApproveArgs),
    /// List the available models
    Models(models::ModelsArgs),
    /// List the programs that can run a session's turns, check one, or look at the contexts that they keep
    Runners(runners::RunnersArgs),
    /// List the agents that take tasks, change one, or set how many may run at once
    Agents(agents::AgentsArgs),
    /// List the tasks that agents were given; show, move or stop one
    Runtimes(runtimes::RuntimesArgs),
    /// Draw the tree of tasks below a session
    Graph(graph::GraphArgs),
    /// List the git worktrees that agents work in, or remove one
    Worktrees(worktrees::WorktreesArgs),
    /// List the channels that messages come through, or have a schedule send its message now
    Channels(channels::ChannelsArgs),
    /// List the skills of the user and of a project
    Skills(skills::SkillsArgs),
    /// List the items that a project brings, such as skills, and trust them
    Trust(trust::TrustArgs),
    /// Sum up the tokens and the cost of all model calls
    Usage(usage::UsageArgs),
    /// Report what the daemon keeps and nothing needs any more, and remove it
    Gc(gc::GcArgs),
}

pub(crate) fn run(arguments: CliArguments, output: &mut Output) -> Result<Exit, Failure> {
    let CliArguments { global, command } = arguments;
    let local = || LocalDaemon::new(&global);
    let link = || DaemonConnector::new(&global);
    let done = |()| Exit::Success;
    let command = match command {
        Some(command) => command,
        None if attach::has_terminal() && !output.json => {
            CliCommand::Attach(attach::AttachArgs::default())
        }
        None => return overview::without_command(CliArguments::command(), output),
    };
    if let (Some(name), Some(verb)) = (&global.remote, command.local_verb()) {
        return Err(remote::refused(name, verb));
    }
    match command {
        CliCommand::Attach(args) => wait_for(attach::run(args, local()?, link()?, output)),
        CliCommand::Completions(args) => completions::run(&args, output).map(done),
        CliCommand::Man(args) => man::run(&args, CliArguments::command(), output).map(done),
        CliCommand::Commands => overview::commands(CliArguments::command(), output).map(done),
        CliCommand::ExitCodes => overview::exit_codes(output).map(done),
        CliCommand::Fsck(args) => Err(scoreld::fsck(&args, global.json, &local()?)),
        CliCommand::Doctor => Err(scoreld::doctor(global.json, &local()?)),
        CliCommand::Config(args) => Err(scoreld::config(&args, global.json, &local()?)),
        CliCommand::Hooks(args) => match args.action {
            HooksCommand::List { project } => {
                wait_at(&global, hooks::list(project, link()?, output)).map(done)
            }
            HooksCommand::Test(args) => {
                wait_at(&global, hooks::test(&args, link()?, output)).map(done)
            }
            HooksCommand::Import { file } => Err(scoreld::import_hooks(
                file.as_deref(),
                global.json,
                &local()?,
            )),
        },
        CliCommand::Mcp(args) => match args.action {
            McpCommand::Remove { name } => {
                Err(scoreld::remove_server(&name, global.json, &local()?))
            }
            McpCommand::Import { write } => {
                Err(scoreld::import_servers(write, global.json, &local()?))
            }
            McpCommand::Add(args) => {
                wait_at(&global, mcp::add(&args, &local()?, link()?, output)).map(done)
            }
            McpCommand::Serve(args) => wait_at(&global, mcp::serve(args, link())).map(done),
            action => wait_at(&global, mcp::run(action, link()?, output)).map(done),
        },
        CliCommand::Service(args) => service::run(&args, &local()?, output).map(done),
        CliCommand::Stdio => with_runtime(|runtime| stdio::run(runtime, &local()?)),
        CliCommand::Send(args) => wait_at(&global, send::run(args, link()?, output)),
        CliCommand::Tail(args) => wait_at(&global, tail::run(&args, link()?, output)),
        CliCommand::Wait(args) => wait_at(&global, wait::run(&args, link()?, output)),
        CliCommand::Call(args) => wait_at(&global, call::run(&args, &link()?, output)).map(done),
        CliCommand::Stop => wait_for(stop::run(local()?, output)).map(done),
        CliCommand::Remote(args) => {
            wait_for(unless_ended(remote::run(&args, &local()?, output))).map(done)
        }
        CliCommand::Restart => wait_for(restart::run(local()?, output)).map(done),
        CliCommand::Spawn(args) => wait_at(&global, spawn::run(&args, link()?, output)),
        CliCommand::Ext(args) if args.local_verb().is_some() => {
            ext::run_here(&args.command, local()?.home(), output).map(done)
        }
        CliCommand::Ext(args) => {
            wait_at(&global, ext::run(args.command, link()?, output)).map(done)
        }
        CliCommand::Workflow(args) => workflow::run(args, local()?.home(), output).map(done),
        CliCommand::Run(args) => wait_at(&global, run::run(args, link()?, output)),
        CliCommand::Init(args) => wait_for(init::run(args, local()?, output)).map(done),
        CliCommand::Acp => wait_at(&global, acp::run(link()?)).map(done),
        CliCommand::Logs(args) => wait_for(logs::run(&args, local()?.home(), output)).map(done),
        CliCommand::Status(args) => wait_at(&global, status::run(&args, link()?, output)).map(done),
        CliCommand::Connected(command) => wait_at(&global, connected(command, link()?, output)),
    }
}

/// Runs a command that waits for something.
fn wait_for<T>(command: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    // Not by its type, or the runtime is compiled for each command.
    let command: Pin<&mut dyn Future<Output = _>> = pin!(command);
    with_runtime(|runtime| runtime.block_on(command))
}

/// Runs a command of the daemon that the options name.
fn wait_at<T>(
    global: &GlobalArgs,
    command: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    let command: Pin<&mut dyn Future<Output = _>> = pin!(command);
    match &global.remote {
        None => wait_for(command),
        Some(_) => wait_for(unless_ended(command)),
    }
}

fn with_runtime<T>(run: impl FnOnce(&Runtime) -> Result<T, Failure>) -> Result<T, Failure> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let ended = run(&runtime);
    // A blocking task that still waits for the start lock must not keep the program alive.
    runtime.shutdown_background();
    ended
}

/// Connects, which starts the daemon if that is necessary and allowed, and runs the command.
async fn connected(
    command: ConnectedCommand,
    link: DaemonConnector,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let cli = &mut Cli::connect(link, output).await?;
    // Each by a pointer, or all of them are compiled as one function, and that twice.
    let ended: Pin<Box<dyn Future<Output = Result<(), Failure>> + '_>> = match &command {
        ConnectedCommand::Sessions(args) => Box::pin(sessions::run(args, cli)),
        ConnectedCommand::Search(args) => Box::pin(search::run(args, cli)),
        ConnectedCommand::Projects(args) => Box::pin(projects::run(args, cli)),
        ConnectedCommand::Show(args) => Box::pin(show::run(args, cli)),
        ConnectedCommand::Steer(args) => Box::pin(steer::run(args, cli)),
        ConnectedCommand::Queue(args) => Box::pin(queue::run(args, cli)),
        ConnectedCommand::Tree(args) => Box::pin(tree::run(args, cli)),
        ConnectedCommand::Rewind(args) => Box::pin(rewind::run(args, cli)),
        ConnectedCommand::Branch(args) => Box::pin(branch::run(args, cli)),
        ConnectedCommand::Clone(args) => Box::pin(clone::run(args, cli)),
        ConnectedCommand::Rename(args) => Box::pin(rename::run(args, cli)),
        ConnectedCommand::Archive(args) => Box::pin(archive::run(args, cli)),
        ConnectedCommand::Delete(args) => return Box::pin(delete::run(args, cli)).await,
        ConnectedCommand::Undelete(args) => Box::pin(delete::undelete(args, cli)),
        ConnectedCommand::Export(args) => Box::pin(export::run(args, cli)),
        ConnectedCommand::Import(args) => Box::pin(import::run(args, cli)),
        ConnectedCommand::Resend(args) => return Box::pin(resend::run(args, cli)).await,
        ConnectedCommand::Gc(args) => Box::pin(gc::run(args, cli)),
        ConnectedCommand::Files(args) => Box::pin(files::run(args, cli)),
        ConnectedCommand::Cancel(args) => Box::pin(cancel::run(args, cli)),
        ConnectedCommand::EndWait(args) => Box::pin(end_wait::run(args, cli)),
        ConnectedCommand::Compact(args) => Box::pin(compact::run(args, cli)),
        ConnectedCommand::Usage(args) => Box::pin(usage::run(args, cli)),
        ConnectedCommand::Context(args) => Box::pin(context::run(args, cli)),
        ConnectedCommand::Approve(args) => Box::pin(approve::run(args, cli)),
        ConnectedCommand::Models(args) => Box::pin(models::run(args, cli)),
        ConnectedCommand::Runners(args) => Box::pin(runners::run(args, cli)),
        ConnectedCommand::Agents(args) => Box::pin(agents::run(args, cli)),
        ConnectedCommand::Runtimes(args) => Box::pin(runtimes::run(args, cli)),
        ConnectedCommand::Graph(args) => Box::pin(graph::run(args, cli)),
        ConnectedCommand::Worktrees(args) => Box::pin(worktrees::run(args, cli)),
        ConnectedCommand::Channels(args) => Box::pin(channels::run(args, cli)),
        ConnectedCommand::Skills(args) => Box::pin(skills::run(args, cli)),
        ConnectedCommand::Trust(args) => Box::pin(trust::run(args, cli)),
    };
    ended.await.map(|()| Exit::Success)
}

#[cfg(test)]
mod tests;
