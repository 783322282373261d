//! Following a session from where a client stands.

mod cursor;
mod merge;

use std::sync::Arc;

use bytes::Bytes;
use scorel_journal::Place;
use scorel_proto::{Anchors, EndReason, Seq, SyncMarker, SyncMode};
use tokio::sync::watch;

use crate::SessionError;
use crate::feed::{Batch, Fallen, Head};
use crate::lane::{Lane, LaneState};
use crate::resync::{in_flight, plan};

use merge::merged;

pub(crate) use cursor::{Page, fitting};
pub(crate) use merge::FAR_BEHIND;

/// How many bytes of events one batch holds about at most. Few in this crate's own tests, so that
/// short histories have many batches.
const BATCH_BYTES: usize = if cfg!(test) { 1024 } else { 256 * 1024 };

/// A client's place in a session: a cursor, not a queue. It costs the session nothing.
///
/// Each batch is what the client is to get next, as JSON texts: events as they stand in the log or
/// were shown, and markers. Only where the client is thousands of events behind, adjacent deltas of
/// one block come as one event. Such an event never reaches back to what the client has: it begins
/// behind the cursor.
#[derive(Debug)]
pub struct Subscriber {
    lane: Arc<Lane>,
    head: watch::Receiver<Head>,
    step: SubscriberStep,
}

#[derive(Debug, Clone, Copy)]
enum SubscriberStep {
    /// To compare anchors with the session.
    Begin {
        anchors: Anchors,
        fallen: bool,
    },
    /// To send the persistent events of `(after, through]`, then everything after `through`.
    Resume {
        after: Seq,
        through: Seq,
        end: Seq,
    },
    /// To send persistent events up to the end, then what is open.
    Reload {
        after: Seq,
    },
    /// To send what comes. `persistent` is the last persistent event that was sent.
    Live {
        cursor: Seq,
        persistent: Seq,
        sync_end: Option<Seq>,
    },
    Ended,
}

impl Subscriber {
    pub(crate) fn new(lane: Arc<Lane>, anchors: Anchors) -> Self {
        let head = lane.feed.watch();
        Self {
            lane,
            head,
            step: SubscriberStep::Begin {
                anchors,
                fallen: false,
            },
        }
    }

    /// The next batch, as soon as there is something to send; nothing when nothing follows.
    ///
    /// Dropping the future loses nothing.
    ///
    /// # Errors
    ///
    /// If the session is gone or its log cannot be read; nothing follows then.
    pub async fn next_batch(&mut self) -> Result<Option<Vec<Bytes>>, SessionError> {
        loop {
            if matches!(self.step, SubscriberStep::Ended) {
                return Ok(None);
            }
            let batch = match self.take_step().await {
                Ok(batch) => batch,
                Err(error) => self.end_with(error)?,
            };
            if !batch.is_empty() {
                return Ok(Some(batch));
            }
        }
    }

    /// What is sent next. The step that follows is set when nothing is awaited any more.
    async fn take_step(&mut self) -> Result<Vec<Bytes>, SessionError> {
        match self.step {
            SubscriberStep::Begin { anchors, fallen } => self.begin(anchors, fallen).await,
            SubscriberStep::Resume {
                after,
                through,
                end,
            } => self.resume(after, through, end).await,
            SubscriberStep::Reload { after } => self.reload(after).await,
            SubscriberStep::Live {
                cursor,
                persistent,
                sync_end,
            } => Ok(self.live(cursor, persistent, sync_end).await),
            SubscriberStep::Ended => Ok(Vec::new()),
        }
    }

    /// A session that was deleted before everything could be sent ends the subscription properly.
    fn end_with(&mut self, error: SessionError) -> Result<Vec<Bytes>, SessionError> {
        let end = self.head.borrow().end;
        match (&error, end) {
            (SessionError::NotFound(_), Some(reason)) => Ok(self.ended(reason)),
            _ => {
                self.step = SubscriberStep::Ended;
                Err(error)
            }
        }
    }

    async fn begin(&mut self, anchors: Anchors, fallen: bool) -> Result<Vec<Bytes>, SessionError> {
        let state = self.lane.lock().await;
        state.check_exists()?;
        let mut plan = plan(&self.lane, &state, anchors);
        if fallen {
            plan.reason = Some("the subscriber fell behind what is kept in memory");
        }
        self.step = match (plan.mode, anchors.stream_last_seq) {
            (SyncMode::StreamResume, Some(through)) => SubscriberStep::Resume {
                after: plan.after,
                through,
                end: self.lane.feed.head(),
            },
            _ => SubscriberStep::Reload { after: plan.after },
        };
        let reason = plan.reason.map(str::to_owned);
        let session_id = self.lane.id();
        Ok(vec![marker(&SyncMarker::SyncStart {
            session_id,
            mode: plan.mode,
            reason,
        })])
    }

