//! A session's events across lost connections.

mod in_flight;

use std::time::Duration;

use scorel_proto::{
    EncodedEvent, EndReason, Event, OpenItems, SessionId, SessionView, SubscribeEventsParams,
    SyncMarker, SyncMode,
};
use serde_json::value::RawValue;
use tokio::time::Instant;

use crate::{Backoff, ClientAnchors, ClientError, Connection, EventNovelty, Subscription};

/// Opens the connections of a [`SessionStream`] or a [`crate::Caller`], the first one and those after a loss.
///
/// Implemented for closures that return a future of a connection.
pub trait Connect: Send {
    /// Connects and performs the handshake.
    fn connect(&mut self) -> impl Future<Output = Result<Connection, ClientError>> + Send;
}

impl<F, T> Connect for F
where
    F: FnMut() -> T + Send,
    T: Future<Output = Result<Connection, ClientError>> + Send,
{
    fn connect(&mut self) -> impl Future<Output = Result<Connection, ClientError>> + Send {
        self()
    }
}

/// An item of a [`SessionStream`].
#[derive(Debug)]
pub enum StreamItem {
    /// An event, encoded and decoded. Each is yielded once; only a full reload starts over.
    Event(EncodedEvent, Event),
    /// A marker of the protocol. The `sync_start` of a full reload voids everything yielded before.
    Marker(Box<SyncMarker>),
    /// The connection is lost; the stream will reconnect.
    Reconnecting {
        /// The number of the coming attempt, from 1.
        attempt: u32,
        /// The delay before it.
        wait: Duration,
        /// Why the connection, or the previous attempt, failed.
        error: ClientError,
    },
}

/// The events of one session, gapless and without duplicates, across reconnects.
///
/// The stream owns its connection. After a loss it reconnects with growing random delays of at most
/// five seconds, and resumes at its anchors.
#[derive(Debug)]
pub struct SessionStream<C> {
    connector: C,
    session_id: SessionId,
    anchors: ClientAnchors,
    view: SessionView,
    /// Whether the current reload has sent its `in_flight`.
    open_known: bool,
    state: StreamState,
    backoff: Backoff,
    patience: Option<Duration>,
    down_since: Option<Instant>,
}

#[derive(Debug)]
enum StreamState {
    /// Subscribed; the connection is kept to subscribe again on it.
    Live(Connection, Subscription),
    /// The connection works, but an event is missing: subscribe again.
    Again(Connection),
    /// The connection is lost; the caller is to be told next.
    Lost(ClientError),
    /// Reconnect at this time.
    Waiting {
        due: Instant,
        /// Whether the attempt has begun. It begins anew if its future was dropped.
        has_begun: bool,
    },
    /// The stream is over.
    Ended,
}

impl<C: Connect> SessionStream<C> {
    /// Connects and subscribes at `anchors`; the default anchors mean from the beginning.
    ///
    /// # Errors
    ///
    /// If the first attempt fails. Later ones are retried.
    pub async fn open(
        mut connector: C,
        session_id: SessionId,
        anchors: ClientAnchors,
    ) -> Result<Self, ClientError> {
        let connection = connector.connect().await?;
        let mut stream = Self {
            connector,
            session_id,
            anchors,
            view: SessionView::default(),
            open_known: false,
            state: StreamState::Ended,
            backoff: Backoff::default(),
            patience: None,
            down_since: None,
        };
        stream.subscribe(&connection).await?;
        Ok(stream)
    }

    /// Fails once the daemon has been unreachable for this long. By default the stream retries
    /// forever.
    #[must_use]
    pub const fn give_up_after(mut self, patience: Duration) -> Self {
        self.patience = Some(patience);
        self
    }

    /// Goes on with a state that was folded up to the anchors which the stream starts from.
    #[must_use]
    pub fn with_view(mut self, view: SessionView) -> Self {
        self.view = view;
        self
    }

    /// The session's state, folded from everything yielded so far. It lacks what happened before
    /// the anchors that the stream started from, unless [`SessionStream::with_view`] has given it.
    pub const fn view(&self) -> &SessionView {
        &self.view
    }

    /// The anchors after the last item.
    pub const fn anchors(&self) -> &ClientAnchors {
        &self.anchors
    }

    /// The connector, for example to change what the next reconnect does.
    pub const fn connector_mut(&mut self) -> &mut C {
        &mut self.connector
    }

    /// Whether [`SessionStream::next`] would return without waiting.
    pub fn is_ready(&self) -> bool {
        match &self.state {
            StreamState::Live(_, subscription) => subscription.is_ready(),
            StreamState::Lost(_) => true,
            StreamState::Again(_) | StreamState::Waiting { .. } | StreamState::Ended => false,
        }
    }

    /// Whether the connection is lost. To drop the future of [`SessionStream::next`] then loses no item,
    /// but the next one begins the attempt to reconnect anew.
    pub const fn is_reconnecting(&self) -> bool {
        matches!(
            self.state,
            StreamState::Lost(_) | StreamState::Waiting { .. }
        )
    }

