//! Transcripts of other agents, as turns of a session.
//!
//! In: a file of JSON lines that Claude Code or Codex has written. Out: messages in order, each call with
//! its result, each turn with its end, and a report in which each line counts once. A reader knows one
//! tool's lines; `Conversation` knows what makes a well-formed history.

mod claude;
mod claude_line;
mod codex;
mod codex_item;
mod content;
mod conversation;
mod error;
mod foreign_json;
mod item;
mod lines;
mod report;
mod weight;

use std::fs::File;

use scorel_proto::ImportTool;
use serde_json::Value;

pub use error::{TranscriptError, TranscriptProblem};
pub use item::{ReadTranscript, TranscriptItem, TranscriptSink};
pub use lines::{MAX_LINE, MAX_LINES};

use lines::Lines;

/// The number of lines that are looked at to tell which tool has written them.
const LOOKED_AT: usize = 100;

/// A transcript, open for reading.
#[derive(Debug)]
pub struct Transcript {
    file: File,
    /// The part of it that is read: its tool may still be writing.
    len: u64,
    tool: ImportTool,
    id: String,
}

/// The tool that has written a line, if the line tells.
fn tool_of(line: &Value) -> Option<ImportTool> {
    if claude_line::is_one(line) {
        Some(ImportTool::ClaudeCode)
    } else if codex_item::is_one(line) {
        Some(ImportTool::Codex)
    } else {
        None
    }
}

impl Transcript {
    /// Recognises the first `len` bytes of a file.
    ///
    /// # Errors
    ///
    /// [`TranscriptProblem::UnknownFormat`] if no known tool has written them.
    pub fn recognise(file: File, len: u64) -> Result<Self, TranscriptProblem> {
        let mut lines = Lines::new(&file, len)?;
        let mut tool = None;
        let mut id = None;
        for _ in 0..LOOKED_AT {
            let Some(line) = lines.next()? else { break };
            let Ok(value) = foreign_json::parse(line.bytes) else {
                continue;
            };
            id = id.or_else(|| claude_line::id(&value).or_else(|| codex_item::id(&value)));
            tool = tool.or_else(|| tool_of(&value));
            if tool.is_some() && id.is_some() {
                break;
            }
        }
        Ok(Self {
            tool: tool.ok_or(TranscriptProblem::UnknownFormat)?,
            id: id.unwrap_or_default(),
            file,
            len,
        })
    }

    /// The tool's name of the conversation; empty if it does not say.
    pub fn id(&self) -> &str {
        &self.id
    }

    pub const fn tool(&self) -> ImportTool {
        self.tool
    }

