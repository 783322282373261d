//! Everything that any client was ever shown of one session.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

use crate::CheckedLog;

/// The events that clients have seen, over restarts of the daemon, each under its number.
#[derive(Debug, Default)]
pub struct Sightings {
    seen: BTreeMap<u64, Seen>,
}

#[derive(Debug)]
struct Seen {
    text: String,
    value: Value,
}

/// What clients saw and what is in the log do not fit together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SightingFault {
    /// One number, two events.
    #[error("number {seq} names two events:\n{first}\n{second}")]
    TwoEvents {
        /// The number.
        seq: u64,
        /// The event that was seen first.
        first: String,
        /// The other one.
        second: String,
    },
    /// A record was shown and is not in the log, or not with these bytes.
    #[error("record {seq} was seen and is not in the log as it was:\n{text}")]
    Lost {
        /// The number.
        seq: u64,
        /// What was seen.
        text: String,
    },
    /// Text was shown and is not in the log.
    #[error("text of message {event_id} was seen and is not in the log: {text:?}")]
    TextLost {
        /// The message that it belonged to.
        event_id: String,
        /// What was seen of one block.
        text: String,
    },
}

impl Sightings {
    /// Takes note of an event as its bytes came. Markers are not events and are ignored.
    ///
    /// # Errors
    ///
    /// [`SightingFault::TwoEvents`].
    pub fn note(&mut self, text: &str) -> Result<(), SightingFault> {
        let value: Value = serde_json::from_str(text).unwrap_or_default();
        let Some(seq) = value["seq"].as_u64() else {
            return Ok(());
        };
        if let Some(first) = self.seen.get(&seq) {
            // Deltas that were merged on the way to one client are the same events.
            let merged = !value["fromSeq"].is_null() || !first.value["fromSeq"].is_null();
            if first.text == text || (merged && first.value["eventId"] == value["eventId"]) {
                return Ok(());
            }
            return Err(SightingFault::TwoEvents {
                seq,
                first: first.text.clone(),
                second: text.to_owned(),
            });
        }
        let text = text.to_owned();
        self.seen.insert(seq, Seen { text, value });
        Ok(())
    }

    /// How many events were seen.
    #[must_use]
    pub fn len(&self) -> usize {
        self.seen.len()
    }

    /// Whether nothing was seen.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.seen.is_empty()
    }

    /// The number of the last record that was seen, or 0.
    #[must_use]
    pub fn last_persistent_seq(&self) -> u64 {
        let mut seen = self.seen.iter().rev();
        let last = seen.find(|(_, seen)| seen.value["prev"].is_u64());
        last.map_or(0, |(seq, _)| *seq)
    }

    /// Compares with the log: each record that was seen is there with the same bytes, and no
    /// record has the number of anything else that was seen.
    ///
    /// # Errors
    ///
    /// [`SightingFault::Lost`] or [`SightingFault::TwoEvents`].
    pub fn check(&self, log: &CheckedLog) -> Result<(), SightingFault> {
        for (&seq, seen) in &self.seen {
            let record = log.record(seq);
            let persistent = seen.value["prev"].is_u64();
            match record {
                Some(record) if record.line != seen.text => {
                    return Err(SightingFault::TwoEvents {
                        seq,
                        first: seen.text.clone(),
                        second: record.line.clone(),
                    });
                }
                None if persistent => {
                    return Err(SightingFault::Lost {
                        seq,
                        text: seen.text.clone(),
                    });
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Compares streamed text with the log: what was seen of a message that was not cancelled is
    /// the beginning of the message in the log. Only for sessions without an open turn.
    ///
    /// # Errors
    ///
    /// [`SightingFault::TextLost`].
    pub fn check_text(&self, log: &CheckedLog) -> Result<(), SightingFault> {
        let kept: HashMap<&str, &Value> = log
            .records()
            .iter()
            .filter_map(|record| Some((record.value["id"].as_str()?, &record.value)))
            .collect();
        for ((event_id, block), text) in self.streamed() {
            let content = kept
                .get(event_id.as_str())
                .map(|value| &value["message"]["content"]);
            let blocks = content.and_then(Value::as_array);
            let is_kept = blocks.into_iter().flatten().any(|block| {
                block["text"]
                    .as_str()
                    .is_some_and(|kept| kept.starts_with(&text))
            });
            if !is_kept {
                let event_id = format!("{event_id}, block {block}");
                return Err(SightingFault::TextLost { event_id, text });
            }
        }
        Ok(())
    }

    /// The streamed text by message and block, without messages that were cancelled.
    fn streamed(&self) -> BTreeMap<(String, u64), String> {
        let mut parts: BTreeMap<(String, u64), BTreeMap<u64, &str>> = BTreeMap::new();
        for (&seq, seen) in &self.seen {
            let value = &seen.value;
            let Some(id) = value["eventId"].as_str() else {
                continue;
            };
            if value["type"] == "message_cancelled" {
                parts.retain(|(cancelled, _), _| cancelled != id);
            }
            if let ("text_delta", Some(delta)) = (
                value["type"].as_str().unwrap_or_default(),
                value["delta"].as_str(),
            ) {
                let block = value["blockIndex"].as_u64().unwrap_or_default();
                let deltas = parts.entry((id.to_owned(), block)).or_default();
                let from = value["fromSeq"].as_u64().unwrap_or(seq);
                deltas.retain(|single, _| *single < from);
                deltas.insert(seq, delta);
            }
        }
        parts
            .into_iter()
            .map(|(place, deltas)| (place, deltas.into_values().collect()))
            .collect()
    }
}
