//! Repairs of a session's log.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use scorel_home::now_ms;
use scorel_journal::{AppendError, FileStorage, Journal, OpenReport, Reader, if_present};
use scorel_proto::{
    ClientId, DamageAcceptedBody, ErrorChain, EventId, PersistentBody, PersistentEvent, Seq,
    SeqReserveBody, SessionId,
};

use crate::checkpoint::{self, FoundCheckpoint};

/// Beyond this many damaged places a single `damage_accepted` record covers them all.
const MAX_ACCEPTED: usize = 64;

/// Moves an incomplete last line to a file of its own, as opening the journal does.
pub(crate) fn move_tail(log: &Path) -> Result<(), String> {
    let dir = log.parent().ok_or("it is in no directory")?;
    let opened = Journal::open(Arc::new(FileStorage), dir, None, &mut |_| {});
    opened
        .map(|_| ())
        .map_err(|error| ErrorChain(&error).to_string())
}

/// Replaces a log by its intact records. It ends with a `seq_reserve` record, so that no number is
/// issued twice, and with `damage_accepted` records for the damaged places.
pub(crate) fn rewrite_log(log: &Path, id: SessionId) -> Result<(), String> {
    let dir = log.parent().ok_or("it is in no directory")?;
    let report = Reader::open(&FileStorage, dir)
        .and_then(|(reader, _)| reader.scan(&mut |_| {}))
        .map_err(|error| ErrorChain(&error).to_string())?;
    // The checkpoint may have seen higher numbers than those of the remaining records.
    let resume = FoundCheckpoint::read(dir).resume_point();
    let opened = Journal::open(Arc::new(FileStorage), dir, resume, &mut |_| {})
        .map_err(|error| ErrorChain(&error).to_string())?;
    let repaired = opened.repair(|journal| {
        append(journal, id, PersistentBody::SeqReserve(SeqReserveBody {}))?;
        accepted(&report)
            .into_iter()
            .try_for_each(|body| append(journal, id, PersistentBody::DamageAccepted(body)))
    });
    repaired.map_err(|error| ErrorChain(&error).to_string())?;
    let removed = if_present(fs::remove_file(checkpoint::path(dir)));
    removed.map(drop).map_err(|error| error.to_string())
}

/// The damaged places, with their offsets in the kept copy.
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
        ts: now_ms(),
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
