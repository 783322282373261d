mod local_daemon;
mod program;
mod remote_daemon;
mod start_daemon;

use std::time::Duration;

pub(crate) use scorel_client::new_command_id;
use scorel_client::{
    Caller, ClientError, ClientIdentity, Connect, Connection, DaemonHome, SshDaemon,
};
use scorel_proto::{HelloResult, Method};
use tokio::time::Instant;

use crate::args::GlobalArgs;
use crate::devices::Devices;
use crate::failure::Failure;
pub(crate) use local_daemon::LocalDaemon;
pub(crate) use program::daemon_program;
use remote_daemon::RemoteDaemon;
pub(crate) use start_daemon::StartDaemon;

/// The time that a command retries after it lost the connection: enough for a restart of the daemon.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// The time for which a command connects again whose connection ends before the handshake. A daemon that is killed
/// just then still has its socket for a moment; then no daemon listens there, and one may be started.
const DYING: Duration = Duration::from_secs(1);

/// The pause before such an attempt.
const DYING_PAUSE: Duration = Duration::from_millis(20);

/// Opens connections to the daemon of this machine or another one, and starts it where that is allowed.
#[derive(Debug, Clone)]
pub(crate) struct DaemonConnector {
    place: DaemonPlace,
    pub(crate) start: StartDaemon,
}

#[derive(Debug, Clone)]
enum DaemonPlace {
    Here(LocalDaemon),
    There(RemoteDaemon),
}

impl DaemonConnector {
    /// Evaluates the environment and the global options.
    pub(crate) fn new(global: &GlobalArgs) -> Result<Self, Failure> {
        let local = LocalDaemon::new(global)?;
        let Some(name) = &global.remote else {
            return Ok(local.into());
        };
        let host = Devices::of(local.home()).find(name)?;
        let ssh = SshDaemon::new(name.as_str(), host);
        Ok(Self::by_ssh(ssh, &local, global.json))
    }

    /// The daemon of another machine. `local` says what may be started, and has this installation's identity.
    pub(crate) fn by_ssh(ssh: SshDaemon, local: &LocalDaemon, json: bool) -> Self {
        Self {
            start: local.start,
            place: DaemonPlace::There(RemoteDaemon::new(ssh, local.home().clone(), !json)),
        }
    }

    /// The same for a command that only looks: it fails if no daemon runs.
    pub(crate) const fn never_starting(mut self) -> Self {
        self.start = StartDaemon::Never;
        self
    }

    /// The daemon if it is this machine's.
    pub(crate) const fn local(&self) -> Option<&LocalDaemon> {
        match &self.place {
            DaemonPlace::Here(local) => Some(local),
            DaemonPlace::There(_) => None,
        }
    }

    /// The home on this machine, with the client's own files, also if the daemon is on another one.
    pub(crate) const fn home(&self) -> &DaemonHome {
        match &self.place {
            DaemonPlace::Here(local) => local.home(),
            DaemonPlace::There(remote) => remote.home(),
        }
    }

    /// The other machine, if the daemon is there. Paths of this one, such as the working directory, mean
    /// nothing to it.
    pub(crate) const fn remote(&self) -> Option<&SshDaemon> {
        match &self.place {
            DaemonPlace::Here(_) => None,
            DaemonPlace::There(remote) => Some(remote.ssh()),
        }
    }

    /// Connects and performs the handshake as this installation.
    pub(crate) async fn connect_identified(&self) -> Result<Connection, ClientError> {
        Ok(self.connect_known().await?.0)
    }

    /// As [`DaemonConnector::connect_identified`], with what the daemon says of itself.
    pub(crate) async fn connect_known(&self) -> Result<(Connection, HelloResult), ClientError> {
        let mut local = match &self.place {
            DaemonPlace::Here(local) => local.clone(),
            DaemonPlace::There(remote) => return remote.connect(self.start).await,
        };
        local.start = self.start;
        let deadline = Instant::now() + DYING;
        loop {
            match connect_once(&local).await {
                Err(ClientError::Closed) if Instant::now() < deadline => {}
                connected => return connected,
            }
            tokio::time::sleep(DYING_PAUSE).await;
        }
    }
}

async fn connect_once(local: &LocalDaemon) -> Result<(Connection, HelloResult), ClientError> {
    let connection = local.connect_raw().await?;
    // By now the daemon has created the home directory.
    let identity = ClientIdentity::load_or_create(local.home())?;
    let known = connection
        .hello_as(identity.client_id(), "scorelctl")
        .await?;
    Ok((connection, known))
}

impl From<LocalDaemon> for DaemonConnector {
    fn from(local: LocalDaemon) -> Self {
        Self {
            start: local.start,
            place: DaemonPlace::Here(local),
        }
    }
}

impl Connect for DaemonConnector {
    fn connect(&mut self) -> impl Future<Output = Result<Connection, ClientError>> + Send {
        self.connect_identified()
    }
}

/// The daemon of a command: its calls survive a lost connection.
#[derive(Debug)]
pub(crate) struct DaemonClient {
    link: DaemonConnector,
    caller: Caller<DaemonConnector>,
    /// The version of the daemon that was connected to first.
    version: String,
}

impl DaemonClient {
    /// Connects, and starts the daemon if necessary and allowed.
    pub(crate) async fn connect(link: impl Into<DaemonConnector>) -> Result<Self, Failure> {
        let link = link.into();
        match link.connect_known().await {
            Ok((connection, known)) => Ok(Self {
                caller: Caller::new(link.clone(), connection, PATIENCE),
                link,
                version: known.version,
            }),
            Err(error) => Err(no_daemon(link.start, error)),
        }
    }

    /// The version of the daemon.
    pub(crate) fn version(&self) -> &str {
        &self.version
    }

    pub(crate) const fn link(&self) -> &DaemonConnector {
        &self.link
    }

    /// Makes later calls fail rather than start a daemon.
    pub(crate) fn never_start(&mut self) {
        self.link.start = StartDaemon::Never;
        self.caller = Caller::new(self.link.clone(), self.caller.connection(), PATIENCE);
    }

    /// Calls a method; repeats the call for up to [`PATIENCE`] if the connection is lost.
    pub(crate) async fn call<M: Method>(
        &self,
        params: &M::Params,
    ) -> Result<M::Result, ClientError> {
        self.caller.call::<M>(params).await
    }

    /// Calls a method on the present connection, for a caller that learns of a lost one elsewhere.
    pub(crate) async fn call_once<M: Method>(
        &self,
        params: &M::Params,
    ) -> Result<M::Result, ClientError> {
        self.caller.connection().call::<M>(params).await
    }
}

/// The failure to connect, with a hint if a daemon may not be started.
pub(crate) fn no_daemon(start: StartDaemon, error: ClientError) -> Failure {
    let hint = match &error {
        ClientError::Unreachable { .. } if start == StartDaemon::Never => Some(
            "`scorelctl send` and others that need a daemon start it, unless --no-start is given",
        ),
        _ => None,
    };
    Failure::from(error).maybe_hint(hint)
}
