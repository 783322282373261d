use std::path::Path;

use super::files::{FileProblem, PluginFiles};
use super::manifest::Manifest;
use super::parts::PluginParts;
use super::{Plugin, PluginFormat};
use scorel_extension::{ExtensionId, Problem};

/// Problems of a plugin that are kept.
const MAX_PROBLEMS: usize = 100;

/// A plugin, and all that is wrong with it. A part with a problem is left out; the others run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PluginReading {
    /// `None` if its manifest cannot be used.
    pub plugin: Option<Plugin>,
    pub problems: Vec<FileProblem>,
}

/// True if a directory has the manifest of a plugin.
pub fn is_plugin(root: &Path) -> bool {
    format(PluginFiles { root }).is_some()
}

fn format(files: PluginFiles<'_>) -> Option<PluginFormat> {
    let mut formats = PluginFormat::ALL.into_iter();
    formats.find(|format| files.is_file(format.manifest()))
}

impl PluginReading {
    /// Reads the plugin in a directory. `id` is the name that it has here; without one its own name is taken.
    /// Blocks.
    pub fn of(root: &Path, id: Option<&ExtensionId>) -> Self {
        let files = PluginFiles { root };
        let found = format(files);
        let mut problems = Vec::new();
        let read = Manifest::read(files, found, &mut problems).and_then(|manifest| {
            let id = id.cloned().map_or_else(|| own_id(&manifest.name), Ok)?;
            Ok((manifest, id))
        });
        let (read, problem) = match read {
            Ok(read) => (Some(read), None),
            Err(problem) => (None, Some(problem)),
        };
        let file = found.unwrap_or(PluginFormat::Claude).manifest();
        let named = |problem| FileProblem::new(file, problem);
        let mut found = Self {
            plugin: None,
            problems: problems.into_iter().chain(problem).map(named).collect(),
        };
        found.plugin = read.map(|(manifest, id)| found.read(files, &manifest, id));
        found.problems.truncate(MAX_PROBLEMS);
        found
    }

    fn read(&mut self, files: PluginFiles<'_>, manifest: &Manifest, id: ExtensionId) -> Plugin {
        let mut parts = PluginParts {
            files,
            manifest,
            not_run: Vec::new(),
            problems: Vec::new(),
        };
        let (hooks, commands) = match manifest.format {
            PluginFormat::AgentPlugins => (Vec::new(), Vec::new()),
            PluginFormat::Claude | PluginFormat::Codex => (parts.hooks(&id), parts.commands()),
        };
        let skills = parts.skills();
        parts.others();
        let servers = parts.mcp_servers();
        self.problems.extend(parts.problems);
        Plugin {
            id,
            name: manifest.name.clone(),
            format: manifest.format,
            version: manifest.version.clone(),
            description: manifest.description.clone(),
            root: files.root.to_owned(),
            skills: skills.iter().map(|dir| files.root.join(dir)).collect(),
            commands,
            hooks,
            servers,
            not_run: parts.not_run,
        }
    }
}

/// The id of a plugin that is given none.
fn own_id(name: &str) -> Result<ExtensionId, Problem> {
    name.parse::<ExtensionId>().map_err(|problem| Problem {
        key: Some("name".to_owned()),
        ..problem
    })
}
