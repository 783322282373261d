//! Finding the daemon of a home, and starting it if none is running.

use std::fs::{self, OpenOptions};
use std::io::{self, Read, Seek};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use fs2::FileExt;
use scorel_fs::open_regular;

use crate::{ClientError, Connection, DaemonHome, StartError};

/// How much of a failing daemon's standard error is reported, in bytes.
const MAX_REPORT: u64 = 64 * 1024;

/// Connects to the daemon of a home, and starts it if none is running.
///
/// Clients that find no daemon at the same time serialise on a lock file: one of them starts it,
/// the others find it running. If the home is the default one and the service manager has a unit
/// `scoreld.service`, the service manager starts the daemon; otherwise the program is run with
/// `--daemonize --home <home>`, which returns once the daemon is ready.
#[derive(Debug, Clone)]
pub struct Starter {
    home: DaemonHome,
    program: PathBuf,
    service_manager: PathBuf,
}

impl Starter {
    /// A starter that runs `program` as the daemon of `home`.
    pub fn new(home: DaemonHome, program: impl Into<PathBuf>) -> Self {
        Self {
            home,
            program: program.into(),
            service_manager: PathBuf::from("systemctl"),
        }
    }

    /// Replaces `systemctl`, for tests.
    #[must_use]
    pub fn service_manager(mut self, program: impl Into<PathBuf>) -> Self {
        self.service_manager = program.into();
        self
    }

    /// The home directory of the daemon.
    pub const fn home(&self) -> &DaemonHome {
        &self.home
    }

    /// Connects to the daemon without starting it.
    ///
    /// # Errors
    ///
    /// [`ClientError::Unreachable`] if it is not running.
    pub async fn connect(&self) -> Result<Connection, ClientError> {
        Connection::connect(&self.home.socket_path()?).await
    }

    /// Connects to the daemon, and starts it if it is not running.
    ///
    /// # Errors
    ///
    /// [`ClientError::Start`] if it cannot be started, [`ClientError::Unreachable`] if it cannot be
    /// reached afterwards.
    pub async fn connect_or_start(&self) -> Result<Connection, ClientError> {
        match self.connect().await {
            Err(ClientError::Unreachable { .. }) => {}
            other => return other,
        }
        self.home.create()?;
        let starter = self.clone();
        let socket = self.home.socket_path()?;
        let started = tokio::task::spawn_blocking(move || starter.start(&socket)).await;
        started.unwrap_or(Err(StartError::GivenUp))?;
        self.connect().await
    }

    /// Connects to the daemon, and has the service manager start it if it is not running and the
    /// service manager has a unit for it.
    ///
    /// # Errors
    ///
    /// As [`Starter::connect_or_start`]; [`ClientError::Unreachable`] also if there is no unit.
    pub async fn connect_or_start_service(&self) -> Result<Connection, ClientError> {
        let unreachable = match self.connect().await {
            Err(error @ ClientError::Unreachable { .. }) => error,
            other => return other,
        };
        let starter = self.clone();
        let has_unit = tokio::task::spawn_blocking(move || starter.has_unit()).await;
        if has_unit.unwrap_or(false) {
            self.connect_or_start().await
        } else {
            Err(unreachable)
        }
    }

    /// Whether the service manager runs the daemon of this home, as the process `pid`.
    pub async fn is_service(&self, pid: u32) -> bool {
        if !self.home.is_default() {
            return false;
        }
        let starter = self.clone();
        let main = tokio::task::spawn_blocking(move || starter.main_process()).await;
        main.ok().flatten() == Some(pid)
    }

    /// Has the service manager restart the daemon by the unit as it is now, and returns once the new one
    /// is ready.
    ///
    /// # Errors
    ///
    /// [`ClientError::Start`] if the service manager cannot, or the new daemon does not start.
    pub async fn restart_service(&self) -> Result<(), ClientError> {
        let starter = self.clone();
        let restart = move || {
            // A package upgrade replaces the unit, but notifies no user's service manager.
            run(Command::new(&starter.service_manager).args(["--user", "daemon-reload"]))?;
            if starter.is_socket_dead() {
                // The socket is started first, and that only while the service does not run.
                starter.manage("stop", UNIT)?;
                return starter.start_units();
            }
            starter.manage("restart", UNIT)
        };
        let restarted = tokio::task::spawn_blocking(restart).await;
        Ok(restarted.unwrap_or(Err(StartError::GivenUp))?)
    }

