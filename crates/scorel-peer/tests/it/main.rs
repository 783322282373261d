//! Both ends of a connection, over in-memory streams.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use scorel_peer::{CallError, FrameLimits, Inbox, Peer, TextStream};
use scorel_proto::ErrorCode;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream};
use tokio::io::{ReadHalf, WriteHalf};
use tokio::task::JoinHandle;
use tokio::time::timeout;

const CALLS: usize = 3;

/// More than every time limit; under paused time it costs nothing.
const PATIENCE: Duration = Duration::from_secs(3600);

/// Keeps what it is notified of.
#[derive(Debug, Default, Clone)]
struct Kept(Arc<Mutex<Vec<String>>>);

impl Inbox for Kept {
    async fn notified(&mut self, params: &RawValue) {
        self.0.lock().unwrap().push(params.get().to_owned());
    }
}

/// A peer that runs, and the other end, which the test plays.
struct Scene {
    peer: Arc<Peer>,
    kept: Kept,
    lines: BufReader<ReadHalf<DuplexStream>>,
    writer: WriteHalf<DuplexStream>,
    run: JoinHandle<()>,
}

impl Scene {
    fn new() -> Self {
        let (near, far) = tokio::io::duplex(1024);
        let (reader, writer) = tokio::io::split(far);
        let limits = FrameLimits {
            frame: 64 * 1024,
            partial_frame: None,
            write: None,
        };
        let stream = TextStream::of_bytes(reader, writer, &limits);
        let peer = Arc::new(Peer::new(64 * 1024, CALLS));
        let kept = Kept::default();
        let (runner, inbox) = (Arc::clone(&peer), kept.clone());
        let run = tokio::spawn(async move { runner.run(stream, inbox).await });
        let (reader, writer) = tokio::io::split(near);
        let lines = BufReader::new(reader);
        Self {
            peer,
            kept,
            lines,
            writer,
            run,
        }
    }

    /// Begins a call in a task, and returns once its request has come.
    async fn begin(&mut self, method: &'static str) -> (Value, JoinHandle<Outcome>) {
        let call = self.call(method);
        (self.read().await, call)
    }

    fn call(&self, method: &'static str) -> JoinHandle<Outcome> {
        let peer = Arc::clone(&self.peer);
        tokio::spawn(async move { peer.call(method, None).await })
    }

    async fn read(&mut self) -> Value {
        let mut line = String::new();
        let read = timeout(PATIENCE, self.lines.read_line(&mut line)).await;
        read.expect("a line").unwrap();
        serde_json::from_str(&line).unwrap()
    }

    /// True if nothing comes although all tasks are idle.
    async fn is_silent(&mut self) -> bool {
        timeout(PATIENCE, self.lines.fill_buf()).await.is_err()
    }

    async fn write(&mut self, message: &Value) {
        let line = format!("{message}\n");
        self.writer.write_all(line.as_bytes()).await.unwrap();
    }

    async fn answer(&mut self, request: &Value, result: Value) {
        self.write(&json!({"jsonrpc": "2.0", "id": request["id"], "result": result}))
            .await;
    }
}

type Outcome = Result<Box<RawValue>, CallError>;

fn result(outcome: Outcome) -> String {
    outcome.unwrap().get().to_owned()
}

#[tokio::test(start_paused = true)]
async fn answers_find_their_calls_in_any_order() {
    let mut scene = Scene::new();
    let (one, first) = scene.begin("one").await;
    let (two, second) = scene.begin("two").await;
    scene.answer(&two, json!("second")).await;
    scene.answer(&two, json!("again")).await;
    scene.answer(&json!({"id": 4711}), json!("unasked")).await;
    scene.answer(&json!({"id": "1"}), json!("another id")).await;
    scene.write(&json!("not an envelope")).await;
    scene.answer(&one, Value::Null).await;
    assert_eq!(result(first.await.unwrap()), "null");
    assert_eq!(result(second.await.unwrap()), "\"second\"");
}

