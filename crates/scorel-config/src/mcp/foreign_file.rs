//! Files in which other agents have their servers, to take these over.

use std::collections::BTreeMap;
use std::path::Path;

use scorel_extension::is_short_name;
use scorel_home::SecretName;
use serde_json::{Map, Value, json};

use super::{McpServer, McpServerName, McpTransport, foreign_server};

/// Parts of the names of variables and headers whose values are secrets.
const SECRET: [&str; 7] = [
    "TOKEN",
    "KEY",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "CREDENTIAL",
    "AUTHORIZATION",
];

/// The form of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerFile {
    /// `mcpServers` in JSON, of a project or a program that writes it as Claude Code does.
    Claude,
    /// `[mcp_servers]` of Codex.
    Codex,
    /// `mcpServers` of Gemini, whose `url` is another transport.
    Gemini,
}

/// A server of such a file.
#[derive(Debug)]
pub struct ForeignServer {
    /// The name that it has there.
    pub name: String,
    /// The server under a name of ours, without values that are secrets, or why it is not taken.
    pub server: Result<McpServer, String>,
    /// The secrets that it gets, by name: the user has to put their values into the daemon's `env` file.
    pub secrets: Vec<String>,
}

impl ServerFile {
    /// The servers of a file, by their names. `project` is the directory that Claude Code has more servers for.
    ///
    /// # Errors
    /// A sentence without its full stop about the file.
    pub fn read(self, text: &str, project: &Path) -> Result<Vec<ForeignServer>, String> {
        let file: Value = match self {
            Self::Codex => toml::from_str(text).map_err(|error| error.message().to_owned())?,
            Self::Claude | Self::Gemini => {
                serde_json::from_str(text).map_err(|error| error.to_string())?
            }
        };
        let directory = project.to_string_lossy();
        let tables = match self {
            Self::Codex => vec![&file["mcp_servers"]],
            Self::Gemini => vec![&file["mcpServers"]],
            Self::Claude => vec![
                &file["mcpServers"],
                &file["projects"][&*directory]["mcpServers"],
            ],
        };
        let entries = tables.into_iter().filter_map(Value::as_object).flatten();
        Ok(entries
            .map(|(name, entry)| self.server(name, entry, project))
            .collect())
    }

    fn server(self, name: &str, entry: &Value, project: &Path) -> ForeignServer {
        let read = match self {
            Self::Claude => Ok(entry.clone()),
            Self::Codex => of_codex(entry),
            Self::Gemini => Ok(of_gemini(entry)),
        };
        let read = read.and_then(|entry| foreign_server(&own_name(name)?, &entry, project));
        let mut secrets = Vec::new();
        ForeignServer {
            name: name.to_owned(),
            server: read.map(|server| without_secrets(server, &mut secrets)),
            secrets,
        }
    }
}

/// The name in our letters.
fn own_name(name: &str) -> Result<String, String> {
    let letter = |char: char| match char.to_ascii_lowercase() {
        usual if usual.is_ascii_alphanumeric() => usual,
        _ => '-',
    };
    let own: String = name.chars().map(letter).collect();
    let own = own.trim_matches('-').to_owned();
    match is_short_name(&own) {
        true => Ok(own),
        false => Err(own
            .parse::<McpServerName>()
            .err()
            .map_or_else(String::new, |it| it.to_string())),
    }
}

/// An entry of Codex, as Claude Code would write it.
fn of_codex(entry: &Value) -> Result<Value, String> {
    if entry["enabled"] == false {
        return Err("it is turned off there".to_owned());
    }
    if !entry["bearer_token_env_var"].is_null() {
        let reason = "of `bearer_token_env_var`: add it with `--secret-header Authorization=NAME`, whose secret begins with `Bearer `";
        return Err(reason.to_owned());
    }
    let mut headers: Map<String, Value> = entry["http_headers"]
        .as_object()
        .cloned()
        .unwrap_or_default();
    for (header, variable) in entry["env_http_headers"].as_object().into_iter().flatten() {
        let variable = variable.as_str().unwrap_or_default();
        headers.insert(header.clone(), format!("${{{variable}}}").into());
    }
    let mut env: Map<String, Value> = entry["env"].as_object().cloned().unwrap_or_default();
    for variable in entry["env_vars"].as_array().into_iter().flatten() {
        let variable = variable.as_str().unwrap_or_default();
        env.insert(variable.to_owned(), format!("${{{variable}}}").into());
    }
    Ok(known(json!({
        "command": entry["command"], "args": entry["args"], "env": env,
        "url": entry["url"], "headers": headers,
    })))
}

