//! Entries of files of Claude Code, in which variables stand for secrets.

use std::collections::BTreeMap;
use std::path::Path;

use scorel_home::SecretName;
use serde::Deserialize;
use serde_json::Value;

use super::{McpCommand, McpEndpoint, McpServer, McpServerName, McpTransport};
use crate::{VariableName, VariableValue};

/// The project's directory, as such files spell it.
const PROJECT: &str = "${CLAUDE_PROJECT_DIR}";

/// An entry of `mcpServers`. Keys of other programs are ignored.
#[derive(Debug, Deserialize)]
struct ForeignEntry {
    r#type: Option<String>,
    command: Option<String>,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    url: Option<String>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
}

/// A value: a text, or the name of a secret.
enum ForeignValue {
    Text(String),
    Secret(SecretName),
}

/// The settings of an entry.
///
/// # Errors
/// The reason why it is not run.
pub fn foreign_server(name: &str, entry: &Value, project: &Path) -> Result<McpServer, String> {
    let name = McpServerName::foreign(name).map_err(|error| error.to_string())?;
    let entry = ForeignEntry::deserialize(entry).map_err(|error| error.to_string())?;
    let transport = match (entry.r#type.as_deref(), &entry.command, &entry.url) {
        (Some("sse"), ..) => return Err("MCP has given the transport `sse` up".to_owned()),
        (None | Some("stdio"), Some(program), None) => {
            McpTransport::Stdio(command(program, &entry, project)?)
        }
        (None | Some("http" | "streamable-http"), None, Some(url)) => {
            McpTransport::Http(endpoint(url, &entry)?)
        }
        (Some(other @ ("stdio" | "http" | "streamable-http")), ..) => {
            return Err(format!("`{other}` wants another of `command` and `url`"));
        }
        (Some(other), ..) => return Err(format!("there is no transport `{other}`")),
        (None, ..) => return Err("it has no `command` and no `url`, or both".to_owned()),
    };
    Ok(McpServer::new(name, transport))
}

fn command(program: &str, entry: &ForeignEntry, project: &Path) -> Result<McpCommand, String> {
    let word = |word: &str| plain(&word.replace(PROJECT, &project.to_string_lossy()));
    let (mut env, mut secret_env) = (BTreeMap::new(), BTreeMap::new());
    for (name, text) in &entry.env {
        let name = VariableName::try_from(name.clone()).map_err(|error| error.to_string())?;
        match value(text)? {
            ForeignValue::Text(text) => {
                let text = VariableValue::try_from(text).map_err(|error| error.to_string())?;
                env.insert(name, text);
            }
            ForeignValue::Secret(secret) => drop(secret_env.insert(name, secret)),
        }
    }
    let arguments = entry.args.iter().map(|it| word(it));
    let program = word(program)?;
    if program.trim().is_empty() {
        return Err("`command` is empty".to_owned());
    }
    Ok(McpCommand {
        program,
        arguments: arguments.collect::<Result<_, _>>()?,
        env,
        secret_env,
        cwd: None,
        sandbox: None,
        memory: None,
        processes: None,
    })
}

fn endpoint(url: &str, entry: &ForeignEntry) -> Result<McpEndpoint, String> {
    let (mut headers, mut secret_headers) = (BTreeMap::new(), BTreeMap::new());
    for (name, text) in &entry.headers {
        match value(text)? {
            ForeignValue::Text(text) => drop(headers.insert(name.clone(), text)),
            ForeignValue::Secret(secret) => drop(secret_headers.insert(name.clone(), secret)),
        }
    }
    McpEndpoint::new(plain(url)?, headers, secret_headers, None)
        .map_err(|(key, reason)| format!("`{key}`: {reason}"))
}

/// A text, or `${NAME}` as a whole, which is the secret of that name.
fn value(text: &str) -> Result<ForeignValue, String> {
    let name = text.strip_prefix("${").and_then(|it| it.strip_suffix('}'));
    let secret = name.and_then(|it| SecretName::try_from(it.to_owned()).ok());
    match secret {
        Some(secret) => Ok(ForeignValue::Secret(secret)),
        None => plain(text).map(ForeignValue::Text),
    }
}

/// A text without variables, which would be taken from an environment that is not the project's.
fn plain(text: &str) -> Result<String, String> {
    match text.contains("${") || text.contains('\0') {
        true => Err(
            "a variable is read only as the whole value of `env` and `headers`, as `${NAME}`"
                .to_owned(),
        ),
        false => Ok(text.to_owned()),
    }
}
