//! Checks the log of one session.

use std::fs::File;
use std::io::{self, BufReader, Read as _};
use std::path::Path;

use scorel_journal::{
    Damage, DamageReason, EVENTS, FORMAT, FileStorage, LogHeader, OpenError, OpenReport, Reader,
    open_regular,
};
use scorel_proto::{DamageAcceptedBody, Seq, SessionId, counted};
use scorel_session::{SessionHeader, unaccepted_damage};

use crate::daemon::Daemon;
use crate::entry;
use crate::events::EventCheck;
use crate::finding::{Finding, Repair};
use crate::references::References;
use crate::tail;

/// Attempts to read a log that shrinks at the same time: a running daemon truncates a line that it could not
/// append completely.
const ATTEMPTS: usize = 5;

/// A log that was read to its end.
#[derive(Debug)]
pub(crate) struct ScannedLog {
    pub(crate) reader: Reader,
    /// Of the last intact record; zero if there is none.
    pub(crate) last: Seq,
    /// Offset after the newline of the last line.
    pub(crate) end: u64,
    pub(crate) references: References,
}

/// Checks a log and returns what later checks need of it; `None` if it cannot be read.
pub(crate) fn check(
    dir: &Path,
    id: SessionId,
    daemon: &Daemon,
    found: &mut Vec<Finding>,
) -> Option<ScannedLog> {
    let path = dir.join(EVENTS);
    if !matches!(entry::look(&path), Ok(Some(log)) if log.is_file()) {
        // Reported with the names of the directory.
        return None;
    }
    for attempt in 1.. {
        match read(dir, &path, id, daemon, found) {
            Err(OpenError::Io(step))
                if step.source.kind() == io::ErrorKind::UnexpectedEof
                    && attempt < ATTEMPTS
                    && daemon.is_running() => {}
            Err(error) => {
                found.push(not_opened(&path, &error));
                return None;
            }
            Ok(log) => return log,
        }
    }
    None
}

/// Adds to `found` only after reading to the end, since a failed attempt is repeated.
fn read(
    dir: &Path,
    path: &Path,
    id: SessionId,
    daemon: &Daemon,
    found: &mut Vec<Finding>,
) -> Result<Option<ScannedLog>, OpenError> {
    let (reader, header) = Reader::open(&FileStorage, dir)?;
    if let Some(finding) = other_format(path, &header) {
        found.push(finding);
        return Ok(None);
    }
    let mut events = EventCheck::new(path, id);
    let mut end = header.text().len() as u64 + 1;
    let report = reader.scan(&mut |record| {
        end = record.place.end() + 1;
        events.take(record);
    })?;
    found.extend(check_header(path, &header, id));
    add_damage(path, &report, events.accepted(), found);
    if let Some(torn) = &report.torn
        && !tail::is_being_written(path, torn.offset, daemon)
    {
        found.push(torn_tail(path, torn.offset, torn.len));
    }
    let damaged = report
        .damage
        .iter()
        .map(|damage| damage.offset + damage.len);
    let end = damaged.fold(end, u64::max);
    let (last, references) = events.finish(daemon, found);
    Ok(Some(ScannedLog {
        reader,
        last,
        end,
        references,
    }))
}

fn other_format(path: &Path, header: &LogHeader) -> Option<Finding> {
    let (format, length) = (header.format(), header.text().len() as u64);
    if format > FORMAT {
        let meaning = format!(
            "the log has format {format}, and this version knows format {FORMAT}; use the newer version to check it"
        );
        Some(Finding::note("newer_format", path, meaning).at(0, length))
    } else if format < FORMAT {
        let meaning = format!("the header names format {format}, which does not exist");
        Some(Finding::damage("header", path, meaning).at(0, length))
    } else {
        None
    }
}

fn check_header(path: &Path, header: &LogHeader, id: SessionId) -> Option<Finding> {
    let meaning = match serde_json::from_str::<SessionHeader>(header.text()) {
        Ok(header) if header.session_id == id => return None,
        Ok(header) => format!(
            "this log belongs to session {}, not to the one the directory is named after; move it to that directory",
            header.session_id
        ),
        Err(error) => format!("the header is intact but not that of a session: {error}"),
    };
    let length = header.text().len() as u64;
    Some(Finding::damage("header", path, meaning).at(0, length))
}

