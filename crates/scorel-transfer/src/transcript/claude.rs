//! Transcripts of Claude Code: a tree of lines, of which the last one is the active leaf.
//!
//! The first pass finds the lines of the active path by `parentUuid`. Where that line is lost, the path goes
//! on with the line before in the file. Two kinds of lines are beside it and belong to it: the other parts of
//! an answer that made several calls, and the results of these. The second pass takes those lines over in the
//! order of the file.

use std::collections::{HashMap, HashSet};
use std::fs::File;

use scorel_proto::{Block, ToolResultBlock};
use serde_json::Value;

use super::claude_line::{ClaudeLine, LineKind};
use super::content::{call, is_set, text, thinking, time};
use super::conversation::{Conversation, StepKey};
use super::error::{TranscriptError, TranscriptProblem};
use super::foreign_json::{self, Unreadable};
use super::item::{ReadTranscript, TranscriptSink};
use super::lines::Lines;
use super::report::{count, unknown, unreadable};

/// Texts that the program itself wrote into the user's messages.
const NOT_THE_USERS: [&str; 2] = ["<local-command-caveat>", "<local-command-stdout>"];

const INTERRUPTED: &str = "[Request interrupted by user";

/// The model of messages that the program wrote in the model's place.
const SYNTHETIC: &str = "<synthetic>";

pub(super) fn read<S: TranscriptSink>(
    file: &File,
    len: u64,
    sink: &mut S,
) -> Result<ReadTranscript, TranscriptError<S::Error>> {
    let index = index(file, len)?;
    let (wanted, gaps) = wanted(&index);
    let numbered = lines(&index).filter(|(number, _)| wanted[*number]);
    let results = numbered.flat_map(|(_, line)| line.results.iter().cloned());
    let mut reader = ClaudeReader {
        conversation: Conversation::new(sink, results),
        uuids: lines(&index)
            .filter_map(|(_, line)| line.uuid.as_deref())
            .collect(),
    };
    reader.conversation.about.report.gaps = gaps;
    let mut lines = Lines::new(file, len)?;
    let mut number = 0;
    while let Some(line) = lines.next()? {
        reader.conversation.about.report.lines += 1;
        match foreign_json::parse(line.bytes) {
            Ok(value) => reader.line(&value, wanted.get(number).copied().unwrap_or(false))?,
            Err(why) => unreadable(&mut reader.conversation.about.report, why, line.is_whole),
        }
        number += 1;
    }
    let finished = reader.conversation.finish();
    finished.map_err(TranscriptError::Refused)
}

/// One entry for each line; `None` for one that is no JSON.
fn index(file: &File, len: u64) -> Result<Vec<Option<ClaudeLine>>, TranscriptProblem> {
    let mut index = Vec::new();
    let mut lines = Lines::new(file, len)?;
    while let Some(line) = lines.next()? {
        index.push(match foreign_json::parse(line.bytes) {
            Ok(value) => Some(ClaudeLine::new(&value)),
            Err(Unreadable::TooManyValues) => ClaudeLine::link(line.bytes),
            Err(Unreadable::NotJson) => None,
        });
    }
    Ok(index)
}

/// The lines that belong to the conversation up to its last message, and the number of missing lines before one
/// of them.
fn wanted(index: &[Option<ClaudeLine>]) -> (Vec<bool>, u64) {
    let mut by_uuid: HashMap<&str, usize> = HashMap::new();
    for (number, line) in lines(index) {
        if let Some(uuid) = &line.uuid {
            // A line that stands there twice was copied by the program.
            by_uuid.entry(uuid).or_insert(number);
        }
    }
    let lost = lost_parents(index, &by_uuid);
    let mut wanted = vec![false; index.len()];
    let mut gaps = 0;
    let mut messages = lines(index).filter(|(_, line)| line.kind == LineKind::Message);
    let mut next = messages.next_back();
    // No line is looked at twice for a line before.
    let mut first = index.len();
    while let Some((number, line)) = next {
        wanted[number] = true;
        first = first.min(number);
        let Some(parent) = line.parent.as_deref() else {
            break;
        };
        let found = by_uuid.get(parent).filter(|number| !wanted[**number]);
        next = found.and_then(|number| Some((*number, index[*number].as_ref()?)));
        if next.is_none() {
            next = lines(&index[..first]).rev().find(|(number, before)| {
                // A line that hangs on the same lost line is another branch from it.
                let is_branch = !parent.is_empty() && lost[*number] == Some(parent);
                before.kind == LineKind::Message
                    && before.session == line.session
                    && is_first(before, *number, &by_uuid)
                    && !is_branch
            });
            gaps += u64::from(next.is_some() || !parent.is_empty());
        }
    }
    add_parts(index, &by_uuid, &mut wanted);
    (wanted, gaps)
}

