//! Limits for clients, and the errors for exceeding them.

use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::os::unix::net::UnixStream;

use scorel_proto::METHODS;
use scorel_testkit::DaemonUnderTest;
use serde_json::{Value, json};

use crate::under_test::{SCORELD, new_session};

/// A connection without the client library.
struct LineConnection(BufReader<UnixStream>);

impl LineConnection {
    fn connect(daemon: &DaemonUnderTest) -> Self {
        Self(BufReader::new(
            UnixStream::connect(daemon.socket()).unwrap(),
        ))
    }

    fn write(&mut self, text: &str) {
        self.0.get_mut().write_all(text.as_bytes()).unwrap();
    }

    fn read(&mut self) -> Option<Value> {
        let mut line = String::new();
        let len = self.0.read_line(&mut line).unwrap();
        (len > 0).then(|| serde_json::from_str(&line).unwrap())
    }

    /// Whether a call gets a result, rather than a refusal or a reset.
    fn is_served(&mut self) -> bool {
        let call = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"getStatus\"}\n";
        let mut line = String::new();
        self.0.get_mut().write_all(call.as_bytes()).is_ok()
            && self.0.read_line(&mut line).is_ok()
            && line.contains("\"result\"")
    }

    fn call(&mut self, method: &str, params: &Value) -> Value {
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        self.write(&format!("{call}\n"));
        loop {
            let message = self.read().unwrap();
            // Skips notifications.
            if !message["id"].is_null() {
                return message;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_method_is_there() {
    let daemon = DaemonUnderTest::start(SCORELD).await;
    let mut raw = LineConnection::connect(&daemon);
    for method in METHODS.iter().filter(|method| method.name != "shutdown") {
        let answer = raw.call(method.name, &json!({}));
        let code = &answer["error"]["data"]["code"];
        assert_ne!(code, "method_not_found", "{}", method.name);
    }
    assert_eq!(raw.call("nonsense", &json!({}))["error"]["code"], -32601);
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_input_gets_a_typed_error_and_the_connection_goes_on() {
    let daemon = DaemonUnderTest::start(SCORELD).await;
    let (_client, id) = new_session(&daemon).await;
    let mut raw = LineConnection::connect(&daemon);
    let unknown = "ses_01ARZ3NDEKTSV4RRFFQ69G5FAV";
    for (method, params, code) in [
        (
            "getSession",
            json!({"sessionId": "../../etc"}),
            "invalid_params",
        ),
        (
            "getSession",
            json!({"sessionId": unknown}),
            "session_not_found",
        ),
        (
            "getSession",
            json!({"sessionId": id, "extra": 1}),
            "invalid_params",
        ),
        (
            "getEvents",
            json!({"sessionId": id, "afterSeq": -1}),
            "invalid_params",
        ),
        (
            "getEvents",
            json!({"sessionId": id, "afterSeq": 9007199254740992u64}),
            "invalid_params",
        ),
        (
            "getEvents",
            json!({"sessionId": id, "afterSeq": 1, "beforeSeq": 2}),
            "invalid_params",
        ),
        (
            "getEvents",
            json!({"sessionId": id, "limit": 0}),
            "invalid_params",
        ),
        (
            "sendMessage",
            json!({"sessionId": id, "content": ""}),
            "invalid_params",
        ),
        (
            "sendMessage",
            json!({"sessionId": id, "content": []}),
            "invalid_params",
        ),
        (
            "sendMessage",
            json!({"sessionId": id, "content": "x", "commandId": "c"}),
            "invalid_params",
        ),
        (
            "sendMessage",
            json!({"sessionId": id, "content": "x",
            "parentEventId": "evt_01ARZ3NDEKTSV4RRFFQ69G5FAV"}),
            "invalid_event_id",
        ),
        (
            "sendMessage",
            json!({"sessionId": id, "content": "x",
            "expectedLeafId": "evt_01ARZ3NDEKTSV4RRFFQ69G5FAV"}),
            "conflict",
        ),
        (
            "registerProject",
            json!({"workDir": "relative"}),
            "filesystem_error",
        ),
        (
            "registerProject",
            json!({"workDir": "/nowhere/at/all"}),
            "filesystem_error",
        ),
        (
            "createSession",
            json!({"projectId": "prj_01ARZ3NDEKTSV4RRFFQ69G5FAV"}),
            "project_not_found",
        ),
        ("updateSession", json!({"sessionId": id}), "invalid_params"),
        (
            "getBlob",
            json!({"sessionId": id, "sha256": "../x"}),
            "invalid_params",
        ),
        (
            "putBlob",
            json!({"sessionId": id, "data": "%"}),
            "invalid_params",
        ),
        (
            "resync",
            json!({"sessionId": id, "page": "x"}),
            "invalid_params",
        ),
        (
            "hello",
            json!({"protocol": {"min": 7, "max": 9}}),
            "protocol_mismatch",
        ),
    ] {
        let answer = raw.call(method, &params);
        assert_eq!(
            answer["error"]["data"]["code"], code,
            "{method} {params}: {answer}"
        );
    }
    assert_eq!(daemon.log(&id.to_string()).len(), 1, "nothing was written");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_too_many_is_refused_and_a_freed_place_is_usable() {
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure("[rpc]\nmaxConnections = 3\n");
    daemon.spawn().await;
    let mut held: Vec<LineConnection> = (0..3).map(|_| LineConnection::connect(&daemon)).collect();
    for raw in &mut held {
        raw.call("getStatus", &json!({}));
    }
    let refused = LineConnection::connect(&daemon).read().unwrap();
    assert_eq!(refused["error"]["data"]["code"], "overloaded");
    drop(held.pop());
    // The daemon notices closed connections asynchronously; until then it may refuse.
    while !LineConnection::connect(&daemon).is_served() {}
}

#[tokio::test(flavor = "multi_thread")]
async fn files_and_directories_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let daemon = DaemonUnderTest::start(SCORELD).await;
    let (client, id) = new_session(&daemon).await;
    let mut watch = crate::under_test::Watch::from_start(&client, id).await;
    crate::under_test::send(&client, id, "Hello?").await;
    watch.until("turn_outcome").await;
    let mut todo = vec![daemon.home()];
    while let Some(path) = todo.pop() {
        let metadata = match std::fs::symlink_metadata(&path) {
            // A temporary file of the daemon, for instance.
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            metadata => metadata.unwrap(),
        };
        let mode = metadata.permissions().mode() & 0o777;
        let private = if metadata.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode, private, "{}", path.display());
        if metadata.is_dir() {
            todo.extend(
                std::fs::read_dir(path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
        }
    }
}
