use std::sync::Arc;

use bytes::Bytes;
use scorel_proto::{Anchors, InFlight, ResyncParams, ResyncResult, Seq, SyncMode};

use super::Sessions;
use super::page_token::PageToken;
use crate::SessionError;
use crate::lane::{Lane, encoded};
use crate::sync::{SyncBatch, SyncCursor, SyncPlan, SyncPoint};

/// A page that is being read.
struct ResyncPage {
    mode: SyncMode,
    reason: Option<String>,
    lines: Vec<Bytes>,
    /// The end of the live events: where the session stood when they began. Later events belong to a
    /// new resync, or a busy session would never let this one end.
    cut: Option<Seq>,
    /// The moment that the page describes.
    at: Option<SyncPoint>,
    /// Where the client is after the last page.
    through: Option<Seq>,
    /// The end of a reload.
    in_flight: Option<InFlight>,
}

impl Sessions {
    /// Reads one page of what a client has missed.
    ///
    /// # Errors
    ///
    /// If there is no such session, its log cannot be read, or the page token is invalid.
    pub async fn resync(
        self: &Arc<Self>,
        params: ResyncParams,
    ) -> Result<ResyncResult, SessionError> {
        let token = params.page.as_deref().map(str::parse).transpose()?;
        let anchors = Anchors {
            persistent_last_seq: params.persistent_last_seq.unwrap_or_default(),
            stream_last_seq: params.stream_last_seq,
            persistent_last_id: params.persistent_last_id,
        };
        let lane = self.get(params.session_id).await?;
        let (cursor, mut page) = match token {
            Some(PageToken { cursor, cut }) => (cursor, ResyncPage::next(cursor, cut)),
            None => ResyncPage::first(&lane, anchors).await?,
        };
        let next = page.read(&lane, cursor).await?;
        page.into_result(&lane, next)
    }
}

impl ResyncPage {
    async fn first(lane: &Arc<Lane>, anchors: Anchors) -> Result<(SyncCursor, Self), SessionError> {
        let diverged = lane.diverged(anchors).await?;
        let published = lane.published();
        published.check_exists()?;
        let plan = SyncPlan::new(&published, anchors, diverged);
        let mut page = Self::next(plan.cursor, None);
        page.reason = plan.reason.map(str::to_owned);
        Ok((plan.cursor, page))
    }

    const fn next(cursor: SyncCursor, cut: Option<Seq>) -> Self {
        let mode = match cursor {
            SyncCursor::Reload { mode, .. } => mode,
            SyncCursor::Resume { .. } | SyncCursor::Live { .. } => SyncMode::StreamResume,
        };
        Self {
            mode,
            reason: None,
            lines: Vec::new(),
            cut,
            at: None,
            through: None,
            in_flight: None,
        }
    }

    /// Reads up to the end of a page, and returns where the next one begins. One batch is a page, except that live events follow the last
    /// records of a resume at once, and a fallback starts on the page that notices it.
    async fn read(
        &mut self,
        lane: &Arc<Lane>,
        mut cursor: SyncCursor,
    ) -> Result<Option<SyncCursor>, SessionError> {
        loop {
            match cursor.next(lane, self.cut).await? {
                SyncBatch::Records(lines) => {
                    self.lines.extend(lines);
                    if !matches!(cursor, SyncCursor::Live { .. }) {
                        return Ok(Some(cursor));
                    }
                    let at = point(lane)?;
                    (self.cut, self.at) = (Some(at.head), Some(at));
                }
                SyncBatch::ReloadEnd {
                    lines,
                    in_flight,
                    at,
                } => {
                    self.lines.extend(lines);
                    self.at = Some(at);
                    self.through = Some(at.head);
                    self.in_flight = Some(in_flight);
                    return Ok(None);
                }
                SyncBatch::Live(batch) => {
                    let events = batch.events;
                    let last = events.last().map(|event| event.seq);
                    self.lines
                        .extend(events.into_iter().map(|event| event.json));
                    if let (Some(last), Some(cut)) = (last, self.cut)
                        && last < cut
                    {
                        return Ok(Some(cursor));
                    }
                    self.through = Some(self.cut.or(last).unwrap_or_default());
                    return Ok(None);
                }
                SyncBatch::FellBehind { record } => {
                    let plan = SyncPlan::evicted(record);
                    self.mode = plan.mode;
                    self.reason = plan.reason.map(str::to_owned);
                    (self.cut, self.at) = (None, None);
                    cursor = plan.cursor;
                }
            }
        }
    }

    fn into_result(
        self,
        lane: &Lane,
        next: Option<SyncCursor>,
    ) -> Result<ResyncResult, SessionError> {
        let at = match self.at {
            Some(at) => at,
            None => point(lane)?,
        };
        let events = self.lines.iter().map(encoded).collect::<Result<_, _>>()?;
        let cut = self.cut;
        let next_page = next.map(|cursor| PageToken { cursor, cut }.to_string());
        Ok(ResyncResult {
            mode: self.mode,
            reason: self.reason,
            events,
            through_seq: self.through,
            in_flight: self.in_flight,
            current_seq: at.head,
            active_leaf_id: at.leaf,
            next_page,
        })
    }
}

fn point(lane: &Lane) -> Result<SyncPoint, SessionError> {
    let published = lane.published();
    published.check_exists()?;
    Ok(SyncPoint::of(&published))
}
