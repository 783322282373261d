//! MCP servers in a configuration file.

use std::collections::BTreeMap;
use std::io::Write;

use scorel_config::{
    ConfigFile, EditConfigError, McpCommand, McpEndpoint, McpLogin, McpServer, McpServerName,
    McpTransport,
};
use scorel_extension::Problem;
use scorel_fsck::visible;
use serde_json::json;

use super::args::AddServerArgs;
use super::error::CommandError;
use super::exit::ConfigExit;

/// Adds a server to the file.
pub(super) fn add(
    target: &ConfigFile,
    args: &AddServerArgs,
    json: bool,
    out: &mut dyn Write,
) -> Result<ConfigExit, CommandError> {
    let pairs = |pairs: &[(String, String)]| pairs.iter().cloned().collect::<BTreeMap<_, _>>();
    let transport = match &args.url {
        None => {
            let (env, secret_env) = (pairs(&args.env), pairs(&args.secret_env));
            McpCommand::given(&args.command, &env, &secret_env).map(McpTransport::Stdio)
        }
        Some(url) => {
            let (headers, secret) = (pairs(&args.header), pairs(&args.secret_header));
            login(args)
                .and_then(|login| McpEndpoint::given(url, &headers, &secret, login))
                .map(McpTransport::Http)
        }
    };
    let transport = transport.map_err(|problem| refused(&problem))?;
    let name = args.name.parse::<McpServerName>();
    let name = name.map_err(|error| refused(&error))?;
    target.add_server(&McpServer::new(name, transport))?;
    said("added", &args.name, target, json, out)
}

/// The login that the server wants.
fn login(args: &AddServerArgs) -> Result<Option<McpLogin>, Problem> {
    let (id, secret) = (args.client_id.as_deref(), args.client_secret_env.as_deref());
    args.oauth.then(|| McpLogin::given(id, secret)).transpose()
}

/// Takes a server out of the file.
pub(super) fn remove(
    target: &ConfigFile,
    name: &str,
    json: bool,
    out: &mut dyn Write,
) -> Result<ConfigExit, CommandError> {
    target.remove_server(name)?;
    said("removed", name, target, json, out)
}

fn refused(problem: &dyn ToString) -> CommandError {
    EditConfigError::refused(None, problem.to_string(), None).into()
}

fn said(
    done: &str,
    name: &str,
    target: &ConfigFile,
    json: bool,
    out: &mut dyn Write,
) -> Result<ConfigExit, CommandError> {
    let path = target.path();
    if json {
        writeln!(
            out,
            "{}",
            json!({ "name": name, "path": path, "change": done })
        )?;
    } else {
        let line = format!("{done} {name}: {}", path.display());
        writeln!(out, "{}", visible(&line))?;
    }
    Ok(ConfigExit::Ok)
}
