use std::collections::VecDeque;

use scorel_proto::{
    EncodedEvent, Event, GetEvents, GetEventsParams, GetEventsResult, Seq, SessionId,
};

use super::active_path::ActivePath;
use crate::daemon::DaemonClient;
use crate::exit::Exit;
use crate::failure::Failure;

/// The records of a session, in order and page by page.
pub(super) struct Records {
    session_id: SessionId,
    /// Selects the records to return; all of them if `None`.
    path: Option<ActivePath>,
    after: Seq,
    page: VecDeque<(EncodedEvent, Event)>,
    is_last: bool,
}

/// The last `limit` records before a place in the log.
pub(super) async fn events_before(
    control: &mut DaemonClient,
    session_id: SessionId,
    before: Seq,
    limit: u32,
) -> Result<GetEventsResult, Failure> {
    let params = GetEventsParams {
        session_id,
        after_seq: None,
        before_seq: Some(before),
        limit: Some(limit),
        kinds: None,
    };
    Ok(control.call::<GetEvents>(&params).await?)
}

/// The failure if the daemon sends what is not an event is one of the protocol.
pub(super) fn decoded(encoded: &EncodedEvent) -> Result<Event, Failure> {
    encoded.decode().map_err(|error| {
        let message = format!("the daemon sent an invalid event: {error}");
        Failure::new(Exit::Internal, "protocol", message)
    })
}

impl Records {
    pub(super) const fn all(session_id: SessionId) -> Self {
        Self::after(session_id, Seq::ZERO)
    }

    /// The records after a seq.
    pub(super) const fn after(session_id: SessionId, after: Seq) -> Self {
        Self {
            session_id,
            path: None,
            after,
            page: VecDeque::new(),
            is_last: false,
        }
    }

    /// Those of the conversation up to the active leaf.
    pub(super) async fn active_path(
        session_id: SessionId,
        control: &mut DaemonClient,
    ) -> Result<Self, Failure> {
        Ok(Self {
            path: Some(ActivePath::of(control, session_id, None).await?),
            ..Self::all(session_id)
        })
    }

    /// The next record, as the log has it and decoded.
    pub(super) async fn next(
        &mut self,
        control: &mut DaemonClient,
    ) -> Result<Option<(EncodedEvent, Event)>, Failure> {
        while self.page.is_empty() && !self.is_last {
            self.read(control).await?;
        }
        Ok(self.page.pop_front())
    }

    async fn read(&mut self, control: &mut DaemonClient) -> Result<(), Failure> {
        let params = GetEventsParams {
            session_id: self.session_id,
            after_seq: Some(self.after),
            before_seq: None,
            limit: Some(1000),
            kinds: None,
        };
        let page = control.call::<GetEvents>(&params).await?;
        self.is_last = !page.more || page.events.is_empty();
        for encoded in page.events {
            let event = decoded(&encoded)?;
            self.after = self.after.max(event.seq());
            let is_wanted = self.path.as_mut().is_none_or(|path| path.has(&event));
            if is_wanted {
                self.page.push_back((encoded, event));
            }
        }
        Ok(())
    }
}
