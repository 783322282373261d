//! Checks a session's log without the journal's code, so that an error there cannot hide itself.

mod fault;
mod record;
mod turns;

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use scorel_proto::{Event, SessionView};
use serde_json::Value;

pub use fault::LogFault;
pub use record::CheckedRecord;

/// Separates the bytes that a line's checksum covers from its eight hex digits.
const CRC_KEY: &str = ",\"crc\":\"";

/// A valid log and the view that it folds to.
#[derive(Debug, Clone)]
pub struct CheckedLog {
    header: Value,
    records: Vec<CheckedRecord>,
    view: SessionView,
    torn: usize,
}

impl CheckedLog {
    /// Reads a log and checks each line, the chain of sequence numbers, and that turns and tool calls
    /// are closed exactly once. An unterminated last line is allowed: a crash leaves one. See
    /// [`CheckedLog::torn`].
    ///
    /// # Errors
    ///
    /// The first fault found.
    pub fn read(path: &Path) -> Result<Self, LogFault> {
        let bytes = fs::read(path).map_err(|error| LogFault::Unreadable(error.to_string()))?;
        let end = bytes
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        let text = std::str::from_utf8(&bytes[..end]).map_err(|_| LogFault::NotText)?;
        let mut lines = text.lines();
        let header = checked_line(1, lines.next().unwrap_or_default())?;
        let mut log = Self {
            header,
            records: Vec::new(),
            view: SessionView::default(),
            torn: bytes.len() - end,
        };
        let mut ids = HashSet::new();
        for (number, line) in (2..).zip(lines) {
            let record = log.next_record(number, line)?;
            if !ids.insert(record.value["id"].to_string()) {
                return Err(LogFault::Line {
                    number,
                    reason: "its id was used before",
                });
            }
            log.records.push(record);
        }
        turns::check(&log.records)?;
        Ok(log)
    }

    fn next_record(&mut self, number: usize, line: &str) -> Result<CheckedRecord, LogFault> {
        let fault = |reason| LogFault::Line { number, reason };
        let value = checked_line(number, line)?;
        let before = self.last_seq();
        let seq = value["seq"].as_u64().ok_or(fault("it has no `seq`"))?;
        if seq <= before {
            return Err(fault("its `seq` is not above the previous record's"));
        }
        if value["prev"].as_u64() != Some(before) {
            return Err(fault("its `prev` is not the previous record's `seq`"));
        }
        if value["sessionId"] != self.header["sessionId"] {
            return Err(fault("it belongs to another session"));
        }
        match Event::decode(line) {
            Ok(event @ Event::Persistent(_)) => self.view.apply(&event),
            _ => return Err(fault("it is not a persistent event of a known type")),
        }
        Ok(CheckedRecord {
            seq,
            line: line.to_owned(),
            value,
        })
    }

    pub const fn header(&self) -> &Value {
        &self.header
    }

    pub fn records(&self) -> &[CheckedRecord] {
        &self.records
    }

    pub fn record(&self, seq: u64) -> Option<&CheckedRecord> {
        let at = self.records.binary_search_by_key(&seq, |record| record.seq);
        at.ok().map(|at| &self.records[at])
    }

    /// 0 for an empty log.
    pub fn last_seq(&self) -> u64 {
        self.records.last().map_or(0, |record| record.seq)
    }

    /// The fold of all records.
    pub const fn view(&self) -> &SessionView {
        &self.view
    }

    /// The length of an unterminated last line in bytes; 0 if there is none.
    pub const fn torn(&self) -> usize {
        self.torn
    }

    /// The texts of user messages, in order.
    pub fn user_texts(&self) -> impl Iterator<Item = String> + '_ {
        let messages = self
            .records
            .iter()
            .filter(|record| record.role() == Some("user"));
        messages.map(CheckedRecord::text)
    }

    /// The turn id and reason of each turn outcome, in order.
    pub fn outcomes(&self) -> impl Iterator<Item = (&str, &str)> + '_ {
        let outcomes = self
            .records
            .iter()
            .filter(|record| record.type_name() == "turn_outcome");
        outcomes.filter_map(|record| Some((record.turn_id()?, record.value["reason"].as_str()?)))
    }

    /// All items that were ever added to the queue.
    pub fn queued(&self) -> impl Iterator<Item = &Value> + '_ {
        let updates = self
            .records
            .iter()
            .filter(|record| record.type_name() == "queue_update");
        let ops = updates.flat_map(|record| record.value["ops"].as_array().into_iter().flatten());
        ops.filter(|op| op["op"] == "add").map(|op| &op["item"])
    }
}

/// Adds the checksum and the newline to a JSON object, which must end with `}`.
pub fn sealed(object: &str) -> String {
    let covered = object.strip_suffix('}').unwrap_or(object);
    let sum = crc32c::crc32c(covered.as_bytes());
    format!("{covered}{CRC_KEY}{sum:08x}\"}}\n")
}

fn checked_line(number: usize, line: &str) -> Result<Value, LogFault> {
    let fault = |reason| LogFault::Line { number, reason };
    let (covered, rest) = line
        .rsplit_once(CRC_KEY)
        .ok_or(fault("it has no checksum"))?;
    let sum = format!("{:08x}\"}}", crc32c::crc32c(covered.as_bytes()));
    if rest != sum {
        return Err(fault("its checksum is wrong"));
    }
    serde_json::from_str(line).map_err(|_| fault("it is not JSON"))
}