    /// The next item; `None` once the session is deleted or has failed. Cancel safe.
    ///
    /// # Errors
    ///
    /// If resubscribing fails with an error that is not retryable, or the daemon is unreachable for
    /// longer than [`SessionStream::give_up_after`] allows. The stream is then over.
    pub async fn next(&mut self) -> Result<Option<StreamItem>, ClientError> {
        loop {
            match &mut self.state {
                StreamState::Live(_, subscription) => match subscription.next().await {
                    Some(text) => {
                        if let Some(item) = self.take(text)? {
                            return Ok(Some(item));
                        }
                    }
                    None => self.state = StreamState::Lost(ClientError::Closed),
                },
                StreamState::Again(connection) => {
                    let connection = connection.clone();
                    let subscribed = self.subscribe(&connection).await;
                    self.recover(subscribed)?;
                }
                StreamState::Lost(_) => return self.announce().map(Some),
                StreamState::Waiting { due, has_begun } => {
                    tokio::time::sleep_until(*due).await;
                    let was_dropped = std::mem::replace(has_begun, true);
                    // An attempt that is dropped again and again never fails by itself.
                    let connected = if was_dropped && self.is_out_of_patience() {
                        Err(ClientError::Unresponsive)
                    } else {
                        self.reconnect().await
                    };
                    self.recover(connected)?;
                }
                StreamState::Ended => return Ok(None),
            }
        }
    }

    /// Reports the loss and schedules the next attempt.
    fn announce(&mut self) -> Result<StreamItem, ClientError> {
        let StreamState::Lost(error) = std::mem::replace(&mut self.state, StreamState::Ended)
        else {
            return Err(ClientError::Closed);
        };
        let now = Instant::now();
        self.down_since.get_or_insert(now);
        if self.is_out_of_patience() {
            return Err(error);
        }
        let (attempt, wait) = self.backoff.pause();
        self.state = StreamState::Waiting {
            due: now + wait,
            has_begun: false,
        };
        Ok(StreamItem::Reconnecting {
            attempt,
            wait,
            error,
        })
    }

    fn is_out_of_patience(&self) -> bool {
        let patience = self.patience.zip(self.down_since);
        patience.is_some_and(|(patience, since)| since.elapsed() >= patience)
    }

    async fn reconnect(&mut self) -> Result<(), ClientError> {
        let connection = self.connector.connect().await?;
        self.subscribe(&connection).await
    }

    /// Retries after a temporary error; any other error ends the stream.
    fn recover(&mut self, result: Result<(), ClientError>) -> Result<(), ClientError> {
        match result {
            Ok(()) => Ok(()),
            Err(error) if error.may_pass() => {
                self.state = StreamState::Lost(error);
                Ok(())
            }
            Err(error) => {
                self.state = StreamState::Ended;
                Err(error)
            }
        }
    }

    async fn subscribe(&mut self, connection: &Connection) -> Result<(), ClientError> {
        let params = SubscribeEventsParams {
            session_id: self.session_id,
            persistent_last_seq: Some(self.anchors.persistent()),
            stream_last_seq: self.anchors.stream(),
            persistent_last_id: self.anchors.persistent_id(),
        };
        let subscription = connection.subscribe_events(&params).await?;
        self.state = StreamState::Live(connection.clone(), subscription);
        Ok(())
    }

    /// Decodes one item; `None` if it is a duplicate, or cannot be applied because an event is
    /// missing.
    fn take(&mut self, text: Box<RawValue>) -> Result<Option<StreamItem>, ClientError> {
        self.backoff.reset();
        self.down_since = None;
        let encoded = EncodedEvent::new(text);
        match encoded.decode() {
            Ok(event) => Ok(self.event(encoded, event)),
            Err(problem) => match serde_json::from_str::<SyncMarker>(encoded.text()) {
                Ok(marker) => Ok(Some(self.marker(marker))),
                Err(_) if is_unknown_marker(encoded.text()) => Ok(None),
                Err(_) => {
                    self.state = StreamState::Ended;
                    Err(ClientError::Protocol(format!("event: {problem}")))
                }
            },
        }
    }

    fn event(&mut self, encoded: EncodedEvent, event: Event) -> Option<StreamItem> {
        match self.anchors.event(&event) {
            EventNovelty::Duplicate => None,
            EventNovelty::Missing => {
                if let StreamState::Live(connection, _) = &self.state {
                    self.state = StreamState::Again(connection.clone());
                }
                None
            }
            EventNovelty::New => {
                self.view.apply(&event);
                Some(StreamItem::Event(encoded, event))
            }
        }
    }

    fn marker(&mut self, marker: SyncMarker) -> StreamItem {
        match &marker {
            SyncMarker::SyncStart { mode, .. } => {
                self.open_known = false;
                if *mode == SyncMode::FullReload {
                    self.view = SessionView::default();
                }
            }
            SyncMarker::InFlight { in_flight, .. } => {
                self.open_known = true;
                in_flight::apply(&mut self.view, in_flight);
            }
            SyncMarker::SyncEnd { through_seq, .. } => {
                let state = &mut self.view.state;
                state.last_seq = state.last_seq.max(*through_seq);
                if self.anchors.reload().is_some() && !self.open_known {
                    self.view.open = OpenItems::default();
                }
            }
            SyncMarker::End { reason, .. } => self.state = after_end(*reason),
        }
        self.anchors.marker(&marker);
        StreamItem::Marker(Box::new(marker))
    }
}

/// A daemon that shuts down may come back; a deleted or failed session does not.
const fn after_end(reason: EndReason) -> StreamState {
    match reason {
        EndReason::Deleted | EndReason::Failed => StreamState::Ended,
        EndReason::ShuttingDown => StreamState::Lost(ClientError::Closed),
    }
}

/// Whether the text is a marker of an unknown type, as a newer daemon may send: it has a `type` and
/// no `seq`.
fn is_unknown_marker(text: &str) -> bool {
    let fields: serde_json::Result<std::collections::HashMap<String, &RawValue>> =
        serde_json::from_str(text);
    fields.is_ok_and(|fields| fields.contains_key("type") && !fields.contains_key("seq"))
}
