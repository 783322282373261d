//! Checks the sessions directory.

use std::path::Path;

use scorel_home::Home;
use scorel_proto::SessionId;
use scorel_session::{CLONING_DIR, DELETED_PREFIX};

use crate::daemon::Daemon;
use crate::entry::{self, check_directory};
use crate::error::FsckError;
use crate::finding::Finding;
use crate::session;

/// Checks every session and returns their number.
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
        } else if let Some(meaning) = meaning(&dir, &name, daemon) {
            found.push(Finding::note("no_session", &dir.join(name), meaning));
        }
    }
    sessions
}

/// The meaning of a name that is not a session's.
fn meaning(dir: &Path, name: &str, daemon: &Daemon) -> Option<&'static str> {
    let left_over = if name.starts_with(DELETED_PREFIX) {
        "left over from a deleted session; the daemon removes it"
    } else if name == CLONING_DIR {
        if entry::names(&dir.join(name)).is_ok_and(|clones| clones.is_empty()) {
            return None;
        }
        "left over from a clone that was interrupted; the daemon removes it"
    } else {
        return Some("not a session id; ignored by the daemon");
    };
    // With a daemon, the deletion or the clone may be in progress.
    (!daemon.is_running()).then_some(left_over)
}

/// The session with this id or unique id prefix.
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
