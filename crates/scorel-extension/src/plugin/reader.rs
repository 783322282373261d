use std::path::Path;

use scorel_frontmatter::Frontmatter;
use serde_json::Value;

use super::files::{FileProblem, PluginFiles};
use super::manifest::{Manifest, object};
use super::not_run::{NotRun, NotRunKind};
use super::plugin_hooks::PluginHooks;
use super::{Plugin, PluginCommand, PluginFormat};
use crate::hook::HookEntry;
use crate::{ExtensionId, Problem};

/// Bytes of a command, and of a file that is only looked into.
const MAX_BYTES: u64 = 256 * 1024;

/// Skills of a plugin.
const MAX_SKILLS: usize = 100;

/// Commands of a plugin.
const MAX_COMMANDS: usize = 200;

/// Directories below each other in `commands/`.
const MAX_DEPTH: usize = 3;

/// Problems of a plugin that are kept.
const MAX_PROBLEMS: usize = 100;

/// Parts that are a place in the plugin, or a field of its manifest.
const PARTS: [(NotRunKind, &str, &[&str]); 11] = [
    (NotRunKind::Agents, "agents", &["agents"]),
    (NotRunKind::Apps, "apps", &[".app.json"]),
    (NotRunKind::Bin, "", &["bin"]),
    (NotRunKind::Channels, "channels", &[]),
    (NotRunKind::Dependencies, "dependencies", &[]),
    (NotRunKind::LanguageServers, "lspServers", &[".lsp.json"]),
    (NotRunKind::Monitors, "monitors", &["monitors"]),
    (NotRunKind::OutputStyles, "outputStyles", &["output-styles"]),
    (NotRunKind::Settings, "settings", &["settings.json"]),
    (NotRunKind::Themes, "themes", &["themes"]),
    (NotRunKind::Workflows, "workflows", &["workflows"]),
];

/// A plugin, and all that is wrong with it. A part with a problem is left out; the others run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PluginReading {
    /// `None` if its manifest cannot be used.
    pub plugin: Option<Plugin>,
    pub problems: Vec<FileProblem>,
}

/// True if a directory has the manifest of a plugin.
pub fn is_plugin(root: &Path) -> bool {
    let files = PluginFiles { root };
    let mut formats = PluginFormat::ALL.into_iter();
    formats.any(|format| files.is_file(format.manifest()))
}

impl PluginReading {
    /// Reads the plugin in a directory. `id` is the name that it has here; without one its own name is taken.
    /// Blocks.
    pub fn of(root: &Path, id: Option<&ExtensionId>) -> Self {
        let files = PluginFiles { root };
        let mut found = Self::default();
        let mut problems = Vec::new();
        let read = Manifest::read(files, &mut problems);
        let file = match &read {
            Ok(manifest) => manifest.format.manifest(),
            Err((format, _)) => format.manifest(),
        };
        for problem in problems {
            found.problem(file, problem);
        }
        let read = read.map_err(|(_, problem)| problem).and_then(|manifest| {
            let id = match id {
                Some(id) => id.clone(),
                None => own_id(&manifest.name)?,
            };
            Ok((manifest, id))
        });
        match read {
            Ok((manifest, id)) => found.plugin = Some(found.read(files, &manifest, id)),
            Err(problem) => found.problem(file, problem),
        }
        found.problems.truncate(MAX_PROBLEMS);
        found
    }

