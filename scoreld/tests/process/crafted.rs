//! Homes that are made by hand, and what a check says about them.

use std::fs::{self, DirBuilder, OpenOptions, Permissions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::Arc;

use scorel_journal::{ContinueAt, Durability, EVENTS, FileStorage, Journal};
use scorel_proto::SessionId;
use serde_json::{Value, json};

use crate::daemon::TestHome;

/// A home with one session.
pub(crate) struct Crafted {
    pub(crate) place: TestHome,
    pub(crate) id: SessionId,
}

/// What a check said.
pub(crate) struct Said {
    pub(crate) code: Option<i32>,
    pub(crate) findings: Vec<Value>,
    pub(crate) summary: Value,
    pub(crate) stderr: String,
}

impl Crafted {
    /// A session whose log has these events, given without what every event has.
    pub(crate) fn with(events: &[Value]) -> Self {
        let place = TestHome::new();
        make_dir(&place.home());
        make_dir(&place.path("sessions"));
        let crafted = Self {
            place,
            id: SessionId::generate(),
        };
        crafted.add_session(crafted.id, crafted.id, events);
        crafted
    }

    /// A session with five records that do not depend on each other.
    pub(crate) fn titled() -> Self {
        let title = |title: &str| json!({"type": "session_info", "changes": {"title": title}});
        Self::with(&["one", "two", "three", "four", "five"].map(title))
    }

    /// Another session, in the directory of `at`.
    pub(crate) fn add_session(&self, at: SessionId, id: SessionId, events: &[Value]) {
        let header = json!({
            "type": "session", "format": 1, "sessionId": id,
            "projectId": "prj_01ARZ3NDEKTSV4RRFFQ69G5FAV",
            "deviceId": "dev_01ARZ3NDEKTSV4RRFFQ69G5FAV",
            "kind": "user", "createdAt": 1, "version": "0.1.0",
        });
        let header = serde_json::to_vec(&header).unwrap();
        let dir = self.place.path("sessions").join(at.to_string());
        let storage = Arc::new(FileStorage);
        let created = Journal::create(storage, &dir, header, Durability::Flush);
        append_all(&mut created.unwrap(), id, events);
    }

    pub(crate) fn dir(&self) -> PathBuf {
        self.place.path("sessions").join(self.id.to_string())
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.dir().join(EVENTS)
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        fs::read(self.log()).unwrap()
    }

    /// Replaces the content of the log.
    pub(crate) fn write(&self, bytes: &[u8]) {
        fs::write(self.log(), bytes).unwrap();
    }

    /// The lines of the log with their newlines; the first is the header.
    pub(crate) fn lines(&self) -> Vec<Vec<u8>> {
        let bytes = self.bytes();
        let lines = bytes.split_inclusive(|byte| *byte == b'\n');
        lines.map(<[u8]>::to_vec).collect()
    }

    /// The journal, to append more.
    pub(crate) fn journal(&self) -> Journal {
        let opened = Journal::open(Arc::new(FileStorage), &self.dir(), None, &mut |_| {});
        let at = ContinueAt::LastRecord;
        opened.unwrap().into_journal(at, Durability::Flush)
    }

    pub(crate) fn append(&self, events: &[Value]) {
        append_all(&mut self.journal(), self.id, events);
    }

    /// Files of the session's directory whose names begin like that.
    pub(crate) fn kept(&self, prefix: &str) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.dir()).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        paths
            .filter(|path| {
                let name = path.file_name().unwrap().to_str().unwrap();
                name.starts_with(prefix)
            })
            .collect()
    }

    /// Checks the home.
    pub(crate) fn fsck(&self, arguments: &[&str]) -> Said {
        let mut all = vec!["fsck", "--json"];
        all.extend_from_slice(arguments);
        Said::new(&self.place.run(&all))
    }
}

impl Said {
    pub(crate) fn new(output: &Output) -> Self {
        let text = String::from_utf8(output.stdout.clone()).unwrap();
        let mut findings: Vec<Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let summary = findings.pop().unwrap_or_default();
        Self {
            code: output.status.code(),
            findings,
            summary,
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// The codes of the findings, without notes.
    pub(crate) fn codes(&self) -> Vec<&str> {
        let found = self.findings.iter();
        let bad = found.filter(|finding| finding["severity"] != "note");
        bad.map(|finding| finding["code"].as_str().unwrap())
            .collect()
    }

    /// The codes with their places, without notes.
    pub(crate) fn places(&self) -> Vec<(&str, u64, u64)> {
        let found = self.findings.iter();
        let bad = found.filter(|finding| finding["severity"] != "note");
        bad.map(|finding| {
            let number = |name: &str| finding[name].as_u64().unwrap();
            let code = finding["code"].as_str().unwrap();
            (code, number("offset"), number("length"))
        })
        .collect()
    }

    /// The notes' codes.
    pub(crate) fn notes(&self) -> Vec<&str> {
        let found = self.findings.iter();
        let notes = found.filter(|finding| finding["severity"] == "note");
        notes
            .map(|finding| finding["code"].as_str().unwrap())
            .collect()
    }

    /// The finding with this code.
    pub(crate) fn finding(&self, code: &str) -> &Value {
        let mut found = self.findings.iter();
        let found = found.find(|finding| finding["code"] == code);
        found.unwrap_or_else(|| panic!("no {code} in {:?}", self.findings))
    }

    pub(crate) fn is_clean(&self) -> bool {
        self.codes().is_empty() && self.code == Some(0)
    }
}

fn append_all(journal: &mut Journal, id: SessionId, events: &[Value]) {
    for event in events {
        let appended = journal.append(|seq| serde_json::to_vec(&completed(event, id, seq.get())));
        let _ = appended.unwrap();
    }
}

/// The event with the fields that every event has, where it does not have them.
fn completed(event: &Value, id: SessionId, seq: u64) -> Value {
    let mut all = json!({
        "id": scorel_proto::EventId::generate(), "parentId": null, "seq": seq,
        "sessionId": id, "clientId": "daemon", "ts": 1,
    });
    let fields = event.as_object().unwrap().clone();
    all.as_object_mut().unwrap().extend(fields);
    all
}

pub(crate) fn make_dir(path: &Path) {
    DirBuilder::new().mode(0o700).create(path).unwrap();
}

/// Writes a file for its owner alone.
pub(crate) fn write_private(path: &Path, bytes: &[u8]) {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    options.open(path).unwrap().write_all(bytes).unwrap();
}

pub(crate) fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}
