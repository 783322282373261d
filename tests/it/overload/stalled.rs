//! A subscriber that stops reading beside one that does not.

use std::collections::BTreeMap;

use scorel_client::{ClientAnchors, EventNovelty};
use scorel_proto::{Event, EventId, SessionId, SyncMarker, SyncMode};
use scorel_testkit::{
    CheckedLog, DaemonUnderTest, ModelServer, ScriptedChat, ScriptedResponse, SeededDice,
    Sightings, runs,
};
use serde_json::{Value, json};

use crate::raw::RawConnection;
use crate::under_test::{SCORELD, Watch, connect, indexed, message, new_session, session};

const KIB: usize = 1024;

/// The allowed growth of the daemon's memory for a client that does not read, in KiB. Its outbox is
/// 1 MiB; the rest is for the allocator.
const GROWTH_KIB: u64 = 12 * 1024;

/// What the index of the log and the tree take for each MiB of these events beyond the normal 20, in KiB: 33
/// were measured.
const INDEX_KIB: u64 = 40;

/// What the observer reads before the daemon's memory is measured, in bytes. Until the session's windows
/// are full, the daemon grows by some 13 MiB with or without a client that stalls.
const WARM_UP: usize = 10 * 1024 * KIB;

/// The length of one reply. It is published as deltas and once more as a record.
const ANSWER: usize = 256 * KIB;
const DELTA: usize = 4 * KIB;

/// A client's copy of a session, built by the protocol's rules.
#[derive(Default)]
struct Copy {
    anchors: ClientAnchors,
    records: BTreeMap<u64, String>,
    modes: Vec<SyncMode>,
    seen: Sightings,
    bytes: usize,
}

impl Copy {
    fn take(&mut self, text: &str) {
        self.bytes += text.len();
        self.seen
            .note(text)
            .unwrap_or_else(|fault| panic!("{fault}"));
        if let Ok(marker) = serde_json::from_str::<SyncMarker>(text) {
            if let SyncMarker::SyncStart { mode, .. } = &marker {
                self.modes.push(*mode);
            }
            return self.anchors.marker(&marker);
        }
        let event = Event::decode(text).unwrap();
        let verdict = self.anchors.event(&event);
        assert_eq!(
            verdict,
            EventNovelty::New,
            "lost, twice or out of order: {text}"
        );
        if event.is_persistent() {
            self.records.insert(event.seq().get(), text.to_owned());
        }
    }

    fn is_the_log(&self, log: &CheckedLog) {
        let log: Vec<&str> = log
            .records()
            .iter()
            .map(|record| record.line.as_str())
            .collect();
        let copy: Vec<&str> = self.records.values().map(String::as_str).collect();
        assert!(
            copy == log,
            "{} records instead of {}",
            copy.len(),
            log.len()
        );
    }
}

struct StalledScene {
    daemon: DaemonUnderTest,
    _model: ModelServer,
    client: scorel_client::Connection,
    session: SessionId,
    observer: Watch,
    seen: Copy,
}

impl StalledScene {
    async fn new() -> Self {
        let model = ModelServer::start().await.unwrap();
        let mut dice = SeededDice::from_seed(7);
        model.answer_with(move |_| {
            let deltas = (0..ANSWER / DELTA).map(|_| dice.text(DELTA));
            let answer = deltas.fold(ScriptedChat::default(), |answer, text| answer.text(&text));
            ScriptedResponse::from(answer.finish("stop").usage(1, 1))
        });
        let mut daemon = DaemonUnderTest::new(SCORELD);
        daemon.configure_model(&model.base_url());
        let config = daemon.home().join("config.toml");
        let config = std::fs::read_to_string(config).unwrap();
        daemon.configure(&format!("{config}[rpc]\nwriteTimeoutSeconds = 3600\n"));
        daemon.spawn().await;
        let (client, session) = new_session(&daemon).await;
        let watcher = connect(&daemon.socket()).await;
        let observer = Watch::from_start(&watcher, session).await;
        Self {
            daemon,
            _model: model,
            client,
            session,
            observer,
            seen: Copy::default(),
        }
    }

