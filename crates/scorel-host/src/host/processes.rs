//! The processes that stay, of all kinds.

use std::collections::BTreeSet;

use scorel_proto::ProcessStatus;

use super::Host;

impl Host {
    /// Those that turns have had. Reads no file.
    pub(super) fn processes(&self) -> Vec<ProcessStatus> {
        let mut processes = self.programs.processes();
        processes.extend(self.mcp_clients.processes());
        processes
    }

    /// The names of all that there may be: of the user and of all projects. Reads files; blocks.
    pub(crate) fn process_names(&self) -> BTreeSet<String> {
        let mut names = self.programs.names();
        names.extend(self.mcp_clients.names());
        names
    }

    /// The end of the error output of those with a name; `None` if no turn has had one.
    pub(crate) fn process_log(&self, process: &str) -> Option<String> {
        let log = self.programs.log(process);
        log.or_else(|| self.mcp_clients.log(process))
    }

    /// Starts those with a name anew, and returns how many there are. Reads files; blocks.
    pub(crate) fn restart_processes(&self, process: &str) -> u32 {
        self.programs.restart(process) + self.mcp_clients.restart(process)
    }
}
