//! Joins surrogate pairs that a provider split over two events.
//!
//! JSON escapes a character outside the basic plane as two halves, `\ud83d\ude00`. Servers that cut a reply
//! into deltas by UTF-16 units send the first half at the end of one string and the second at the beginning of
//! a later one. Each half alone is not text, so a parser rejects the whole event.

use std::borrow::Cow;
use std::collections::HashMap;

use scorel_engine::foreign_json;
use serde_json::Value;

/// Stands before a half while an event is parsed. A noncharacter, which no text contains.
const MARK: char = '\u{FDD0}';
/// A half is represented by a private character this far above it.
const SHIFT: u32 = 0x0010_0000 - FIRST;
const FIRST: u32 = 0xD800;
const SECOND: u32 = 0xDC00;
const LAST: u32 = 0xDFFF;
/// The number of first halves that may wait. They are as many as strings that stream at once.
const MOST_WAITING: usize = 64;
/// The longest place that a half waits at, in bytes. Those of the APIs have less than a hundred.
const LONGEST_PLACE: usize = 256;

/// Numbers by which events tell apart what streams at once.
const INDICES: [&str; 4] = ["index", "output_index", "content_index", "summary_index"];

/// The first halves that wait for their second, each by the place of its string.
#[derive(Debug, Default)]
pub(super) struct SplitSurrogates {
    waiting: HashMap<String, u32>,
}

impl SplitSurrogates {
    /// Parses the payload of an event. A half that stays alone becomes U+FFFD.
    pub(super) fn parse(&mut self, data: &str) -> serde_json::Result<Value> {
        let marked = marked(data);
        let mut value = foreign_json(marked.as_bytes())?;
        if matches!(marked, Cow::Owned(_)) || !self.waiting.is_empty() {
            self.join(&mut value, &mut String::new());
        }
        Ok(value)
    }

    fn join(&mut self, value: &mut Value, place: &mut String) {
        let length = place.len();
        match value {
            Value::String(text) => self.join_text(text, place),
            Value::Array(items) => {
                for (number, item) in items.iter_mut().enumerate() {
                    place.push_str(&format!("[{number}]"));
                    self.join(item, place);
                    place.truncate(length);
                }
            }
            Value::Object(fields) => {
                let indices = INDICES
                    .iter()
                    .filter_map(|name| fields.get(*name)?.as_u64());
                let indices: String = indices.map(|index| format!("#{index}")).collect();
                for (name, field) in fields {
                    place.push_str(&indices);
                    place.push('/');
                    place.push_str(name);
                    self.join(field, place);
                    place.truncate(length);
                }
            }
            _ => {}
        }
    }

    fn join_text(&mut self, text: &mut String, place: &str) {
        // An empty delta comes between the halves at some hosts.
        if text.is_empty() || (self.waiting.is_empty() && !text.contains(MARK)) {
            return;
        }
        let may_wait = place.len() <= LONGEST_PLACE;
        let begun = may_wait.then(|| self.waiting.remove(place)).flatten();
        let mut joined = String::with_capacity(text.len() + 4);
        let mut rest = text.as_str();
        match (begun, first_half(rest)) {
            (Some(first), Some((second, after))) if second >= SECOND => {
                joined.extend(pair(first, second));
                rest = after;
            }
            (Some(_), _) => joined.push(char::REPLACEMENT_CHARACTER),
            (None, _) => {}
        }
        while let Some(at) = rest.find(MARK) {
            joined.push_str(&rest[..at]);
            match first_half(&rest[at..]) {
                Some((first, ""))
                    if may_wait && first < SECOND && self.waiting.len() < MOST_WAITING =>
                {
                    self.waiting.insert(place.to_owned(), first);
                    rest = "";
                }
                Some((_, after)) => {
                    joined.push(char::REPLACEMENT_CHARACTER);
                    rest = after;
                }
                None => {
                    joined.push(MARK);
                    rest = &rest[at + MARK.len_utf8()..];
                }
            }
        }
        joined.push_str(rest);
        *text = joined;
    }
}

/// The half at the beginning of a text, and what follows it.
fn first_half(text: &str) -> Option<(u32, &str)> {
    let rest = text.strip_prefix(MARK)?;
    let char = rest.chars().next()?;
    let half = u32::from(char).checked_sub(SHIFT)?;
    let is_half = (FIRST..=LAST).contains(&half);
    is_half.then(|| (half, &rest[char.len_utf8()..]))
}

fn pair(first: u32, second: u32) -> Option<char> {
    char::from_u32(0x1_0000 + ((first - FIRST) << 10) + (second - SECOND))
}

