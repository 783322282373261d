use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use scorel_client::{Backoff, ClientError, ClientIdentity, Connect, Connection, Home, Starter};
use scorel_proto::{CommandId, EventId, Method};
use tokio::time::Instant;

use crate::args::Global;
use crate::failure::Failure;

/// How long a daemon that was there may be away before a command gives up.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// How this program gets connections to the daemon.
#[derive(Debug, Clone)]
pub(crate) struct Link {
    starter: Starter,
    /// Whether a daemon that is not running is started.
    pub(crate) start: bool,
}

impl Link {
    /// Reads the environment and the options that every command has.
    pub(crate) fn new(global: &Global) -> Result<Self, Failure> {
        let home = Home::resolve(global.home.as_deref(), |name| env::var_os(name))
            .map_err(ClientError::from)?;
        Ok(Self {
            starter: Starter::new(home, daemon_program(env::var_os("SCORELD"))),
            start: !global.no_start,
        })
    }

    pub(crate) const fn home(&self) -> &Home {
        self.starter.home()
    }

    /// A connection that nobody has greeted on.
    pub(crate) async fn silent(&self) -> Result<Connection, ClientError> {
        if self.start {
            self.starter.connect_or_start().await
        } else {
            self.starter.connect().await
        }
    }

    /// A connection on which this installation has said who it is.
    pub(crate) async fn greeted(&self) -> Result<Connection, ClientError> {
        let connection = self.silent().await?;
        // The daemon has made the home by now.
        let identity = ClientIdentity::load_or_create(self.home())?;
        connection.hello(Some(identity.client_id())).await?;
        Ok(connection)
    }
}

impl Connect for Link {
    fn connect(&mut self) -> impl Future<Output = Result<Connection, ClientError>> {
        self.greeted()
    }
}

/// The daemon's program: the one that is named, else the one beside this program, else the one on
/// `PATH`.
pub(crate) fn daemon_program(named: Option<OsString>) -> PathBuf {
    if let Some(named) = named.filter(|named| !named.is_empty()) {
        return PathBuf::from(named);
    }
    let own = env::current_exe().ok();
    own.map(|own| own.with_file_name("scoreld"))
        .filter(|program| program.is_file())
        .unwrap_or_else(|| PathBuf::from("scoreld"))
}

/// Calls to the daemon. A call whose connection is lost is made again on a new one: everything
/// called through here can be repeated.
#[derive(Debug)]
pub(crate) struct Control {
    link: Link,
    connection: Connection,
}

impl Control {
    /// Connects, and starts the daemon if that is allowed and necessary.
    pub(crate) async fn connect(link: Link) -> Result<Self, Failure> {
        let connection = link
            .greeted()
            .await
            .map_err(|error| no_daemon(&link, error))?;
        Ok(Self { link, connection })
    }

    pub(crate) const fn link(&self) -> &Link {
        &self.link
    }

    /// Calls a method.
    pub(crate) async fn call<M: Method>(
        &mut self,
        params: &M::Params,
    ) -> Result<M::Result, ClientError> {
        let mut backoff = Backoff::default();
        let mut deadline = None;
        loop {
            let error = match self.connection.call::<M>(params).await {
                Err(error) if error.is_lost_connection() => error,
                answer => return answer,
            };
            let deadline = *deadline.get_or_insert_with(|| Instant::now() + PATIENCE);
            self.reconnect(&mut backoff, deadline, error).await?;
        }
    }

    async fn reconnect(
        &mut self,
        backoff: &mut Backoff,
        deadline: Instant,
        mut error: ClientError,
    ) -> Result<(), ClientError> {
        loop {
            if Instant::now() >= deadline {
                return Err(error);
            }
            let (_, pause) = backoff.pause();
            tokio::time::sleep(pause).await;
            match self.link.greeted().await {
                Ok(connection) => {
                    self.connection = connection;
                    return Ok(());
                }
                Err(failed) if failed.may_pass() => error = failed,
                Err(failed) => return Err(failed),
            }
        }
    }
}

/// Nobody answers, and nobody was to be started.
pub(crate) fn no_daemon(link: &Link, error: ClientError) -> Failure {
    let hint = match &error {
        ClientError::Unreachable { .. } if !link.start => {
            Some("without --no-start the daemon is started")
        }
        _ => None,
    };
    let failure = Failure::from(error);
    match hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

/// A name for one command, so that it is applied once however often it is sent.
pub(crate) fn new_command_id() -> CommandId {
    // An event id is made of the clock and randomness, and is visible ASCII as names must be.
    let id = EventId::generate().to_string();
    let digits = id.trim_start_matches(EventId::PREFIX);
    format!("cmd_{digits}")
        .parse()
        .expect("a ULID is short and visible ASCII")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_named_program_wins() {
        assert_eq!(
            daemon_program(Some("/x/scoreld".into())),
            PathBuf::from("/x/scoreld")
        );
        assert!(daemon_program(Some("".into())).ends_with("scoreld"));
        assert!(daemon_program(None).ends_with("scoreld"));
    }

    #[test]
    fn no_two_commands_have_the_same_name() {
        assert_ne!(new_command_id(), new_command_id());
        assert!(new_command_id().as_str().starts_with("cmd_"));
    }
}
