//! What is told of extensions and their processes.

use std::collections::BTreeSet;
use std::sync::Arc;

use scorel_extension::program::ExtensionProgram;
use scorel_proto::{ExtensionInfo, ProcessState, ProcessStatus, ProjectId};

use super::found_extension::FoundExtension;
use super::source::tool_names;
use super::{ExtensionPrograms, ProgramKey};

/// Bytes of a program's error output that are shown.
const LOG: usize = 16 * 1024;

/// The kind of process in its name.
const KIND: &str = "extension:";

impl ExtensionPrograms {
    /// The user's extensions. Reads files; blocks.
    pub(crate) fn list(&self, logs: bool) -> Vec<ExtensionInfo> {
        let mut taken = BTreeSet::new();
        let found = self.of_the_user().into_iter();
        found
            .map(|it| self.describe(it, None, logs, &mut taken))
            .collect()
    }

    fn describe(
        &self,
        found: FoundExtension,
        project_id: Option<ProjectId>,
        logs: bool,
        taken: &mut BTreeSet<String>,
    ) -> ExtensionInfo {
        let program = self.known(&(project_id, found.id.clone()));
        let status = program.as_ref().map(|program| program.status());
        let manifest = found.manifest.as_deref();
        let log = program.filter(|_| logs);
        let log = log.map(|program| program.process().stderr(LOG));
        ExtensionInfo {
            project_id,
            path: found.dir.display().to_string(),
            version: manifest.map_or_else(String::new, |it| it.version.clone()),
            command: manifest.map_or_else(Vec::new, |it| it.command.clone()),
            tools: manifest.map_or_else(Vec::new, |it| tool_names(it, taken)),
            hooks: manifest.map_or_else(Vec::new, |it| {
                let hooks = it.hooks.iter();
                hooks.map(|hook| hook.hook.word().to_owned()).collect()
            }),
            state: status
                .as_ref()
                .map_or(ProcessState::Stopped, |status| status.state),
            reason: status.and_then(|status| status.reason),
            problems: found.problems,
            log: log.filter(|log| !log.is_empty()),
            id: found.id,
        }
    }

    /// The processes of all extensions that were used.
    pub(crate) fn processes(&self) -> Vec<ProcessStatus> {
        let running = self.running();
        let processes = running.iter().map(|((project_id, id), known)| {
            let status = known.program.status();
            let millis = |wait: std::time::Duration| u64::try_from(wait.as_millis());
            ProcessStatus {
                process: format!("{KIND}{id}"),
                project_id: *project_id,
                state: status.state,
                reason: status.reason,
                starts_in_ms: status.starts_in.and_then(|wait| millis(wait).ok()),
                starts: status.starts,
            }
        });
        processes.collect()
    }

    /// Starts the processes with this name anew, and returns how many there are. Reads files; blocks.
    pub(crate) fn restart(&self, process: &str) -> u32 {
        let Some(id) = process.strip_prefix(KIND) else {
            return 0;
        };
        // One that no turn has used yet.
        for found in self.of_the_user().iter().filter(|found| found.id == id) {
            if let Some(manifest) = &found.manifest {
                self.program(None, &found.dir, manifest);
            }
        }
        let running = self.running();
        let wanted = running.iter().filter(|((_, of), _)| of == id);
        let restarted = wanted.map(|(_, known)| known.program.process().restart());
        u32::try_from(restarted.count()).unwrap_or(u32::MAX)
    }

    fn known(&self, key: &ProgramKey) -> Option<Arc<ExtensionProgram>> {
        let running = self.running();
        running.get(key).map(|known| Arc::clone(&known.program))
    }
}
