//! A client that follows a session as the interactive one does.

use std::path::Path;

use scorel_client::{ClientAnchors, SessionStream, StreamItem};
use scorel_proto::{OpenItems, SessionId, SessionView, SyncMarker};
use scorel_testkit::CheckedLog;
use tokio::time::timeout;

use crate::under_test::{Door, PATIENCE};

pub(super) struct Follower {
    stream: SessionStream<Door>,
    /// The number of times that it has caught up.
    caught_up: usize,
}

impl Follower {
    pub(super) async fn new(socket: &Path, id: SessionId, anchors: ClientAnchors) -> Self {
        let stream = SessionStream::open(Door(socket.to_owned()), id, anchors).await;
        Self {
            stream: stream.unwrap(),
            caught_up: 0,
        }
    }

    /// Follows from the end of this log on, and has caught up.
    pub(super) async fn joining(socket: &Path, id: SessionId, log: &CheckedLog) -> Self {
        let last = log.view().state.last_persistent_seq;
        let last_id = log.records().last().and_then(|it| it.value["id"].as_str());
        let last_id = last_id.map(|id| id.parse().unwrap());
        let anchors = ClientAnchors::new(last, None).with_id(last_id);
        let mut joined = Self::new(socket, id, anchors).await;
        joined.until_caught_up().await;
        joined
    }

    pub(super) fn view(&self) -> &SessionView {
        self.stream.view()
    }

    async fn step(&mut self) {
        let item = timeout(PATIENCE, self.stream.next()).await;
        let item = item.unwrap_or_else(|_| panic!("nothing comes; {:?}", self.view().state));
        let item = item.unwrap().expect("the session is there");
        if let StreamItem::Marker(marker) = item
            && matches!(*marker, SyncMarker::SyncEnd { .. })
        {
            self.caught_up += 1;
        }
    }

    /// Reads until it has caught up once more.
    pub(super) async fn until_caught_up(&mut self) {
        let before = self.caught_up;
        while self.caught_up == before {
            self.step().await;
        }
    }

    pub(super) async fn until(&mut self, is_so: impl Fn(&SessionView) -> bool) {
        while !is_so(self.view()) {
            self.step().await;
        }
    }

    /// Reads until it has exactly the records of the log, and returns that log. `log` is read again if there are more
    /// by now, so this needs no pause in the history.
    pub(super) async fn until_it_has(&mut self, mut log: CheckedLog, path: &Path) -> CheckedLog {
        loop {
            let last = log.view().state.last_persistent_seq;
            // The view of one that came later is empty at first.
            while self.stream.anchors().persistent() < last {
                self.step().await;
            }
            if self.stream.anchors().persistent() == last {
                return log;
            }
            log = read(path);
        }
    }
}

/// The log of a session that is in use.
pub(super) fn read(log: &Path) -> CheckedLog {
    CheckedLog::read(log).unwrap_or_else(|fault| panic!("{fault}"))
}

/// A view without that of which the log knows nothing: what transient events say.
pub(super) fn of_the_log(view: &SessionView) -> SessionView {
    let mut view = view.clone();
    view.open = OpenItems::default();
    view.state.last_seq = view.state.last_persistent_seq;
    if let Some(turn) = &mut view.state.turn {
        turn.running = false;
    }
    view
}
