use scorel_frontmatter::Frontmatter;
use serde_json::{Map, Value, json};

use super::PluginCommand;
use super::files::{FileProblem, PluginFiles};
use super::manifest::{Manifest, object};
use super::not_run::{NotRun, NotRunKind};
use scorel_extension::hook::{ForeignHooks, HookEntry, HookName, MAX_FILE};
use scorel_extension::{ExtensionId, Problem};

/// Bytes of a command, and of a file that is only looked into.
const MAX_BYTES: u64 = 256 * 1024;

/// Skills of a plugin.
const MAX_SKILLS: usize = 100;

/// Commands of a plugin.
const MAX_COMMANDS: usize = 200;

/// Directories below each other in `commands/`.
const MAX_DEPTH: usize = 3;

/// Characters of the id in the name of a hook, which has 32 with the digits.
const ID_IN_NAME: usize = 25;

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

/// The parts of a plugin, read one after another.
#[derive(Debug)]
pub(super) struct PluginParts<'a> {
    pub(super) files: PluginFiles<'a>,
    pub(super) manifest: &'a Manifest,
    pub(super) not_run: Vec<NotRun>,
    pub(super) problems: Vec<FileProblem>,
}

impl<'a> PluginParts<'a> {
    pub(super) fn hooks(&mut self, id: &ExtensionId) -> Vec<HookEntry> {
        let texts = self.texts("hooks", &["hooks/hooks.json"], MAX_FILE as u64);
        // The manifest may have the hooks themselves, with or without the key around them.
        let inline = self.manifest.values("hooks").filter(|it| !it.is_string());
        let inline = inline.map(|value| match value.get("hooks") {
            Some(Value::Object(_)) => value.to_string(),
            _ => json!({"hooks": value}).to_string(),
        });
        let file = self.manifest.file();
        let inline = inline.map(|text| (file, text));
        let (mut entries, mut left_out) = (Vec::<HookEntry>::new(), Vec::new());
        for (file, text) in texts.into_iter().chain(inline) {
            let hooks = ForeignHooks::read(text.as_bytes());
            for mut entry in hooks.entries {
                entry.name = hook_name(id, &entry.name);
                if !entries.iter().any(|it| it.name == entry.name) {
                    entries.push(entry);
                }
            }
            // A text that is shown while a hook runs: its absence changes nothing.
            let counts = |text: &String| !text.ends_with(".statusMessage`: ignored");
            left_out.extend(hooks.left_out.into_iter().filter(counts));
            let named = |problem| FileProblem::new(file, problem);
            self.problems.extend(hooks.problems.into_iter().map(named));
        }
        self.leave(NotRunKind::Hooks, left_out);
        entries
    }

    pub(super) fn commands(&mut self) -> Vec<PluginCommand> {
        if self.manifest.values("commands").any(|it| !it.is_string()) {
            let problem = Problem::of("commands", "only paths are read");
            self.problem(self.manifest.file(), problem);
        }
        // A place in the manifest replaces the usual one.
        let mut places = self.places("commands", &[]);
        if places.is_empty() {
            places.push("commands");
        }
        let mut found = Vec::new();
        for place in places {
            match self.files.is_file(place) {
                true => {
                    let name = place.rsplit('/').next().unwrap_or(place);
                    found.push((stem(name).to_owned(), place.to_owned()));
                }
                false => command_files(self.files, place, "", 0, &mut found),
            }
        }
        let (mut commands, mut hidden) = (Vec::new(), Vec::new());
        for (name, file) in found.into_iter().take(MAX_COMMANDS) {
            match self.command(&name, &file) {
                Ok(Some(command)) => commands.push(command),
                Ok(None) => hidden.push(name),
                Err(problem) => self.problem(&file, problem),
            }
        }
        self.leave(NotRunKind::ModelOnlyCommands, hidden);
        commands
    }

    /// The command in a file; `None` if it is for the model alone.
    fn command(&mut self, name: &str, file: &str) -> Result<Option<PluginCommand>, Problem> {
        let is_usual = |char: char| char.is_alphanumeric() || "-_.:".contains(char);
        if !name.chars().all(is_usual) {
            let reason = "its name has other characters than letters, digits, `-`, `_`, `.`";
            return Err(Problem::new(reason));
        }
        let text = self.files.text(file, MAX_BYTES)?.unwrap_or_default();
        let (command, warning) = PluginCommand::parse(name.to_owned(), &text)?;
        let named = |problem| FileProblem::new(file, problem);
        self.problems.extend(warning.map(named));
        Ok(command)
    }