#[tokio::test(start_paused = true)]
async fn open_calls_are_bounded_and_a_further_one_waits() {
    let mut scene = Scene::new();
    let mut open = Vec::new();
    for _ in 0..CALLS {
        open.push(scene.begin("open").await);
    }
    let late = scene.call("late");
    assert!(scene.is_silent().await, "no request goes out");
    let (request, first) = open.remove(0);
    scene.answer(&request, json!(1)).await;
    assert_eq!(result(first.await.unwrap()), "1");
    let request = scene.read().await;
    assert_eq!(request["method"], "late");
    scene.answer(&request, json!(2)).await;
    assert_eq!(result(late.await.unwrap()), "2");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_cancelled_is_forgotten_and_makes_room() {
    let mut scene = Scene::new();
    let mut open = Vec::new();
    for _ in 0..CALLS {
        open.push(scene.begin("open").await);
    }
    let (cancelled, call) = open.remove(0);
    call.abort();
    assert!(call.await.unwrap_err().is_cancelled());
    let (request, next) = scene.begin("next").await;
    assert_ne!(request["id"], cancelled["id"]);
    scene.answer(&cancelled, json!("too late")).await;
    scene.answer(&request, json!("in time")).await;
    assert_eq!(result(next.await.unwrap()), "\"in time\"");
}

#[tokio::test(start_paused = true)]
async fn a_call_may_have_a_deadline() {
    let mut scene = Scene::new();
    let call = scene
        .peer
        .call_within("slow", None, Duration::from_secs(5))
        .await;
    assert!(matches!(call, Err(CallError::Overdue)), "{call:?}");
    let request = scene.read().await;
    scene.answer(&request, json!("too late")).await;
    let (request, next) = scene.begin("next").await;
    scene.answer(&request, json!(1)).await;
    assert_eq!(result(next.await.unwrap()), "1");
}

#[tokio::test(start_paused = true)]
async fn calls_end_with_the_connection() {
    let mut scene = Scene::new();
    let (_, open) = scene.begin("open").await;
    drop((scene.lines, scene.writer));
    scene.run.await.unwrap();
    scene.peer.ended().await;
    let open = open.await.unwrap();
    assert!(matches!(open, Err(CallError::Closed)), "{open:?}");
    let later = scene.peer.call("later", None).await;
    assert!(matches!(later, Err(CallError::Closed)), "{later:?}");
    assert!(scene.peer.try_notify("later", RawValue::NULL).is_err());
}

#[tokio::test(start_paused = true)]
async fn what_the_other_side_says_last_is_read_although_it_takes_nothing() {
    let mut scene = Scene::new();
    let (_, open) = scene.begin("open").await;
    let error = json!({"code": 1012, "message": "full", "data": null});
    scene.write(&json!({"id": null, "error": error})).await;
    // Writing fails from here on.
    drop((scene.lines, scene.writer));
    let open = open.await.unwrap();
    assert!(
        matches!(&open, Err(CallError::Rpc(error)) if error.code == ErrorCode::Overloaded),
        "{open:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn an_end_without_methods_refuses_calls_and_takes_notifications_in_order() {
    let mut scene = Scene::new();
    for number in 0..3 {
        let params = json!({ "number": number });
        scene
            .write(&json!({"jsonrpc": "2.0", "method": "told", "params": params}))
            .await;
    }
    scene
        .write(&json!({"jsonrpc": "2.0", "id": "a", "method": "asked"}))
        .await;
    let refused = scene.read().await;
    assert_eq!(refused["id"], "a");
    assert_eq!(refused["error"]["data"]["code"], "method_not_found");
    let kept = scene.kept.0.lock().unwrap();
    let expected = [0, 1, 2].map(|number| format!("{{\"number\":{number}}}"));
    assert_eq!(*kept, expected);
}

#[tokio::test(start_paused = true)]
async fn requests_that_nothing_reads_hold_their_callers_back() {
    let mut scene = Scene::new();
    let params = json!("x".repeat(60 * 1024)).to_string();
    let params = RawValue::from_string(params).unwrap();
    let send = || scene.peer.try_notify("large", &params);
    assert!(send().is_ok());
    assert!(send().is_err(), "there is room for one");
    let first = scene.read().await;
    assert_eq!(first["method"], "large");
    while scene.peer.outbox().used() > 0 {
        tokio::task::yield_now().await;
    }
    assert!(scene.peer.try_notify("large", &params).is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_peer_answers_in_the_framing_of_the_other_side() {
    let mut scene = Scene::new();
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"asked"}"#;
    let block = format!("Content-Length: {}\r\n\r\n{call}", call.len());
    scene.writer.write_all(block.as_bytes()).await.unwrap();
    let mut head = String::new();
    scene.lines.read_line(&mut head).await.unwrap();
    assert!(head.starts_with("Content-Length: "), "{head}");
}
