//! A record after which reading can start.

use scorel_proto::Seq;
use serde::{Deserialize, Serialize};

use crate::line::check_record;
use crate::storage::{LogFile, read_exact_at};
use crate::{MAX_RECORD, RecordPosition};

/// A record that a checkpoint remembers, so that opening need not read what precedes it. It is trusted
/// only if the record is still there, with the same checksum: a restored backup of the log may be older
/// than the checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResumePoint {
    offset: u64,
    len: u32,
    seq: Seq,
    crc: u32,
    /// Intact records up to and including this one.
    records: u64,
}

impl ResumePoint {
    pub(crate) fn behind(before: Option<Self>, place: RecordPosition, crc: u32) -> Self {
        Self {
            offset: place.offset,
            len: place.len,
            seq: place.seq,
            crc,
            records: before.map_or(0, |point| point.records) + 1,
        }
    }

    pub fn seq(&self) -> Seq {
        self.seq
    }

    pub fn place(&self) -> RecordPosition {
        RecordPosition {
            seq: self.seq,
            offset: self.offset,
            len: self.len,
        }
    }

    /// Returns whether the record is still there.
    pub(crate) fn verify(&self, file: &dyn LogFile) -> bool {
        let len = self.len as usize;
        if len > MAX_RECORD || self.offset.checked_add(u64::from(self.len)).is_none() {
            return false;
        }
        let mut line = vec![0; len];
        let intact = read_exact_at(file, &mut line, self.offset)
            .ok()
            .and_then(|()| check_record(&line).ok());
        intact.is_some_and(|head| head.seq == self.seq && head.crc == self.crc)
    }
}
