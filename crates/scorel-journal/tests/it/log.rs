//! A journal in a temporary directory, with helpers to fill and read it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use scorel_journal::{
    AppendError, Appended, ContinueAt, Durability, EVENTS, Journal, OpenError, Opened, Record,
    ResumePoint, Storage,
};
use scorel_proto::Seq;
use serde_json::json;
use tempfile::TempDir;

use crate::disk::Disk;

/// The directory of one journal.
pub(crate) struct Log {
    home: TempDir,
}

impl Log {
    /// Without a journal yet.
    pub(crate) fn nowhere() -> Self {
        let home = tempfile::tempdir().expect("a directory");
        Self { home }
    }

    /// With one record per text.
    pub(crate) fn of(texts: &[&str]) -> Self {
        let log = Self::nowhere();
        let mut journal = log.create();
        for text in texts {
            let _ = append(&mut journal, text).expect("appended");
        }
        log
    }

    /// With a log of these bytes, on tmpfs where there is one: tests of thousands of files would
    /// otherwise wait for the disk.
    pub(crate) fn with_bytes(bytes: &[u8]) -> Self {
        let memory = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
        let home = memory.expect("a directory");
        let log = Self { home };
        fs::create_dir(log.dir()).expect("a directory");
        fs::write(log.path(), bytes).expect("writable");
        log
    }

    pub(crate) fn dir(&self) -> PathBuf {
        self.home.path().join("session")
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.dir().join(EVENTS)
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        fs::read(self.path()).expect("readable")
    }

    pub(crate) fn write(&self, bytes: &[u8]) {
        fs::write(self.path(), bytes).expect("writable");
    }

    /// The lines of the file with their newlines; the first is the header.
    pub(crate) fn lines(&self) -> Vec<Vec<u8>> {
        let bytes = self.bytes();
        bytes
            .split_inclusive(|byte| *byte == b'\n')
            .map(<[u8]>::to_vec)
            .collect()
    }

    /// The names in the directory apart from the journal itself.
    pub(crate) fn other_files(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.dir())
            .expect("readable")
            .map(|entry| {
                entry
                    .expect("an entry")
                    .file_name()
                    .into_string()
                    .expect("text")
            })
            .filter(|name| name != EVENTS)
            .collect();
        names.sort();
        names
    }

    pub(crate) fn create(&self) -> Journal {
        create_on(Disk::volatile().storage(), &self.dir()).expect("created")
    }

    pub(crate) fn try_open(&self) -> Result<(Opened, Vec<Record>), OpenError> {
        open_on(Disk::volatile().storage(), &self.dir(), None)
    }

    pub(crate) fn open(&self) -> (Opened, Vec<Record>) {
        self.try_open().expect("opened")
    }

    /// Opened for writing, continuing after the last record.
    pub(crate) fn journal(&self) -> Journal {
        self.open()
            .0
            .into_journal(ContinueAt::LastRecord, Durability::Flush)
    }

    /// The texts of all intact records.
    pub(crate) fn texts(&self) -> Vec<String> {
        self.open().1.iter().map(text).collect()
    }
}

pub(crate) fn create_on(
    storage: Arc<dyn Storage>,
    dir: &Path,
) -> Result<Journal, scorel_journal::CreateError> {
    let header = br#"{"format":1,"sessionId":"ses_01ARZ3NDEKTSV4RRFFQ69G5FAV"}"#;
    Journal::create(storage, dir, header.to_vec(), Durability::Flush)
}

pub(crate) fn open_on(
    storage: Arc<dyn Storage>,
    dir: &Path,
    resume: Option<ResumePoint>,
) -> Result<(Opened, Vec<Record>), OpenError> {
    let mut records = Vec::new();
    let opened = Journal::open(storage, dir, resume, &mut |record| {
        records.push(record.into());
    })?;
    Ok((opened, records))
}

/// Appends a record with this text.
pub(crate) fn append(journal: &mut Journal, text: &str) -> Result<Appended, AppendError> {
    journal.append(|seq| serde_json::to_vec(&json!({"seq": seq, "text": text})))
}

/// The text of a record.
pub(crate) fn text(record: &Record) -> String {
    let json: serde_json::Value = serde_json::from_slice(&record.line).expect("json");
    json["text"].as_str().expect("a text").to_owned()
}

pub(crate) fn seqs(records: &[Record]) -> Vec<u64> {
    records
        .iter()
        .map(|record| record.place.seq.get())
        .collect()
}

pub(crate) fn seq(value: u64) -> Seq {
    Seq::new(value).expect("in range")
}
