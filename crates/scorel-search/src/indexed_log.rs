use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::{fs, io};

use scorel_journal::{
    EVENTS, FileStorage, OpenError, Reader, RecordPosition, Records, if_present,
    is_out_of_descriptors,
};
use scorel_proto::{ProjectId, SessionId};
use scorel_session::SessionHeader;

use crate::error::IndexError;

/// Bytes at the end of a line behind the digits of its checksum.
const BEHIND_CRC: usize = "\"}".len();
const CRC_DIGITS: usize = 8;

/// A session's log, as the index reads it.
#[derive(Debug)]
pub(crate) struct IndexedLog {
    reader: Reader,
    pub(crate) project_id: ProjectId,
    /// Where the first record begins.
    start: u64,
    pub(crate) status: LogStatus,
}

/// The identity of the log's file, its length in bytes, and the time of its last change, in nanoseconds since
/// 1970. A log that has all of this is the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LogStatus {
    pub(crate) inode: u64,
    pub(crate) len: u64,
    pub(crate) modified: i64,
}

/// A record by which a log is recognised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LastRecord {
    pub(crate) place: RecordPosition,
    pub(crate) crc: String,
}

impl LogStatus {
    /// `None` if there is no log.
    pub(crate) fn of(sessions: &Path, id: SessionId) -> io::Result<Option<Self>> {
        let path = sessions.join(id.to_string()).join(EVENTS);
        let found = if_present(fs::symlink_metadata(path))?;
        Ok(found.map(|status| Self {
            inode: status.ino(),
            len: status.len(),
            modified: status.mtime() * 1_000_000_000 + status.mtime_nsec(),
        }))
    }
}

impl LastRecord {
    pub(crate) fn new(place: RecordPosition, line: &[u8]) -> Self {
        Self {
            place,
            crc: crc_of(line),
        }
    }

    /// Where the record behind it begins.
    pub(crate) fn next(&self) -> u64 {
        self.place.end() + 1
    }
}

impl IndexedLog {
    /// `None` if there is no log. An error is [`IndexError::Log`], unless there are too many open files:
    /// that passes.
    pub(crate) fn open(sessions: &Path, id: SessionId) -> Result<Option<Self>, IndexError> {
        let Some(status) = status(sessions, id)? else {
            return Ok(None);
        };
        let opened = Reader::open(&FileStorage, &sessions.join(id.to_string()));
        let (reader, header) = opened.map_err(|error| of_open(id, error))?;
        let session = SessionHeader::read(&header, id);
        let session = session.map_err(|reason| of_log(id, reason))?;
        Ok(Some(Self {
            reader,
            project_id: session.project_id,
            start: header.text().len() as u64 + 1,
            status,
        }))
    }

    /// Opens a log of which a record is known, without reading its beginning.
    pub(crate) fn reopen(
        sessions: &Path,
        id: SessionId,
        project_id: ProjectId,
    ) -> Result<Option<Self>, IndexError> {
        let Some(status) = status(sessions, id)? else {
            return Ok(None);
        };
        let reader = Reader::reopen(&FileStorage, &sessions.join(id.to_string()));
        Ok(Some(Self {
            reader: reader.map_err(|error| of_open(id, error))?,
            project_id,
            start: 0,
            status,
        }))
    }

    /// Returns whether the log is the one that had this record, and has only grown since.
    pub(crate) fn holds(&self, inode: u64, last: &LastRecord) -> bool {
        self.status.inode == inode
            && self.is_complete(last.place)
            && self
                .reader
                .read(last.place)
                .is_ok_and(|line| crc_of(&line) == last.crc)
    }

    /// The records behind `last`.
    pub(crate) fn records_after(&self, last: Option<&LastRecord>) -> Records {
        let start = last.map_or(self.start, LastRecord::next);
        self.reader.records(start..self.status.len.max(start))
    }

    /// Returns whether the line of a record has its newline. Without one it is not complete.
    pub(crate) fn is_complete(&self, place: RecordPosition) -> bool {
        place.end() < self.status.len
    }
}

fn status(sessions: &Path, id: SessionId) -> Result<Option<LogStatus>, IndexError> {
    LogStatus::of(sessions, id).map_err(|error| of_file(id, error))
}

fn of_open(id: SessionId, error: OpenError) -> IndexError {
    match error {
        OpenError::Io(step) => of_file(id, step.source),
        other => of_log(id, other.to_string()),
    }
}

fn of_file(id: SessionId, error: io::Error) -> IndexError {
    if is_out_of_descriptors(&error) {
        IndexError::File(error)
    } else {
        of_log(id, error.to_string())
    }
}

const fn of_log(session_id: SessionId, reason: String) -> IndexError {
    IndexError::Log { session_id, reason }
}

/// The checksum of an intact line, in hexadecimal.
fn crc_of(line: &[u8]) -> String {
    let end = line.len().saturating_sub(BEHIND_CRC);
    let digits = &line[end.saturating_sub(CRC_DIGITS)..end];
    String::from_utf8_lossy(digits).into_owned()
}
