//! The daemon of another machine, over the standard streams of `ssh HOST scorelctl stdio`.

mod child;
mod host;
mod last_words;

use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::Duration;

use scorel_proto::{ClientId, HelloResult};
use tokio::process::Command;
use tokio::time::timeout;

use crate::{ClientError, Connection, SshError, SshProblem};
use child::{ChildEnd, start};
pub use host::{SshHost, SshHostError};

/// The time for the network and the keys. ssh keeps it by itself, and says what it waited for.
const CONNECT: Duration = Duration::from_secs(15);

/// The time between two signs of life; after three without an answer ssh ends. Without them, a
/// connection that a network has forgotten waits for hours.
const ALIVE: Duration = Duration::from_secs(15);

/// The time from the start of ssh to the daemon's answer. The daemon there may have to be started.
const HELLO_TIMEOUT: Duration = Duration::from_secs(45);

/// The time that a child may take to end once its output has ended.
const END_PATIENCE: Duration = Duration::from_secs(3);

/// A daemon that is reached by ssh, with the user's ssh configuration and keys. There is no port and no
/// token of its own.
#[derive(Debug, Clone)]
pub struct SshDaemon {
    name: String,
    host: SshHost,
    program: PathBuf,
}

impl SshDaemon {
    /// The daemon on `host`, which messages call `name`.
    pub fn new(name: impl Into<String>, host: SshHost) -> Self {
        Self {
            name: name.into(),
            host,
            program: PathBuf::from("ssh"),
        }
    }

    /// Replaces `ssh`, for tests.
    #[must_use]
    pub fn program(mut self, program: impl Into<PathBuf>) -> Self {
        self.program = program.into();
        self
    }

    /// The name that messages use.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The machine.
    pub const fn host(&self) -> &SshHost {
        &self.host
    }

    /// Starts a child and performs the handshake over it. The child ends with the connection: by itself, or
    /// else by SIGTERM and SIGKILL. Must be called inside a Tokio runtime.
    ///
    /// `may_start` permits the other machine to start its daemon.
    ///
    /// # Errors
    ///
    /// [`ClientError::Ssh`] with the reason, as far as ssh and the other machine tell it; else as
    /// [`Connection::hello`].
    pub async fn connect(
        &self,
        client_id: ClientId,
        client: &str,
        may_start: bool,
    ) -> Result<(Connection, HelloResult), ClientError> {
        let started = start(self.command(may_start));
        let (stream, end) = started
            .map_err(|error| self.error(SshProblem::Program(error.kind()), error.to_string()))?;
        let connection = Connection::over(stream);
        let answer = connection
            .greet(Some(client_id), Some(client), HELLO_TIMEOUT)
            .await;
        let error = match answer {
            Ok(known) => return Ok((connection, known)),
            Err(error) => error,
        };
        drop(connection);
        Err(match error {
            ClientError::Closed => match timeout(END_PATIENCE, end).await {
                Ok(Ok(ChildEnd { status, said })) => self.ended(status, &said),
                _ => self.error(SshProblem::Silent, String::new()),
            },
            ClientError::Unresponsive => self.error(SshProblem::Silent, String::new()),
            ClientError::Incompatible { daemon, version } => {
                self.error(SshProblem::Incompatible { daemon, version }, String::new())
            }
            other => other,
        })
    }

    fn command(&self, may_start: bool) -> Command {
        let mut command = Command::new(&self.program);
        // Never a question: it would go unseen in a terminal that a program draws on.
        command.args(["-T", "-o", "BatchMode=yes"]);
        for option in [
            format!("ConnectTimeout={}", CONNECT.as_secs()),
            format!("ServerAliveInterval={}", ALIVE.as_secs()),
            // Forwards of a configuration are for logins: several children at once cannot all have the ports.
            "ClearAllForwardings=yes".to_owned(),
            "RemoteCommand=none".to_owned(),
        ] {
            command.arg("-o").arg(option);
        }
        command.arg("--").arg(self.host.as_str()).arg("scorelctl");
        if !may_start {
            command.arg("--no-start");
        }
        command.arg("stdio");
        command
    }

    fn ended(&self, status: ExitStatus, said: &str) -> ClientError {
        self.error(SshProblem::of(status, said), last_words::shown(said))
    }

    fn error(&self, problem: SshProblem, said: String) -> ClientError {
        ClientError::Ssh(Box::new(SshError {
            name: self.name.clone(),
            host: self.host.to_string(),
            problem,
            said,
        }))
    }
}