/// The finding for a log that cannot be opened.
fn not_opened(path: &Path, error: &OpenError) -> Finding {
    match error {
        OpenError::Io(step) => entry::unreadable(path, &step.source),
        OpenError::HeaderMissing => {
            let length = path.metadata().map_or(0, |metadata| metadata.len());
            let meaning = if length == 0 {
                "the log is empty: header and records are lost; restore it from a backup"
            } else {
                "the log ends within its header; restore it from a backup"
            };
            Finding::damage("header", path, meaning).at(0, length)
        }
        OpenError::HeaderDamaged(_) | OpenError::NewerFormat { .. } => {
            let meaning = format!(
                "{error}; the session cannot be opened, and its records are left untouched; restore the first line from a backup"
            );
            let length = first_line(path).unwrap_or(0);
            Finding::damage("header", path, meaning).at(0, length)
        }
    }
}

/// The length of the first line without its newline.
fn first_line(path: &Path) -> io::Result<u64> {
    let file = BufReader::new(open_regular(File::options().read(true), path)?);
    let line = file.bytes().map_while(Result::ok);
    Ok(line.take_while(|byte| *byte != b'\n').count() as u64)
}

fn add_damage(
    path: &Path,
    report: &OpenReport,
    accepted: &[DamageAcceptedBody],
    found: &mut Vec<Finding>,
) {
    let open = unaccepted_damage(report, accepted);
    let is_named = |damage: &Damage| {
        let end = damage.offset + damage.len;
        open.iter()
            .any(|place| place.offset <= damage.offset && end <= place.offset + place.length)
    };
    // A damaged place usually leaves a gap in `prev` right behind it. The gap counts as accepted if the
    // damage was: (end of the preceding damage, whether it is still open).
    let mut hole = (0, false);
    for damage in &report.damage {
        let is_served = damage.reason.is_of_a_served_record();
        let is_left = is_served && (hole.0..=hole.0 + 1).contains(&damage.offset);
        let is_open = is_named(damage) || is_left && hole.1;
        hole = if is_served {
            (0, false)
        } else {
            (damage.offset + damage.len, is_open)
        };
        let meaning = meaning(damage);
        let finding = if is_open {
            Finding::damage(code(damage.reason), path, meaning).repaired_by(Repair::RewriteLog)
        } else {
            let meaning = format!("{meaning}; accepted");
            Finding::note("damage_accepted", path, meaning)
        };
        found.push(finding.at(damage.offset, damage.len));
    }
    if report.more_damage > 0 {
        let more = counted(report.more_damage, "more damaged place");
        let meaning = format!("{more} in this log");
        let finding = Finding::damage("more_damage", path, meaning);
        found.push(finding.repaired_by(Repair::RewriteLog));
    }
}

const fn code(reason: DamageReason) -> &'static str {
    match reason {
        DamageReason::Malformed => "malformed",
        DamageReason::Checksum => "checksum",
        DamageReason::Oversize => "oversize",
        DamageReason::Order { .. } => "order",
        DamageReason::Joined => "joined",
        DamageReason::Gap { .. } => "gap",
    }
}

fn meaning(damage: &Damage) -> String {
    match damage.reason {
        DamageReason::Malformed => {
            "not a record: truncated, overwritten, or written by another program".to_owned()
        }
        DamageReason::Checksum => "the checksum does not match: the bytes were altered".to_owned(),
        DamageReason::Oversize => "the line is longer than a record may be".to_owned(),
        DamageReason::Order { last, found } => {
            format!("record {found} follows record {last}: duplicated or moved; it is not served")
        }
        DamageReason::Joined => {
            "the newline before this record is missing; the record itself is intact".to_owned()
        }
        DamageReason::Gap { last, expected } => format!(
            "this record followed record {expected}, but record {last} precedes it: records are missing"
        ),
    }
}

fn torn_tail(path: &Path, offset: u64, length: u64) -> Finding {
    let meaning = "the last line is incomplete; it was never acknowledged, and opening the session moves it aside";
    Finding::repairable("torn", path, meaning, Repair::MoveTail).at(offset, length)
}
