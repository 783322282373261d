//! Reports about the processes of servers.

use std::collections::BTreeSet;
use std::time::Duration;

use scorel_proto::{ProcessState, ProcessStatus, ProjectId};

use super::McpClients;
use super::look::era;

/// The state of a server, found without asking it.
#[derive(Debug, Default)]
pub(crate) struct McpStatus {
    /// The state of its process; of several, for several directories, the one that needs the most attention.
    pub(crate) process: Option<ProcessState>,
    /// The version of the protocol that it speaks.
    pub(crate) era: Option<String>,
    /// The number of tools that it has listed.
    pub(crate) tools: Option<usize>,
    /// Why it does not run.
    pub(crate) last_error: Option<String>,
}

/// Bytes of a program's error output that are shown.
const LOG: usize = 16 * 1024;

impl McpClients {
    /// The processes that turns have had. Reads no file.
    pub(crate) fn processes(&self) -> Vec<ProcessStatus> {
        let processes = self.pool.all().into_iter().map(|(key, client)| {
            let status = client.process().status();
            let millis = |wait: Duration| u64::try_from(wait.as_millis());
            ProcessStatus {
                process: process_name(&key.server),
                project_id: key.project,
                state: status.state,
                reason: status.reason,
                starts_in_ms: status.starts_in.and_then(|wait| millis(wait).ok()),
                starts: status.starts,
                problems: Vec::new(),
            }
        });
        processes.collect()
    }

    /// A server of the user, or of a project. Reads no file.
    pub(crate) fn status(&self, server: &str, project: Option<ProjectId>) -> McpStatus {
        let mut known = McpStatus::default();
        for (key, client) in self.pool.all() {
            if key.server != server || key.project != project {
                continue;
            }
            let status = client.process().status();
            if known
                .process
                .is_none_or(|it| attention(status.state) > attention(it))
            {
                known.process = Some(status.state);
                known.last_error = status.reason;
            }
            if let Some(listing) = client.known() {
                known.era = Some(era(listing.era));
                known.tools = Some(listing.tools.len());
            }
        }
        known
    }

    /// The names of all processes that there may be: of the user and of all projects. Reads files; blocks.
    pub(crate) fn names(&self) -> BTreeSet<String> {
        let scopes = self.means.scopes();
        let found = scopes.flat_map(|scope| self.servers.find(scope.as_ref()).unwrap_or_default());
        found.map(|it| it.process()).collect()
    }

    /// The end of the error output of a process; `None` if no turn has had it.
    pub(crate) fn log(&self, process: &str) -> Option<String> {
        let mut all = self.pool.all();
        all.retain(|(key, _)| process_name(&key.server) == process);
        let part = LOG.checked_div(all.len())?;
        let logs = all.iter().map(|(_, it)| it.process().stderr(part));
        Some(logs.collect())
    }

    /// Starts the processes with this name anew, and returns how many there are.
    pub(crate) fn restart(&self, process: &str) -> u32 {
        let mut restarted = 0;
        for (key, client) in self.pool.all() {
            if process_name(&key.server) == process {
                client.process().restart();
                restarted += 1;
            }
        }
        restarted
    }
}

/// The attention that a state asks of the user.
const fn attention(state: ProcessState) -> u8 {
    match state {
        ProcessState::Failed => 4,
        ProcessState::Backoff => 3,
        ProcessState::Starting => 2,
        ProcessState::Ready => 1,
        _ => 0,
    }
}

fn process_name(server: &str) -> String {
    format!("mcp:{server}")
}