    fn read(&mut self, files: PluginFiles<'_>, manifest: &Manifest, id: ExtensionId) -> Plugin {
        let mut not_run = Vec::new();
        let hooks = self.hooks(files, manifest, &id, &mut not_run);
        let commands = self.commands(files, manifest, &mut not_run);
        let skills = self.skills(files, manifest, &mut not_run);
        for (kind, field, places) in PARTS {
            let is_there = |place: &&&str| files.is_dir(place) || files.is_file(place);
            let found: Vec<&&str> = places.iter().filter(is_there).collect();
            if !found.is_empty() || manifest.field(field).is_some() {
                let names = found.iter().flat_map(|place| stems(&files.names(place)));
                not_run.push(NotRun::new(kind, names.collect()));
            }
        }
        if let Some(fields) = manifest.field("userConfig").and_then(Value::as_object) {
            not_run.push(NotRun::new(
                NotRunKind::UserConfig,
                fields.keys().cloned().collect(),
            ));
        }
        self.servers(files, manifest, &mut not_run);
        Plugin {
            id,
            name: manifest.name.clone(),
            format: manifest.format,
            version: manifest.version.clone(),
            description: manifest.description.clone(),
            root: files.root.to_owned(),
            skills,
            commands,
            hooks,
            not_run,
        }
    }

    fn hooks(
        &mut self,
        files: PluginFiles<'_>,
        manifest: &Manifest,
        id: &ExtensionId,
        not_run: &mut Vec<NotRun>,
    ) -> Vec<HookEntry> {
        if manifest.format == PluginFormat::AgentPlugins {
            return Vec::new();
        }
        let hooks = PluginHooks::read(files, manifest, id);
        if !hooks.left_out.is_empty() {
            not_run.push(NotRun::new(NotRunKind::Hooks, hooks.left_out));
        }
        self.problems.extend(hooks.problems);
        hooks.entries
    }

    fn commands(
        &mut self,
        files: PluginFiles<'_>,
        manifest: &Manifest,
        not_run: &mut Vec<NotRun>,
    ) -> Vec<PluginCommand> {
        if manifest.format == PluginFormat::AgentPlugins {
            return Vec::new();
        }
        let mut found = Vec::new();
        let (named, others) = manifest.paths("commands");
        if !others.is_empty() {
            let problem = Problem::of("commands", "only paths are read");
            self.problem(manifest.format.manifest(), problem);
        }
        // What the manifest names replaces the usual place.
        let places = if named.is_empty() {
            vec!["commands"]
        } else {
            named
        };
        for place in places {
            match files.named(place) {
                Ok(file) if files.is_file(file) => {
                    let name = file.rsplit('/').next().unwrap_or(file);
                    found.push((stem(name).to_owned(), file.to_owned()));
                }
                Ok(dir) => command_files(files, dir, "", 0, &mut found),
                Err(problem) => self.problem(place, problem),
            }
        }
        let (mut commands, mut hidden) = (Vec::new(), Vec::new());
        for (name, file) in found.into_iter().take(MAX_COMMANDS) {
            let text = files.text(&file, MAX_BYTES).map(Option::unwrap_or_default);
            let is_name = |char: char| char.is_alphanumeric() || "-_.:".contains(char);
            let parsed = match name.chars().all(is_name) {
                true => text.and_then(|text| PluginCommand::parse(name.clone(), &text)),
                false => Err(Problem::new(
                    "its name has other characters than letters, digits, `-`, `_`, `.`",
                )),
            };
            match parsed {
                Ok((command, warning)) => {
                    if let Some(warning) = warning {
                        self.problem(&file, warning);
                    }
                    match command {
                        Some(command) => commands.push(command),
                        None => hidden.push(name),
                    }
                }
                Err(problem) => self.problem(&file, problem),
            }
        }
        if !hidden.is_empty() {
            not_run.push(NotRun::new(NotRunKind::ModelOnlyCommands, hidden));
        }
        commands
    }