    async fn resume(
        &mut self,
        after: Seq,
        through: Seq,
        end: Seq,
    ) -> Result<Vec<Bytes>, SessionError> {
        let page = Page::between(&self.lane, after, through).await?;
        let last = page.places.last().map_or(after, |place| place.seq);
        let lines = self.lane.read_lines(page.places).await?;
        self.step = if page.more {
            SubscriberStep::Resume {
                after: last,
                through,
                end,
            }
        } else {
            SubscriberStep::Live {
                cursor: through,
                persistent: last,
                sync_end: Some(end),
            }
        };
        Ok(lines)
    }

    /// One more page; on the last one, what is open and the cursor are taken in the same section
    /// of the lane as the end of the log.
    async fn reload(&mut self, after: Seq) -> Result<Vec<Bytes>, SessionError> {
        let taken = self
            .lane
            .section(move |lane, state| take_rest(lane, state, after))
            .await??;
        match taken {
            Taken::Page(places) => {
                let after = places.last().map_or(after, |place| place.seq);
                let lines = self.lane.read_lines(places).await?;
                self.step = SubscriberStep::Reload { after };
                Ok(lines)
            }
            Taken::Rest {
                batch,
                cursor,
                persistent,
            } => {
                self.step = SubscriberStep::Live {
                    cursor,
                    persistent,
                    sync_end: None,
                };
                Ok(batch)
            }
        }
    }

    async fn live(&mut self, cursor: Seq, persistent: Seq, sync_end: Option<Seq>) -> Vec<Bytes> {
        if sync_end.is_some_and(|end| cursor >= end) {
            self.step = SubscriberStep::Live {
                cursor,
                persistent,
                sync_end: None,
            };
            let session_id = self.lane.id();
            return vec![marker(&SyncMarker::SyncEnd {
                session_id,
                through_seq: cursor,
            })];
        }
        let Some(head) = self.wait(cursor).await else {
            self.step = SubscriberStep::Ended;
            return Vec::new();
        };
        if head.seq <= cursor {
            return head.end.map_or_else(Vec::new, |reason| self.ended(reason));
        }
        match self.lane.feed.after(cursor, BATCH_BYTES) {
            Ok(Batch { events, behind }) => {
                let cursor = events.last().map_or(cursor, |event| event.seq);
                let last = events.iter().rev().find(|event| event.persistent);
                let persistent = last.map_or(persistent, |event| event.seq);
                self.step = SubscriberStep::Live {
                    cursor,
                    persistent,
                    sync_end,
                };
                if behind > FAR_BEHIND {
                    merged(events)
                } else {
                    events.into_iter().map(|event| event.json).collect()
                }
            }
            Err(Fallen) => {
                let anchors = Anchors {
                    persistent_last_seq: persistent,
                    stream_last_seq: None,
                };
                self.step = SubscriberStep::Begin {
                    anchors,
                    fallen: true,
                };
                Vec::new()
            }
        }
    }

    /// Waits until there is something after `cursor`, or nothing will follow.
    async fn wait(&mut self, cursor: Seq) -> Option<Head> {
        let moved = |head: &Head| head.seq > cursor || head.end.is_some();
        self.head.wait_for(moved).await.ok().map(|head| *head)
    }

    fn ended(&mut self, reason: EndReason) -> Vec<Bytes> {
        self.step = SubscriberStep::Ended;
        vec![marker(&SyncMarker::End {
            session_id: self.lane.id(),
            reason,
        })]
    }
}

/// What a reload got out of the lane's section.
enum Taken {
    Page(Vec<Place>),
    Rest {
        batch: Vec<Bytes>,
        cursor: Seq,
        persistent: Seq,
    },
}

fn take_rest(lane: &Lane, state: &mut LaneState, after: Seq) -> Result<Taken, SessionError> {
    state.check_exists()?;
    let rest = state.index.after(after);
    let count = fitting(rest);
    if count < rest.len() {
        return Ok(Taken::Page(rest[..count].to_vec()));
    }
    let mut batch = lane.read_each(rest)?;
    // What is open follows from what was found.
    lane.look_again(state);
    let persistent = state.index.last().map_or(after, |place| place.seq);
    let (session_id, cursor) = (lane.id(), lane.feed.head());
    batch.push(marker(&SyncMarker::InFlight {
        session_id,
        in_flight: in_flight(lane, state),
    }));
    batch.push(marker(&SyncMarker::SyncEnd {
        session_id,
        through_seq: cursor,
    }));
    Ok(Taken::Rest {
        batch,
        cursor,
        persistent,
    })
}

fn marker(marker: &SyncMarker) -> Bytes {
    Bytes::from(serde_json::to_vec(marker).expect("a marker has only string keys"))
}
