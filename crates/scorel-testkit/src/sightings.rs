//! The events that clients saw of one session, compared with its log: nothing that was seen may be lost or
//! change, whatever crashed in between.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

use crate::CheckedLog;

/// The events that clients saw, across restarts of the daemon, by sequence number.
#[derive(Debug, Default)]
pub struct Sightings {
    seen: BTreeMap<u64, SeenEvent>,
    /// Block texts from `inFlight`, for clients that subscribed in the middle of a message.
    in_flight: BTreeMap<BlockPlace, Vec<String>>,
}

/// A message's event id and a block index.
type BlockPlace = (String, u64);

#[derive(Debug)]
struct SeenEvent {
    text: String,
    value: Value,
}

/// A contradiction between what clients saw, or with the log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SightingFault {
    /// Two events with the same sequence number.
    #[error("two events have the sequence number {seq}:\n{first}\n{second}")]
    TwoEvents {
        seq: u64,
        first: String,
        second: String,
    },
    /// A persistent event that is not in the log.
    #[error("record {seq} was seen but is not in the log:\n{text}")]
    Lost { seq: u64, text: String },
    /// Streamed text that is not in the log.
    #[error("text of message {event_id} was seen but is not in the log: {text:?}")]
    TextLost { event_id: String, text: String },
}

impl Sightings {
    /// Records an event or a marker, as the bytes that were received.
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
            // The daemon merges deltas for a slow client; other clients see them one by one.
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
        self.seen.insert(seq, SeenEvent { text, value });
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
                    let texts = self.in_flight.entry((id.to_owned(), block)).or_default();
                    texts.push(text.to_owned());
                }
            }
        }
    }

    pub fn len(&self) -> usize {
        self.seen.len()
    }

    pub fn is_empty(&self) -> bool {
        self.seen.is_empty()
    }

    /// The sequence number of the last persistent event that was seen; 0 if there is none.
    pub fn last_persistent_seq(&self) -> u64 {
        let mut seen = self.seen.iter().rev();
        let last = seen.find(|(_, seen)| seen.value["prev"].is_u64());
        last.map_or(0, |(seq, _)| *seq)
    }

    /// Checks that each persistent event that was seen is in the log with the same bytes, and that no
    /// record has the sequence number of another event that was seen.
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

    /// Checks that the streamed text of each message that was not cancelled is in the logged message,
    /// at its beginning unless the client subscribed later. Only for sessions without an open turn.
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
        for ShownText {
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

    /// The streamed texts of messages that were not cancelled.
    fn shown(&self) -> Vec<ShownText> {
        let mut shown: Vec<ShownText> = Vec::new();
        for (place, texts) in &self.in_flight {
            shown.extend(texts.iter().map(|text| ShownText {
                place: place.clone(),
                text: text.clone(),
                from_start: true,
            }));
        }
        for (place, runs) in self.streamed() {
            let from_start = !self.in_flight.contains_key(&place);
            shown.extend(runs.into_iter().zip(0..).map(|(text, run)| ShownText {
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

    /// The streamed text of each block, split where no client saw the events in between.
    fn streamed(&self) -> BTreeMap<BlockPlace, Vec<String>> {
        let mut runs: BTreeMap<BlockPlace, Vec<StreamedRun<'_>>> = BTreeMap::new();
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
                // A merged delta replaces the single ones that it covers.
                deltas.retain(|single, _| *single < from);
                deltas.insert(seq, delta);
            }
        }
        let text = |(_, deltas): StreamedRun<'_>| deltas.into_values().collect();
        runs.into_iter()
            .map(|(place, runs)| (place, runs.into_iter().map(text).collect()))
            .collect()
    }
}

/// The number of gaps before, and the deltas by sequence number.
type StreamedRun<'a> = (u64, BTreeMap<u64, &'a str>);

/// Text that a client saw.
struct ShownText {
    place: BlockPlace,
    text: String,
    /// True if it must be the beginning of its block.
    from_start: bool,
}
