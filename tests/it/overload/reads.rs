//! Every read method beside sessions that stream.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use scorel_client::Connection;
use scorel_proto::SessionId;
use scorel_testkit::{DaemonUnderTest, ModelServer, ScriptedResponse};
use serde_json::{Map, Value, json};

use crate::raw::RawConnection;
use crate::under_test::{Watch, connect, create_session, daemon, send, session};

/// How often each reader calls each method. A poll every quarter of a second of five clients once hung the daemon
/// after 44 seconds; this is twice as many calls, and with `SCOREL_LONG` 16 times.
fn rounds() -> usize {
    match std::env::var_os("SCOREL_LONG") {
        Some(_) => 40,
        None => 5,
    }
}

const STREAMS: usize = 8;
const READERS: usize = 8;

/// The deltas of one answer.
const DELTAS: usize = 500;

/// A method of the protocol's table, with parameters that suit it.
struct ReadMethod {
    name: String,
    params: Value,
}

/// The methods that need no more than the right to read.
fn read_methods(daemon: &DaemonUnderTest, known: &Map<String, Value>) -> Vec<ReadMethod> {
    let table = RawConnection::connect(daemon).call("rpc.discover", &json!({}));
    let methods = table["result"]["methods"].as_array().unwrap();
    let readable = methods.iter().filter(|it| it["x-access"] == "read");
    let with_params = readable.map(|method| {
        let name = method["name"].as_str().unwrap().to_owned();
        let mut given = Map::new();
        for param in method["params"].as_array().unwrap() {
            let param_name = param["name"].as_str().unwrap();
            match known.get(param_name) {
                Some(value) => _ = given.insert(param_name.to_owned(), value.clone()),
                None => assert_ne!(param["required"], true, "{name} needs `{param_name}`"),
            }
        }
        let params = Value::Object(given);
        ReadMethod { name, params }
    });
    with_params.collect()
}

/// Calls one method after the other, and the page of metrics, from `first` on.
fn read(daemon: &DaemonUnderTest, methods: &[ReadMethod], first: usize) {
    let mut raw = RawConnection::connect(daemon);
    let all = methods.iter().cycle().skip(first);
    for method in all.take(rounds() * methods.len()) {
        let reply = raw.call(&method.name, &method.params);
        let code = &reply["error"]["data"]["code"];
        assert!(
            code != "internal_error" && code != "invalid_params",
            "{}: {reply}",
            method.name
        );
        if let Some(subscription) = reply["result"].as_str()
            && let Some(kind) = method.name.strip_prefix("subscribe")
        {
            let end = json!({"subscription": subscription});
            raw.call(&format!("unsubscribe{kind}"), &end);
        }
        let mut page = RawConnection::connect(daemon);
        page.write(b"GET /metrics HTTP/1.1\r\n\r\n");
        assert!(page.read_to_end().starts_with(b"HTTP/1.1 200"));
    }
}

/// Has a session stream one answer after the other. Returns how many.
async fn stream(client: Connection, id: SessionId, is_over: Arc<AtomicBool>) -> u32 {
    let last = session(&client, id).await.last_persistent_seq;
    let mut watch = Watch::from(&client, id, Some(last.get()), None).await;
    let mut turns = 0;
    while !is_over.load(Ordering::Relaxed) {
        send(&client, id, "go on").await;
        watch.until("turn_outcome").await;
        turns += 1;
    }
    turns
}

fn answer() -> ScriptedResponse {
    let deltas = (0..DELTAS).fold(ScriptedResponse::chat(), |chat, number| {
        chat.text(&format!("word{number} "))
    });
    deltas.finish("stop").into()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_read_method_is_answered_beside_eight_streams() {
    let model = ModelServer::start().await.unwrap();
    let streamed = answer();
    model.answer_with(move |request| match request.method.as_str() {
        "POST" => streamed.clone(),
        _ => ScriptedResponse::json(200, r#"{"data":[]}"#),
    });
    let daemon = Arc::new(daemon(&model, "").await);
    let client = connect(&daemon.socket()).await;
    let is_over = Arc::new(AtomicBool::new(false));
    let mut streams = Vec::new();
    let (mut ids, mut turns) = (Vec::new(), Vec::new());
    for _ in 0..STREAMS {
        let id = create_session(&client, &daemon).await;
        let mut watch = Watch::from_start(&client, id).await;
        turns.push(send(&client, id, "begin").await);
        watch.until("turn_outcome").await;
        let streaming = stream(connect(&daemon.socket()).await, id, Arc::clone(&is_over));
        streams.push(tokio::spawn(streaming));
        ids.push(id);
    }
    let project = session(&client, ids[0]).await.project_id;
    let mut readers = Vec::new();
    for reader in 0..READERS {
        let known = json!({
            "sessionId": ids[reader % STREAMS],
            "projectId": project,
            "runtimeId": "rti_01ARZ3NDEKTSV4RRFFQ69G5FAV",
            "runId": "run_01ARZ3NDEKTSV4RRFFQ69G5FAV",
            "turnId": turns[reader % STREAMS],
            "process": "extension:none",
            "beforeEventId": "evt_01ARZ3NDEKTSV4RRFFQ69G5FAV",
            "sha256": "0".repeat(64),
            "query": "word1",
            "mode": "words",
            "by": "session",
            "path": daemon.project(),
            "subscription": "none",
            "protocol": {"min": 1, "max": 1},
        });
        let daemon = Arc::clone(&daemon);
        readers.push(tokio::task::spawn_blocking(move || {
            let methods = read_methods(&daemon, known.as_object().unwrap());
            // Each begins elsewhere, so that different methods meet.
            let first = reader * methods.len() / READERS;
            read(&daemon, &methods, first);
        }));
    }
    for reader in readers {
        reader.await.unwrap();
    }
    is_over.store(true, Ordering::Relaxed);
    for stream in streams {
        assert!(stream.await.unwrap() > 0, "every session has streamed");
    }
}
