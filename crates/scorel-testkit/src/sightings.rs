//! Everything that any client was ever shown of one session.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

use crate::CheckedLog;

/// The events that clients have seen, over restarts of the daemon, each under its number.
#[derive(Debug, Default)]
pub struct Sightings {
    seen: BTreeMap<u64, Seen>,
    /// What clients that came in the middle of a message were told of its blocks.
    told: BTreeMap<Place, Vec<String>>,
}

/// A message's id and the number of one of its blocks.
type Place = (String, u64);

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
    /// Takes note of an event or a marker as its bytes came.
    ///
    /// # Errors
    ///
    /// [`SightingFault::TwoEvents`].
    pub fn note(&mut self, text: &str) -> Result<(), SightingFault> {
        let value: Value = serde_json::from_str(text).unwrap_or_default();
        let Some(seq) = value["seq"].as_u64() else {
            self.note_open(&value["inFlight"]);
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

    fn note_open(&mut self, in_flight: &Value) {
        for message in in_flight["messages"].as_array().into_iter().flatten() {
            let id = message["eventId"].as_str().unwrap_or_default();
            for (block, open) in (0..).zip(message["blocks"].as_array().into_iter().flatten()) {
                if let ("text", Some(text)) = (
                    open["type"].as_str().unwrap_or_default(),
                    open["text"].as_str(),
                ) {
                    let told = self.told.entry((id.to_owned(), block)).or_default();
                    told.push(text.to_owned());
                }
            }
        }
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
    /// in the message in the log, at its beginning unless a client came later. Only for sessions
    /// without an open turn.
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
        for Shown {
            place: (event_id, block),
            text,
            from_start,
        } in self.shown()
        {
            let content = kept
                .get(event_id.as_str())
                .map(|value| &value["message"]["content"]);
            let blocks = content.and_then(Value::as_array);
            let is_kept = blocks.into_iter().flatten().any(|block| {
                block["text"].as_str().is_some_and(|kept| {
                    kept.starts_with(&text) || (!from_start && kept.contains(&text))
                })
            });
            if !is_kept {
                let event_id = format!("{event_id}, block {block}");
                return Err(SightingFault::TextLost { event_id, text });
            }
        }
        Ok(())
    }

    /// The text that was shown, without messages that were cancelled.
    fn shown(&self) -> Vec<Shown> {
        let mut shown: Vec<Shown> = Vec::new();
        for (place, told) in &self.told {
            shown.extend(told.iter().map(|text| Shown {
                place: place.clone(),
                text: text.clone(),
                from_start: true,
            }));
        }
        for (place, runs) in self.streamed() {
            let from_start = !self.told.contains_key(&place);
            shown.extend(runs.into_iter().zip(0..).map(|(text, run)| Shown {
                place: place.clone(),
                text,
                from_start: from_start && run == 0,
            }));
        }
        let cancelled = |id: &str| {
            self.seen.values().any(|seen| {
                seen.value["type"] == "message_cancelled" && seen.value["eventId"] == id
            })
        };
        shown.retain(|shown| !cancelled(&shown.place.0));
        shown
    }

    /// The streamed text by block, in runs between which nobody saw what happened.
    fn streamed(&self) -> BTreeMap<Place, Vec<String>> {
        let mut runs: BTreeMap<Place, Vec<Run<'_>>> = BTreeMap::new();
        let (mut last, mut gaps) = (0, 0);
        for (&seq, seen) in &self.seen {
            let value = &seen.value;
            let from = value["fromSeq"].as_u64().unwrap_or(seq);
            gaps += u64::from(from > last + 1);
            last = seq;
            let (Some(id), Some("text_delta"), Some(delta)) = (
                value["eventId"].as_str(),
                value["type"].as_str(),
                value["delta"].as_str(),
            ) else {
                continue;
            };
            let block = value["blockIndex"].as_u64().unwrap_or_default();
            let runs = runs.entry((id.to_owned(), block)).or_default();
            if runs.last().is_none_or(|(run, _)| *run != gaps) {
                runs.push((gaps, BTreeMap::new()));
            }
            if let Some((_, deltas)) = runs.last_mut() {
                // Merged deltas stand for the single ones.
                deltas.retain(|single, _| *single < from);
                deltas.insert(seq, delta);
            }
        }
        let text = |(_, deltas): Run<'_>| deltas.into_values().collect();
        runs.into_iter()
            .map(|(place, runs)| (place, runs.into_iter().map(text).collect()))
            .collect()
    }
}

/// Deltas by number, and how many gaps there were before them.
type Run<'a> = (u64, BTreeMap<u64, &'a str>);

/// A piece of text that some client saw.
struct Shown {
    place: Place,
    text: String,
    /// Whether it is known to be the beginning of its block.
    from_start: bool,
}