/// For each line the parent that no line has, where the path from it to the first line ends.
fn lost_parents<'a>(
    index: &'a [Option<ClaudeLine>],
    by_uuid: &HashMap<&str, usize>,
) -> Vec<Option<&'a str>> {
    let mut lost = vec![None; index.len()];
    for (number, line) in lines(index) {
        lost[number] = line
            .parent
            .as_deref()
            .and_then(|parent| match by_uuid.get(parent) {
                Some(before) => lost[*before],
                None => Some(parent),
            });
    }
    lost
}

/// True for the first line with its id: later ones are copies.
fn is_first(line: &ClaudeLine, number: usize, by_uuid: &HashMap<&str, usize>) -> bool {
    let uuid = line.uuid.as_deref();
    uuid.is_none_or(|uuid| by_uuid.get(uuid) == Some(&number))
}

/// Adds the other parts of answers on the path, and the results of their calls.
fn add_parts(index: &[Option<ClaudeLine>], by_uuid: &HashMap<&str, usize>, wanted: &mut [bool]) {
    let mut answers: HashSet<&str> = HashSet::new();
    for (number, line) in lines(index) {
        if wanted[number] {
            answers.extend(line.message_id.as_deref());
        }
    }
    let mut calls: HashSet<&str> = HashSet::new();
    for (number, line) in lines(index) {
        if line.kind != LineKind::Message || !is_first(line, number, by_uuid) {
            continue;
        }
        let is_part = line
            .message_id
            .as_deref()
            .is_some_and(|id| answers.contains(id));
        let is_result = line.results.iter().any(|id| calls.contains(id.as_str()));
        wanted[number] |= is_part || is_result;
        if wanted[number] {
            calls.extend(line.calls.iter().map(String::as_str));
        }
    }
}

fn lines(index: &[Option<ClaudeLine>]) -> impl DoubleEndedIterator<Item = (usize, &ClaudeLine)> {
    let numbered = index.iter().enumerate();
    numbered.filter_map(|(number, line)| Some((number, line.as_ref()?)))
}

#[derive(Debug)]
struct ClaudeReader<'a, S> {
    conversation: Conversation<'a, S>,
    /// The ids of all lines.
    uuids: HashSet<&'a str>,
}

