//! The hooks that a project brings, from all files that may have some.

use std::path::{Path, PathBuf};

use scorel_config::Config;
use scorel_extension::Problem;
use scorel_extension::hook::{ForeignHooks, HookEntry, MAX_FILE};
use scorel_home::trusted_file::{self, Trust};
use scorel_proto::ErrorChain;

/// The files of Claude Code in a project that may have hooks.
const FOREIGN: [&str; 2] = [".claude/settings.json", ".claude/settings.local.json"];

/// The project's own configuration.
const OWN: &str = ".scorel/config.toml";

/// The hooks that a project brings, whether trusted or not.
#[derive(Debug, Default)]
pub(crate) struct ProjectHooks {
    /// In the order in which they are asked.
    pub(crate) declared: Vec<DeclaredHook>,
    /// Settings that are not run, or change nothing: a sentence each.
    pub(crate) left_out: Vec<String>,
    /// Entries that cannot be understood: a sentence each.
    pub(crate) problems: Vec<String>,
}

/// A hook and the file that it is from.
#[derive(Debug, Clone)]
pub(crate) struct DeclaredHook {
    pub(crate) entry: HookEntry,
    /// Below the project.
    pub(crate) file: PathBuf,
}

impl ProjectHooks {
    /// Those of the project in a directory. Reads files; blocks.
    pub(crate) fn of(project: &Path, config: &Config) -> Self {
        let mut found = Self::default();
        found.add(Path::new(OWN), config.project_hooks.iter().cloned());
        for file in FOREIGN {
            found.add_foreign(project, file);
        }
        found
    }

    fn add_foreign(&mut self, project: &Path, file: &str) {
        let read = trusted_file::read(&project.join(file), MAX_FILE as u64, Trust::Untrusted);
        let bytes = match read {
            Ok(Some((_, bytes))) => bytes,
            Ok(None) => return,
            Err(problem) => return self.problems.push(ErrorChain(&problem).to_string()),
        };
        let found = ForeignHooks::read(&bytes);
        let named = |problem: &Problem| format!("{file}: {problem}");
        self.problems.extend(found.problems.iter().map(named));
        let named = |text: &String| format!("{file}: {text}");
        self.left_out.extend(found.left_out.iter().map(named));
        self.add(Path::new(file), found.entries.into_iter());
    }

    /// Of hooks with one name, the first counts.
    fn add(&mut self, file: &Path, entries: impl Iterator<Item = HookEntry>) {
        for entry in entries {
            if !self.declared.iter().any(|it| it.entry.name == entry.name) {
                let file = file.to_owned();
                self.declared.push(DeclaredHook { entry, file });
            }
        }
    }
}