/// An entry of Gemini, as Claude Code would write it.
fn of_gemini(entry: &Value) -> Value {
    let is_sse = entry["httpUrl"].is_null() && !entry["url"].is_null() && entry["type"].is_null();
    let url = match entry["httpUrl"].is_null() {
        true => &entry["url"],
        false => &entry["httpUrl"],
    };
    let kind = if is_sse {
        json!("sse")
    } else {
        entry["type"].clone()
    };
    known(json!({
        "type": kind, "command": entry["command"], "args": entry["args"], "env": entry["env"],
        "url": url, "headers": entry["headers"],
    }))
}

/// The fields that are there.
fn known(entry: Value) -> Value {
    match entry {
        Value::Object(fields) => fields.into_iter().filter(|(_, it)| !it.is_null()).collect(),
        other => other,
    }
}

/// Names the secrets of a server in place of having them.
fn without_secrets(mut server: McpServer, secrets: &mut Vec<String>) -> McpServer {
    let is_secret = |name: &str| {
        let name = name.to_ascii_uppercase();
        SECRET.iter().any(|it| name.contains(it))
    };
    match &mut server.transport {
        McpTransport::Stdio(command) => {
            for name in command.env.keys().filter(|it| is_secret(it.as_str())) {
                if let Ok(secret) = SecretName::try_from(name.as_str().to_owned()) {
                    command.secret_env.insert(name.clone(), secret);
                }
            }
            command
                .env
                .retain(|name, _| !command.secret_env.contains_key(name));
            secrets.extend(command.secret_env.values().map(|it| it.as_str().to_owned()));
        }
        McpTransport::Http(endpoint) => {
            let prefix = server.name.as_str().to_ascii_uppercase();
            for name in endpoint.headers.keys().filter(|it| is_secret(it)) {
                let secret = format!("{prefix}_{name}")
                    .to_ascii_uppercase()
                    .replace('-', "_");
                if let Ok(secret) = SecretName::try_from(secret) {
                    endpoint.secret_headers.insert(name.clone(), secret);
                }
            }
            let named: BTreeMap<_, _> = endpoint.secret_headers.clone();
            endpoint.headers.retain(|name, _| !named.contains_key(name));
            secrets.extend(named.values().map(|it| it.as_str().to_owned()));
        }
    }
    server
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(file: ServerFile, text: &str) -> Vec<(String, Result<String, String>, Vec<String>)> {
        let found = file.read(text, Path::new("/p")).unwrap().into_iter();
        found
            .map(|it| {
                (
                    it.name,
                    it.server.map(|it| format!("{} {}", it.name, it.line())),
                    it.secrets,
                )
            })
            .collect()
    }

    #[test]
    fn servers_of_each_agent_are_read_and_their_secrets_are_only_named() {
        let text = r#"{"mcpServers": {"My DB": {"command": "db", "args": ["-r"],
            "env": {"DB_TOKEN": "hunter2!", "LANG": "C"}}, "old": {"type": "sse", "url": "http://a/"}},
            "projects": {"/p": {"mcpServers": {"here": {"type": "http", "url": "https://a/mcp",
            "headers": {"Authorization": "Bearer x", "X-Key": "${HERE_KEY}"}}}}}}"#;
        let found = read(ServerFile::Claude, text);
        assert_eq!(found[0].1, Ok("my-db db -r".to_owned()));
        assert_eq!(found[0].2, ["DB_TOKEN"]);
        assert!(found[1].1.as_ref().unwrap_err().contains("sse"));
        assert_eq!(found[2].1, Ok("here https://a/mcp".to_owned()));
        assert_eq!(found[2].2, ["HERE_AUTHORIZATION", "HERE_KEY"]);
        let shown = format!(
            "{:?}",
            ServerFile::Claude.read(text, Path::new("/p")).unwrap()
        );
        assert!(
            !shown.contains("hunter2!") && !shown.contains("Bearer x"),
            "{shown}"
        );
    }

    #[test]
    fn codex_and_gemini_write_other_fields() {
        let codex = "[mcp_servers.docs]\nurl = 'https://a/mcp'\nenv_http_headers = { X-Team = 'TEAM' }\n\
                     [mcp_servers.off]\ncommand = 'x'\nenabled = false\n\
                     [mcp_servers.run]\ncommand = 'x'\nargs = ['y']\nenv_vars = ['RUN_ID']\n";
        let found = read(ServerFile::Codex, codex);
        assert_eq!(found[0].2, ["TEAM"]);
        assert!(found[1].1.as_ref().unwrap_err().contains("turned off"));
        assert_eq!(
            (found[2].1.clone(), found[2].2.clone()),
            (Ok("run x y".to_owned()), vec!["RUN_ID".to_owned()])
        );
        let gemini =
            r#"{"mcpServers": {"a": {"httpUrl": "https://a/mcp"}, "b": {"url": "https://b/"}}}"#;
        let found = read(ServerFile::Gemini, gemini);
        assert_eq!(found[0].1, Ok("a https://a/mcp".to_owned()));
        assert!(found[1].1.is_err());
    }
}
