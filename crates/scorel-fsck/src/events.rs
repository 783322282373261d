//! What the records of a log say, taken together.

use std::path::{Path, PathBuf};

use scorel_journal::RecordRef;
use scorel_proto::{
    DamageAcceptedBody, Event, EventId, Message, PersistentBody, PersistentEvent, Place, Seq,
    SessionId, SessionView,
};

use crate::daemon::Daemon;
use crate::finding::{Finding, Severity, Span};
use crate::references::{References, add_references};

/// How many findings about the records of one log are listed one by one.
const MAX_FINDINGS: usize = 1024;

/// Follows the records of a log and notes what does not fit.
#[derive(Debug)]
pub(crate) struct EventCheck {
    path: PathBuf,
    session: SessionId,
    view: SessionView,
    references: References,
    accepted: Vec<DamageAcceptedBody>,
    last: Seq,
    found: Vec<Finding>,
    /// How many more there are.
    more: u64,
    /// How many came from a loss that was accepted since.
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

    /// The damaged places that somebody has accepted.
    pub(crate) fn accepted(&self) -> &[DamageAcceptedBody] {
        &self.accepted
    }

    /// Looks at the next record.
    pub(crate) fn take(&mut self, record: RecordRef<'_>) {
        let span = Span {
            offset: record.place.offset,
            length: u64::from(record.place.len),
        };
        self.last = record.place.seq;
        let event = match Event::decode(record.line) {
            Ok(event) => event,
            Err(error) => {
                let meaning = format!("this record is intact but no event: {error}");
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
                let meaning = format!("an event of type {} is never kept", event.body.type_name());
                self.damage(span, "transient", meaning);
            }
            Event::Unknown(event) => {
                if let Some(problem) = &event.problem {
                    let name = &event.type_name;
                    let meaning = format!(
                        "this event of type {name} has a form that this version does not know, and is kept as it is: {problem}"
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

    fn persistent(&mut self, span: Span, event: &PersistentEvent) {
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

    fn place_in_tree(&mut self, span: Span, event: &PersistentEvent) {
        if event.body.place() == Place::Control {
            return;
        }
        if self.view.tree.contains(event.id) {
            let meaning = format!("event {} stands in the log twice", event.id);
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

    fn must_exist(&mut self, span: Span, id: Option<EventId>, verb: &str) {
        if let Some(id) = id.filter(|id| !self.view.tree.contains(*id)) {
            let meaning = format!("this event {verb} event {id}, which does not stand before it");
            self.damage(span, "missing_event", meaning);
        }
    }

    fn turn(&mut self, span: Span, event: &PersistentEvent) {
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
                    let meaning = "this is the result of a tool call that is not open".to_owned();
                    self.damage(span, "result_without_call", meaning);
                }
            }
            _ => {}
        }
        if other && !matches!(event.body, PersistentBody::TurnOutcome(_)) {
            let meaning = format!("turn {turn} has no outcome, and another one begins here");
            self.damage(span, "turn_without_outcome", meaning);
        }
    }

    fn damage(&mut self, span: Span, code: &'static str, meaning: String) {
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

    /// What does not fit so far is the consequence of a loss that somebody has accepted.
    fn explain(&mut self) {
        let before = self.found.len();
        self.found
            .retain(|finding| finding.severity != Severity::Damage);
        self.explained += (before - self.found.len()) as u64 + std::mem::take(&mut self.more);
    }

    /// Ends the check. Returns the number of the last record, and the blobs that are referred to.
    pub(crate) fn finish(mut self, daemon: &Daemon, found: &mut Vec<Finding>) -> (Seq, References) {
        found.append(&mut self.found);
        if self.more > 0 {
            let meaning = format!("{} more records of this log do not fit", self.more);
            found.push(Finding::damage("more_findings", &self.path, meaning));
        }
        if self.explained > 0 {
            let meaning = format!(
                "{} references lead to records that were lost; the loss was accepted",
                self.explained
            );
            found.push(Finding::note("loss_accepted", &self.path, meaning));
        }
        if let Some(turn) = self.view.state.turn_id()
            && !daemon.is_running()
        {
            let meaning = format!(
                "turn {turn} has no outcome yet; when the session is opened, it is closed or goes on"
            );
            found.push(Finding::note("open_turn", &self.path, meaning));
        }
        (self.last, self.references)
    }
}
