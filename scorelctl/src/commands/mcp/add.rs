//! `mcp add`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use scorel_proto::{
    ListMcpServers, ListMcpServersParams, McpEndpoint, McpProgram, TestMcpServer,
    TestMcpServerParams,
};
use scorel_screen::escape::one_line;
use serde_json::json;

use super::look;
use super::new_server::{NewLogin, NewMcpServer};
use crate::cli::Cli;
use crate::commands::scoreld::add_server;
use crate::daemon::{DaemonConnector, LocalDaemon};
use crate::failure::Failure;
use crate::output::Output;

#[derive(Debug, Args)]
pub(crate) struct McpAddArgs {
    /// The name that it gets: small letters, digits and `-`
    #[arg(value_name = "NAME")]
    name: String,
    /// An environment variable that it gets
    #[arg(long, value_name = "VAR=VALUE", value_parser = pair)]
    env: Vec<(String, String)>,
    /// An environment variable that gets a secret of the daemon's `env` file, by the secret's name
    #[arg(long, value_name = "VAR=NAME", value_parser = pair)]
    secret_env: Vec<(String, String)>,
    /// Project directory in which it is tried [default: the working directory]
    #[arg(long, short, value_name = "DIR")]
    project: Option<PathBuf>,
    /// The address of a server that is reached by HTTP
    #[arg(long, value_name = "URL", conflicts_with_all = ["env", "secret_env", "command"])]
    url: Option<String>,
    /// A header of each request
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair, requires = "url")]
    header: Vec<(String, String)>,
    /// A header that has a secret of the daemon's `env` file, by the secret's name
    #[arg(long, value_name = "NAME=SECRET", value_parser = pair, requires = "url")]
    secret_header: Vec<(String, String)>,
    /// The server is logged in to by OAuth: it is added untried, and `scorelctl mcp login` logs in
    #[arg(long, requires = "url")]
    oauth: bool,
    /// The name by which the authorization server knows Scorel, where it was registered by hand
    #[arg(long, value_name = "CLIENT", requires = "oauth")]
    client_id: Option<String>,
    /// The secret of that registration, as a secret of the daemon's `env` file, by its name
    #[arg(long, value_name = "NAME", requires = "client_id")]
    client_secret_env: Option<String>,
    /// The program and its arguments
    #[arg(
        value_name = "COMMAND",
        required_unless_present = "url",
        trailing_var_arg = true
    )]
    command: Vec<String>,
}

impl McpAddArgs {
    fn server(&self) -> NewMcpServer {
        let pairs = |pairs: &[(String, String)]| pairs.iter().cloned().collect::<BTreeMap<_, _>>();
        match &self.url {
            None => NewMcpServer::Program(McpProgram {
                command: self.command.clone(),
                env: pairs(&self.env),
                secret_env: pairs(&self.secret_env),
            }),
            Some(url) => NewMcpServer::Endpoint {
                endpoint: McpEndpoint {
                    url: url.clone(),
                    headers: pairs(&self.header),
                    secret_headers: pairs(&self.secret_header),
                },
                login: self.oauth.then(|| NewLogin {
                    client_id: self.client_id.clone(),
                    client_secret_env: self.client_secret_env.clone(),
                }),
            },
        }
    }
}

fn pair(text: &str) -> Result<(String, String), &'static str> {
    let pair = text.split_once('=').filter(|(name, _)| !name.is_empty());
    let (name, value) = pair.ok_or("expected a name, `=` and a value")?;
    Ok((name.to_owned(), value.to_owned()))
}

/// Tries a server, and adds it if it works.
pub(in crate::commands) async fn add(
    args: &McpAddArgs,
    local: &LocalDaemon,
    link: DaemonConnector,
    output: &mut Output,
) -> Result<(), Failure> {
    let cli = &mut Cli::connect(link, output).await?;
    let server = args.server();
    let known = cli
        .call::<ListMcpServers>(&ListMcpServersParams::default())
        .await?;
    if known.servers.iter().any(|it| it.name == args.name) {
        let message = format!("there is a server `{}` already", args.name);
        let hint = format!("`scorelctl mcp remove {}` removes it", args.name);
        return Err(Failure::refused("mcp_server_exists", message).hint(hint));
    }
    if !server.can_be_tried() {
        let path = add_server(&args.name, &server.arguments(), local)?;
        let shown = json!({ "name": args.name, "path": path });
        let said = format!("added {}: {}", args.name, one_line(&path));
        cli.result(&shown, |output| output.line(&said))?;
        cli.note(&format!("`scorelctl mcp login {}` logs in", args.name))?;
        return Ok(());
    }
    let mut params = TestMcpServerParams {
        project_id: cli.project_or_none(args.project.as_deref()).await?,
        name: args.name.clone(),
        program: None,
        endpoint: None,
    };
    server.add_to(&mut params);
    let answer = cli.call::<TestMcpServer>(&params).await?;
    if answer.failure.is_some() {
        if !cli.output.json {
            look::show(&answer, cli.output)?;
        }
        let hint = "nothing was added";
        return look::check(&answer).map_err(|failure| failure.hint(hint));
    }
    let path = add_server(&args.name, &server.arguments(), local)?;
    let shown = json!({ "name": args.name, "path": path, "server": answer });
    cli.result(&shown, |output| {
        look::show(&answer, output)?;
        output.line(&format!("added {}: {}", args.name, one_line(&path)))
    })?;
    cli.note("agents get its tools from the next turn on; `scorelctl mcp remove` takes it back")?;
    Ok(())
}
