use serde_json::{Value, json};

use crate::failure::Failure;

/// The answer of a tool: its result, or the reason why there is none.
pub(crate) type Outcome = Result<CallResult, Failure>;

/// The result of a call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum CallResult {
    /// JSON, for models too.
    Json(Value),
    /// Text, with JSON for programs.
    Text {
        text: String,
        is_error: bool,
        /// An object.
        details: Option<Value>,
    },
}

impl From<Value> for CallResult {
    fn from(json: Value) -> Self {
        Self::Json(json)
    }
}

/// The result of `tools/call`. JSON is there twice: clients give their models the one or the other.
pub(crate) fn call_result(outcome: Outcome) -> Value {
    let (json, is_error) = match outcome {
        Ok(CallResult::Json(json)) => (json, false),
        Err(failure) => (failure.to_json(), true),
        Ok(CallResult::Text {
            text,
            is_error,
            details,
        }) => {
            let mut result = json!({
                "content": [{"type": "text", "text": text}],
                "isError": is_error,
            });
            if let Some(details) = details {
                result["structuredContent"] = details;
            }
            return result;
        }
    };
    let text = json.to_string();
    json!({
        "content": [{"type": "text", "text": text}],
        "structuredContent": json,
        "isError": is_error,
    })
}

/// The bytes that a value takes in a result: as JSON, and as a text with that JSON.
pub(crate) fn size(value: &Value) -> usize {
    let json = value.to_string();
    let escaped = json.bytes().filter(|byte| matches!(byte, b'"' | b'\\'));
    json.len() * 2 + escaped.count()
}

/// The beginning of a text that takes at most so many bytes in a result, as [`size`] counts them.
pub(crate) fn beginning_of(text: &str, bytes: usize) -> &str {
    let mut left = bytes;
    let end = text.char_indices().find(|(_, char)| {
        let fits = left.checked_sub(cost(*char));
        left = fits.unwrap_or_default();
        fits.is_none()
    });
    end.map_or(text, |(at, _)| &text[..at])
}

/// The bytes of a character in JSON, and of that in JSON.
const fn cost(char: char) -> usize {
    match char {
        '"' | '\\' => 2 + 4,
        '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2 + 3,
        '\0'..' ' => 6 + 7,
        char => 2 * char.len_utf8(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_that_of_both_copies() {
        let result = |value: &Value| call_result(Ok(value.clone().into())).to_string();
        let value = json!({"a": "b\"\\\n \u{e9}"});
        // The number of the second takes one byte in each copy.
        let empty = result(&json!(0)).len();
        assert_eq!(size(&value), result(&value).len() - empty + 2);
    }

    #[test]
    fn a_beginning_takes_what_it_may_take() {
        for text in [
            "plain",
            "\"\\\"",
            "\n\r\t\u{8}\u{c}",
            "\0\u{1}\u{1f}",
            "é€🦀\u{7f}",
        ] {
            // Each copy has quotes, which are escaped in the second.
            let all = size(&json!(text)) - 6;
            assert_eq!(beginning_of(text, all), text);
            let mut shorter = text.chars();
            shorter.next_back();
            assert_eq!(beginning_of(text, all - 1), shorter.as_str(), "{text:?}");
        }
        assert_eq!(beginning_of("a", 0), "");
    }
}