impl<S: TranscriptSink> ClaudeReader<'_, S> {
    fn line(&mut self, value: &Value, wanted: bool) -> Result<(), TranscriptError<S::Error>> {
        self.name(value);
        let report = &mut self.conversation.about.report;
        match ClaudeLine::new(value).kind {
            LineKind::Sidechain => report.sidechains += 1,
            LineKind::Other => report.skipped += 1,
            LineKind::Unknown => unknown(report, text(value, "type")),
            LineKind::Message if !wanted => report.branches += 1,
            LineKind::Message => {
                let taken = self.message(value).map_err(TranscriptError::Refused)?;
                count(&mut self.conversation.about.report, taken);
            }
        }
        Ok(())
    }

    /// Takes the facts of a line about the conversation as a whole.
    fn name(&mut self, value: &Value) {
        let title = match text(value, "type") {
            // The program also writes the titles of other conversations here.
            Some("summary") => {
                let leaf = text(value, "leafUuid").filter(|leaf| self.uuids.contains(leaf));
                leaf.and_then(|_| text(value, "summary"))
            }
            Some("ai-title") => text(value, "aiTitle"),
            Some("custom-title") => text(value, "customTitle"),
            _ => None,
        };
        if let Some(title) = title {
            self.conversation.about.title = Some(title.to_owned());
        }
    }

    /// Returns whether the line says something of the conversation.
    fn message(&mut self, value: &Value) -> Result<bool, S::Error> {
        let message = &value["message"];
        let model = text(message, "model").unwrap_or("claude");
        match text(value, "type") {
            Some("assistant") if is_set(value, "isApiErrorMessage") || model == SYNTHETIC => {
                Ok(false)
            }
            Some("assistant") => self.answer(value, model),
            _ if is_set(value, "isCompactSummary") => {
                let summary = plain(&message["content"]);
                self.conversation.summary(time(value), summary)?;
                Ok(true)
            }
            _ if is_set(value, "isMeta") || is_set(value, "isVisibleInTranscriptOnly") => Ok(false),
            _ => self.user(value),
        }
    }

    fn answer(&mut self, value: &Value, model: &str) -> Result<bool, S::Error> {
        let message = &value["message"];
        let mut blocks = Vec::new();
        for part in parts(&message["content"]) {
            blocks.extend(match text(&part, "type") {
                Some("text") => said(&part),
                Some("thinking") => text(&part, "thinking").and_then(thinking),
                Some("tool_use") => {
                    let id = text(&part, "id").unwrap_or_default();
                    let name = text(&part, "name").unwrap_or("unknown");
                    Some(call(
                        id,
                        name,
                        part.get("input").cloned().unwrap_or_default(),
                    ))
                }
                _ => None,
            });
        }
        let key = match text(message, "id") {
            Some(id) => StepKey::Id(id.to_owned()),
            None => StepKey::Adjacent,
        };
        self.conversation
            .answer(time(value), (key, model), blocks)?;
        Ok(true)
    }

    fn user(&mut self, value: &Value) -> Result<bool, S::Error> {
        let mut said = Vec::new();
        let mut is_taken = false;
        for part in parts(&value["message"]["content"]) {
            if text(&part, "type") == Some("tool_result") {
                let result = self.result(&part)?;
                is_taken |= self.conversation.result(time(value), result)?;
            } else {
                said.extend(self.block(&part)?);
            }
        }
        let opening = match said.first() {
            Some(Block::Text { text, .. }) => text.trim_start(),
            Some(_) => "",
            None => return Ok(is_taken),
        };
        if NOT_THE_USERS.iter().any(|start| opening.starts_with(start)) {
            return Ok(is_taken);
        }
        if opening.starts_with(INTERRUPTED) {
            self.conversation.interrupted()?;
        } else {
            self.conversation.user(time(value), said)?;
        }
        Ok(true)
    }

    fn result(&mut self, part: &Value) -> Result<ToolResultBlock, S::Error> {
        let mut content = Vec::new();
        for part in parts(part.get("content").unwrap_or(&Value::Null)) {
            content.extend(self.block(&part)?);
        }
        Ok(ToolResultBlock {
            tool_use_id: text(part, "tool_use_id").unwrap_or_default().to_owned(),
            content,
            is_error: is_set(part, "is_error"),
            details: None,
        })
    }

    /// A part of what the user or a tool says. One of another type leaves its name.
    fn block(&mut self, part: &Value) -> Result<Option<Block>, S::Error> {
        match text(part, "type") {
            Some("text") => Ok(said(part)),
            Some("image") => {
                let source = &part["source"];
                let data = text(source, "data").unwrap_or_default();
                let media_type = text(source, "media_type").unwrap_or("image");
                self.conversation.image(media_type, data).map(Some)
            }
            Some(other) => Ok(Some(Block::text(format!("[{other}]")))),
            None => Ok(None),
        }
    }
}

/// The parts of a content, which may be one text.
fn parts(content: &Value) -> Vec<Value> {
    match content {
        Value::String(text) => vec![serde_json::json!({ "type": "text", "text": text })],
        Value::Array(parts) => parts.clone(),
        _ => Vec::new(),
    }
}

fn said(part: &Value) -> Option<Block> {
    let said = text(part, "text")?;
    (!said.trim().is_empty()).then(|| Block::text(said))
}

/// The texts of a content.
fn plain(content: &Value) -> String {
    let parts = parts(content);
    let texts: Vec<&str> = parts.iter().filter_map(|part| text(part, "text")).collect();
    texts.join("\n")
}
