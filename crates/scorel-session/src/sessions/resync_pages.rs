use std::str::FromStr;
use std::sync::Arc;

use bytes::Bytes;
use scorel_proto::{Anchors, EncodedEvent, InFlight, ResyncParams, ResyncResult, Seq, SyncMode};

use super::Sessions;
use crate::SessionError;
use crate::feed::RingEvent;
use crate::lane::{Lane, LaneState, encoded};
use crate::resync::{in_flight, plan};
use crate::subscriber::fitting;

/// How many bytes of live events one page holds about at most. Few in this crate's own tests, so
/// that short histories have many pages.
const PAGE_BYTES: usize = if cfg!(test) { 1024 } else { 256 * 1024 };

/// Where the next page of a resync begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PageStart {
    /// Persistent events after a number, then what is open.
    Reload { mode: SyncMode, after: Seq },
    /// Persistent events of `(after, through]`.
    Resume { after: Seq, through: Seq },
    /// All events after `after`, up to `cut`. `persistent` is the last persistent one before.
    Live {
        after: Seq,
        cut: Seq,
        persistent: Seq,
    },
}

/// One page, before it is put into words.
struct PageContent {
    mode: SyncMode,
    reason: Option<String>,
    lines: Vec<Bytes>,
    rest: Rest,
}

/// What follows a page.
enum Rest {
    Page(PageStart),
    Done {
        through: Seq,
        in_flight: Option<InFlight>,
    },
}

impl Sessions {
    /// Reads what a client has missed, one page.
    ///
    /// # Errors
    ///
    /// If there is no such session, its log cannot be read, or the page is not one of this method.
    pub async fn resync(
        self: &Arc<Self>,
        params: ResyncParams,
    ) -> Result<ResyncResult, SessionError> {
        let page = params
            .page
            .as_deref()
            .map(PageStart::from_str)
            .transpose()?;
        let anchors = Anchors {
            persistent_last_seq: params.persistent_last_seq.unwrap_or_default(),
            stream_last_seq: params.stream_last_seq,
        };
        let lane = self.get(params.session_id).await?;
        lane.section(move |lane, state| {
            state.check_exists()?;
            let content = match page {
                None => first_page(lane, state, anchors)?,
                Some(start) => next_page(lane, state, start, None)?,
            };
            answer(lane, state, content)
        })
        .await?
    }
}

fn first_page(
    lane: &Lane,
    state: &mut LaneState,
    anchors: Anchors,
) -> Result<PageContent, SessionError> {
    let plan = plan(lane, state, anchors);
    let start = match (plan.mode, anchors.stream_last_seq) {
        (SyncMode::StreamResume, Some(through)) => PageStart::Resume {
            after: plan.after,
            through,
        },
        (mode, _) => PageStart::Reload {
            mode,
            after: plan.after,
        },
    };
    next_page(lane, state, start, plan.reason.map(str::to_owned))
}

fn next_page(
    lane: &Lane,
    state: &mut LaneState,
    start: PageStart,
    reason: Option<String>,
) -> Result<PageContent, SessionError> {
    match start {
        PageStart::Reload { mode, after } => reload_page(lane, state, mode, after, reason),
        PageStart::Resume { after, through } => resume_page(lane, state, after, through, reason),
        PageStart::Live {
            after,
            cut,
            persistent,
        } => live_page(lane, state, after, cut, persistent),
    }
}

fn reload_page(
    lane: &Lane,
    state: &mut LaneState,
    mode: SyncMode,
    after: Seq,
    reason: Option<String>,
) -> Result<PageContent, SessionError> {
    let places = state.index.after(after);
    let count = fitting(places);
    let lines = lane.read_each(&places[..count])?;
    let next = (count < places.len()).then(|| places[count - 1].seq);
    let rest = if let Some(after) = next {
        Rest::Page(PageStart::Reload { mode, after })
    } else {
        // What is open follows from what was found.
        lane.look_again(state);
        Rest::Done {
            through: lane.feed.head(),
            in_flight: Some(in_flight(lane, state)),
        }
    };
    Ok(PageContent {
        mode,
        reason,
        lines,
        rest,
    })
}

