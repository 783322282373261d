//! Servers of the Model Context Protocol.

mod add;
mod callback;
mod login;
mod look;
mod new_server;
mod serve;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use scorel_proto::{
    ListMcpServers, ListMcpServersParams, McpServerInfo, McpServerState, TestMcpServer,
    TestMcpServerParams, counted,
};
use scorel_screen::escape::one_line;

use crate::cli::Cli;
use crate::daemon::DaemonConnector;
use crate::failure::Failure;
use crate::output::Output;
use crate::wire_name::wire_name;

pub(super) use add::add;
pub(super) use serve::serve;

#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct McpArgs {
    #[command(subcommand)]
    pub(crate) action: McpCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum McpCommand {
    /// List your servers and those that a project declares, with their states
    List {
        /// Project directory [default: the working directory]
        #[arg(long, short, value_name = "DIR")]
        project: Option<PathBuf>,
    },
    /// Start a server that is not added yet, show its tools, and add it to your configuration if it works
    Add(add::McpAddArgs),
    /// Start a server apart from those of turns, and show its tools and what it has written to its error output
    Tools {
        /// Its name
        #[arg(value_name = "SERVER")]
        name: String,
        /// Project directory [default: the working directory]
        #[arg(long, short, value_name = "DIR")]
        project: Option<PathBuf>,
    },
    /// Be a server of the Model Context Protocol on standard input and output, with tools on sessions
    Serve(serve::McpServeArgs),
    /// Log in to a server in a browser
    Login(login::McpLoginArgs),
    /// Forget the login to a server
    Logout {
        /// Its name
        #[arg(value_name = "SERVER")]
        name: String,
        /// Project directory [default: the working directory]
        #[arg(long, short, value_name = "DIR")]
        project: Option<PathBuf>,
    },
    /// Show the servers of Claude Code, Codex and Gemini, and of .mcp.json in the working directory, and what of them
    /// cannot be taken over
    Import {
        /// Add them to your configuration; those that are there already stay. Secrets are named, and not copied
        #[arg(long)]
        write: bool,
    },
    /// Remove a server from your configuration
    Remove {
        /// Its name
        #[arg(value_name = "SERVER")]
        name: String,
    },
}

/// The width of a name, in columns.
const NAME_WIDTH: usize = 20;

impl McpArgs {
    /// The name of a command that changes this machine's configuration.
    pub(super) const fn local_verb(&self) -> Option<&'static str> {
        match self.action {
            McpCommand::List { .. }
            | McpCommand::Tools { .. }
            | McpCommand::Serve(_)
            | McpCommand::Login(_)
            | McpCommand::Logout { .. } => None,
            McpCommand::Add(_) => Some("mcp add"),
            McpCommand::Import { .. } => Some("mcp import"),
            McpCommand::Remove { .. } => Some("mcp remove"),
        }
    }
}

/// Runs a command that changes nothing of the configuration.
pub(super) async fn run(
    action: McpCommand,
    link: DaemonConnector,
    output: &mut Output,
) -> Result<(), Failure> {
    let cli = &mut Cli::connect(link, output).await?;
    match action {
        McpCommand::List { project } => list(project, cli).await,
        McpCommand::Tools { name, project } => tools(name, project, cli).await,
        McpCommand::Login(args) => login::login(args, cli).await,
        McpCommand::Logout { name, project } => login::logout(name, project, cli).await,
        McpCommand::Add(_)
        | McpCommand::Import { .. }
        | McpCommand::Remove { .. }
        | McpCommand::Serve(_) => Ok(()),
    }
}

async fn list(project: Option<PathBuf>, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let params = ListMcpServersParams {
        project_id: cli.project_or_none(project.as_deref()).await?,
    };
    let answer = cli.call::<ListMcpServers>(&params).await?;
    let none = "no MCP servers; `scorelctl mcp add NAME -- COMMAND` tries and adds one";
    cli.list(&answer, answer.servers.iter().flat_map(rows), none)?;
    let is_inert = |it: &&McpServerInfo| {
        matches!(
            it.state,
            McpServerState::Untrusted | McpServerState::Changed
        )
    };
    if let Some(server) = answer.servers.iter().find(is_inert) {
        let name = one_line(&server.name);
        cli.note(&format!(
            "`scorelctl trust` shows what the project brings; `scorelctl trust add mcp:{name}` trusts it"
        ))?;
    }
    Ok(())
}

fn rows(server: &McpServerInfo) -> Vec<String> {
    let name = one_line(&server.name);
    let transport = server.transport.map_or_else(|| "-".to_owned(), wire_name);
    let mut rows = vec![format!(
        "{name:<NAME_WIDTH$}  {:<8}{:<10}  {transport:<5}  {}",
        wire_name(server.source),
        wire_name(server.state),
        one_line(&server.command),
    )];
    let known = [
        server.process.map(|it| it.to_string()),
        server
            .era
            .as_deref()
            .map(|it| format!("MCP {}", one_line(it))),
        server.tools.map(|it| counted(it, "tool")),
    ];
    let known: Vec<String> = known.into_iter().flatten().collect();
    if !known.is_empty() {
        rows.push(format!("    {}", known.join(", ")));
    }
    let more = [
        ("last failure", &server.last_error),
        ("not used", &server.reason),
    ];
    for (what, text) in more {
        let text = text.as_deref().map(one_line);
        rows.extend(text.map(|text| format!("    {what}: {text}")));
    }
    rows
}

async fn tools(name: String, project: Option<PathBuf>, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let params = TestMcpServerParams {
        project_id: cli.project_or_none(project.as_deref()).await?,
        name,
        program: None,
        endpoint: None,
    };
    let answer = cli.call::<TestMcpServer>(&params).await?;
    cli.result(&answer, |output| look::show(&answer, output))?;
    look::check(&answer)
}
