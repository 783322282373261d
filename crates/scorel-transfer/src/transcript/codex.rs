//! Rollouts of Codex: items in order, from which rolled back turns are left out.

use std::fs::File;

use scorel_proto::{Block, ToolResultBlock};
use serde_json::{Value, json};

use super::codex_item::{CodexLine, is_users};
use super::content::{call, text, thinking, time};
use super::conversation::{Conversation, StepKey};
use super::error::{TranscriptError, TranscriptProblem};
use super::foreign_json;
use super::item::{ReadTranscript, TranscriptSink};
use super::lines::Lines;
use super::report::{count, unknown, unreadable};

pub(super) fn read<S: TranscriptSink>(
    file: &File,
    len: u64,
    sink: &mut S,
) -> Result<ReadTranscript, TranscriptError<S::Error>> {
    let (rolled_back, outputs) = index(file, len)?;
    let is_gone = |number: &usize| {
        let begun = rolled_back.partition_point(|range| range.start <= *number);
        let last = rolled_back[..begun].last();
        last.is_some_and(|range| range.contains(number))
    };
    let outputs = outputs.into_iter().filter(|(number, _)| !is_gone(number));
    let mut reader = CodexReader {
        conversation: Conversation::new(sink, outputs.map(|(_, call)| call)),
        model: "codex".to_owned(),
    };
    let mut lines = Lines::new(file, len)?;
    let mut number = 0;
    while let Some(line) = lines.next()? {
        reader.conversation.about.report.lines += 1;
        match foreign_json::parse(line.bytes) {
            Ok(value) => {
                let taken = reader.line(&value, is_gone(&number));
                taken.map_err(TranscriptError::Refused)?;
            }
            Err(why) => unreadable(&mut reader.conversation.about.report, why, line.is_whole),
        }
        number += 1;
    }
    let finished = reader.conversation.finish();
    finished.map_err(TranscriptError::Refused)
}

/// The lines of turns that the user has rolled back, in order.
type RolledBack = Vec<std::ops::Range<usize>>;

/// The lines that are rolled back, and the outputs: their lines and their calls.
fn index(file: &File, len: u64) -> Result<(RolledBack, Vec<(usize, String)>), TranscriptProblem> {
    let mut starts = Vec::new();
    let mut gone = RolledBack::new();
    let mut outputs = Vec::new();
    let mut lines = Lines::new(file, len)?;
    let mut number = 0;
    while let Some(line) = lines.next()? {
        let value = foreign_json::parse(line.bytes).unwrap_or_default();
        match CodexLine::new(&value) {
            CodexLine::Item(item) if is_users(item) => starts.push(number),
            CodexLine::Item(item) if is_output(item) => outputs.push((number, call_id(item))),
            CodexLine::Event(event) if text(event, "type") == Some("thread_rolled_back") => {
                let turns = event.get("num_turns").and_then(Value::as_u64).unwrap_or(0);
                let turns = usize::try_from(turns)
                    .unwrap_or(usize::MAX)
                    .min(starts.len());
                if turns > 0 {
                    let first = starts[starts.len() - turns];
                    starts.truncate(starts.len() - turns);
                    // Earlier ones are part of this one.
                    gone.truncate(gone.partition_point(|range| range.start < first));
                    gone.push(first..number);
                }
            }
            _ => {}
        }
        number += 1;
    }
    Ok((gone, outputs))
}

#[derive(Debug)]
struct CodexReader<'a, S> {
    conversation: Conversation<'a, S>,
    /// The model of the turn.
    model: String,
}