    fn skills(
        &mut self,
        files: PluginFiles<'_>,
        manifest: &Manifest,
        not_run: &mut Vec<NotRun>,
    ) -> Vec<std::path::PathBuf> {
        let mut dirs: Vec<String> = Vec::new();
        let mut places = vec!["skills"];
        for place in manifest.paths("skills").0 {
            match files.named(place) {
                Ok(place) if !places.contains(&place) => places.push(place),
                Ok(_) => {}
                Err(problem) => self.problem(place, problem),
            }
        }
        for place in places {
            let below = files
                .names(place)
                .into_iter()
                .map(|name| format!("{place}/{name}"));
            let all = std::iter::once(place.to_owned()).chain(below);
            for dir in all.filter(|dir| files.is_file(&format!("{dir}/SKILL.md"))) {
                if !dir.is_empty() && !dirs.contains(&dir) {
                    dirs.push(dir);
                }
            }
        }
        dirs.truncate(MAX_SKILLS);
        let with_hooks = |dir: &&String| {
            let text = files.text(&format!("{dir}/SKILL.md"), MAX_BYTES);
            let text = text.ok().flatten().unwrap_or_default();
            Frontmatter::parse(&text).is_ok_and(|head| head.has("hooks"))
        };
        let names: Vec<String> = dirs.iter().filter(with_hooks).cloned().collect();
        if !names.is_empty() {
            not_run.push(NotRun::new(NotRunKind::HooksOfSkills, names));
        }
        dirs.iter().map(|dir| files.root.join(dir)).collect()
    }

    fn servers(&mut self, files: PluginFiles<'_>, manifest: &Manifest, not_run: &mut Vec<NotRun>) {
        let (mut names, mut by_sse) = (Vec::new(), Vec::new());
        let (paths, inline) = manifest.paths("mcpServers");
        let mut tell = |servers: &serde_json::Map<String, Value>| {
            for (name, server) in servers {
                let is_sse = server.get("type").and_then(Value::as_str) == Some("sse");
                let list = if is_sse { &mut by_sse } else { &mut names };
                if !list.contains(name) {
                    list.push(name.clone());
                }
            }
        };
        for value in inline {
            value.as_object().into_iter().for_each(&mut tell);
        }
        let paths = paths.into_iter().chain([".mcp.json", "mcp.json"]);
        for file in paths {
            let text = files
                .named(file)
                .and_then(|file| files.text(file, MAX_BYTES));
            let read = text.and_then(|text| text.map(|text| object(&text)).transpose());
            match read {
                Ok(None) => {}
                Ok(Some(fields)) => match fields.get("mcpServers") {
                    Some(servers) => servers.as_object().into_iter().for_each(&mut tell),
                    // Older files have the servers themselves.
                    None => tell(
                        &fields
                            .into_iter()
                            .filter(|(_, it)| it.is_object())
                            .collect(),
                    ),
                },
                Err(problem) => self.problems.push(FileProblem::new(file, problem)),
            }
        }
        for (kind, names) in [
            (NotRunKind::McpServers, names),
            (NotRunKind::McpServersBySse, by_sse),
        ] {
            if !names.is_empty() {
                not_run.push(NotRun::new(kind, names));
            }
        }
    }

    fn problem(&mut self, file: &str, problem: Problem) {
        self.problems.push(FileProblem::new(file, problem));
    }
}

/// The id of a plugin that is given none.
fn own_id(name: &str) -> Result<ExtensionId, Problem> {
    name.parse::<ExtensionId>().map_err(|problem| Problem {
        key: Some("name".to_owned()),
        ..problem
    })
}

/// The commands below a directory, with their names.
fn command_files(
    files: PluginFiles<'_>,
    dir: &str,
    prefix: &str,
    depth: usize,
    found: &mut Vec<(String, String)>,
) {
    for name in files.names(dir) {
        let path = format!("{dir}/{name}");
        if found.len() >= MAX_COMMANDS {
            return;
        }
        if name.ends_with(".md") && files.is_file(&path) {
            found.push((format!("{prefix}{}", stem(&name)), path));
        } else if depth < MAX_DEPTH && files.is_dir(&path) {
            command_files(files, &path, &format!("{prefix}{name}:"), depth + 1, found);
        }
    }
}

fn stem(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

fn stems(names: &[String]) -> Vec<String> {
    names.iter().map(|name| stem(name).to_owned()).collect()
}
