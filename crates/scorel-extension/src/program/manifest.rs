//! `extension.toml`.

use std::collections::{BTreeMap, BTreeSet};

use scorel_process::ServiceFraming;
use scorel_proto::{PersistentBody, TransientBody};
use toml::de::DeTable;

use super::manifest_parts::{ManifestCommand, ManifestHook, ManifestTool};
use super::manifest_table::{Findings, ManifestTable};
use crate::hook::{HookEvent, HookSandbox, MEANINGS};
use crate::{ExtensionId, Problem};

/// The file's name.
pub const MANIFEST: &str = "extension.toml";

/// The version of the format.
const VERSION: u64 = 1;

/// The most tools of an extension, and the most commands.
const MAX_TOOLS: usize = 64;

/// Words of its command, and entries of its lists.
const MAX_LIST: usize = 64;

/// Bytes of a manifest.
const MAX_BYTES: usize = 512 * 1024;

const KEYS: [&str; 15] = [
    "manifest",
    "id",
    "name",
    "version",
    "command",
    "framing",
    "channels",
    "secretEnv",
    "network",
    "sandbox",
    "events",
    "skills",
    "hooks",
    "tools",
    "commands",
];

/// An extension as it is written down: all that is seen of it.
#[derive(Debug, Clone)]
pub struct Manifest {
    pub id: ExtensionId,
    /// For people.
    pub name: String,
    pub version: String,
    /// The program with its arguments. A path with a slash is one from the extension's directory.
    pub command: Vec<String>,
    pub framing: ServiceFraming,
    /// Secrets by the names under which the program gets them.
    pub secret_env: BTreeMap<String, String>,
    /// The program of a project may use the network.
    pub network: bool,
    pub sandbox: Option<HookSandbox>,
    /// Types of events that it is told of: those of the protocol, and [`MEANINGS`].
    pub events: Vec<String>,
    /// Directories of skills.
    pub skills: Vec<String>,
    /// Channels through which it sends messages.
    pub channels: Vec<String>,
    pub hooks: Vec<ManifestHook>,
    pub tools: Vec<ManifestTool>,
    pub commands: Vec<ManifestCommand>,
}

impl Manifest {
    /// Reads a manifest. `directory` is the name of the directory that it is in, if it has its name already.
    ///
    /// # Errors
    /// All that is wrong in it, by place.
    pub fn read(text: &str, directory: Option<&str>) -> Result<Self, Vec<Problem>> {
        if text.len() > MAX_BYTES {
            let reason = format!("it has more than {MAX_BYTES} bytes");
            return Err(vec![Problem::new(reason)]);
        }
        let (document, errors) = DeTable::parse_recoverable(text);
        let findings = Findings::new(text);
        for error in &errors {
            let span = error.span().unwrap_or_default();
            findings.add(Problem::new(error.message()), span);
        }
        // What follows from broken syntax would hide it.
        if !errors.is_empty() {
            return Err(findings.into_problems());
        }
        let read = {
            let table = ManifestTable::new(document.get_ref(), &findings, 0);
            Self::of(&table, directory)
        };
        let problems = findings.into_problems();
        match read {
            Some(manifest) if problems.is_empty() => Ok(manifest),
            _ => Err(problems),
        }
    }

    fn of(table: &ManifestTable<'_, '_>, directory: Option<&str>) -> Option<Self> {
        table.only(&KEYS);
        match table.number("manifest", 0..=u64::MAX) {
            Some(VERSION) => {}
            Some(_) => table.refuse("manifest", "this daemon reads manifests of version 1"),
            None if table.keys().any(|(key, _)| key == "manifest") => {}
            None => table.missing("manifest"),
        }
        let id = id(table, directory);
        let name = table.needed_text("name", 100);
        let version = table.needed_text("version", 100);
        let command = command(table);
        let framing = [
            ("lines", ServiceFraming::Lines),
            ("headers", ServiceFraming::Headers),
        ];
        let sandbox = [
            ("none", HookSandbox::None),
            ("workspace", HookSandbox::Workspace),
        ];
        let tools = table.tables("tools", MAX_TOOLS);
        let tools: Vec<_> = tools.into_iter().filter_map(ManifestTool::read).collect();
        let commands = table.tables("commands", MAX_TOOLS);
        let commands = commands.into_iter().filter_map(ManifestCommand::read);
        let commands: Vec<_> = commands.collect();
        unique(table, "tools", tools.iter().map(|tool| &tool.name));
        unique(table, "commands", commands.iter().map(|it| &it.name));
        Some(Self {
            framing: table.word("framing", &framing).unwrap_or_default(),
            secret_env: secret_env(table),
            network: table.flag("network"),
            sandbox: table.word("sandbox", &sandbox),
            events: events(table),
            skills: table.texts("skills", MAX_LIST).unwrap_or_default(),
            channels: table.texts("channels", MAX_LIST).unwrap_or_default(),
            hooks: hooks(table),
            tools,
            commands,
            id: id?,
            name: name?,
            version: version?,
            command: command?,
        })
    }
}

