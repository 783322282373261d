use std::path::Path;
use std::sync::Arc;

use scorel_extension::ExtensionId;
use scorel_extension::hook::{HookSandbox, Matcher};
use scorel_extension::program::Manifest;
use scorel_outside_tool::tool_name;
use scorel_plugin::Plugin;
use scorel_proto::{ItemContent, ItemProgram};

/// An extension as its files describe it. Nothing is started to know it.
#[derive(Debug, Default)]
pub struct ExtensionReading {
    pub content: ExtensionContent,
    /// The mistakes in its files, a sentence each.
    pub problems: Vec<String>,
}

/// The kind of an extension, with all that it brings; `None` if it cannot be used.
#[derive(Debug, Default)]
pub enum ExtensionContent {
    /// The last manifest that could be read.
    Program(Option<Arc<Manifest>>),
    Plugin(Option<Arc<Plugin>>),
    /// It has no manifest that is read.
    #[default]
    Unknown,
}

impl ExtensionReading {
    /// The manifest of ours, if it has one that can be used.
    pub const fn manifest(&self) -> Option<&Arc<Manifest>> {
        match &self.content {
            ExtensionContent::Program(manifest) => manifest.as_ref(),
            ExtensionContent::Plugin(_) | ExtensionContent::Unknown => None,
        }
    }

    /// The plugin, if it is one that can be used.
    pub const fn plugin(&self) -> Option<&Arc<Plugin>> {
        match &self.content {
            ExtensionContent::Plugin(plugin) => plugin.as_ref(),
            ExtensionContent::Program(_) | ExtensionContent::Unknown => None,
        }
    }

    /// All that it brings, for people.
    pub fn parts(&self) -> ItemContent {
        match (self.manifest(), self.plugin()) {
            (Some(manifest), _) => of_manifest(manifest),
            (None, Some(plugin)) => of_plugin(plugin),
            (None, None) => ItemContent::default(),
        }
    }
}

fn of_manifest(manifest: &Manifest) -> ItemContent {
    let id = &manifest.id;
    let hooks = manifest.hooks.iter();
    let is_unconfined = manifest.sandbox == Some(HookSandbox::None);
    let program = ItemProgram {
        command: manifest.command.join(" "),
        directory: None,
        events: hooks
            .map(|it| occasion(it.event.word(), &it.matcher))
            .chain(manifest.events.iter().cloned())
            .collect(),
        environment: manifest.secret_env.keys().cloned().collect(),
        unsandboxed: is_unconfined,
        network: is_unconfined || manifest.network,
    };
    let tools = manifest.tools.iter();
    let skills = manifest.skills.iter();
    let skills = skills.filter_map(|it| Path::new(it).file_name()?.to_str());
    ItemContent {
        programs: vec![program],
        tools: tools
            .map(|it| tool_name("ext", id.as_str(), &it.name, |_| false))
            .collect(),
        commands: named(id, manifest.commands.iter().map(|it| it.name.as_str())),
        skills: named(id, skills),
        not_run: Vec::new(),
    }
}

fn of_plugin(plugin: &Plugin) -> ItemContent {
    let id = &plugin.id;
    let programs = plugin.hooks.iter().map(|hook| ItemProgram {
        command: hook.command.line(),
        directory: None,
        events: vec![occasion(hook.event.word(), &hook.matcher)],
        ..ItemProgram::default()
    });
    let servers = plugin.servers.iter().map(|(name, entry)| ItemProgram {
        command: entry["command"]
            .as_str()
            .or(entry["url"].as_str())
            .unwrap_or(name)
            .to_owned(),
        events: vec![format!("MCP server plugin_{id}_{name}")],
        ..ItemProgram::default()
    });
    let programs = programs.chain(servers);
    let skills = plugin.skills.iter().filter_map(|dir| dir.file_name());
    let skills: Vec<_> = skills.map(|it| it.to_string_lossy()).collect();
    ItemContent {
        programs: programs.collect(),
        tools: Vec::new(),
        commands: named(id, plugin.commands.iter().map(|it| it.name.as_str())),
        skills: named(id, skills.iter().map(AsRef::as_ref)),
        not_run: plugin.not_run.iter().map(ToString::to_string).collect(),
    }
}

/// When a hook runs.
fn occasion(event: &str, matcher: &Matcher) -> String {
    match matcher.is_all() {
        true => event.to_owned(),
        false => format!("{event} {}", matcher.as_str()),
    }
}

/// Names as they are called, behind the extension's id.
fn named<'a>(id: &ExtensionId, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    names.map(|name| format!("{id}:{name}")).collect()
}
