use std::io::{self, IsTerminal as _, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use scorel_client::{ClientError, ClientIdentity, Connection, DaemonHome, SshDaemon};
use scorel_proto::HelloResult;
use tokio::time::sleep;

use super::start_daemon::StartDaemon;

/// The time after which a user is told what the program waits for.
const QUIET: Duration = Duration::from_secs(2);

/// The daemon of another machine.
#[derive(Debug, Clone)]
pub(crate) struct RemoteDaemon {
    ssh: SshDaemon,
    /// Of this machine: it has the identity that the other daemon is told.
    home: DaemonHome,
    /// Set until the first attempt. Later ones may run while a program draws on the terminal.
    may_tell: Arc<AtomicBool>,
}

impl RemoteDaemon {
    /// `may_tell` permits a word on standard error while the first connection takes its time.
    pub(crate) fn new(ssh: SshDaemon, home: DaemonHome, may_tell: bool) -> Self {
        let may_tell = may_tell && io::stderr().is_terminal();
        Self {
            ssh,
            home,
            may_tell: Arc::new(AtomicBool::new(may_tell)),
        }
    }

    pub(crate) const fn ssh(&self) -> &SshDaemon {
        &self.ssh
    }

    pub(crate) const fn home(&self) -> &DaemonHome {
        &self.home
    }

    pub(crate) async fn connect(
        &self,
        start: StartDaemon,
    ) -> Result<(Connection, HelloResult), ClientError> {
        let identity = ClientIdentity::load_or_create(&self.home)?;
        let may_start = start == StartDaemon::Always;
        let connecting = self
            .ssh
            .connect(identity.client_id(), "scorelctl", may_start);
        tokio::pin!(connecting);
        if self.may_tell.swap(false, Ordering::Relaxed) {
            tokio::select! {
                connected = &mut connecting => return connected,
                () = sleep(QUIET) => {
                    // Without a terminal there is no one left to tell.
                    let _ = writeln!(io::stderr(), "connecting to {} …", self.ssh.name());
                }
            }
        }
        connecting.await
    }
}
