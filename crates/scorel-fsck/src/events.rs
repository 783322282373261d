//! Checks the events of a log against each other: tree, turns, tool calls, blobs.

use std::path::{Path, PathBuf};

use scorel_journal::RecordRef;
use scorel_proto::{
    DamageAcceptedBody, Event, EventId, Message, PersistentBody, PersistentEvent, Seq, SessionId,
    SessionView, TreePlacement,
};

use crate::daemon::Daemon;
use crate::finding::{ByteRange, Finding, Severity};
use crate::references::{References, add_references};

/// Findings listed per log; the rest are counted.
const MAX_FINDINGS: usize = 1024;

/// Folds the records of a log and reports inconsistencies.
#[derive(Debug)]
pub(crate) struct EventCheck {
    path: PathBuf,
    session: SessionId,
    view: SessionView,
    references: References,
    accepted: Vec<DamageAcceptedBody>,
    last: Seq,
    found: Vec<Finding>,
    /// Findings beyond `MAX_FINDINGS`.
    more: u64,
    /// Findings explained by damage that was accepted later in the log.
    explained: u64,
}

impl EventCheck {
    pub(crate) fn new(path: &Path, session: SessionId) -> Self {
        Self {
            path: path.to_owned(),
            session,
            view: SessionView::default(),
            references: References::new(),
            accepted: Vec::new(),
            last: Seq::ZERO,
            found: Vec::new(),
            more: 0,
            explained: 0,
        }
    }

    pub(crate) fn accepted(&self) -> &[DamageAcceptedBody] {
        &self.accepted
    }

    pub(crate) fn take(&mut self, record: RecordRef<'_>) {
        let span = ByteRange {
            offset: record.place.offset,
            length: u64::from(record.place.len),
        };
        self.last = record.place.seq;
        let event = match Event::decode(record.line) {
            Ok(event) => event,
            Err(error) => {
                let meaning = format!("the record is intact but not an event: {error}");
                return self.damage(span, "no_event", meaning);
            }
        };
        if event.session_id() != self.session {
            let meaning = format!("this event belongs to session {}", event.session_id());
            self.damage(span, "foreign_event", meaning);
        }
        match &event {
            Event::Persistent(event) => self.persistent(span, event),
            Event::Transient(event) => {
                let meaning = format!(
                    "events of type {} are never recorded",
                    event.body.type_name()
                );
                self.damage(span, "transient", meaning);
            }
            Event::Unknown(event) => {
                if let Some(problem) = &event.problem {
                    let name = &event.type_name;
                    let meaning = format!(
                        "event of type {name} in a form unknown to this version, kept unchanged: {problem}"
                    );
                    let note = Finding::note("unknown_form", &self.path, meaning);
                    self.push(note.at(span.offset, span.length));
                }
            }
        }
        if event.is_persistent() {
            self.view.apply(&event);
        }
    }

    fn persistent(&mut self, span: ByteRange, event: &PersistentEvent) {
        self.place_in_tree(span, event);
        if event.origin.is_none() {
            self.turn(span, event);
        }
        add_references(&event.body, span, &mut self.references);
        if let PersistentBody::DamageAccepted(body) = &event.body {
            self.accepted.push(body.clone());
            self.explain();
        }
    }

    fn place_in_tree(&mut self, span: ByteRange, event: &PersistentEvent) {
        if event.body.place() == TreePlacement::Control {
            return;
        }
        if self.view.tree.contains(event.id) {
            let meaning = format!("event {} is in the log twice", event.id);
            self.damage(span, "duplicate_id", meaning);
        }
        self.must_exist(span, event.parent_id, "follows");
        match &event.body {
            PersistentBody::Rewind(body) => {
                self.must_exist(span, body.target_event_id, "goes back to");
            }
            PersistentBody::Branch(body) => {
                self.must_exist(span, Some(body.leaf_event_id), "goes over to");
            }
            PersistentBody::Compact(body) => {
                self.must_exist(span, Some(body.compacted_through), "summarises through");
            }
            _ => {}
        }
    }

    fn must_exist(&mut self, span: ByteRange, id: Option<EventId>, verb: &str) {
        if let Some(id) = id.filter(|id| !self.view.tree.contains(*id)) {
            let meaning = format!("this event {verb} event {id}, which does not precede it");
            self.damage(span, "missing_event", meaning);
        }
    }

    fn turn(&mut self, span: ByteRange, event: &PersistentEvent) {
        let Some(open) = &self.view.state.turn else {
            return;
        };
        let turn = open.turn_id;
        let calls: Vec<&str> = open
            .calls
            .iter()
            .map(|call| call.tool_call_id.as_str())
            .collect();
        let other = event.turn_id.is_some_and(|id| id != turn);
        match &event.body {
            PersistentBody::TurnOutcome(_) if !calls.is_empty() => {
                let meaning = format!(
                    "turn {turn} ended, and {} of its tool calls have no result",
                    calls.len()
                );
                self.damage(span, "call_without_result", meaning);
            }
            PersistentBody::Message(body) => {
                if let Message::ToolResult(result) = &body.message
                    && !other
                    && !calls.contains(&result.result().tool_use_id.as_str())
                {
                    let meaning = "result of a tool call that is not open".to_owned();
                    self.damage(span, "result_without_call", meaning);
                }
            }
            _ => {}
        }
        if other && !matches!(event.body, PersistentBody::TurnOutcome(_)) {
            let meaning = format!("another turn begins before turn {turn} has an outcome");
            self.damage(span, "turn_without_outcome", meaning);
        }
    }

    fn damage(&mut self, span: ByteRange, code: &'static str, meaning: String) {
        let finding = Finding::damage(code, &self.path, meaning);
        self.push(finding.at(span.offset, span.length));
    }

    fn push(&mut self, finding: Finding) {
        if self.found.len() < MAX_FINDINGS {
            self.found.push(finding);
        } else {
            self.more += 1;
        }
    }

    /// Treats the inconsistencies so far as consequences of the damage that was just accepted.
    fn explain(&mut self) {
        let before = self.found.len();
        self.found
            .retain(|finding| finding.severity != Severity::Damage);
        self.explained += (before - self.found.len()) as u64 + std::mem::take(&mut self.more);
    }

    /// Reports the findings; returns the last record's number and the referenced blobs.
    pub(crate) fn finish(mut self, daemon: &Daemon, found: &mut Vec<Finding>) -> (Seq, References) {
        found.append(&mut self.found);
        if self.more > 0 {
            let meaning = format!("{} more inconsistent records in this log", self.more);
            found.push(Finding::damage("more_findings", &self.path, meaning));
        }
        if self.explained > 0 {
            let meaning = format!(
                "{} inconsistencies follow from accepted damage",
                self.explained
            );
            found.push(Finding::note("loss_accepted", &self.path, meaning));
        }
        if let Some(turn) = self.view.state.turn_id()
            && !daemon.is_running()
        {
            let meaning = format!(
                "turn {turn} has no outcome yet; opening the session closes or continues it"
            );
            found.push(Finding::note("open_turn", &self.path, meaning));
        }
        (self.last, self.references)
    }
}