impl<S: TranscriptSink> CodexReader<'_, S> {
    fn line(&mut self, value: &Value, is_gone: bool) -> Result<(), S::Error> {
        self.name(value);
        let taken = match CodexLine::new(value) {
            CodexLine::Item(_) | CodexLine::Compacted(_) if is_gone => {
                self.conversation.about.report.branches += 1;
                return Ok(());
            }
            CodexLine::Unknown(kind) => {
                unknown(&mut self.conversation.about.report, kind);
                return Ok(());
            }
            CodexLine::Item(item) => self.item(time(value), item)?,
            CodexLine::Compacted(payload) => self.compacted(time(value), payload)?,
            // One that is gone belongs to a turn that is gone; the open turn is an earlier one.
            CodexLine::Event(event) if !is_gone && text(event, "type") == Some("turn_aborted") => {
                self.conversation.interrupted()?;
                false
            }
            CodexLine::Event(_) | CodexLine::Other => false,
        };
        count(&mut self.conversation.about.report, taken);
        Ok(())
    }

    /// Takes the facts of a line about the turn.
    fn name(&mut self, value: &Value) {
        let about = value.get("payload").unwrap_or(value);
        let kind = text(value, "type");
        if let (Some("turn_context"), Some(model)) = (kind, text(about, "model")) {
            self.model = model.to_owned();
        }
    }

    /// A summary that only the endpoint of Codex can read leaves the messages as they are.
    fn compacted(&mut self, ts: Option<u64>, payload: &Value) -> Result<bool, S::Error> {
        let summary = text(payload, "message").unwrap_or_default();
        if summary.trim().is_empty() {
            return Ok(false);
        }
        self.conversation.summary(ts, summary.to_owned())?;
        Ok(true)
    }

    fn item(&mut self, ts: Option<u64>, item: &Value) -> Result<bool, S::Error> {
        let block = match text(item, "type") {
            Some("message") => return self.message(ts, item),
            _ if is_output(item) => {
                let result = self.result(item)?;
                return self.conversation.result(ts, result);
            }
            Some("reasoning") => thinking(&reasoning(item)),
            _ => Some(called(item)),
        };
        let is_taken = block.is_some();
        self.answer(ts, block.into_iter().collect())?;
        Ok(is_taken)
    }

    fn message(&mut self, ts: Option<u64>, item: &Value) -> Result<bool, S::Error> {
        let role = text(item, "role");
        if role != Some("assistant") && !is_users(item) {
            return Ok(false);
        }
        let content = self.content(item.get("content"))?;
        if content.is_empty() {
            return Ok(false);
        }
        if role == Some("assistant") {
            self.answer(ts, content)?;
        } else {
            self.conversation.user(ts, content)?;
        }
        Ok(true)
    }

    fn answer(&mut self, ts: Option<u64>, blocks: Vec<Block>) -> Result<(), S::Error> {
        if blocks.is_empty() {
            return Ok(());
        }
        let of = (StepKey::Adjacent, self.model.as_str());
        self.conversation.answer(ts, of, blocks)
    }

    fn content(&mut self, parts: Option<&Value>) -> Result<Vec<Block>, S::Error> {
        let mut content = Vec::new();
        for part in parts.and_then(Value::as_array).into_iter().flatten() {
            if let Some(said) = text(part, "text") {
                if !said.trim().is_empty() {
                    content.push(Block::text(said));
                }
            } else if let Some(url) = text(part, "image_url") {
                content.push(self.image(url)?);
            } else {
                let kind = text(part, "type").unwrap_or("?");
                content.push(Block::text(format!("[{kind}]")));
            }
        }
        Ok(content)
    }

    /// An image in a `data:` address. Nothing is fetched.
    fn image(&mut self, url: &str) -> Result<Block, S::Error> {
        let data = url.strip_prefix("data:");
        let parts = data.and_then(|data| data.split_once(";base64,"));
        let Some((media_type, data)) = parts else {
            self.conversation.about.report.dropped_images += 1;
            return Ok(Block::text("[image]"));
        };
        self.conversation.image(media_type, data)
    }

    fn result(&mut self, item: &Value) -> Result<ToolResultBlock, S::Error> {
        let output = item.get("output").unwrap_or(&Value::Null);
        let content = match output {
            Value::Array(_) => self.content(Some(output))?,
            Value::Object(_) => vec![Block::text(text(output, "content").unwrap_or_default())],
            Value::String(output) => vec![Block::text(unwrapped(output))],
            _ => Vec::new(),
        };
        let success = output.get("success").and_then(Value::as_bool);
        Ok(ToolResultBlock {
            tool_use_id: call_id(item),
            content,
            is_error: success == Some(false),
            details: None,
        })
    }
}

