//! Following a session.

mod lag;
mod merge;

use std::sync::Arc;

use bytes::Bytes;
use scorel_proto::{Anchors, EndReason, Seq, SyncMarker};
use tokio::sync::watch;

use crate::SessionError;
use crate::feed::{FeedBatch, FeedHead};
use crate::lane::Lane;
use crate::sync::{SyncBatch, SyncCursor, SyncPlan};

pub use lag::SubscriberLag;
use merge::merged;

pub(crate) use merge::FAR_BEHIND;

/// A client's subscription to a session: a cursor, not a queue. A slow client costs the session
/// nothing.
///
/// Each batch is a list of JSON texts: events as they stand in the log or were published, and
/// markers. Only for a client that is thousands of events behind are adjacent deltas of one block
/// merged into one event. Such an event begins behind the cursor, so it never repeats text that the
/// client has.
#[derive(Debug)]
pub struct Subscriber {
    lane: Arc<Lane>,
    head: watch::Receiver<FeedHead>,
    lag: SubscriberLag,
    step: SubscriberStep,
}

#[derive(Debug, Clone, Copy)]
enum SubscriberStep {
    /// Compare the anchors with the session. `fell_behind`: they are our own cursor's.
    Begin {
        anchors: Anchors,
        fell_behind: bool,
    },
    /// Send what the cursor yields. `sync_end` is where a resume has caught up, until that is said.
    Follow {
        cursor: SyncCursor,
        sync_end: Option<Seq>,
    },
    Ended,
}

impl Subscriber {
    pub(crate) fn new(lane: Arc<Lane>, anchors: Anchors) -> Self {
        let head = lane.watch_head();
        Self {
            lag: SubscriberLag::new(lane.id(), head.clone()),
            head,
            lane,
            step: SubscriberStep::Begin {
                anchors,
                fell_behind: false,
            },
        }
    }

    /// How far this subscriber is behind, also while it waits or its receiver does.
    pub fn lag(&self) -> SubscriberLag {
        self.lag.clone()
    }

    /// The next batch, as soon as there is one; `None` when nothing follows any more.
    ///
    /// Dropping the future loses nothing.
    ///
    /// # Errors
    ///
    /// If the session is gone or its log cannot be read. Nothing follows then but
    /// [`Subscriber::failed_end`], with which the receiver is told.
    pub async fn next_batch(&mut self) -> Result<Option<Vec<Bytes>>, SessionError> {
        // Who asks for the next batch has taken the last one.
        if let Some(seq) = self.step.given_through() {
            self.lag.given_through(seq);
        }
        loop {
            let batch = match self.step {
                SubscriberStep::Begin {
                    anchors,
                    fell_behind,
                } => self.begin(anchors, fell_behind).await,
                SubscriberStep::Follow { cursor, sync_end } => self.follow(cursor, sync_end).await,
                SubscriberStep::Ended => return Ok(None),
            };
            let batch = batch.or_else(|error| self.end_with(error))?;
            if !batch.is_empty() {
                return Ok(Some(batch));
            }
        }
    }

    /// The marker after an error: without it the receiver would wait for ever.
    pub fn failed_end(&self) -> Bytes {
        marker(&SyncMarker::End {
            session_id: self.lane.id(),
            reason: EndReason::Failed,
        })
    }

    /// A session that was deleted before everything was sent ends the subscription in order.
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

    async fn begin(
        &mut self,
        anchors: Anchors,
        fell_behind: bool,
    ) -> Result<Vec<Bytes>, SessionError> {
        let diverged = self.lane.diverged(anchors).await?;
        let published = self.lane.published();
        published.check_exists()?;
        let mut plan = SyncPlan::new(&published, anchors, diverged);
        if fell_behind {
            plan.reason = Some("the subscriber fell behind what is kept in memory");
        }
        let resumes = matches!(plan.cursor, SyncCursor::Resume { .. });
        self.step = SubscriberStep::Follow {
            cursor: plan.cursor,
            sync_end: resumes.then(|| published.head()),
        };
        Ok(vec![marker(&SyncMarker::SyncStart {
            session_id: self.lane.id(),
            mode: plan.mode,
            reason: plan.reason.map(str::to_owned),
        })])
    }

    async fn follow(
        &mut self,
        mut cursor: SyncCursor,
        sync_end: Option<Seq>,
    ) -> Result<Vec<Bytes>, SessionError> {
        if let SyncCursor::Live { after, .. } = cursor {
            if sync_end.is_some_and(|end| after >= end) {
                let sync_end = None;
                self.step = SubscriberStep::Follow { cursor, sync_end };
                return Ok(vec![self.sync_end(after)]);
            }
            if let Some(reason) = self.wait(after).await {
                return Ok(self.ended(reason));
            }
        }
        let batch = cursor.next(&self.lane, None).await?;
        self.step = SubscriberStep::Follow { cursor, sync_end };
        Ok(self.texts(batch))
    }

    /// Waits for an event after `cursor`. Returns how the feed ended, if it did before that.
    async fn wait(&mut self, cursor: Seq) -> Option<EndReason> {
        let moved = |head: &FeedHead| head.seq > cursor || head.end.is_some();
        // The sender is in the lane, which this subscriber keeps alive.
        let head = *self.head.wait_for(moved).await.ok()?;
        head.end.filter(|_| head.seq <= cursor)
    }

    fn texts(&mut self, batch: SyncBatch) -> Vec<Bytes> {
        match batch {
            SyncBatch::Records(lines) => lines,
            SyncBatch::ReloadEnd {
                mut lines,
                in_flight,
                at,
            } => {
                lines.push(marker(&SyncMarker::InFlight {
                    session_id: self.lane.id(),
                    in_flight,
                }));
                lines.push(self.sync_end(at.head));
                lines
            }
            SyncBatch::Live(FeedBatch { events, behind }) if behind > FAR_BEHIND => merged(events),
            SyncBatch::Live(FeedBatch { events, .. }) => {
                events.into_iter().map(|event| event.json).collect()
            }
            SyncBatch::FellBehind { record } => {
                let anchors = Anchors {
                    persistent_last_seq: record,
                    stream_last_seq: None,
                    persistent_last_id: None,
                };
                self.step = SubscriberStep::Begin {
                    anchors,
                    fell_behind: true,
                };
                Vec::new()
            }
        }
    }

    fn sync_end(&self, through_seq: Seq) -> Bytes {
        marker(&SyncMarker::SyncEnd {
            session_id: self.lane.id(),
            through_seq,
        })
    }

    fn ended(&mut self, reason: EndReason) -> Vec<Bytes> {
        self.step = SubscriberStep::Ended;
        vec![marker(&SyncMarker::End {
            session_id: self.lane.id(),
            reason,
        })]
    }
}

impl SubscriberStep {
    /// The seq through which the receiver has been given everything; `None` after the end.
    const fn given_through(self) -> Option<Seq> {
        match self {
            Self::Begin { anchors, .. } => Some(anchors.persistent_last_seq),
            Self::Follow { cursor, .. } => Some(cursor.given_through()),
            Self::Ended => None,
        }
    }
}

fn marker(marker: &SyncMarker) -> Bytes {
    Bytes::from(serde_json::to_vec(marker).expect("a marker has only string keys"))
}
