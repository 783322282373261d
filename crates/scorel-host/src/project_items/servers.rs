use std::path::{Path, PathBuf};

use scorel_guidance::trust::{NamedFiles, ProjectItem};
use scorel_home::trusted_file::{self, Trust};
use scorel_proto::{ErrorChain, ItemContent, ItemProgram};
use serde_json::Value;

/// Bytes of a file that declares servers.
const MAX_BYTES: u64 = 1024 * 1024;

/// Servers of a file.
const MAX_SERVERS: usize = 100;

/// Files of a project that declare servers, in the order in which they count.
const FILES: [&str; 3] = [
    ".mcp.json",
    ".claude/settings.json",
    ".claude/settings.local.json",
];

/// Why none can be trusted: a later version would run what was never shown as running.
const NOT_RUN: &str = "this version runs no MCP servers";

/// The MCP servers that files of a project declare. Of two with one name the first.
pub(super) fn items(project: &Path) -> Vec<ProjectItem> {
    let mut items: Vec<ProjectItem> = Vec::new();
    for file in FILES {
        let path = project.join(file);
        let found = match read(&path) {
            Ok(servers) => servers
                .into_iter()
                .map(|it| server(project, &path, it))
                .collect(),
            Err(problem) => vec![ProjectItem {
                problem: Some(problem),
                ..ProjectItem::directory(format!("mcp:{file}"), path)
            }],
        };
        for item in found {
            if !items.iter().any(|it| it.item == item.item) {
                items.push(item);
            }
        }
    }
    items
}

/// The servers in a file.
fn read(path: &Path) -> Result<Vec<(String, Value)>, String> {
    let read = trusted_file::read(path, MAX_BYTES, Trust::Untrusted);
    let Some((_, bytes)) = read.map_err(|error| ErrorChain(&error).to_string())? else {
        return Ok(Vec::new());
    };
    let file: Value = serde_json::from_slice(&bytes).map_err(|error| error.to_string())?;
    match file.get("mcpServers") {
        None => Ok(Vec::new()),
        Some(Value::Object(servers)) if servers.len() > MAX_SERVERS => {
            Err(format!("it has more than {MAX_SERVERS} servers"))
        }
        Some(Value::Object(servers)) => Ok(servers.clone().into_iter().collect()),
        Some(_) => Err("`mcpServers` is not an object".to_owned()),
    }
}

fn server(project: &Path, file: &Path, (name, config): (String, Value)) -> ProjectItem {
    let words: Vec<String> = text(&config["command"])
        .chain(texts(&config["args"]))
        .collect();
    let url = config["url"].as_str();
    let names = |key: &str| {
        let fields = config[key].as_object().into_iter().flatten();
        fields.map(|(name, _)| name.clone())
    };
    let program = ItemProgram {
        command: url.map_or_else(|| words.join(" "), str::to_owned),
        environment: names("env").chain(names("headers")).collect(),
        network: url.is_some(),
        ..ItemProgram::default()
    };
    let named = NamedFiles::of_words(project, PathBuf::from(file), words);
    ProjectItem {
        content: ItemContent {
            programs: vec![program],
            not_run: vec![NOT_RUN.to_owned()],
            ..ItemContent::default()
        },
        problem: Some(NOT_RUN.to_owned()),
        ..ProjectItem::command(format!("mcp:{name}"), config, named)
    }
}

fn text(value: &Value) -> impl Iterator<Item = String> {
    value.as_str().map(str::to_owned).into_iter()
}

fn texts(value: &Value) -> impl Iterator<Item = String> {
    value.as_array().into_iter().flatten().flat_map(text)
}
