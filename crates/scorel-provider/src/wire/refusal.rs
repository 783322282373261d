//! Explains why an endpoint refused a conversation.

use scorel_engine::{ErrorCategory, ProviderError};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// The fields that hold the conversation, at the four APIs.
const FIELDS: [&str; 3] = ["messages", "contents", "input"];
/// The part of a message's text that is quoted, in characters.
const QUOTED: usize = 60;

const HINT: &str = "every later message of this session would be refused as well, since the \
    conversation is sent along: go back to before the refused message (`scorelctl rewind`), or go on \
    in a new session";

/// The conversation of a request body.
#[derive(Deserialize)]
struct SentConversation<'a> {
    #[serde(borrow, alias = "contents", alias = "input")]
    messages: Vec<&'a RawValue>,
}

/// Returns whether the endpoint refused the request itself, so that its conversation may be the reason.
pub(super) fn is_refusal(error: &ProviderError) -> bool {
    // FastAPI, which several inference servers are built on, answers 422 where others do 400.
    matches!(error.status, Some(400 | 413 | 422)) && error.category == ErrorCategory::InvalidRequest
}

/// Adds to an error the message that its text points to, and a hint. `body` is the request's body.
pub(super) fn explain(mut error: ProviderError, body: &[u8]) -> ProviderError {
    if let Some(message) = refused_index(&error.message).and_then(|index| describe(body, index)) {
        error.message = format!("{} ({message})", error.message);
    }
    error.hint = Some(HINT.to_owned());
    error
}

/// The number in `messages.5`, `messages[5]`, `contents[5]` or `"input", 5`.
fn refused_index(text: &str) -> Option<usize> {
    let after = |field: &'static str| {
        let found = text.match_indices(field);
        found.map(move |(at, _)| &text[at + field.len()..])
    };
    FIELDS.into_iter().flat_map(after).find_map(|rest| {
        let number = rest.trim_start_matches(['.', '[', ',', ' ', '"', '\'']);
        let between = &rest[..rest.len() - number.len()];
        let digits = number.find(|char: char| !char.is_ascii_digit());
        let is_index = between.contains(['.', '[', ',']);
        number[..digits.unwrap_or(number.len())]
            .parse()
            .ok()
            .filter(|_| is_index)
    })
}

/// Such as `message 6 of 9, the model's: calls Read`.
fn describe(body: &[u8], index: usize) -> Option<String> {
    let sent: SentConversation<'_> = serde_json::from_slice(body).ok()?;
    let message: Value = serde_json::from_str(sent.messages.get(index)?.get()).ok()?;
    let (number, count) = (index + 1, sent.messages.len());
    let author = match message["role"].as_str().or(message["type"].as_str()) {
        Some("user") => "the user's",
        Some("assistant" | "model" | "function_call" | "reasoning") => "the model's",
        Some("tool" | "function_call_output") => "a tool's result",
        Some("system" | "developer") => "the system prompt",
        _ => "of another kind",
    };
    let mut content = Vec::new();
    collect(&message, &mut content);
    let content = content.join("; ");
    Some(match content.is_empty() {
        true => format!("message {number} of {count}, {author}"),
        false => format!("message {number} of {count}, {author}: {content}"),
    })
}

/// The calls of a message, and the beginning of its text.
fn collect(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Array(parts) => parts.iter().for_each(|part| collect(part, found)),
        Value::Object(fields) => {
            let calls = fields.contains_key("args")
                || fields.contains_key("arguments")
                || fields.contains_key("input");
            if let Some(name) = fields.get("name").and_then(Value::as_str).filter(|_| calls) {
                found.push(format!("calls {name}"));
                return;
            }
            for field in [
                "text",
                "content",
                "output",
                "parts",
                "functionCall",
                "tool_calls",
                "function",
            ] {
                match fields.get(field) {
                    Some(Value::String(text)) if !text.trim().is_empty() => {
                        found.push(quoted(text));
                    }
                    Some(inner) => collect(inner, found),
                    None => {}
                }
            }
        }
        _ => {}
    }
}

fn quoted(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    match line.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("\"{}…\"", &line[..end]),
        None => format!("\"{line}\""),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{describe, refused_index};

    #[test]
    fn the_index_is_found_in_the_words_of_each_api() {
        for (words, index) in [
            ("messages.5: all messages must have content", Some(5)),
            (
                "Invalid 'messages[3].tool_calls[0].function.name': string",
                Some(3),
            ),
            ("Invalid 'input[12].name'", Some(12)),
            (
                "* GenerateContentRequest.contents[2].parts: must not be empty",
                Some(2),
            ),
            (
                r#"[{"loc":["body","messages",7,"content"],"msg":"no"}]"#,
                Some(7),
            ),
            ("at most 4 messages 5 of them images", None),
            ("the input is 500 tokens too long", None),
            ("messages: roles must alternate", None),
        ] {
            assert_eq!(refused_index(words), index, "{words}");
        }
    }

    #[test]
    fn a_message_of_each_api_is_described() {
        for (body, words) in [
            (
                json!({"messages": [{"role": "assistant", "content": null, "tool_calls": [
                    {"id": "a", "type": "function", "function": {"name": "Read", "arguments": "{}"}}]}]}),
                "message 1 of 1, the model's: calls Read",
            ),
            (
                json!({"messages": [{"role": "user", "content": [{"type": "text", "text": "hi\nyou"}]}]}),
                "message 1 of 1, the user's: \"hi\"",
            ),
            (
                json!({"input": [{"type": "function_call", "name": "Read", "arguments": "{}"}]}),
                "message 1 of 1, the model's: calls Read",
            ),
            (
                json!({"contents": [{"role": "model", "parts": [
                    {"text": "Well"}, {"functionCall": {"name": "Read", "args": {}}}]}]}),
                "message 1 of 1, the model's: \"Well\"; calls Read",
            ),
        ] {
            let described = describe(body.to_string().as_bytes(), 0);
            assert_eq!(described.as_deref(), Some(words));
        }
        assert_eq!(describe(b"{\"messages\":[]}", 0), None);
    }
}
