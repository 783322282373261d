//! A log of a given length, with the records in it.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use scorel_journal::{Appended, EVENTS, Journal, Record};

use crate::log::{append, create_on};
use crate::ram::Ram;

/// Content of the records: UTF-8 of all lengths, characters one bit away from a newline, and text that
/// looks like a record or its end.
const TEXTS: [&str; 5] = [
    "",
    "J*",
    "\u{ca}\u{2028}\u{1f60a}\n\t\"\\",
    ",\"prev\":1,\"crc\":\"00000000\"}",
    "{\"seq\":1,\"text\":\"\",\"prev\":0,\"crc\":\"e3069283\"}\n",
];

/// An upper bound of what a line is longer than its text.
const FRAME: usize = 256;

pub(super) struct Image {
    pub(super) bytes: Vec<u8>,
    /// Offset of the first record.
    pub(super) header: usize,
    pub(super) records: Vec<Record>,
}

impl Image {
    /// A log of `len` bytes with a dozen records or more, whose length grows with it.
    pub(super) fn of_len(len: usize) -> Self {
        let ram = Arc::new(Ram::default());
        let mut journal = create_on(ram.clone(), dir()).expect("created");
        let header = end(&journal);
        let mut records = Vec::new();
        for n in 0_usize.. {
            let plain = "plain text ".repeat(n * n % 29 * (len >> 12));
            let text = [&plain, TEXTS[n % TEXTS.len()], &plain].concat();
            if end(&journal) + text.len() + 2 * FRAME > len {
                break;
            }
            let appended = append(&mut journal, &text).expect("appended");
            records.push(record(&appended));
            for _ in 0..n % 3 {
                journal.next_transient().expect("a reserved number");
            }
        }
        let last = fill(&mut journal, len);
        records.push(record(&last));
        let bytes = ram.bytes(&log());
        assert_eq!(bytes.len(), len);
        assert!((12..20).contains(&records.len()), "{}", records.len());
        Self {
            bytes,
            header,
            records,
        }
    }

    /// The line of a record, without its newline.
    pub(super) fn line(&self, record: usize) -> Range<usize> {
        let place = self.records[record].place;
        let start = usize::try_from(place.offset).expect("small");
        start..start + place.len as usize
    }

    /// The record on whose line offset `at` is. A newline belongs to the line that it ends.
    pub(super) fn record_at(&self, at: usize) -> usize {
        let at = at as u64;
        self.records
            .partition_point(|record| record.place.end() < at)
    }

    /// How many records are complete, newline included, in the first `len` bytes.
    pub(super) fn complete(&self, len: usize) -> usize {
        self.record_at(len)
    }

    /// Offset of the line after the first `records` records.
    pub(super) fn boundary(&self, records: usize) -> usize {
        match records {
            0 => self.header,
            _ => self.line(records - 1).end + 1,
        }
    }
}

/// The directory of the journal.
pub(super) fn dir() -> &'static Path {
    Path::new("/session")
}

/// The file of the journal.
pub(super) fn log() -> PathBuf {
    dir().join(EVENTS)
}

fn end(journal: &Journal) -> usize {
    usize::try_from(journal.end()).expect("small")
}

/// Appends the record that makes the log `len` bytes long.
fn fill(journal: &mut Journal, len: usize) -> Appended {
    let rest = len - end(journal);
    let prev = journal.last_record_seq();
    let encode = |seq| {
        let sealed =
            format!("{{\"seq\":{seq},\"text\":\"\",\"prev\":{prev},\"crc\":\"01234567\"}}\n");
        let text = "x".repeat(rest - sealed.len());
        serde_json::to_vec(&serde_json::json!({"seq": seq, "text": text}))
    };
    journal.append(encode).expect("appended")
}

fn record(appended: &Appended) -> Record {
    Record {
        place: appended.place(),
        prev: appended.prev(),
        line: appended.line().clone(),
    }
}
