//! Checks the directory of one session.

use std::path::Path;

use scorel_home::Home;
use scorel_journal::{EVENTS, is_temporary};
use scorel_proto::SessionId;

use crate::blobs;
use crate::checkpoint::{self, FoundCheckpoint};
use crate::daemon::Daemon;
use crate::entry::{self, check_directory, check_file};
use crate::finding::{Finding, Repair};
use crate::log;
use crate::references::References;

pub(crate) fn check(home: &Home, daemon: &Daemon, id: SessionId, found: &mut Vec<Finding>) {
    let dir = home.sessions().join(id.to_string());
    let mut own = Vec::new();
    check_all(&dir, id, daemon, &mut own);
    // Deleted in the meantime: the findings are artefacts of that.
    if matches!(entry::look(&dir), Ok(None)) {
        return;
    }
    for finding in &mut own {
        finding.session = Some(id);
    }
    found.append(&mut own);
}

fn check_all(dir: &Path, id: SessionId, daemon: &Daemon, found: &mut Vec<Finding>) {
    if !check_directory(dir, found) {
        return;
    }
    let names = match entry::names(dir) {
        Ok(names) => names,
        Err(error) => return found.push(entry::unreadable(dir, &error)),
    };
    for name in &names {
        check_name(&dir.join(name), name, found);
    }
    if matches!(entry::look(&dir.join(EVENTS)), Ok(None)) {
        return without_log(dir, &names, daemon, found);
    }
    // Before the log, which grows: everything that a checkpoint covers must be found in it.
    let checkpoint = FoundCheckpoint::read(dir);
    let references = match log::check(dir, id, daemon, found) {
        Some(log) => {
            checkpoint::check(&checkpoint, dir, &log, found);
            log.references
        }
        None => References::new(),
    };
    blobs::check(dir, &references, found);
}

fn check_name(path: &Path, name: &str, found: &mut Vec<Finding>) {
    let kept = match name.strip_prefix(EVENTS) {
        // The next start of the daemon removes it.
        _ if is_temporary(name) => return,
        Some(end) if end.starts_with(".torn-") => {
            "an incomplete last line that was moved aside; it was never acknowledged"
        }
        Some(end) if end.starts_with(".before-repair-") => "the log from before it was repaired",
        Some("") => {
            check_file(path, found);
            return;
        }
        _ => {
            if ["inflight", "checkpoint", "session.log"].contains(&name) {
                check_file(path, found);
            }
            return;
        }
    };
    if check_file(path, found) {
        let note = Finding::note("kept", path, kept);
        let length = path.metadata().map_or(0, |metadata| metadata.len());
        found.push(note.at(0, length));
    }
}

fn without_log(dir: &Path, names: &[String], daemon: &Daemon, found: &mut Vec<Finding>) {
    let log = dir.join(EVENTS);
    if names.iter().any(|name| !is_temporary(name)) {
        let meaning = "the log is missing; restore it from a backup";
        found.push(Finding::damage("log_missing", &log, meaning));
    } else if !daemon.is_running() {
        // With a daemon, the session may be being created.
        let meaning = "a session whose creation was interrupted; it was never acknowledged";
        // Only temporary files: a repair removes them, and the directory when it looks again.
        found.extend(
            names.iter().map(|name| {
                Finding::repairable("unmade", &dir.join(name), meaning, Repair::Remove)
            }),
        );
        if names.is_empty() {
            let repair = Repair::RemoveDirectory;
            found.push(Finding::repairable("unmade", dir, meaning, repair));
        }
    }
}