fn resume_page(
    lane: &Lane,
    state: &mut LaneState,
    after: Seq,
    through: Seq,
    reason: Option<String>,
) -> Result<PageContent, SessionError> {
    let places = state.index.after(after);
    let places = &places[..places.partition_point(|place| place.seq <= through)];
    let count = fitting(places);
    let lines = lane.read_each(&places[..count])?;
    let last = places[..count].last().map_or(after, |place| place.seq);
    if count < places.len() {
        let rest = Rest::Page(PageStart::Resume {
            after: last,
            through,
        });
        return Ok(PageContent {
            mode: SyncMode::StreamResume,
            reason,
            lines,
            rest,
        });
    }
    let cut = lane.feed.head();
    let mut page = live_page(lane, state, through, cut, last)?;
    page.lines.splice(0..0, lines);
    page.reason = page.reason.or(reason);
    Ok(page)
}

/// Events out of the ring. If they are gone, the page says that it fell back.
fn live_page(
    lane: &Lane,
    state: &mut LaneState,
    after: Seq,
    cut: Seq,
    persistent: Seq,
) -> Result<PageContent, SessionError> {
    let Ok(batch) = lane.feed.after(after, PAGE_BYTES) else {
        let reason = Some("some transient events are no longer kept".to_owned());
        return reload_page(
            lane,
            state,
            SyncMode::PersistentFallback,
            persistent,
            reason,
        );
    };
    let events: Vec<RingEvent> = batch
        .events
        .into_iter()
        .take_while(|event| event.seq <= cut)
        .collect();
    let last = events.last().map_or(cut, |event| event.seq);
    let recorded = events.iter().rev().find(|event| event.persistent);
    let persistent = recorded.map_or(persistent, |event| event.seq);
    let rest = if last < cut {
        Rest::Page(PageStart::Live {
            after: last,
            cut,
            persistent,
        })
    } else {
        Rest::Done {
            through: cut,
            in_flight: None,
        }
    };
    let lines = events.into_iter().map(|event| event.json).collect();
    Ok(PageContent {
        mode: SyncMode::StreamResume,
        reason: None,
        lines,
        rest,
    })
}

fn answer(
    lane: &Lane,
    state: &mut LaneState,
    content: PageContent,
) -> Result<ResyncResult, SessionError> {
    let events: Vec<EncodedEvent> = content
        .lines
        .iter()
        .map(encoded)
        .collect::<Result<_, _>>()?;
    let (through_seq, in_flight, next_page) = match content.rest {
        Rest::Page(start) => (None, None, Some(start.to_string())),
        Rest::Done { through, in_flight } => (Some(through), in_flight, None),
    };
    Ok(ResyncResult {
        mode: content.mode,
        reason: content.reason,
        events,
        through_seq,
        in_flight,
        current_seq: lane.feed.head(),
        active_leaf_id: state.view.leaf(),
        next_page,
    })
}

impl std::fmt::Display for PageStart {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Reload {
                mode: SyncMode::FullReload,
                after,
            } => write!(f, "full.{after}"),
            Self::Reload { after, .. } => write!(f, "persistent.{after}"),
            Self::Resume { after, through } => write!(f, "resume.{after}.{through}"),
            Self::Live {
                after,
                cut,
                persistent,
            } => write!(f, "live.{after}.{cut}.{persistent}"),
        }
    }
}

impl FromStr for PageStart {
    type Err = SessionError;

    fn from_str(text: &str) -> Result<Self, SessionError> {
        let invalid = || SessionError::InvalidParams("`page` is not a page of resync".to_owned());
        let mut parts = text.split('.');
        let kind = parts.next().unwrap_or_default();
        let numbers: Option<Vec<Seq>> = parts
            .map(|part| part.parse().ok().and_then(Seq::new))
            .collect();
        match (kind, numbers.ok_or_else(invalid)?.as_slice()) {
            ("full", &[after]) => Ok(Self::Reload {
                mode: SyncMode::FullReload,
                after,
            }),
            ("persistent", &[after]) => Ok(Self::Reload {
                mode: SyncMode::PersistentFallback,
                after,
            }),
            ("resume", &[after, through]) => Ok(Self::Resume { after, through }),
            ("live", &[after, cut, persistent]) => Ok(Self::Live {
                after,
                cut,
                persistent,
            }),
            _ => Err(invalid()),
        }
    }
}
