//! Following a session across lost connections.

mod in_flight;

use std::time::Duration;

use scorel_proto::{
    EncodedEvent, EndReason, Event, OpenItems, SessionId, SessionView, SubscribeEventsParams,
    SyncMarker, SyncMode,
};
use serde_json::value::RawValue;
use tokio::time::Instant;

use crate::anchors::{Anchors, Verdict};
use crate::{Backoff, ClientError, Connection, Subscription};

/// Makes the connections of a [`SessionStream`], the first one and every later one.
///
/// Closures that return a future of a connection are connectors.
pub trait Connect {
    /// Connects and greets.
    fn connect(&mut self) -> impl Future<Output = Result<Connection, ClientError>>;
}

impl<F, T> Connect for F
where
    F: FnMut() -> T,
    T: Future<Output = Result<Connection, ClientError>>,
{
    fn connect(&mut self) -> impl Future<Output = Result<Connection, ClientError>> {
        self()
    }
}

/// What a [`SessionStream`] yields.
#[derive(Debug)]
pub enum Item {
    /// An event, as it was sent and as it was understood. Each comes once, unless a full reload
    /// starts everything over.
    Event(EncodedEvent, Event),
    /// A marker of the protocol. At the `sync_start` of a full reload everything yielded so far is
    /// void.
    Marker(Box<SyncMarker>),
    /// The connection is lost, and another attempt follows.
    Reconnecting {
        /// Which attempt follows, from 1.
        attempt: u32,
        /// How long until then.
        wait: Duration,
        /// What ended the connection, or the attempt before.
        error: ClientError,
    },
}

/// One session, event by event, for as long as the caller asks for the next one.
///
/// It has a connection of its own and reconnects by itself, with growing random pauses of at most
/// five seconds. After each break it goes on exactly where it was.
#[derive(Debug)]
pub struct SessionStream<C> {
    connector: C,
    session_id: SessionId,
    anchors: Anchors,
    view: SessionView,
    /// Whether the reload under way has said what is open.
    open_known: bool,
    state: State,
    backoff: Backoff,
    patience: Option<Duration>,
    down_since: Option<Instant>,
}

#[derive(Debug)]
enum State {
    /// Items come in.
    Live(Subscription),
    /// The connection is good, but the place must be asked for again.
    Again(Connection),
    /// The connection was lost, and nobody has been told.
    Lost(ClientError),
    /// The next attempt is due.
    Waiting(Instant),
    /// Nothing follows.
    Ended,
}

impl<C: Connect> SessionStream<C> {
    /// Connects and subscribes to a session at a place: the default anchors for everything from
    /// the beginning.
    ///
    /// # Errors
    ///
    /// If the first attempt fails.
    pub async fn open(
        mut connector: C,
        session_id: SessionId,
        anchors: Anchors,
    ) -> Result<Self, ClientError> {
        let connection = connector.connect().await?;
        let mut stream = Self {
            connector,
            session_id,
            anchors,
            view: SessionView::default(),
            open_known: false,
            state: State::Ended,
            backoff: Backoff::default(),
            patience: None,
            down_since: None,
        };
        stream.subscribe(&connection).await?;
        Ok(stream)
    }

    /// Gives up when no connection could be made for this long. Without it, the stream tries for
    /// ever.
    #[must_use]
    pub const fn give_up_after(mut self, patience: Duration) -> Self {
        self.patience = Some(patience);
        self
    }

    /// The session's state, folded from everything yielded so far. If the stream did not begin at
    /// the beginning, the view lacks what was before.
    #[must_use]
    pub const fn view(&self) -> &SessionView {
        &self.view
    }

    /// The client's place.
    #[must_use]
    pub const fn anchors(&self) -> &Anchors {
        &self.anchors
    }

    /// What makes the connections.
    pub const fn connector_mut(&mut self) -> &mut C {
        &mut self.connector
    }

