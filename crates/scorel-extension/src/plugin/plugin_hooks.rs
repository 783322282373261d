//! The hooks of a plugin.

use serde_json::{Value, json};

use super::files::{FileProblem, PluginFiles};
use super::manifest::Manifest;
use crate::hook::{ForeignHooks, HookEntry, HookName};
use crate::{ExtensionId, Problem};

/// The file of hooks that each plugin may have.
const FILE: &str = "hooks/hooks.json";

/// Bytes of a file of hooks.
const MAX_BYTES: u64 = 1024 * 1024;

/// Characters of the id in the name of a hook, which has 32 with the digits.
const ID_IN_NAME: usize = 25;

/// The hooks of a plugin, and what is not run of them.
#[derive(Debug, Default)]
pub(super) struct PluginHooks {
    pub(super) entries: Vec<HookEntry>,
    pub(super) left_out: Vec<String>,
    pub(super) problems: Vec<FileProblem>,
}

impl PluginHooks {
    pub(super) fn read(files: PluginFiles<'_>, manifest: &Manifest, id: &ExtensionId) -> Self {
        let mut found = Self::default();
        let (paths, inline) = manifest.paths("hooks");
        let mut read = vec![FILE];
        for path in paths {
            match files.named(path) {
                Ok(path) if read.contains(&path) => {}
                Ok(path) if files.is_file(path) => read.push(path),
                Ok(path) => found.problem(path, Problem::new("there is no such file")),
                Err(problem) => found.problem(path, problem),
            }
        }
        for file in read {
            match files.text(file, MAX_BYTES) {
                Ok(None) => {}
                Ok(Some(text)) => found.add(file, ForeignHooks::read(text.as_bytes())),
                Err(problem) => found.problem(file, problem),
            }
        }
        for value in inline {
            // The manifest may have the hooks themselves, with or without the key around them.
            let text = match value.get("hooks") {
                Some(Value::Object(_)) => value.to_string(),
                _ => json!({"hooks": value}).to_string(),
            };
            let file = manifest.format.manifest();
            found.add(file, ForeignHooks::read(text.as_bytes()));
        }
        for entry in &mut found.entries {
            entry.name = name(id, &entry.name);
        }
        found
    }

    fn add(&mut self, file: &str, hooks: ForeignHooks) {
        for entry in hooks.entries {
            if !self.entries.iter().any(|it| it.name == entry.name) {
                self.entries.push(entry);
            }
        }
        // A text that is shown while a hook runs: its absence changes nothing.
        let is_seen_only = |text: &String| text.ends_with(".statusMessage`: ignored");
        let left_out = hooks.left_out.into_iter();
        self.left_out
            .extend(left_out.filter(|it| !is_seen_only(it)));
        for problem in hooks.problems {
            self.problem(file, problem);
        }
    }

    fn problem(&mut self, file: &str, problem: Problem) {
        self.problems.push(FileProblem::new(file, problem));
    }
}

/// The plugin and the digits of the entry: who reads a denial knows whose hook it is. Two plugins may have equal
/// entries.
fn name(id: &ExtensionId, name: &HookName) -> HookName {
    let digits = name.as_str().rsplit('-').next().unwrap_or_default();
    let id: String = id.as_str().chars().take(ID_IN_NAME).collect();
    HookName::try_from(format!("{id}-{digits}")).unwrap_or_else(|_| name.clone())
}