    /// Runs a turn with a large reply, which the observer reads to its end. It branches off before
    /// the earlier turns, so that the model's context stays small.
    async fn turn(&mut self, parent: Option<EventId>) -> EventId {
        let mut params = message(self.session, "Talk a lot.");
        params.parent_event_id = parent.map(Some);
        self.client
            .call::<scorel_proto::SendMessage>(&params)
            .await
            .unwrap();
        loop {
            let text = self.observer.next_text().await;
            self.seen.take(&text);
            if text.contains("\"type\":\"turn_outcome\"") {
                break;
            }
        }
        let session = session(&self.client, self.session).await;
        session.active_leaf_id.expect("the answer")
    }
}

/// A subscription that can stop reading.
struct Stalling {
    raw: RawConnection,
    copy: Copy,
}

impl Stalling {
    fn subscribe(daemon: &DaemonUnderTest, session: SessionId) -> Self {
        let mut raw = RawConnection::connect(daemon);
        let reply = raw.call("subscribeEvents", &json!({"sessionId": session}));
        assert!(reply["result"].is_string(), "{reply}");
        Self {
            raw,
            copy: Copy::default(),
        }
    }

    fn read_until(&mut self, done: impl Fn(&Value, &Copy) -> bool) {
        loop {
            let item = self.raw.read().expect("the subscription goes on");
            let item = item["params"]["result"].clone();
            self.copy.take(&item.to_string());
            if done(&item, &self.copy) {
                return;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_subscriber_that_stops_reading_costs_little_and_catches_up_exactly() {
    let mib = runs("SCOREL_EVENT_MIB", 20);
    let mut scene = StalledScene::new().await;
    let mut stalling = Stalling::subscribe(&scene.daemon, scene.session);
    let parent = scene.turn(None).await;
    while scene.seen.bytes < WARM_UP {
        scene.turn(Some(parent)).await;
        let seen = scene.seen.records.len();
        stalling.read_until(|_, copy| copy.records.len() == seen);
    }
    // So that what it has left to do is not measured.
    indexed(&scene.daemon).await;
    let before = scene.daemon.peak_kib();
    scene.daemon.reset_peak();
    let start = scene.seen.bytes;
    while scene.seen.bytes - start < mib * KIB * KIB {
        scene.turn(Some(parent)).await;
    }
    let grown = scene.daemon.peak_kib().saturating_sub(before);
    let modes = &scene.seen.modes;
    println!("stalled: {mib} MiB, {grown} KiB more memory, the observer's modes {modes:?}");
    let index = INDEX_KIB * mib.saturating_sub(20) as u64;
    assert!(grown <= GROWTH_KIB + index, "{grown} KiB");

    let log = CheckedLog::read(&scene.daemon.log_path(&scene.session.to_string())).unwrap();
    scene.seen.is_the_log(&log);
    scene
        .seen
        .seen
        .check_text(&log)
        .unwrap_or_else(|fault| panic!("{fault}"));
    let last = log.last_seq();
    stalling.read_until(|_, copy| {
        copy.anchors.stream().is_some() && copy.anchors.persistent().get() == last
    });
    assert!(stalling.copy.modes.len() > 1, "it fell behind");
    assert_eq!(
        stalling.copy.modes.last(),
        Some(&SyncMode::PersistentFallback)
    );
    stalling.copy.is_the_log(&log);
    let parent = scene.turn(Some(parent)).await;
    stalling.read_until(|item, _| item["type"] == "turn_outcome");
    let log = CheckedLog::read(&scene.daemon.log_path(&scene.session.to_string())).unwrap();
    stalling.copy.is_the_log(&log);
    assert_eq!(log.view().leaf(), Some(parent));
}
