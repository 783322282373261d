//! A session's log as a program with a JSON parser and nothing else reads it.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use scorel_proto::{Event, SessionView};
use serde_json::Value;

/// The lines of a log.
#[derive(Debug)]
pub(crate) struct Log {
    pub(crate) lines: Vec<String>,
    pub(crate) records: Vec<Value>,
}

impl Log {
    pub(crate) fn read(session: &Path) -> Self {
        let text = fs::read_to_string(session.join("events.jsonl")).expect("a log");
        assert!(text.ends_with('\n'), "the last line is whole");
        let lines: Vec<String> = text.lines().skip(1).map(str::to_owned).collect();
        let parse = |line: &String| serde_json::from_str(line).expect("a line is JSON");
        Self {
            records: lines.iter().map(parse).collect(),
            lines,
        }
    }

    pub(crate) fn fold(&self) -> SessionView {
        let mut view = SessionView::default();
        for line in &self.lines {
            view.apply(&Event::decode(line).expect("a record is an event"));
        }
        view
    }

    /// The types of the records; of messages, their roles.
    pub(crate) fn outline(&self) -> Vec<String> {
        self.records.iter().map(name).collect()
    }

    /// The records of a type, or the messages of a role.
    pub(crate) fn all(&self, wanted: &str) -> Vec<&Value> {
        let is_wanted = |record: &&Value| name(record) == wanted;
        self.records.iter().filter(is_wanted).collect()
    }

    /// The only record of a type, or the only message of a role.
    pub(crate) fn only(&self, wanted: &str) -> &Value {
        let all = self.all(wanted);
        assert_eq!(all.len(), 1, "{wanted} in {:?}", self.outline());
        all[0]
    }

    /// How the turns ended.
    pub(crate) fn reasons(&self) -> Vec<&str> {
        let outcomes = self.all("turn_outcome");
        outcomes
            .iter()
            .map(|record| text(record, "reason"))
            .collect()
    }

    /// Checks everything that holds for every log without an open turn.
    pub(crate) fn check(&self) {
        self.check_numbers();
        self.check_turns();
        self.check_calls();
    }

    fn check_numbers(&self) {
        let mut last = 0;
        for record in &self.records {
            assert_eq!(record["prev"], last, "{record}");
            let seq = record["seq"].as_u64().expect("a number");
            assert!(seq > last, "{record}");
            last = seq;
        }
    }

    /// Each turn has one outcome, which is its last record, and turns do not overlap.
    fn check_turns(&self) {
        let mut open: Option<&str> = None;
        let mut closed = Vec::new();
        for record in self
            .records
            .iter()
            .filter(|record| record["turnId"].is_string())
        {
            let turn = text(record, "turnId");
            assert!(!closed.contains(&turn), "behind its outcome: {record}");
            assert!(
                open.is_none_or(|open| open == turn),
                "within another: {record}"
            );
            open = Some(turn);
            if record["type"] == "turn_outcome" {
                closed.push(turn);
                open = None;
            }
        }
        assert_eq!(open, None, "a turn without an outcome");
    }

    /// Each call of a whole answer has one result, in call order, each following the one before.
    fn check_calls(&self) {
        let mut due: Vec<(String, String)> = Vec::new();
        let mut started: HashMap<&str, &str> = HashMap::new();
        let mut leaf = Value::Null;
        for record in &self.records {
            match name(record).as_str() {
                "assistant" if record["message"]["partial"] != true => {
                    let blocks = record["message"]["content"].as_array().expect("blocks");
                    let calls = blocks.iter().filter(|block| block["type"] == "tool_use");
                    let call = |block: &Value| {
                        (text(block, "id").to_owned(), text(block, "name").to_owned())
                    };
                    due = calls.map(call).collect();
                }
                "tool_started" => {
                    started.insert(text(record, "toolCallId"), text(record, "eventId"));
                }
                "tool_result" => {
                    let (id, tool) = due.remove(0);
                    let result = &record["message"]["content"][0];
                    assert_eq!(text(result, "toolUseId"), id);
                    assert_eq!(text(&record["message"], "toolName"), tool);
                    assert_eq!(record["parentId"], leaf, "results are a chain");
                    if let Some(announced) = started.remove(id.as_str()) {
                        assert_eq!(text(record, "id"), announced);
                    }
                }
                "turn_outcome" => assert_eq!(due, [], "calls without results"),
                _ => {}
            }
            if record["type"] == "message" {
                leaf = record["id"].clone();
            }
        }
    }
}

/// The type of an event; of a message, its role.
pub(crate) fn name(event: &Value) -> String {
    match event["type"].as_str() {
        Some("message") => text(&event["message"], "role").to_owned(),
        Some(name) => name.to_owned(),
        None => panic!("no event: {event}"),
    }
}

/// A text field.
pub(crate) fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field]
        .as_str()
        .unwrap_or_else(|| panic!("no {field} in {value}"))
}
