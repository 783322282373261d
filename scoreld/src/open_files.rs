use nix::sys::resource::{Resource, getrlimit, setrlimit};
use tracing::{info, warn};

/// The limit of open files (`RLIMIT_NOFILE`), after the daemon has raised it for itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OpenFiles {
    /// What this process may have open.
    pub(crate) daemon: u64,
    /// The soft limit that the daemon was started with. Commands get it back: a program that uses
    /// `select(2)` breaks on descriptors from 1,024 on.
    pub(crate) commands: u64,
}

/// The limit that is assumed if the system does not tell.
const USUAL: u64 = 1024;

impl OpenFiles {
    /// Raises the soft limit to the hard one. The soft one is 1,024 almost everywhere; it is low for
    /// the sake of `select(2)`, which this program does not use.
    pub(crate) fn raise() -> Self {
        let (soft, hard) = match getrlimit(Resource::RLIMIT_NOFILE) {
            Ok(limits) => limits,
            Err(error) => {
                warn!(%error, "the limit of open files is unknown");
                (USUAL, USUAL)
            }
        };
        let raised = setrlimit(Resource::RLIMIT_NOFILE, hard, hard);
        let daemon = match raised {
            Ok(()) => hard,
            // macOS reports a hard limit that it does not grant.
            Err(error) => {
                warn!(%error, soft, hard, "the limit of open files cannot be raised");
                soft
            }
        };
        info!(limit = daemon, commands = soft, "open files");
        Self {
            daemon,
            commands: soft,
        }
    }
}
