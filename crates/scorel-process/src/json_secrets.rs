//! Redacting secrets in JSON, whose strings may be escaped, and of which several may be read as one text.

use std::borrow::Cow;
use std::ops::Range;

use serde_json::json;

use crate::secrets::Secrets;

/// The member whose strings are read as one text: those of the parts of a result, a resource, a prompt.
const TEXT: &str = "text";

/// A string of a JSON text.
struct JsonString<'a> {
    /// Its place, with the quotes.
    place: Range<usize>,
    value: Cow<'a, str>,
}

impl Secrets {
    /// A message without the secrets that its strings mean. What is not JSON stays as it is.
    pub fn cut_json<T: AsRef<[u8]> + From<String>>(&self, message: T) -> T {
        if self.is_empty() {
            return message;
        }
        let cut = std::str::from_utf8(message.as_ref()).ok();
        let cut = cut.and_then(|json| self.cut_strings(json));
        cut.map_or(message, T::from)
    }

    /// `None` if there is nothing to be cut out.
    fn cut_strings(&self, json: &str) -> Option<String> {
        let (mut texts, mut edits) = (Vec::new(), Vec::new());
        let mut key = None;
        for string in strings(json) {
            let is_value = json[..string.place.start].trim_end().ends_with(':');
            if is_value && key.take().is_some_and(|it| it == TEXT) {
                texts.push(string);
                continue;
            }
            if json[string.place.end..].trim_start().starts_with(':') {
                key = Some(string.value.clone());
            }
            // Others were cut where the bytes were.
            if matches!(string.value, Cow::Owned(_)) {
                edits.extend(self.edits(&[string]));
            }
        }
        edits.extend(self.edits(&texts));
        if edits.is_empty() {
            return None;
        }
        edits.sort_by_key(|(place, _)| place.start);
        let (mut cut, mut from) = (String::with_capacity(json.len()), 0);
        for (place, text) in edits {
            cut.push_str(&json[from..place.start]);
            cut.push_str(&text);
            from = place.end;
        }
        cut.push_str(&json[from..]);
        Some(cut)
    }

    /// The strings without the secrets in what they are together; empty if there are none.
    fn edits(&self, strings: &[JsonString<'_>]) -> Vec<(Range<usize>, String)> {
        let whole: String = strings.iter().map(|it| &*it.value).collect();
        let found = self.places(&whole);
        if found.is_empty() {
            return Vec::new();
        }
        let mut start = 0;
        let mut edits = Vec::with_capacity(strings.len());
        for string in strings {
            let end = start + string.value.len();
            let (mut left, mut from) = (String::new(), start);
            for (place, replacement) in &found {
                if place.end <= start || place.start >= end {
                    continue;
                }
                if place.start >= start {
                    left.push_str(&whole[from..place.start]);
                    left.push_str(replacement);
                }
                from = place.end.min(end);
            }
            left.push_str(&whole[from..end]);
            edits.push((string.place.clone(), json!(left).to_string()));
            start = end;
        }
        edits
    }
}

/// The strings of a JSON text, in their order. One that cannot be read is passed over.
fn strings(json: &str) -> impl Iterator<Item = JsonString<'_>> {
    let bytes = json.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let start = at + bytes[at..].iter().position(|it| *it == b'"')?;
            let (end, is_escaped) = end(bytes, start + 1)?;
            at = end;
            let inner = &json[start + 1..end - 1];
            let value = match is_escaped {
                false => Cow::Borrowed(inner),
                true => match serde_json::from_str(&json[start..end]) {
                    Ok(value) => Cow::Owned(value),
                    Err(_) => continue,
                },
            };
            let place = start..end;
            return Some(JsonString { place, value });
        }
    })
}

/// The place behind the quote that ends a string, and whether anything in it is escaped.
fn end(bytes: &[u8], mut at: usize) -> Option<(usize, bool)> {
    let mut is_escaped = false;
    loop {
        at += bytes
            .get(at..)?
            .iter()
            .position(|it| matches!(it, b'"' | b'\\'))?;
        if bytes[at] == b'"' {
            return Some((at + 1, is_escaped));
        }
        is_escaped = true;
        at += 2;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn cut(message: &str) -> String {
        let named = [("KEY", "sk-12345/é"), ("LONG", "sk-12345/é-67")];
        let named = named.map(|(name, value)| (name.to_owned(), value.to_owned()));
        Secrets::named(named).cut_json(message.to_owned())
    }

    #[test]
    fn a_secret_is_cut_out_however_it_is_escaped() {
        let message = r#"{"error": {"message": "no \"sk-12345\/\u00e9\" here", "\u0073k-12345/é": [1.0, "\\"]}}"#;
        let expected =
            r#"{"error": {"message": "no \"[secret KEY]\" here", "[secret KEY]": [1.0, "\\"]}}"#;
        assert_eq!(cut(message), expected);
    }

    #[test]
    fn a_secret_in_several_texts_is_cut_out_where_it_begins() {
        let parts = ["a sk-", "123", "", "45/é b sk-12345/é", "-67", "c"];
        let parts = parts.map(|it| json!({"type": "text", "text": it}));
        let read: Value = serde_json::from_str(&cut(&json!(parts).to_string())).unwrap();
        let texts: Vec<&str> = read
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["text"].as_str().unwrap())
            .collect();
        assert_eq!(
            texts,
            ["a [secret KEY]", "", "", " b [secret LONG]", "", "c"]
        );
    }

    #[test]
    fn what_is_read_apart_and_what_is_not_json_stays() {
        for same in [
            r#"{"text": "sk-12", "name": "345/é", "text": ["345/é"]}"#,
            r#"["\ud800", {"text": "sk-1"}]"#,
            "\"sk-\\",
            "<a href=\"x\\y\">sk-1</a>",
        ] {
            assert_eq!(cut(same), same);
        }
        let bytes = b"\"\xff\"".to_vec();
        assert_eq!(
            Secrets::new(["sk-12345".to_owned()]).cut_json(bytes.clone()),
            bytes
        );
    }
}