    /// Gives the conversation to `sink`.
    ///
    /// # Errors
    ///
    /// See [`TranscriptProblem`]; what `sink` refuses with.
    pub fn read<S: TranscriptSink>(
        &self,
        sink: &mut S,
    ) -> Result<ReadTranscript, TranscriptError<S::Error>> {
        let read = match self.tool {
            ImportTool::Codex => codex::read(&self.file, self.len, sink)?,
            _ => claude::read(&self.file, self.len, sink)?,
        };
        if read.report.messages == 0 {
            return Err(TranscriptProblem::Empty.into());
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::io::Write as _;

    use scorel_proto::{BlobHash, Block, ImportReport};

    use super::*;

    /// The messages of the user and of the model.
    #[derive(Debug, Default)]
    struct Said(Vec<Block>);

    impl TranscriptSink for Said {
        type Error = Infallible;

        fn item(&mut self, item: TranscriptItem) -> Result<(), Self::Error> {
            match item {
                TranscriptItem::User { content, .. } => self.0.extend(content),
                TranscriptItem::Assistant { message, .. } => self.0.extend(message.content),
                _ => {}
            }
            Ok(())
        }

        fn image(&mut self, _: &[u8]) -> Result<Option<(&'static str, BlobHash)>, Self::Error> {
            unreachable!("there is none")
        }
    }

    fn read(lines: &[String]) -> (Vec<Block>, ImportReport) {
        read_bytes((lines.join("\n") + "\n").as_bytes())
    }

    fn read_bytes(text: &[u8]) -> (Vec<Block>, ImportReport) {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(text).unwrap();
        let mut said = Said::default();
        let transcript = Transcript::recognise(file, text.len() as u64).unwrap();
        let read = transcript.read(&mut said).unwrap();
        (said.0, read.report)
    }

    fn claude(uuid: &str, parent: &str, content: &str) -> String {
        format!(
            r#"{{"message":{{"role":"user","content":{content}}},"type":"user","sessionId":"s","parentUuid":"{parent}","uuid":"{uuid}"}}"#
        )
    }

    fn codex(payload: &str) -> String {
        format!(r#"{{"timestamp":"2026","type":"response_item","payload":{payload}}}"#)
    }

    /// Arrays, blocks and keys, all too many.
    fn many() -> [String; 3] {
        let many = 1 << 16;
        let keys: String = (0..many).map(|key| format!("\"{key}\":0,")).collect();
        [
            format!("[{}0]", "0,".repeat(many)),
            format!("[{}0]", r#"{"type":"text","text":"a"},"#.repeat(many)),
            format!("{{{keys}\"z\":0}}"),
        ]
    }

    fn counted(lines: u64, imported: u64) -> ImportReport {
        ImportReport {
            lines,
            imported,
            messages: imported,
            unknown: lines - imported,
            unknown_types: vec!["more than 65536 values".to_owned()],
            ..ImportReport::default()
        }
    }

    #[test]
    fn a_line_of_many_values_is_left_out_and_the_conversation_around_it_is_not() {
        for content in many() {
            let lines = [
                claude("1", "", "\"alpha\""),
                claude("2", "1", &content),
                claude("3", "2", "\"[{,\\\",\""),
                claude("4", "3", &content),
            ];
            let (said, report) = read(&lines);
            assert_eq!(said, [Block::text("alpha"), Block::text("[{,\",")]);
            assert_eq!(report, counted(4, 2));
            let text = r#"[{"type":"input_text","text":"alpha"}]"#;
            let message = |text: &str| {
                codex(&format!(
                    r#"{{"type":"message","role":"user","content":{text}}}"#
                ))
            };
            let (said, report) = read(&[message(text), message(&content), message(text)]);
            assert_eq!(said, [Block::text("alpha"), Block::text("alpha")]);
            assert_eq!(report, counted(3, 2));
        }
    }

    #[test]
    fn lines_of_one_answer_are_not_joined_to_one_of_many_values() {
        let zeros = "0,".repeat(20_000);
        let part =
            format!(r#"{{"type":"tool_use","id":"c","name":"f","input":{{"a":[{zeros}0]}}}},"#);
        let line = |uuid: &str, parent: &str| {
            format!(
                r#"{{"message":{{"id":"m","role":"assistant","content":[{part}{{}}]}},"type":"assistant","parentUuid":"{parent}","uuid":"{uuid}"}}"#
            )
        };
        let (said, report) = read(&[
            line("1", ""),
            line("2", "1"),
            line("3", "2"),
            line("4", "3"),
        ]);
        // Without a message of the user there is one that says so.
        assert_eq!(said.len(), 1 + 4);
        // Two answers, and a result for each call.
        assert_eq!((report.imported, report.messages), (4, 2 + 4));
    }

    #[test]
    fn a_text_that_is_json_of_many_values_stays_a_text() {
        let [_, _, keys] = many();
        let text = Value::String(keys.clone());
        let call =
            format!(r#"{{"type":"function_call","call_id":"c","name":"f","arguments":{text}}}"#);
        let (said, _) = read(&[codex(&call)]);
        let Some(Block::ToolUse { invalid_input, .. }) = said.last() else {
            panic!("{said:?}")
        };
        assert_eq!(invalid_input.as_ref(), Some(&keys));
    }

    #[test]
    fn a_long_text_is_one_value() {
        let text = ",[{".repeat(1 << 16);
        let (said, _) = read(&[claude("1", "", &Value::from(text.as_str()).to_string())]);
        assert_eq!(said, [Block::text(text)]);
    }

    /// Twenty messages, each after the one before.
    fn twenty() -> Vec<String> {
        let line = |number: u32| {
            let parent = (number - 1).to_string();
            claude(&number.to_string(), &parent, &format!("\"text {number}\""))
        };
        let mut lines: Vec<String> = (1..=20).map(line).collect();
        lines[0] = lines[0].replace("\"0\"", "null");
        lines
    }

    #[test]
    fn a_lost_or_damaged_line_costs_that_line() {
        let whole: Vec<Block> = (1..=20)
            .map(|it| Block::text(format!("text {it}")))
            .collect();
        assert_eq!(read(&twenty()).0, whole);
        for place in 1..20 {
            let mut without = whole.clone();
            let gone = without.remove(place);
            // After the last line there is no gap.
            let gaps = u64::from(place < 19);
            let mut lost = twenty();
            lost.remove(place);
            let mut cut = twenty();
            let half = cut[place].len() / 2;
            cut[place].truncate(half);
            let mut two_in_one = twenty();
            two_in_one[place] = format!("{}{}", cut[place], two_in_one[place]);
            for lines in [lost, cut, two_in_one] {
                let (said, report) = read(&lines);
                assert_eq!((said, report.gaps), (without.clone(), gaps), "{lines:?}");
            }
            let mut elsewhere = twenty();
            let parent = format!("\"parentUuid\":\"{place}\"");
            for other in [
                "\"parentUuid\":\"gone\"",
                "\"parentUuid\":7",
                "\"parent\":1",
            ] {
                elsewhere[place] = twenty()[place].replace(&parent, other);
                assert_ne!(elsewhere, twenty());
                let (said, report) = read(&elsewhere);
                assert_eq!(
                    (said, report.gaps),
                    (whole.clone(), 1),
                    "{other} after {gone:?}"
                );
            }
        }
    }

    #[test]
    fn a_mark_before_the_first_line_and_a_stray_byte_cost_nothing() {
        let text = twenty().join("\n").replace("text 7", "text \u{7}7");
        let mut bytes = [b"\xef\xbb\xbf", text.as_bytes()].concat();
        let at = bytes.iter().position(|byte| *byte == 7).unwrap();
        bytes[at] = 0xff;
        let (said, report) = read_bytes(&bytes);
        assert_eq!((said.len(), report.gaps, report.unknown), (20, 0, 0));
        assert_eq!(said[6], Block::text("text \u{fffd}7"));
    }

    #[test]
    fn half_a_character_costs_that_character() {
        for (written, read_as) in [
            (r"a \ud83d b", "a \u{fffd} b"),
            (r"\uDE00 \ud83d", "\u{fffd} \u{fffd}"),
            (r"\ud83d\ud83d\ude00", "\u{fffd}\u{1f600}"),
            (r"\ud83d\u0041 \\ud83d", "\u{fffd}A \\ud83d"),
            (r"\ud83dé \\\ud83d", "\u{fffd}é \\\u{fffd}"),
        ] {
            let lines = [
                claude("1", "", "\"alpha\""),
                claude("2", "1", &format!("\"{written}\"")),
                claude("3", "2", "\"beta\""),
            ];
            let (said, report) = read(&lines);
            assert_eq!(said, ["alpha", read_as, "beta"].map(Block::text));
            assert_eq!((report.gaps, report.unknown), (0, 0), "{written}");
        }
        let text =
            r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"\udead"}]}"#;
        let (said, report) = read(&[codex(text)]);
        assert_eq!(said, [Block::text("\u{fffd}")]);
        assert_eq!((report.imported, report.unknown), (1, 0));
    }

    #[test]
    fn the_line_before_is_no_other_branch_and_of_the_same_session() {
        let lines = [
            claude("1", "0", "\"alpha\""),
            claude("2", "1", "\"beta\""),
            // Another branch from the line that is lost, and another session.
            claude("b", "lost", "\"branch\""),
            claude("c", "b", "\"branch\""),
            claude("o", "0", "\"other\"").replace("\"s\"", "\"t\""),
            claude("4", "lost", "\"gamma\""),
        ];
        let (said, report) = read(&lines);
        assert_eq!(said, ["alpha", "beta", "gamma"].map(Block::text));
        // The first line has none before it.
        assert_eq!((report.gaps, report.branches), (2, 3));
    }
}
