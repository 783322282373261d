use std::fs::{self, OpenOptions};
use std::io::{self, Read, Seek};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use fs2::FileExt;

use crate::{ClientError, Connection, Home};

/// How much of what a daemon says while it fails to start is kept, in bytes.
const MAX_REPORT: u64 = 64 * 1024;

/// Connects to the daemon of a home and starts it first if nobody answers.
///
/// Clients that find no daemon at the same time take turns at a lock, so that one of them starts
/// it and the others find it running. If the home is the user's default one and the service
/// manager has a unit `scoreld.service`, the service manager starts the daemon; otherwise the
/// program is started with `--daemonize --home <home>`, which returns once it answers.
#[derive(Debug, Clone)]
pub struct Starter {
    home: Home,
    program: PathBuf,
    service_manager: PathBuf,
}

/// Why the daemon could not be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// A file that starting needs cannot be used.
    #[error("cannot use {}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The program cannot be run.
    #[error("cannot run {}: {source}", program.display())]
    Program {
        /// The program.
        program: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The program ran and failed.
    #[error("{} did not start the daemon ({status}){}", program.display(), said(.report))]
    Failed {
        /// The program.
        program: PathBuf,
        /// How it ended.
        status: ExitStatus,
        /// What it said.
        report: String,
    },
    /// Starting was given up because this program ends.
    #[error("starting the daemon was given up")]
    GivenUp,
}

impl StartError {
    /// What a person can do about it, if that is known.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Program { source, .. } if source.kind() == io::ErrorKind::NotFound => Some(
                "install scoreld beside scorelctl or on PATH, or name it with SCORELD".to_owned(),
            ),
            _ => None,
        }
    }
}

fn said(text: &str) -> String {
    match text.trim() {
        "" => String::new(),
        text => format!(": {text}"),
    }
}

impl Starter {
    /// Starts `program` as the daemon of `home`.
    #[must_use]
    pub fn new(home: Home, program: impl Into<PathBuf>) -> Self {
        Self {
            home,
            program: program.into(),
            service_manager: PathBuf::from("systemctl"),
        }
    }

    /// Asks another program than `systemctl` for the unit.
    #[must_use]
    pub fn service_manager(mut self, program: impl Into<PathBuf>) -> Self {
        self.service_manager = program.into();
        self
    }

    /// The home whose daemon this is about.
    #[must_use]
    pub const fn home(&self) -> &Home {
        &self.home
    }

    /// Connects to the daemon, which must be running.
    ///
    /// # Errors
    ///
    /// [`ClientError::Unreachable`] if nobody answers.
    pub async fn connect(&self) -> Result<Connection, ClientError> {
        Connection::connect(&self.home.socket_path()?).await
    }

    /// Connects to the daemon and starts it first if nobody answers.
    ///
    /// # Errors
    ///
    /// [`ClientError::Start`] if it cannot be started, [`ClientError::Unreachable`] if it does not
    /// answer although it was.
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

    /// Holds the lock until the daemon answers; it goes with the file.
    fn start(&self, socket: &Path) -> Result<(), StartError> {
        let path = self.home.start_lock();
        let failed = |source| StartError::File {
            path: path.clone(),
            source,
        };
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true).mode(0o600);
        let lock = options.open(&path).map_err(failed)?;
        lock.lock_exclusive().map_err(failed)?;
        if UnixStream::connect(socket).is_ok() {
            return Ok(());
        }
        if self.has_unit() {
            return run(Command::new(&self.service_manager).args(["--user", "start", UNIT]));
        }
        run(Command::new(&self.program)
            .arg("--daemonize")
            .arg("--home")
            .arg(self.home.path()))
    }

    fn has_unit(&self) -> bool {
        let ask = || {
            Command::new(&self.service_manager)
                .args(["--user", "cat", UNIT])
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status()
        };
        self.home.is_default() && ask().is_ok_and(|status| status.success())
    }
}

const UNIT: &str = "scoreld.service";

/// Runs a program that returns once the daemon is ready. What it says goes to a file and not to a
/// pipe: a daemon that keeps its standard error open would keep a pipe open, too.
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