/// The JSON text with each half that stands alone replaced by its mark.
fn marked(data: &str) -> Cow<'_, str> {
    let mut marked = String::new();
    let mut taken = 0;
    let mut at = 0;
    while let Some(found) = data[at..].find('\\') {
        at += found;
        match escaped_half(&data[at..]) {
            Some(first) if first < SECOND && is_second(&data[at + 6..]) => at += 12,
            Some(half) => {
                marked.push_str(&data[taken..at]);
                marked.push(MARK);
                marked.extend(char::from_u32(half + SHIFT));
                at += 6;
                taken = at;
            }
            // The backslash and what it escapes: one ASCII character, in JSON.
            None => at = data.len().min(at + 2),
        }
        while !data.is_char_boundary(at) {
            at += 1;
        }
    }
    if taken == 0 {
        return data.into();
    }
    marked.push_str(&data[taken..]);
    marked.into()
}

fn is_second(text: &str) -> bool {
    escaped_half(text).is_some_and(|half| half >= SECOND)
}

/// The half that an escape at the beginning of a text stands for.
fn escaped_half(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    let half = u32::from_str_radix(digits, 16).ok()?;
    (FIRST..=LAST).contains(&half).then_some(half)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{LONGEST_PLACE, MOST_WAITING, SplitSurrogates, marked};

    fn parsed(events: &[&str]) -> Vec<Value> {
        let mut split = SplitSurrogates::default();
        events
            .iter()
            .map(|event| split.parse(event).unwrap())
            .collect()
    }

    #[test]
    fn halves_in_two_events_become_one_character() {
        let got = parsed(&[
            r#"{"delta":{"text":"a\ud83d"}}"#,
            r#"{"type":"ping"}"#,
            r#"{"delta":{"text":""}}"#,
            r#"{"delta":{"text":"\uDE00b"}}"#,
        ]);
        assert_eq!(got[0]["delta"]["text"], "a");
        assert_eq!(got[3]["delta"]["text"], "\u{1F600}b");
    }

    #[test]
    fn halves_of_two_calls_at_once_are_not_mixed() {
        let call = |index: u8, text: &str| {
            format!(r#"{{"calls":[{{"index":{index},"arguments":"{text}"}}]}}"#)
        };
        let events = [
            call(0, r"\ud83d"),
            call(1, r"\ud83c"),
            call(0, r"\ude00"),
            call(1, r"\udf55"),
        ];
        let got = parsed(&events.each_ref().map(String::as_str));
        assert_eq!(got[2]["calls"][0]["arguments"], "\u{1F600}");
        assert_eq!(got[3]["calls"][0]["arguments"], "\u{1F355}");
    }

    #[test]
    fn what_waits_takes_little_memory() {
        let long = "k".repeat(1_000);
        let halves = [r#""\ud83d""#; 100].join(",");
        let mut split = SplitSurrogates::default();
        let deep = format!(r#"{{"{long}":[{halves}]}}"#);
        let value = split.parse(&deep).unwrap();
        assert_eq!(value[&long][0], "\u{FFFD}");
        assert_eq!(split.waiting.len(), 0);
        for (index, is_number) in [(format!("\"{long}\""), false), ("7".to_owned(), true)] {
            split
                .parse(&format!(r#"{{"index":{index},"s":"\ud83d"}}"#))
                .unwrap();
            assert!(
                split
                    .waiting
                    .keys()
                    .any(|place| place.contains("#7") == is_number)
            );
        }
        split.parse(&format!("[{halves}]")).unwrap();
        assert_eq!(split.waiting.len(), MOST_WAITING);
        assert!(
            split
                .waiting
                .keys()
                .all(|place| place.len() <= LONGEST_PLACE)
        );
    }

    #[test]
    fn a_half_that_stays_alone_is_replaced() {
        let got = parsed(&[
            r#"{"t":"\ude00a\ud83db"}"#,
            r#"{"t":"\ud83d"}"#,
            r#"{"t":"no"}"#,
            r#"{"t":"\ud83d\ud83d"}"#,
            r#"{"t":"\ude00"}"#,
        ]);
        let texts: Vec<_> = got
            .iter()
            .map(|value| value["t"].as_str().unwrap())
            .collect();
        assert_eq!(
            texts,
            [
                "\u{FFFD}a\u{FFFD}b",
                "",
                "\u{FFFD}no",
                "\u{FFFD}",
                "\u{1F600}"
            ]
        );
    }

    #[test]
    fn other_texts_are_parsed_as_they_are() {
        for text in [
            r#"{"t":"\ud83d\ude00 \\ud83d \n \u00e4 \"ä\" \\"}"#,
            r#"{"t":"{\"a\":\"\\ud83d"}"#,
            r#"["\\","\u12"#,
            "\\",
            "\\ä",
        ] {
            assert_eq!(marked(text), text);
        }
        let private = json!({"t": "\u{100000}\u{FDD0}x\u{FDD0}"});
        assert_eq!(parsed(&[&private.to_string()])[0], private);
        let beside = parsed(&[r#"{"t":"\ud83d","u":"﷐x"}"#]);
        assert_eq!(beside[0]["u"], "\u{FDD0}x");
    }
}
