use std::collections::VecDeque;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{LogEntry, RunnerLog, RunnerLogBlob, RunnerLogPart, RunnerLogStream};

/// The size of a tail: its texts, and a fixed amount for each.
const MAX_BYTES: usize = 256 * 1024;

/// The size that a text counts in addition to its bytes, so that a tail of very short texts is bounded too.
const TEXT_OVERHEAD: usize = 64;

/// The size up to which a text grows, and the most that is dropped at a time.
const PIECE_BYTES: usize = 4 * 1024;

/// The end of what a runner logged in a turn: at most 256 KiB, of which each text takes 64 bytes besides
/// its own.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunnerLogTail {
    /// The texts, oldest first.
    pub texts: VecDeque<LogEntry>,
    /// The number of bytes of the log that were before these.
    pub dropped_bytes: u64,
}

impl RunnerLogTail {
    /// The end of a log that was kept, from the text of its blob.
    pub fn kept(log: &RunnerLogBlob, text: &str) -> Self {
        let mut tail = Self {
            texts: log.entries(text).into(),
            dropped_bytes: log.dropped_bytes,
        };
        tail.shrink();
        tail
    }

    /// Appends a text that was logged at `ts`, and drops the oldest ones that have no more room.
    pub fn push(&mut self, log: &RunnerLog, ts: u64) {
        let mut rest = self.skip_surplus(&log.text);
        while !rest.is_empty() {
            rest = self.extend_last(log.stream, rest);
            if !rest.is_empty() {
                let kept: usize = self.texts.iter().map(|log| log.text.len()).sum();
                self.texts.push_back(LogEntry {
                    id: (self.dropped_bytes + kept as u64).to_string(),
                    stream: log.stream,
                    text: String::new(),
                    timestamp: Some(ts),
                });
            }
        }
        self.shrink();
    }

    /// The texts of all streams, in order.
    pub fn text(&self) -> String {
        self.texts.iter().map(|log| log.text.as_str()).collect()
    }

    /// Where each part of that text comes from.
    pub fn parts(&self) -> Vec<RunnerLogPart> {
        let part = |log: &LogEntry| RunnerLogPart {
            stream: log.stream,
            bytes: log.text.len() as u64,
            timestamp: log.timestamp,
        };
        self.texts.iter().map(part).collect()
    }

    /// The end of a text that is larger than a whole tail.
    fn skip_surplus<'a>(&mut self, text: &'a str) -> &'a str {
        let mut from = text.len().saturating_sub(MAX_BYTES);
        while !text.is_char_boundary(from) {
            from += 1;
        }
        self.dropped_bytes += from as u64;
        &text[from..]
    }

    /// Appends what fits to the last text, if that is of the same stream, and returns the rest.
    fn extend_last<'a>(&mut self, stream: RunnerLogStream, text: &'a str) -> &'a str {
        let Some(last) = self.texts.back_mut().filter(|last| last.stream == stream) else {
            return text;
        };
        let mut room = PIECE_BYTES.saturating_sub(last.text.len()).min(text.len());
        while !text.is_char_boundary(room) {
            room -= 1;
        }
        let (fitting, rest) = text.split_at(room);
        last.text.push_str(fitting);
        rest
    }

    fn shrink(&mut self) {
        let mut bytes: usize = self.texts.iter().map(cost).sum();
        while bytes > MAX_BYTES
            && let Some(oldest) = self.texts.pop_front()
        {
            bytes -= cost(&oldest);
            self.dropped_bytes += oldest.text.len() as u64;
        }
    }
}

const fn cost(log: &LogEntry) -> usize {
    log.text.len() + TEXT_OVERHEAD
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{MAX_BYTES, PIECE_BYTES, RunnerLogTail, TEXT_OVERHEAD};
    use crate::{RunnerLog, RunnerLogStream};

    fn push(tail: &mut RunnerLogTail, stream: RunnerLogStream, text: &str) {
        let text = text.to_owned();
        tail.push(&RunnerLog { stream, text }, 1);
    }

    #[test]
    fn a_long_log_keeps_its_end() {
        let mut tail = RunnerLogTail::default();
        let mut whole = String::new();
        for line in 0..40_000 {
            let line = format!("line {line}\n");
            push(&mut tail, RunnerLogStream::Stdout, &line);
            whole.push_str(&line);
        }
        let text = tail.text();
        assert!(whole.ends_with(&text));
        assert_eq!(tail.dropped_bytes, (whole.len() - text.len()) as u64);
        let room = MAX_BYTES - PIECE_BYTES - TEXT_OVERHEAD * (MAX_BYTES / PIECE_BYTES + 1);
        assert!((room..=MAX_BYTES).contains(&text.len()), "{}", text.len());
    }

    #[test]
    fn a_log_of_very_short_texts_is_bounded_too() {
        let mut tail = RunnerLogTail::default();
        for _ in 0..10_000 {
            push(&mut tail, RunnerLogStream::Stdout, "o");
            push(&mut tail, RunnerLogStream::Stderr, "e");
        }
        assert!(tail.texts.len() <= MAX_BYTES / TEXT_OVERHEAD);
        assert_eq!(tail.dropped_bytes + tail.texts.len() as u64, 20_000);
    }

    #[test]
    fn nothing_is_appended_for_an_empty_text() {
        let mut tail = RunnerLogTail::default();
        push(&mut tail, RunnerLogStream::Stdout, "");
        assert_eq!(tail, RunnerLogTail::default());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn a_tail_is_the_end_of_the_log(
            texts in prop::collection::vec(("[a漢é👋]{0,9}", 1..10_000_usize, any::<bool>()), 0..8),
        ) {
            let mut tail = RunnerLogTail::default();
            let mut whole = String::new();
            for (text, times, is_error) in texts {
                let text = text.repeat(times);
                let stream = if is_error { RunnerLogStream::Stderr } else { RunnerLogStream::Stdout };
                push(&mut tail, stream, &text);
                whole.push_str(&text);
            }
            let text = tail.text();
            prop_assert!(whole.ends_with(&text) && text.len() <= MAX_BYTES);
            prop_assert_eq!(tail.dropped_bytes, (whole.len() - text.len()) as u64);
        }
    }
}
