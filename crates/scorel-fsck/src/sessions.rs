//! The directory with the sessions.

use std::path::Path;

use scorel_proto::SessionId;
use scorel_session::DELETED_PREFIX;

use crate::daemon::Daemon;
use crate::entry::{self, check_directory};
use crate::error::FsckError;
use crate::finding::Finding;
use crate::session;
use scorel_host::Home;

/// Checks every session and says how many there are.
pub(crate) fn check(home: &Home, daemon: &Daemon, found: &mut Vec<Finding>) -> u64 {
    let dir = home.sessions();
    if !check_directory(&dir, found) {
        return 0;
    }
    let names = match entry::names(&dir) {
        Ok(names) => names,
        Err(error) => {
            found.push(entry::unreadable(&dir, &error));
            return 0;
        }
    };
    let mut sessions = 0;
    for name in names {
        if let Ok(id) = name.parse() {
            session::check(home, daemon, id, found);
            sessions += 1;
        } else if let Some(meaning) = meaning(&name, daemon) {
            found.push(Finding::note("no_session", &dir.join(name), meaning));
        }
    }
    sessions
}

/// What something is that is no session.
fn meaning(name: &str, daemon: &Daemon) -> Option<&'static str> {
    if !name.starts_with(DELETED_PREFIX) {
        Some("the name is not a session's id; this is ignored")
    } else if daemon.is_running() {
        // It is being deleted.
        None
    } else {
        Some("a deleted session; the daemon removes what is left of it")
    }
}

/// The session with this id, or the one whose id begins like that.
pub(crate) fn find(dir: &Path, wanted: &str) -> Result<SessionId, FsckError> {
    let names = entry::names(dir).map_err(|source| FsckError::List {
        path: dir.to_owned(),
        source,
    })?;
    let digits = wanted.strip_prefix(SessionId::PREFIX).unwrap_or(wanted);
    let prefix = format!("{}{}", SessionId::PREFIX, digits.to_ascii_uppercase());
    let ids: Vec<SessionId> = names
        .iter()
        .filter(|name| name.starts_with(&prefix))
        .filter_map(|name| name.parse().ok())
        .collect();
    let wanted = wanted.to_owned();
    match ids[..] {
        [id] => Ok(id),
        [] => Err(FsckError::NoSession { wanted }),
        _ => Err(FsckError::Ambiguous {
            wanted,
            count: ids.len(),
        }),
    }
}