    /// Directories with a `SKILL.md`.
    pub(super) fn skills(&mut self) -> Vec<String> {
        let mut dirs: Vec<String> = Vec::new();
        for place in self.places("skills", &["skills"]) {
            let names = self.files.names(place).into_iter();
            let below = names.map(|name| format!("{place}/{name}"));
            for dir in std::iter::once(place.to_owned()).chain(below) {
                let is_skill = self.files.is_file(&format!("{dir}/SKILL.md"));
                if is_skill && !dir.is_empty() && !dirs.contains(&dir) {
                    dirs.push(dir);
                }
            }
        }
        dirs.truncate(MAX_SKILLS);
        let has_hooks = |dir: &&String| {
            let text = self.files.text(&format!("{dir}/SKILL.md"), MAX_BYTES);
            let text = text.ok().flatten().unwrap_or_default();
            Frontmatter::parse(&text).is_ok_and(|head| head.has("hooks"))
        };
        let with_hooks = dirs.iter().filter(has_hooks).cloned().collect();
        self.leave(NotRunKind::HooksOfSkills, with_hooks);
        dirs
    }

    /// Names all that has no part in a session.
    pub(super) fn others(&mut self) {
        for (kind, field, places) in PARTS {
            let is_there = |place: &&&str| self.files.is_dir(place) || self.files.is_file(place);
            let found: Vec<&&str> = places.iter().filter(is_there).collect();
            if !found.is_empty() || self.manifest.field(field).is_some() {
                let names = found.iter().flat_map(|place| self.files.names(place));
                let names = names.map(|name| stem(&name).to_owned()).collect();
                self.not_run.push(NotRun::new(kind, names));
            }
        }
        let asked = self.manifest.field("userConfig");
        if let Some(fields) = asked.and_then(Value::as_object) {
            let names = fields.keys().cloned().collect();
            self.not_run
                .push(NotRun::new(NotRunKind::UserConfig, names));
        }
    }

    /// The entries of servers, as they are written.
    pub(super) fn mcp_servers(&mut self) -> Vec<(String, Value)> {
        let is_sse = |(_, server): &(String, Value)| server["type"] == "sse";
        let (by_sse, servers): (Vec<_>, Vec<_>) = self.servers().into_iter().partition(is_sse);
        let by_sse = by_sse.into_iter().map(|(name, _)| name);
        self.leave(NotRunKind::McpServersBySse, by_sse.collect());
        servers
    }

    fn servers(&mut self) -> Map<String, Value> {
        let inline = self.manifest.values("mcpServers");
        let inline = inline.filter_map(Value::as_object).flatten();
        let mut servers: Map<_, _> = inline
            .map(|(name, it)| (name.clone(), it.clone()))
            .collect();
        for (file, text) in self.texts("mcpServers", &[".mcp.json", "mcp.json"], MAX_BYTES) {
            match object(&text) {
                Ok(mut fields) => match fields.remove("mcpServers") {
                    Some(Value::Object(named)) => servers.extend(named),
                    Some(_) => {}
                    // Older files have the servers themselves.
                    None => servers.extend(fields.into_iter().filter(|(_, it)| it.is_object())),
                },
                Err(problem) => self.problem(file, problem),
            }
        }
        servers
    }

    /// The texts of a part's files: the usual ones that are there, and those that the manifest names.
    fn texts(&mut self, field: &str, usual: &[&'a str], max: u64) -> Vec<(&'a str, String)> {
        let mut texts = Vec::new();
        for file in self.places(field, usual) {
            match self.files.text(file, max) {
                Ok(Some(text)) => texts.push((file, text)),
                Ok(None) if usual.contains(&file) => {}
                Ok(None) => self.problem(file, Problem::new("there is no such file")),
                Err(problem) => self.problem(file, problem),
            }
        }
        texts
    }

    /// The usual places of a part, and those that the manifest names.
    fn places(&mut self, field: &str, usual: &[&'a str]) -> Vec<&'a str> {
        let mut places = usual.to_vec();
        for path in self.manifest.values(field).filter_map(Value::as_str) {
            match self.files.named(path) {
                Ok(place) if places.contains(&place) => {}
                Ok(place) => places.push(place),
                Err(problem) => self.problem(path, problem),
            }
        }
        places
    }

    fn leave(&mut self, kind: NotRunKind, names: Vec<String>) {
        if !names.is_empty() {
            self.not_run.push(NotRun::new(kind, names));
        }
    }

    fn problem(&mut self, file: &str, problem: Problem) {
        self.problems.push(FileProblem::new(file, problem));
    }
}

/// The plugin and the digits of the entry: who reads a denial knows whose hook it is. Two plugins may have equal
/// entries.
fn hook_name(id: &ExtensionId, name: &HookName) -> HookName {
    let digits = name.as_str().rsplit('-').next().unwrap_or_default();
    let id: String = id.as_str().chars().take(ID_IN_NAME).collect();
    HookName::try_from(format!("{id}-{digits}")).unwrap_or_else(|_| name.clone())
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