fn is_output(item: &Value) -> bool {
    let kind = text(item, "type");
    matches!(
        kind,
        Some("function_call_output" | "custom_tool_call_output")
    )
}

/// The call that an output belongs to.
fn call_id(item: &Value) -> String {
    text(item, "call_id").unwrap_or_default().to_owned()
}

/// A call of a tool. The arguments of a function are JSON in a text, those of a custom tool any text.
fn called(item: &Value) -> Block {
    let id = text(item, "call_id").or_else(|| text(item, "id"));
    let id = id.unwrap_or_default();
    if text(item, "type") == Some("local_shell_call") {
        let command = item["action"]["command"].clone();
        return call(id, "shell", json!({ "command": command }));
    }
    let name = text(item, "name").unwrap_or("unknown");
    match (text(item, "arguments"), text(item, "input")) {
        (Some(arguments), _) => {
            let parsed = foreign_json::parse(arguments.as_bytes()).ok();
            let parsed = parsed.filter(Value::is_object);
            call(id, name, parsed.unwrap_or_else(|| json!(arguments)))
        }
        (None, input) => call(id, name, json!({ "input": input.unwrap_or_default() })),
    }
}

/// The readable part of the model's reasoning.
fn reasoning(item: &Value) -> String {
    let lists = ["summary", "content"].map(|name| item.get(name).and_then(Value::as_array));
    let parts = lists.into_iter().flatten().flatten();
    let texts: Vec<&str> = parts.filter_map(|part| text(part, "text")).collect();
    texts.join("\n\n")
}

/// The output of a command, which old versions wrapped into JSON.
fn unwrapped(output: &str) -> String {
    let wrapped = foreign_json::parse(output.as_bytes()).ok();
    let inner = wrapped.as_ref().and_then(|wrapped| {
        wrapped.get("metadata")?;
        text(wrapped, "output")
    });
    inner.unwrap_or(output).to_owned()
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use scorel_proto::{BlobHash, OutcomeReason};

    use super::super::item::TranscriptItem;
    use super::*;

    /// The outcomes of the turns.
    #[derive(Debug, Default)]
    struct Ends(Vec<OutcomeReason>);

    impl TranscriptSink for Ends {
        type Error = std::convert::Infallible;

        fn item(&mut self, item: TranscriptItem) -> Result<(), Self::Error> {
            if let TranscriptItem::TurnEnd { reason, .. } = item {
                self.0.push(reason);
            }
            Ok(())
        }

        fn image(&mut self, _: &[u8]) -> Result<Option<(&'static str, BlobHash)>, Self::Error> {
            unreachable!("there is none")
        }
    }

    fn said(role: &str, said: &str) -> Value {
        let content = json!([{"type": "text", "text": said}]);
        let payload = json!({"type": "message", "role": role, "content": content});
        json!({"type": "response_item", "payload": payload})
    }

    fn event(payload: &Value) -> Value {
        json!({"type": "event_msg", "payload": payload})
    }

    fn ends(lines: &[Value]) -> Vec<OutcomeReason> {
        let mut file = tempfile::tempfile().unwrap();
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        file.write_all(text.as_bytes()).unwrap();
        let mut ends = Ends::default();
        read(&file, text.len() as u64, &mut ends).unwrap();
        ends.0
    }

    #[test]
    fn the_abort_of_a_turn_that_was_rolled_back_ends_no_other_turn() {
        let aborted = event(&json!({"type": "turn_aborted", "reason": "interrupted"}));
        let rolled_back = event(&json!({"type": "thread_rolled_back", "num_turns": 1}));
        let lines = [
            said("user", "alpha?"),
            said("assistant", "beta."),
            said("user", "delta?"),
            aborted,
            rolled_back,
            said("user", "gamma?"),
            said("assistant", "zeta."),
        ];
        let completed = OutcomeReason::Completed;
        assert_eq!(ends(&lines), [completed, completed]);
        let cancelled = OutcomeReason::Cancelled;
        assert_eq!(ends(&lines[..4]), [completed, cancelled]);
    }
}
