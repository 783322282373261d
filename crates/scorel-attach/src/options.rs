//! What the program is started with.

use std::ffi::OsString;
use std::path::PathBuf;

use scorel_client::Caller;
use scorel_proto::{ClientId, SessionId};

/// The options of attaching.
#[derive(Debug)]
pub struct AttachOptions<C> {
    /// Makes connections to the daemon.
    pub connector: C,
    /// Makes calls, for as long as the program runs.
    pub caller: Caller<C>,
    /// The session; `None` lists all of them.
    pub session: Option<SessionId>,
    /// The client's own home, with its configuration.
    pub home: PathBuf,
    /// This installation, as events name it.
    pub client_id: Option<ClientId>,
    /// Set if the daemon is on this machine.
    pub is_local: bool,
    /// Set for lines only.
    pub is_plain: bool,
    /// The words that run this program for the same daemon.
    pub program: Vec<OsString>,
    /// Said first.
    pub notes: Vec<String>,
}

/// The reason for which the program could not go on.
#[derive(Debug, thiserror::Error)]
pub enum AttachError {
    /// The terminal cannot be used.
    #[error("the terminal cannot be used: {0}")]
    Terminal(#[from] std::io::Error),
    /// The configuration is invalid.
    #[error(transparent)]
    Settings(#[from] crate::settings::SettingsError),
    /// There is no directory for drafts.
    #[error("neither HOME nor XDG_STATE_HOME is set to an absolute path, and drafts have no place")]
    NoStateDir,
}
