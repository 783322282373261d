//! Reports about the processes of extensions.

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
                problems: self.manifests.problems(&known.root),
            }
        });
        processes.collect()
    }

    /// The end of the error output of a process; `None` if there is no such process.
    pub(crate) fn log(&self, process: &str) -> Option<String> {
        let id = process.strip_prefix(KIND)?;
        let running = self.running();
        let mut known = running.iter().filter(|((_, of), _)| of == id);
        known
            .next()
            .map(|(_, known)| known.program.process().stderr(LOG))
    }

    /// Starts the processes with this name anew, and returns how many there are. Reads files; blocks.
    pub(crate) fn restart(&self, process: &str) -> u32 {
        let Some(id) = process.strip_prefix(KIND) else {
            return 0;
        };
        // One that no turn has used yet, or whose manifest has changed since.
        for found in self.of_the_user().iter().filter(|found| found.id == id) {
            if let Some(manifest) = &found.manifest {
                self.program(None, &found.dir, manifest);
            }
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