    /// Has the service manager stop the daemon, and returns once it has ended.
    ///
    /// # Errors
    ///
    /// [`ClientError::Start`] if the service manager cannot.
    pub async fn stop_service(&self) -> Result<(), ClientError> {
        let starter = self.clone();
        let stop = move || starter.manage("stop", UNIT);
        let stopped = tokio::task::spawn_blocking(stop).await;
        Ok(stopped.unwrap_or(Err(StartError::GivenUp))?)
    }

    /// The process that the service manager runs as the daemon. Blocks.
    fn main_process(&self) -> Option<u32> {
        let shown = Command::new(&self.service_manager)
            .args(["--user", "show", "--property", "MainPID", "--value", UNIT])
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output();
        let text = String::from_utf8(shown.ok()?.stdout).ok()?;
        text.trim().parse().ok().filter(|pid| *pid != 0)
    }

    /// Starts the daemon under the lock. Closing the file releases the lock.
    fn start(&self, socket: &Path) -> Result<(), StartError> {
        let path = self.home.start_lock();
        let failed = |source| StartError::File {
            path: path.clone(),
            source,
        };
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true).mode(0o600);
        // On a read-only file system, rely on the daemon's own lock: of several daemons that start at
        // once, one serves and the others notice it.
        let lock = match open_regular(&mut options, &path) {
            Err(error) if error.kind() == io::ErrorKind::ReadOnlyFilesystem => None,
            opened => Some(opened.map_err(failed)?),
        };
        if let Some(lock) = &lock {
            lock.lock_exclusive().map_err(failed)?;
        }
        self.start_daemon(socket)
    }

    fn start_daemon(&self, socket: &Path) -> Result<(), StartError> {
        if UnixStream::connect(socket).is_ok() {
            return Ok(());
        }
        if self.has_unit() {
            return self.start_units();
        }
        run(Command::new(&self.program)
            .arg("--daemonize")
            .arg("--home")
            .arg(self.home.path()))
    }

    /// Starts the service, after its socket if that is to be there at every login: one that was stopped would
    /// stay so, and clients that only connect would find no daemon later.
    fn start_units(&self) -> Result<(), StartError> {
        if self.is_socket_dead() {
            // Refused if another program has started the service meanwhile.
            let _refused: Result<(), StartError> = self.manage("start", SOCKET_UNIT);
        }
        self.manage("start", UNIT)
    }

    /// Set if the socket belongs to every login and is not there.
    fn is_socket_dead(&self) -> bool {
        self.asks(&["is-enabled", SOCKET_UNIT]) && !self.asks(&["is-active", SOCKET_UNIT])
    }

    fn manage(&self, verb: &str, unit: &str) -> Result<(), StartError> {
        run(Command::new(&self.service_manager).args(["--user", verb, unit]))
    }

    fn has_unit(&self) -> bool {
        self.home.is_default() && self.asks(&["cat", UNIT])
    }

    /// Asks the service manager; `false` also if it cannot be asked.
    fn asks(&self, question: &[&str]) -> bool {
        let answer = Command::new(&self.service_manager)
            .arg("--user")
            .args(question)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        answer.is_ok_and(|status| status.success())
    }
}

const UNIT: &str = "scoreld.service";
const SOCKET_UNIT: &str = "scoreld.socket";

/// Runs a program that returns once the daemon is ready. Its standard error goes to a file, not to
/// a pipe: a daemon that inherits it would keep a pipe open, and reading to its end would never
/// return.
fn run(command: &mut Command) -> Result<(), StartError> {
    let program = PathBuf::from(command.get_program());
    let failed = |source| StartError::Program {
        program: program.clone(),
        source,
    };
    let mut output: fs::File = tempfile::tempfile().map_err(failed)?;
    let status = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(output.try_clone().map_err(failed)?)
        .status()
        .map_err(failed)?;
    if status.success() {
        return Ok(());
    }
    let mut report = Vec::new();
    output.rewind().map_err(failed)?;
    output
        .take(MAX_REPORT)
        .read_to_end(&mut report)
        .map_err(failed)?;
    Err(StartError::Failed {
        program,
        status,
        report: String::from_utf8_lossy(&report).into_owned(),
    })
}
