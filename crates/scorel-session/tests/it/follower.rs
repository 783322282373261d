//! A client that follows a session by the rules.

use std::collections::VecDeque;
use std::time::Duration;

use bytes::Bytes;
use scorel_proto::{Anchors, Event, InFlight, SessionView, SyncMarker, SyncMode};
use scorel_session::Subscriber;
use serde_json::Value;

use crate::log::name;

/// Longer than anything that a test waits for. Time is paused, so waiting in vain costs nothing.
const FOREVER: Duration = Duration::from_secs(50_000);

/// Waits for what must come.
pub(crate) async fn within<T>(future: impl Future<Output = T>) -> T {
    let waited = tokio::time::timeout(FOREVER, future).await;
    waited.expect("what the test waits for comes")
}

/// A client's state, kept by the client rules of the protocol.
#[derive(Debug)]
pub(crate) struct Follower {
    subscriber: Subscriber,
    due: VecDeque<Bytes>,
    /// Everything that came and was taken, in order.
    pub(crate) taken: Vec<Bytes>,
    pub(crate) view: SessionView,
    pub(crate) anchors: Anchors,
    mode: Option<SyncMode>,
    in_flight: Option<InFlight>,
}

impl Follower {
    pub(crate) fn new(subscriber: Subscriber, view: SessionView, anchors: Anchors) -> Self {
        Self {
            subscriber,
            due: VecDeque::new(),
            taken: Vec::new(),
            view,
            anchors,
            mode: None,
            in_flight: None,
        }
    }

    /// The next event or marker; nothing when nothing follows.
    pub(crate) async fn try_next(&mut self) -> Option<Value> {
        while self.due.is_empty() {
            let batch = within(self.subscriber.next_batch())
                .await
                .expect("readable")?;
            self.due.extend(batch);
        }
        let json = self.due.pop_front().expect("not empty");
        let value: Value = serde_json::from_slice(&json).expect("JSON");
        self.apply(&json, &value);
        self.taken.push(json);
        Some(value)
    }

    pub(crate) async fn next(&mut self) -> Value {
        self.try_next().await.expect("something follows")
    }

    /// Takes everything up to the first event of a type, or message of a role.
    pub(crate) async fn until(&mut self, wanted: &str) -> Value {
        loop {
            let value = self.next().await;
            if name(&value) == wanted {
                return value;
            }
        }
    }

    /// Takes everything up to the outcome of a turn, and returns why it ended.
    pub(crate) async fn outcome(&mut self) -> String {
        let outcome = self.until("turn_outcome").await;
        outcome["reason"].as_str().expect("a reason").to_owned()
    }

    /// The names of the taken events and markers.
    pub(crate) fn names(&self) -> Vec<String> {
        self.events().iter().map(name).collect()
    }

    pub(crate) fn events(&self) -> Vec<Value> {
        let parse = |json: &Bytes| serde_json::from_slice(json).expect("JSON");
        self.taken.iter().map(parse).collect()
    }

    fn apply(&mut self, json: &Bytes, value: &Value) {
        if value["seq"].is_null() {
            let marker = serde_json::from_value(value.clone()).expect("a marker");
            self.mark(marker);
            return;
        }
        let text = std::str::from_utf8(json).expect("text");
        let event = Event::decode(text).expect("an event");
        self.count(&event);
        self.view.apply(&event);
    }

    fn count(&mut self, event: &Event) {
        let (persistent, stream) = (
            self.anchors.persistent_last_seq,
            self.anchors.stream_last_seq,
        );
        let reloading = self.mode.is_some_and(|mode| mode != SyncMode::StreamResume);
        if self.mode.is_none() {
            assert!(
                Some(event.seq()) > stream,
                "live events come in order and once"
            );
        }
        if event.is_persistent() && event.seq() >= persistent {
            self.anchors.persistent_last_seq = event.seq();
            self.anchors.persistent_last_id = event.id();
        }
        if !reloading {
            self.anchors.stream_last_seq = stream.max(Some(event.seq()));
        }
    }

    fn mark(&mut self, marker: SyncMarker) {
        match marker {
            SyncMarker::SyncStart { mode, .. } => {
                self.mode = Some(mode);
                if mode != SyncMode::StreamResume {
                    self.anchors.stream_last_seq = None;
                }
                if mode == SyncMode::FullReload {
                    self.view = SessionView::default();
                    self.anchors = Anchors::default();
                }
            }
            SyncMarker::InFlight { in_flight, .. } => self.in_flight = Some(in_flight),
            SyncMarker::SyncEnd { through_seq, .. } => {
                if self.mode.take() != Some(SyncMode::StreamResume) {
                    let in_flight = self.in_flight.take().expect("a reload says what is open");
                    self.view.open = in_flight.open;
                }
                self.anchors.stream_last_seq = Some(through_seq);
            }
            SyncMarker::End { .. } => {}
        }
    }
}
