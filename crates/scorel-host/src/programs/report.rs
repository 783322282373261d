//! Reports about the processes of extensions.

use std::collections::BTreeSet;
use std::time::Duration;

use scorel_proto::ProcessStatus;

use super::ExtensionPrograms;

/// Bytes of a program's error output that are shown.
const LOG: usize = 16 * 1024;

/// The kind of process in its name.
const KIND: &str = "extension:";

impl ExtensionPrograms {
    /// The processes of all extensions that turns have had. Reads no file.
    pub(crate) fn processes(&self) -> Vec<ProcessStatus> {
        let running = self.running();
        let processes = running.iter().map(|((project_id, id), known)| {
            let status = known.program.status();
            let millis = |wait: Duration| u64::try_from(wait.as_millis());
            ProcessStatus {
                process: format!("{KIND}{id}"),
                project_id: *project_id,
                state: status.state,
                reason: status.reason,
                starts_in_ms: status.starts_in.and_then(|wait| millis(wait).ok()),
                starts: status.starts,
                problems: known.reading.problems.clone(),
            }
        });
        processes.collect()
    }

    /// The names of all processes that there may be: of the user and of all projects. Reads files; blocks.
    pub(crate) fn names(&self) -> BTreeSet<String> {
        let scopes = self.means.scopes();
        let found = scopes.flat_map(|scope| {
            let found = self.means.extensions.find(scope.as_ref());
            found.unwrap_or_default()
        });
        let programs = found.filter(|it| it.reading.manifest().is_some());
        programs.map(|it| format!("{KIND}{}", it.id)).collect()
    }

    /// The end of the error output of a process; `None` if no turn has had it.
    pub(crate) fn log(&self, process: &str) -> Option<String> {
        let id = process.strip_prefix(KIND)?;
        let running = self.running();
        let known: Vec<_> = running.iter().filter(|((_, of), _)| of == id).collect();
        let part = LOG.checked_div(known.len())?;
        let logs = known
            .iter()
            .map(|(_, it)| it.program.process().stderr(part));
        Some(logs.collect())
    }

    /// Starts the processes with this name anew, and returns how many there are. Reads files; blocks.
    pub(crate) fn restart(&self, process: &str) -> u32 {
        let Some(id) = process.strip_prefix(KIND) else {
            return 0;
        };
        // One that no turn has used yet, or whose manifest has changed since.
        let found = self.means.extensions.find(None).unwrap_or_default();
        if let Some(found) = found.iter().find(|it| it.id.as_str() == id) {
            self.program(found, None);
        }
        let running = self.running();
        let mut restarted = 0;
        for (_, known) in running.iter().filter(|((_, of), _)| of == id) {
            known.program.process().restart();
            restarted += 1;
        }
        restarted
    }
}
