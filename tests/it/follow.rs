//! Clients that reconnect see the same events as those that stay.

use std::path::PathBuf;

use scorel_client::{ClientAnchors, ClientError, Connection, Dial, SessionStream, StreamItem};
use scorel_peer::TextStream;
use scorel_proto::{SessionId, SyncMarker, SyncMode};
use scorel_testkit::{
    DaemonUnderTest, ModelServer, Network, ResponseGate, ScriptedChat, SeededDice, runs,
};
use serde_json::Value;

use tokio::time::timeout;

use crate::under_test::{PATIENCE, SCORELD, Watch, new_session, send};

fn events(items: Vec<Value>) -> Vec<Value> {
    items
        .into_iter()
        .filter(|item| item["seq"].is_u64())
        .collect()
}

/// The number of events of the recorded run after which a client is disconnected.
const POSITIONS: usize = 500;

/// A dial over a network.
struct RemoteDial(PathBuf, Network);

impl RemoteDial {
    fn new(daemon: &DaemonUnderTest, network: &Network) -> Self {
        Self(daemon.socket(), network.clone())
    }

    async fn connect(&self) -> Result<Connection, ClientError> {
        let connection = Connection::dial(self).await?;
        connection.hello(None).await?;
        Ok(connection)
    }
}

impl Dial for RemoteDial {
    async fn dial(&self) -> Result<TextStream, ClientError> {
        Ok(self.1.carry(self.0.dial().await?))
    }
}

/// Another client, over a network that is slow.
async fn connect(daemon: &DaemonUnderTest, network: &Network) -> Connection {
    RemoteDial::new(daemon, network).connect().await.unwrap()
}

/// A turn with reasoning, text and a tool, whose second reply waits at the gate after its text.
fn long_turn(model: &ModelServer, gate: &ResponseGate) {
    let words = |answer: ScriptedChat, count: usize| {
        (0..count).fold(answer, |answer, number| {
            answer.text(&format!("word{number} "))
        })
    };
    let look = ScriptedChat::default().thinking("let me ").thinking("look");
    let call = r#"{"path": "no such file"}"#;
    let look = words(look, 20).tool_call("c1", "read", call);
    model.answer(look.finish("tool_calls").usage(1, 1));
    let count = words(ScriptedChat::default(), POSITIONS).wait(gate);
    model.answer(count.text("end").finish("stop").usage(1, 1));
}

/// The raw events up to the first event or marker that contains `part`, without the markers.
async fn texts(watch: &mut Watch, part: &str) -> Vec<String> {
    let mut texts = Vec::new();
    loop {
        let text = watch.next_text().await;
        let found = text.contains(part);
        if text.contains("\"seq\":") {
            texts.push(text);
        }
        if found {
            return texts;
        }
    }
}

/// The last sequence number of the records, and of all events.
fn anchors(had: &[String]) -> (Option<u64>, Option<u64>) {
    let parse = |text: &String| serde_json::from_str::<Value>(text).unwrap();
    let mut events = had.iter().rev().map(parse).peekable();
    let stream = events.peek().unwrap()["seq"].as_u64();
    let record = events.find(|event| event["prev"].is_u64());
    (record.and_then(|event| event["seq"].as_u64()), stream)
}

#[tokio::test]
async fn a_client_dropped_at_any_event_gets_exactly_the_rest() {
    let model = ModelServer::start().await.unwrap();
    // The turn stays open, so that the transient events are kept.
    let gate = ResponseGate::default();
    long_turn(&model, &gate);
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure_model(&model.base_url());
    daemon.spawn().await;
    let (client, id) = new_session(&daemon).await;
    let network = Network::slow(SeededDice::for_test("a dropped client"));
    let mut steady = Watch::from_start(&client, id).await;
    send(&client, id, "Count.").await;
    let last = format!("word{} ", POSITIONS - 1);
    let whole = texts(&mut steady, &last).await;
    assert!(whole.len() > POSITIONS);
    let mut exact = 0;
    let mut resumed = None;
    for cut in 1..=POSITIONS {
        let (had, missed) = whole.split_at(cut);
        let (persistent, stream) = anchors(had);
        let other = connect(&daemon, &network).await;
        let mut watch = Watch::from(&other, id, persistent, stream).await;
        let start = watch.next().await;
        assert_eq!(start["mode"], "stream_resume", "{start}");
        assert_eq!(
            texts(&mut watch, "\"sync_end\"").await,
            missed,
            "after event {cut}"
        );
        exact += 1;
        resumed = Some((other, watch));
    }
    println!("{exact} of {POSITIONS}");
    gate.open();
    let (_other, mut watch) = resumed.unwrap();
    let rest = texts(&mut steady, "\"turn_outcome\"").await;
    assert_eq!(texts(&mut watch, "\"turn_outcome\"").await, rest);
}