    /// Whether the next item is here already.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        match &self.state {
            State::Live(subscription) => subscription.is_ready(),
            State::Lost(_) => true,
            State::Again(_) | State::Waiting(_) | State::Ended => false,
        }
    }

    /// The next item; nothing once the session is gone. Safe to cancel.
    ///
    /// # Errors
    ///
    /// If the daemon refuses to go on, or cannot be reached for longer than
    /// [`SessionStream::give_up_after`] allows. Nothing follows then.
    pub async fn next(&mut self) -> Result<Option<Item>, ClientError> {
        loop {
            match &mut self.state {
                State::Live(subscription) => match subscription.next().await {
                    Some(text) => {
                        if let Some(item) = self.take(text)? {
                            return Ok(Some(item));
                        }
                    }
                    None => self.state = State::Lost(ClientError::Closed),
                },
                State::Again(connection) => {
                    let connection = connection.clone();
                    let subscribed = self.subscribe(&connection).await;
                    self.recover(subscribed)?;
                }
                State::Lost(_) => return self.announce().map(Some),
                State::Waiting(due) => {
                    tokio::time::sleep_until(*due).await;
                    let connected = self.reconnect().await;
                    self.recover(connected)?;
                }
                State::Ended => return Ok(None),
            }
        }
    }

    /// Says that the connection was lost and when the next attempt is due.
    fn announce(&mut self) -> Result<Item, ClientError> {
        let State::Lost(error) = std::mem::replace(&mut self.state, State::Ended) else {
            return Err(ClientError::Closed);
        };
        let now = Instant::now();
        let since = *self.down_since.get_or_insert(now);
        if self
            .patience
            .is_some_and(|patience| now - since >= patience)
        {
            return Err(error);
        }
        let (attempt, wait) = self.backoff.pause();
        self.state = State::Waiting(now + wait);
        Ok(Item::Reconnecting {
            attempt,
            wait,
            error,
        })
    }

    async fn reconnect(&mut self) -> Result<(), ClientError> {
        let connection = self.connector.connect().await?;
        self.subscribe(&connection).await
    }

    /// What may pass leads to another attempt; everything else is the end.
    fn recover(&mut self, result: Result<(), ClientError>) -> Result<(), ClientError> {
        match result {
            Ok(()) => Ok(()),
            Err(error) if error.may_pass() => {
                self.state = State::Lost(error);
                Ok(())
            }
            Err(error) => {
                self.state = State::Ended;
                Err(error)
            }
        }
    }

    async fn subscribe(&mut self, connection: &Connection) -> Result<(), ClientError> {
        let params = SubscribeEventsParams {
            session_id: self.session_id,
            persistent_last_seq: Some(self.anchors.persistent()),
            stream_last_seq: self.anchors.stream(),
        };
        let subscription = connection.subscribe_events(&params).await?;
        self.state = State::Live(subscription);
        Ok(())
    }

    /// Reads one item; nothing if the caller has it already or must wait for what is missing.
    fn take(&mut self, text: Box<RawValue>) -> Result<Option<Item>, ClientError> {
        self.backoff.reset();
        self.down_since = None;
        let encoded = EncodedEvent::new(text);
        match encoded.decode() {
            Ok(event) => Ok(self.event(encoded, event)),
            Err(problem) => match serde_json::from_str::<SyncMarker>(encoded.text()) {
                Ok(marker) => Ok(Some(self.marker(marker))),
                Err(_) if is_unknown_marker(encoded.text()) => Ok(None),
                Err(_) => {
                    self.state = State::Ended;
                    Err(ClientError::Protocol(format!("event: {problem}")))
                }
            },
        }
    }

    fn event(&mut self, encoded: EncodedEvent, event: Event) -> Option<Item> {
        match self.anchors.event(&event) {
            Verdict::Duplicate => None,
            Verdict::Missing => {
                if let State::Live(subscription) = &self.state {
                    self.state = State::Again(subscription.connection().clone());
                }
                None
            }
            Verdict::New => {
                self.view.apply(&event);
                Some(Item::Event(encoded, event))
            }
        }
    }

    fn marker(&mut self, marker: SyncMarker) -> Item {
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
            SyncMarker::SyncEnd { .. } => {
                if self.anchors.reload().is_some() && !self.open_known {
                    self.view.open = OpenItems::default();
                }
            }
            SyncMarker::End { reason, .. } => self.state = after_end(*reason),
        }
        self.anchors.marker(&marker);
        Item::Marker(Box::new(marker))
    }
}

/// A daemon that stops may come back; a session that is gone does not.
const fn after_end(reason: EndReason) -> State {
    match reason {
        EndReason::Deleted | EndReason::Failed => State::Ended,
        EndReason::ShuttingDown => State::Lost(ClientError::Closed),
    }
}

/// Markers carry no number. Those of a newer daemon are skipped.
fn is_unknown_marker(text: &str) -> bool {
    let fields: serde_json::Result<std::collections::HashMap<String, &RawValue>> =
        serde_json::from_str(text);
    fields.is_ok_and(|fields| fields.contains_key("type") && !fields.contains_key("seq"))
}