fn id(table: &ManifestTable<'_, '_>, directory: Option<&str>) -> Option<ExtensionId> {
    let text = table.needed_text("id", 64)?;
    let id = ExtensionId::try_from(text);
    let id = id
        .map_err(|problem| table.refuse("id", problem.reason))
        .ok()?;
    if let Some(directory) = directory.filter(|name| *name != id.as_str()) {
        let reason = format!("it is the name of its directory, which is `{directory}`");
        table.refuse("id", reason);
    }
    Some(id)
}

fn command(table: &ManifestTable<'_, '_>) -> Option<Vec<String>> {
    if !table.keys().any(|(key, _)| key == "command") {
        table.missing("command");
    }
    let command = table.texts("command", MAX_LIST)?;
    if command[0].trim().is_empty() || command.iter().any(|word| word.contains('\0')) {
        table.refuse(
            "command",
            "its first word is a program, and no word has a NUL character",
        );
        return None;
    }
    Some(command)
}

fn secret_env(table: &ManifestTable<'_, '_>) -> BTreeMap<String, String> {
    let Some(secrets) = table.table("secretEnv") else {
        return BTreeMap::new();
    };
    let is_name = |text: &str| {
        let usual = |char: char| char.is_ascii_alphanumeric() || char == '_';
        !text.is_empty()
            && text.chars().all(usual)
            && !text.starts_with(|it: char| it.is_ascii_digit())
    };
    let mut found = BTreeMap::new();
    for (variable, span) in secrets.keys() {
        let Some(name) = secrets.text(variable, 128) else {
            continue;
        };
        if is_name(variable) && is_name(&name) {
            found.insert(variable.to_owned(), name);
        } else {
            let reason = "a variable and the name of a secret have letters, digits and `_`";
            let problem = Problem::of(format!("secretEnv.{variable}"), reason);
            secrets.findings().add(problem, span);
        }
    }
    found
}

fn events(table: &ManifestTable<'_, '_>) -> Vec<String> {
    let events = table.texts("events", MAX_LIST).unwrap_or_default();
    let of_protocol = PersistentBody::TYPES.iter().chain(TransientBody::TYPES);
    let known = of_protocol.chain(&MEANINGS).copied();
    for event in &events {
        if !known.clone().any(|it| it == event) {
            let problem = Problem::of("events", format!("there is no event `{event}`"));
            let problem = problem.suggest(event, known.clone());
            table.findings().add(problem, table.span("events"));
        }
    }
    events
}

fn hooks(table: &ManifestTable<'_, '_>) -> Vec<ManifestHook> {
    let Some(hooks) = table.table("hooks") else {
        return Vec::new();
    };
    let native = HookEvent::NATIVE;
    hooks.only(&native.map(HookEvent::word));
    let found = native
        .into_iter()
        .filter(|event| hooks.keys().any(|(key, _)| key == event.word()));
    let read = |event: HookEvent| Some(ManifestHook::read(event, hooks.table(event.word())?));
    found.filter_map(read).collect()
}

fn unique<'n>(table: &ManifestTable<'_, '_>, key: &str, names: impl Iterator<Item = &'n String>) {
    let mut seen = BTreeSet::new();
    for name in names {
        if !seen.insert(name) {
            table.refuse(key, format!("two of them are named `{name}`"));
        }
    }
}

#[cfg(test)]
mod tests;
