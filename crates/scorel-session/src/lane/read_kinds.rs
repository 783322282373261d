//! Finding what extensions and clients have written into the log, by its kind.

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use scorel_journal::RecordPosition;
use scorel_proto::{GetEventsResult, Seq};
use serde::Deserialize;

use super::Lane;
use super::read::{EventRange, PAGE_BYTES, encoded};
use crate::SessionError;

/// About how many bytes of the log one call looks through.
const MAX_SCANNED: u64 = 16 * 1024 * 1024;

/// Records that are looked at at once.
const PART: usize = 1000;

/// The fields of a record by which it is found.
#[derive(Deserialize)]
struct KindedRecord<'a> {
    #[serde(rename = "type", borrow)]
    type_name: Cow<'a, str>,
    #[serde(borrow)]
    kind: Cow<'a, str>,
}

/// A search that has not found all yet.
struct KindScan {
    kinds: Arc<[String]>,
    limit: usize,
    is_backward: bool,
    found: Vec<Bytes>,
    bytes: usize,
    /// The last record that was looked at.
    through: Option<Seq>,
}

impl Lane {
    /// Finds `custom` and `custom_message` events of these kinds, in ascending order. Looks through a part of the log:
    /// the result says how far, and whether there is more.
    ///
    /// # Errors
    ///
    /// If the session is gone or its log cannot be read.
    pub async fn events_of_kinds(
        self: &Arc<Self>,
        kinds: Vec<String>,
        (after, before): (Option<Seq>, Option<Seq>),
        limit: usize,
    ) -> Result<GetEventsResult, SessionError> {
        let mut range = EventRange::new(after, before)?;
        let mut scan = KindScan {
            kinds: kinds.into(),
            limit,
            is_backward: before.is_some(),
            found: Vec::new(),
            bytes: 0,
            through: None,
        };
        let mut scanned = 0;
        let more = loop {
            let (places, more) = self.published().page(range, PART)?;
            scanned += places.iter().map(|place| u64::from(place.len)).sum::<u64>();
            let rest = range.beyond(&places);
            let is_full;
            (scan, is_full) = self
                .read_log(move |lane| {
                    let mut scan = scan;
                    let is_full = scan.look(lane, &places)?;
                    Ok((scan, is_full))
                })
                .await?;
            match rest {
                Some(rest) if more && !is_full && scanned < MAX_SCANNED => range = rest,
                _ => break more || is_full,
            }
        };
        if scan.is_backward {
            scan.found.reverse();
        }
        let events = scan.found.iter().map(encoded).collect::<Result<_, _>>()?;
        Ok(GetEventsResult {
            events,
            more,
            through: scan.through,
        })
    }
}

impl KindScan {
    /// Looks at records. Returns whether it has found enough, so that some may not have been looked at. Blocks on the disk.
    fn look(&mut self, lane: &Lane, places: &[RecordPosition]) -> Result<bool, SessionError> {
        let (last, mut places): (_, Box<dyn Iterator<Item = &RecordPosition>>) =
            match self.is_backward {
                true => (places.first(), Box::new(places.iter().rev())),
                false => (places.last(), Box::new(places.iter())),
            };
        while self.found.len() < self.limit && self.bytes as u64 <= PAGE_BYTES {
            let Some(place) = places.next() else {
                return Ok(false);
            };
            self.through = Some(place.seq);
            if let Some(line) = lane.read_intact(*place)?.filter(|line| self.is_meant(line)) {
                self.bytes += line.len();
                self.found.push(line);
            }
        }
        Ok(self.through != last.map(|place| place.seq))
    }

    fn is_meant(&self, line: &[u8]) -> bool {
        let record = serde_json::from_slice::<KindedRecord<'_>>(line);
        record.is_ok_and(|it| {
            matches!(&*it.type_name, "custom" | "custom_message")
                && self.kinds.iter().any(|kind| *kind == it.kind)
        })
    }
}
