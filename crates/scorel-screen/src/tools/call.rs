use scorel_proto::{Block, Message};
use serde_json::Value;

/// A tool call in short.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) id: String,
    pub(crate) name: String,
    /// The argument that says best what it is about, on one line.
    pub(crate) subject: String,
}

/// The most characters of a subject.
const SUBJECT_CHARS: usize = 300;

/// The arguments that say best what a call is about, ours and those of runners.
const SUBJECTS: [&str; 11] = [
    "command",
    "path",
    "file_path",
    "url",
    "pattern",
    "query",
    "title",
    "name",
    "id",
    "prompt",
    "description",
];

impl Call {
    pub(crate) fn new(id: &str, name: &str, input: &Value) -> Self {
        Self {
            id: id.to_owned(),
            name: name.to_owned(),
            subject: subject(input),
        }
    }

    /// The calls of a message.
    pub(crate) fn of(message: &Message) -> impl Iterator<Item = Self> {
        message.content().iter().filter_map(|block| match block {
            Block::ToolUse {
                id, name, input, ..
            } => Some(Self::new(id, name, input)),
            _ => None,
        })
    }

    /// The tool and what it is about.
    pub(crate) fn title(&self) -> String {
        match self.subject.is_empty() {
            true => self.name.clone(),
            false => format!("{} {}", self.name, self.subject),
        }
    }
}

fn subject(input: &Value) -> String {
    let Some(fields) = input.as_object() else {
        return shortened(&input.to_string());
    };
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Array(words) => {
            let words = words.iter().filter_map(Value::as_str);
            words.collect::<Vec<_>>().join(" ")
        }
        _ => String::new(),
    };
    let named = SUBJECTS
        .iter()
        .filter_map(|name| fields.get(*name).map(text));
    let mut named = named.filter(|text| !text.trim().is_empty());
    shortened(&named.next().unwrap_or_default())
}

/// The first line, cut.
fn shortened(text: &str) -> String {
    let text = text.trim();
    let line = text.lines().next().unwrap_or_default().trim_end();
    let end = line
        .char_indices()
        .nth(SUBJECT_CHARS)
        .map_or(line.len(), |(end, _)| end);
    match end < text.len() {
        true => format!("{} …", &line[..end]),
        false => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_title_says_what_a_call_is_about() {
        for (input, title) in [
            (
                json!({"timeout": 3, "command": "cargo test\ntrue"}),
                "X cargo test …",
            ),
            (json!({"command": ["bash", "-lc", "ls"]}), "X bash -lc ls"),
            (json!({"path": "a b"}), "X a b"),
            (json!({"items": [{"content": "a"}]}), "X"),
            (json!({}), "X"),
            (json!("text"), "X \"text\""),
        ] {
            assert_eq!(Call::new("c", "X", &input).title(), title);
        }
    }
}