#[tokio::test]
async fn two_watchers_see_the_same_bytes() {
    let daemon = DaemonUnderTest::start(SCORELD).await;
    let (client, id) = new_session(&daemon).await;
    let network = Network::slow(SeededDice::for_test("two watchers"));
    let other = connect(&daemon, &network).await;
    let mut one = Watch::from_start(&client, id).await;
    let mut two = Watch::from_start(&other, id).await;
    send(&client, id, "Hello?").await;
    let one = events(one.until("turn_outcome").await);
    assert_eq!(one, events(two.until("turn_outcome").await));
    assert!(one.len() > 20);
}

#[tokio::test]
async fn a_late_watcher_gets_the_log_and_what_is_open() {
    let model = ModelServer::start().await.unwrap();
    // The turn stays open until the late watcher is there.
    let gate = ResponseGate::default();
    let half = ScriptedChat::default().text("half an ").wait(&gate);
    model.answer(half.text("answer").finish("stop").usage(1, 1));
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure_model(&model.base_url());
    daemon.spawn().await;
    let (client, id) = new_session(&daemon).await;
    let mut early = Watch::from_start(&client, id).await;
    send(&client, id, "Hello?").await;
    let begun = early.until("text_delta").await;
    let mut late = Watch::from_start(&client, id).await;
    let caught_up = late.until("sync_end").await;
    gate.open();
    assert_eq!(caught_up[0]["mode"], "full_reload");
    let open = caught_up
        .iter()
        .find(|item| item["type"] == "in_flight")
        .unwrap();
    let message = &open["inFlight"]["messages"][0];
    let start = begun
        .iter()
        .find(|event| event["type"] == "message_start")
        .unwrap();
    assert_eq!(message["eventId"], start["eventId"]);
    let through = caught_up.last().unwrap()["throughSeq"].as_u64().unwrap();
    let mut rest = events(early.until("turn_outcome").await);
    rest.retain(|event| event["seq"].as_u64().unwrap() > through);
    assert_eq!(events(late.until("turn_outcome").await), rest);
}

/// The events that a stream yields up to the one that contains `last`; a full reload begins anew.
async fn followed<C: scorel_client::Connect>(
    stream: &mut SessionStream<C>,
    last: &str,
) -> Vec<String> {
    let mut texts = Vec::new();
    loop {
        let item = timeout(PATIENCE, stream.next()).await;
        match item.expect("something comes in time").unwrap().unwrap() {
            StreamItem::Event(encoded, _) => {
                texts.push(encoded.text().to_owned());
                if encoded.text().contains(last) {
                    return texts;
                }
            }
            StreamItem::Marker(marker) => {
                if let SyncMarker::SyncStart { mode, .. } = *marker
                    && mode == SyncMode::FullReload
                {
                    texts.clear();
                }
            }
            StreamItem::Reconnecting { .. } => {}
        }
    }
}

async fn caught_up(
    daemon: &DaemonUnderTest,
    network: &Network,
    id: SessionId,
) -> SessionStream<impl scorel_client::Connect> {
    let dial = RemoteDial::new(daemon, network);
    let dial = std::sync::Arc::new(dial);
    let connect = move || {
        let dial = std::sync::Arc::clone(&dial);
        async move { dial.connect().await }
    };
    let open = async || loop {
        // The first attempt is not repeated by the stream.
        match SessionStream::open(connect.clone(), id, ClientAnchors::default()).await {
            Ok(stream) => return stream,
            Err(error) => assert!(error.is_lost_connection(), "{error:?}"),
        }
    };
    let mut stream = timeout(PATIENCE, open()).await.expect("a stream in time");
    while stream.anchors().stream().is_none() {
        stream.next().await.unwrap().unwrap();
    }
    stream
}

#[tokio::test]
async fn streams_over_a_bad_network_yield_every_event_once() {
    let mut dice = SeededDice::for_test("a bad network");
    for _ in 0..runs("SCOREL_NETWORK_RUNS", 3) {
        let model = ModelServer::start().await.unwrap();
        // The turn stays open, so that the transient events are kept.
        let gate = ResponseGate::default();
        long_turn(&model, &gate);
        let mut daemon = DaemonUnderTest::new(SCORELD);
        daemon.configure_model(&model.base_url());
        daemon.spawn().await;
        let (client, id) = new_session(&daemon).await;
        let mut steady = Watch::from_start(&client, id).await;
        let network = Network::lossy(dice.fork(), 1..80);
        texts(&mut steady, "\"sync_end\"").await;
        let mut remote = caught_up(&daemon, &network, id).await;
        send(&client, id, "Count.").await;
        let last = format!("word{} ", POSITIONS - 1);
        let whole = texts(&mut steady, &last).await;
        assert_eq!(followed(&mut remote, &last).await, whole);
        assert!(network.lost() > 3, "{} streams were lost", network.lost());
        gate.open();
        let rest = texts(&mut steady, "\"turn_outcome\"").await;
        let rest: Vec<&String> = records(&rest);
        let got = followed(&mut remote, "\"turn_outcome\"").await;
        assert_eq!(records(&got), rest);
    }
}

/// Of what came after a turn has ended, only the records are kept for those who were away.
fn records(texts: &[String]) -> Vec<&String> {
    texts
        .iter()
        .filter(|text| text.contains("\"prev\":"))
        .collect()
}
