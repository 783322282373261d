//! Reading what happened in a session.

use schemars::JsonSchema;
use scorel_client::Connect;
use scorel_proto::{GetEvents, GetEventsParams, Seq, SessionId};
use serde::Deserialize;
use serde_json::{Value, json};

use super::event_cursor::EventCursor;
use crate::daemon::Daemon;
use crate::failure::Failure;
use crate::outcome::{Outcome, beginning_of, size};

pub(super) const READ: &str = "\
Reads the events of a session from the first one on, or after a cursor, in pages. An event that is larger than a page \
comes in parts of its JSON text.";

/// Of all events of a page, in bytes of the result.
const PAGE: usize = 60 * 1024;

/// Of a part of an event, in bytes of the result.
const PART: usize = 56 * 1024;

/// Events that are read at a time.
const EVENTS: u32 = 100;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ReadArguments {
    /// The session.
    session_id: SessionId,
    /// `nextCursor` of the page before. Absent: from the first event.
    cursor: Option<String>,
}

pub(super) async fn read<C: Connect + Clone>(
    daemon: &Daemon<C>,
    arguments: &ReadArguments,
) -> Outcome {
    let cursor = match &arguments.cursor {
        Some(text) => text
            .parse()
            .map_err(|()| Failure::invalid("`cursor` is not one of read_events"))?,
        None => EventCursor::after(Seq::ZERO),
    };
    let params = GetEventsParams {
        session_id: arguments.session_id,
        after_seq: Some(cursor.after),
        before_seq: None,
        limit: Some(EVENTS),
        kinds: None,
    };
    let found = daemon.call::<GetEvents>(&params).await?;
    let texts = found.events.iter().map(|event| event.text());
    let page = Page::of(texts, cursor)?;
    let more = page.is_cut || found.more;
    Ok(json!({
        "events": page.events,
        // One to go on from, also where there is nothing more yet.
        "nextCursor": page.next.to_string(),
        "more": more,
    })
    .into())
}

/// The events that fit into a result.
#[derive(Debug)]
struct Page {
    events: Vec<Value>,
    next: EventCursor,
    /// Some of those that were read are left for the next page.
    is_cut: bool,
}

impl Page {
    fn of<'a>(texts: impl Iterator<Item = &'a str>, cursor: EventCursor) -> Result<Self, Failure> {
        let mut page = Self {
            events: Vec::new(),
            next: cursor,
            is_cut: false,
        };
        let mut left = PAGE;
        for text in texts {
            let unreadable =
                |error: serde_json::Error| Failure::new("internal_error", error.to_string());
            let event: Value = serde_json::from_str(text).map_err(unreadable)?;
            let seq = event["seq"].as_u64().and_then(Seq::new).unwrap_or_default();
            let bytes = size(&event);
            if page.next.offset > 0 || bytes > PAGE {
                page.is_cut = true;
                if page.events.is_empty() {
                    page.add_part(&event, text, seq)?;
                }
                return Ok(page);
            }
            let Some(rest) = left.checked_sub(bytes) else {
                page.is_cut = true;
                return Ok(page);
            };
            left = rest;
            page.events.push(event);
            page.next = EventCursor::after(seq);
        }
        Ok(page)
    }

    /// Adds the next part of an event, and moves behind it.
    fn add_part(&mut self, event: &Value, text: &str, seq: Seq) -> Result<(), Failure> {
        let offset = self.next.offset;
        let rest = text.get(offset..).filter(|rest| !rest.is_empty());
        let rest = rest.ok_or_else(|| Failure::invalid("`cursor` is not one of read_events"))?;
        let part = beginning_of(rest, PART);
        self.events.push(json!({
            "seq": seq,
            "type": event["type"],
            "bytes": text.len(),
            "offset": offset,
            "part": part,
        }));
        self.next = match part.len() == rest.len() {
            true => EventCursor::after(seq),
            false => EventCursor {
                offset: offset + part.len(),
                ..self.next
            },
        };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::call_result;

    fn event(seq: u64, text: &str) -> String {
        json!({"type": "message", "seq": seq, "text": text}).to_string()
    }

    /// All pages, with what each would take on the wire.
    fn pages(texts: &[String]) -> Vec<Page> {
        let mut cursor = EventCursor::after(Seq::ZERO);
        let mut pages = Vec::new();
        loop {
            let after = |text: &&str| {
                let event: Value = serde_json::from_str(text).unwrap();
                event["seq"].as_u64().and_then(Seq::new).unwrap() > cursor.after
            };
            let left = texts.iter().map(String::as_str).filter(after);
            let page = Page::of(left, cursor).unwrap();
            cursor = page.next;
            let is_last = !page.is_cut || cursor == EventCursor::after(Seq::new(9).unwrap());
            pages.push(page);
            if is_last {
                return pages;
            }
        }
    }

    #[test]
    fn every_page_fits_and_nothing_is_left_out() {
        let worst = "\u{1}\"\\é".repeat(40_000);
        let texts: Vec<String> = (1..=9)
            .map(|seq| event(seq, if seq == 4 { &worst } else { "small" }))
            .collect();
        let pages = pages(&texts);
        let mut parts = String::new();
        let mut whole = Vec::new();
        for page in &pages {
            let result = call_result(Ok(json!({"events": page.events}).into())).to_string();
            assert!(result.len() <= 64 * 1024, "{}", result.len());
            for event in &page.events {
                match event["part"].as_str() {
                    Some(part) => parts.push_str(part),
                    None => whole.push(event["seq"].as_u64().unwrap()),
                }
            }
        }
        assert_eq!(whole, [1, 2, 3, 5, 6, 7, 8, 9]);
        assert_eq!(parts, texts[3]);
    }

    #[test]
    fn a_cursor_beyond_its_event_is_refused() {
        let text = event(1, &"x".repeat(PAGE));
        let cursor = "0+999999".parse().unwrap();
        let failure = Page::of([text.as_str()].into_iter(), cursor).unwrap_err();
        assert_eq!(failure.code, "invalid_params");
    }
}
