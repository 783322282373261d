use std::sync::Arc;

use scorel_journal::{BlobError, Blobs, RecordPosition};
use scorel_proto::{Event, RunnerLogBlob, RunnerLogTail, Seq, TurnId, TurnStatus, TurnSummary};
use serde::Deserialize;

use crate::lane::{Lane, PAGE_BYTES, decoded, fitting};
use crate::{SessionError, blocking};

/// The limit of what is read of a log that was kept, in bytes. A tail has room for 256 KiB, of which each text
/// takes a little more than its length: one text of this size fits.
const MAX_LOG: u64 = 255 * 1024;

/// The field of a record that the search for a turn needs.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RecordHead {
    turn_id: Option<TurnId>,
}

impl Lane {
    /// A turn as one message; `None` if the session has no record of it. Memory does not grow with its contents.
    ///
    /// # Errors
    ///
    /// If the session is gone, or its log or a blob cannot be read.
    pub async fn turn_summary(
        self: &Arc<Self>,
        turn_id: TurnId,
    ) -> Result<Option<TurnSummary>, SessionError> {
        // First, or the turn could have ended in between and have neither this log nor the one that is kept.
        let open = self.view(|view| {
            let turn = view.state.turn.as_ref()?;
            (turn.turn_id == turn_id).then(|| view.open.log.clone())?
        });
        let mut places = self.places_of_turn(turn_id).await?;
        if places.is_empty() {
            return Ok(None);
        }
        let mut summary = TurnSummary::new(turn_id);
        while !places.is_empty() {
            let rest = places.split_off(fitting(places.iter(), PAGE_BYTES));
            let page = std::mem::replace(&mut places, rest);
            for line in self.read_lines(page).await? {
                // One of a newer version says nothing here.
                if let Ok(event) = decoded(&line) {
                    summary.apply(&Event::Persistent(Box::new(event)));
                }
            }
        }
        let open = open.filter(|_| summary.status == TurnStatus::Running);
        if let Some(open) = open {
            summary.logs = *open;
        } else if let Some(log) = summary.log.clone() {
            let lane = Arc::clone(self);
            summary.logs = blocking(move || newest_entries(log, lane.blobs())).await??;
        }
        Ok(Some(summary))
    }

    /// Where the records of a turn are. They are searched from the end of the log, and no other turn's are
    /// among them.
    async fn places_of_turn(
        self: &Arc<Self>,
        turn_id: TurnId,
    ) -> Result<Vec<RecordPosition>, SessionError> {
        let mut places: Vec<RecordPosition> = {
            let published = self.published();
            published.check_exists()?;
            published.places_after(Seq::ZERO).to_vec()
        };
        let mut found = Vec::new();
        while !places.is_empty() {
            let count = fitting(places.iter().rev(), PAGE_BYTES);
            let page = places.split_off(places.len() - count);
            let lane = Arc::clone(self);
            let heads = blocking(move || lane.turns_of(&page)).await??;
            for (place, turn) in heads.into_iter().rev() {
                match turn {
                    Some(turn) if turn == turn_id => found.push(place),
                    Some(_) if !found.is_empty() => places.clear(),
                    _ => {}
                }
            }
        }
        found.reverse();
        Ok(found)
    }

    /// The turns that records name. Blocks on the disk.
    fn turns_of(
        &self,
        page: &[RecordPosition],
    ) -> Result<Vec<(RecordPosition, Option<TurnId>)>, SessionError> {
        let turn = |place: &RecordPosition| {
            let line = self.read_intact(*place)?;
            let head = line.and_then(|line| serde_json::from_slice::<RecordHead>(&line).ok());
            Ok((*place, head.and_then(|head| head.turn_id)))
        };
        page.iter().map(turn).collect()
    }
}

/// The end of a log that was kept, within the limits of one that is open. Blocks on the disk.
fn newest_entries(mut log: RunnerLogBlob, blobs: &Blobs) -> Result<RunnerLogTail, BlobError> {
    // A log of this program is shorter than the limit; an imported one may say anything.
    let bytes = blobs.len_of(&log.blob)?;
    let from = bytes.saturating_sub(MAX_LOG);
    let end = blobs.get_range(&log.blob, from..bytes)?;
    // The limit may be within a character.
    let is_rest = |byte: &&u8| from > 0 && **byte & 0xc0 == 0x80;
    let rest = end.iter().take(3).take_while(is_rest).count();
    let mut left_out = from + rest as u64;
    log.dropped_bytes = log.dropped_bytes.saturating_add(left_out);
    log.parts.retain_mut(|part| {
        let cut = part.bytes.min(left_out);
        left_out -= cut;
        part.bytes -= cut;
        part.bytes > 0
    });
    let text = String::from_utf8_lossy(&end[rest..]);
    Ok(RunnerLogTail::kept(&log, &text))
}

#[cfg(test)]
mod tests {
    use scorel_journal::FileStorage;
    use scorel_proto::{RunnerLogPart, RunnerLogStream};

    use super::*;

    /// A log of so many texts of 1,000 bytes, as an import may have it.
    fn newest(parts: usize) -> RunnerLogTail {
        let dir = tempfile::tempdir().unwrap();
        let blobs = Blobs::new(Arc::new(FileStorage), dir.path(), u64::MAX);
        let text: String = (0..parts)
            .map(|number| format!("{number:>999}\n"))
            .collect();
        let part = RunnerLogPart {
            stream: RunnerLogStream::Stderr,
            bytes: 1_000,
            timestamp: None,
        };
        let log = RunnerLogBlob {
            blob: blobs.put(text.as_bytes()).unwrap(),
            bytes: text.len() as u64,
            dropped_bytes: 5,
            parts: vec![part; parts],
        };
        newest_entries(log, &blobs).unwrap()
    }

    #[test]
    fn of_a_long_log_the_end_is_read_and_the_rest_is_counted() {
        let all = newest(200);
        assert_eq!((all.texts.len(), all.dropped_bytes), (200, 5));
        let end = newest(1_000);
        // 64 bytes of each are its own.
        assert_eq!(end.texts.len(), 256 * 1024 / 1_064);
        let dropped = 1_000 * (1_000 - end.texts.len() as u64) + 5;
        assert_eq!(end.dropped_bytes, dropped);
        assert_eq!(end.texts[0].id, dropped.to_string());
        assert!(end.text().ends_with(" 999\n"));
    }

    #[test]
    fn of_one_long_text_the_end_is_read_from_a_whole_character_on() {
        let dir = tempfile::tempdir().unwrap();
        let blobs = Blobs::new(Arc::new(FileStorage), dir.path(), u64::MAX);
        let text = format!("{}ab", "\u{20ac}".repeat(200_000));
        let bytes = text.len() as u64;
        let part = RunnerLogPart {
            stream: RunnerLogStream::Stderr,
            bytes,
            timestamp: None,
        };
        let log = RunnerLogBlob {
            blob: blobs.put(text.as_bytes()).unwrap(),
            bytes,
            dropped_bytes: 0,
            parts: vec![part],
        };
        let end = newest_entries(log, &blobs).unwrap();
        assert!(end.text().ends_with("\u{20ac}ab") && !end.text().contains('\u{fffd}'));
        assert_eq!(end.dropped_bytes + end.text().len() as u64, bytes);
    }
}
