//! Repairing a session's log.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use scorel_journal::{AppendError, FileStorage, Journal, OpenReport, Reader};
use scorel_proto::{
    ClientId, DamageAcceptedBody, EventId, PersistentBody, PersistentEvent, Seq, SeqReserveBody,
    SessionId,
};

use crate::checkpoint::{self, FoundCheckpoint};
use crate::error::chain;

/// With more damaged places than this, one acceptance covers them all.
const MAX_ACCEPTED: usize = 64;

/// Moves an unfinished last line to a file of its own.
pub(crate) fn move_tail(log: &Path) -> Result<(), String> {
    let dir = log.parent().ok_or("it is in no directory")?;
    let opened = Journal::open(Arc::new(FileStorage), dir, None, &mut |_| {});
    opened.map(|_| ()).map_err(|error| chain(&error))
}

/// Replaces a log by one without its damage, which keeps the numbers from being issued again, and
/// says what was lost.
pub(crate) fn rewrite_log(log: &Path, id: SessionId) -> Result<(), String> {
    let dir = log.parent().ok_or("it is in no directory")?;
    let report = Reader::open(&FileStorage, dir)
        .and_then(|(reader, _)| reader.scan(&mut |_| {}))
        .map_err(|error| chain(&error))?;
    // A checkpoint may know numbers that the log does not know any more.
    let resume = FoundCheckpoint::read(dir).resume_point();
    let opened = Journal::open(Arc::new(FileStorage), dir, resume, &mut |_| {})
        .map_err(|error| chain(&error))?;
    let repaired = opened.repair(|journal| {
        append(journal, id, PersistentBody::SeqReserve(SeqReserveBody {}))?;
        accepted(&report)
            .into_iter()
            .try_for_each(|body| append(journal, id, PersistentBody::DamageAccepted(body)))
    });
    repaired.map_err(|error| chain(&error))?;
    match fs::remove_file(checkpoint::path(dir)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error.to_string()),
        _ => Ok(()),
    }
}

/// The damaged places, as they are in the copy.
fn accepted(report: &OpenReport) -> Vec<DamageAcceptedBody> {
    let places = report.damage.iter().map(|damage| DamageAcceptedBody {
        offset: damage.offset,
        length: damage.len,
    });
    match (&report.damage[..], report.more_damage) {
        (few, 0) if few.len() <= MAX_ACCEPTED => places.collect(),
        ([first, .., last], _) => vec![DamageAcceptedBody {
            offset: first.offset,
            length: last.offset + last.len - first.offset,
        }],
        _ => places.collect(),
    }
}

fn append(journal: &mut Journal, id: SessionId, body: PersistentBody) -> Result<(), AppendError> {
    let mut event = PersistentEvent {
        id: EventId::generate(),
        parent_id: None,
        seq: Seq::ZERO,
        session_id: id,
        client_id: ClientId::Daemon,
        ts: now(),
        turn_id: None,
        command_id: None,
        digest: None,
        origin: None,
        body,
        prev: None,
    };
    let appended = journal.append(|seq| {
        event.seq = seq;
        serde_json::to_vec(&event)
    });
    appended.map(|_| ())
}

fn now() -> u64 {
    let elapsed = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX)
}
