//! What the daemon tells of itself: `GET /metrics` and `getStatus`.

mod exposition;

use std::io::Write as _;
use std::process::Stdio;
use std::time::Duration;

use scorel_client::Connection;
use scorel_proto::{GetStatus, NoParams, SessionId, Status};
use scorel_testkit::{DaemonUnderTest, ModelServer, ScriptedChat, ScriptedResponse};
use serde_json::json;
use tokio::time::timeout;

use crate::raw::RawConnection;
use crate::under_test::{
    PATIENCE, SCORELD, Watch, connect, daemon, new_session, scorelctl, send, title,
};
use exposition::Exposition;

/// An answer to a request: its status line, its header lines, and its text.
struct HttpAnswer {
    status: String,
    headers: Vec<String>,
    text: String,
}

fn http(daemon: &DaemonUnderTest, request: &[u8]) -> HttpAnswer {
    let mut raw = RawConnection::connect(daemon);
    raw.write(request);
    let answer = String::from_utf8(raw.read_to_end()).unwrap();
    let (head, text) = answer.split_once("\r\n\r\n").expect("a head and a text");
    let mut lines = head.split("\r\n").map(str::to_owned);
    HttpAnswer {
        status: lines.next().unwrap(),
        headers: lines.collect(),
        text: text.to_owned(),
    }
}

fn page(daemon: &DaemonUnderTest) -> String {
    let answer = http(daemon, b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert_eq!(answer.status, "HTTP/1.1 200 OK");
    answer.text
}

fn metrics(daemon: &DaemonUnderTest) -> Exposition {
    Exposition::parse(&page(daemon)).unwrap_or_else(|fault| panic!("{fault}"))
}

async fn status(client: &Connection) -> Status {
    client.call::<GetStatus>(&NoParams {}).await.unwrap()
}

/// Asks until the status is as wanted: what follows an event is not always there with it.
async fn status_when(client: &Connection, wanted: impl Fn(&Status) -> bool) -> Status {
    let asking = async {
        loop {
            let status = status(client).await;
            if wanted(&status) {
                return status;
            }
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, asking).await.expect("the status comes")
}

async fn turn(client: &Connection, watch: &mut Watch, id: SessionId, text: &str) {
    send(client, id, text).await;
    watch.until("turn_outcome").await;
}

#[tokio::test]
async fn metrics_count_what_has_happened() {
    let model = ModelServer::start().await.unwrap();
    let answer = ScriptedChat::default().text("Yes.").usage(100, 10);
    model.answer(answer.finish("stop"));
    model.answer(ScriptedResponse::json(401, r#"{"error":{"message":"no"}}"#));
    let price = "[model.price]\ninput = 2\noutput = 10\n";
    let daemon = daemon(&model, price).await;
    let before = metrics(&daemon);
    assert_eq!(
        before.value(r#"scorel_turns_total{outcome="completed"}"#),
        0.0
    );
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    turn(&client, &mut watch, id, "one").await;
    turn(&client, &mut watch, id, "two").await;
    // A record is counted after it is published.
    let counted = async {
        while metrics(&daemon).value(r#"scorel_turns_total{outcome="error"}"#) < 1.0 {
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, counted).await.expect("it is counted");
    let after = metrics(&daemon);
    for (series, expected) in [
        (r#"scorel_turns_total{outcome="completed"}"#, 1.0),
        (r#"scorel_turns_total{outcome="error"}"#, 1.0),
        (r#"scorel_turns_total{outcome="interrupted"}"#, 0.0),
        (
            r#"scorel_model_calls_total{provider="test",result="ok"}"#,
            1.0,
        ),
        (
            r#"scorel_model_calls_total{provider="test",result="auth"}"#,
            1.0,
        ),
        (r#"scorel_tokens_total{kind="input"}"#, 100.0),
        (r#"scorel_tokens_total{kind="output"}"#, 10.0),
        ("scorel_cost_usd_total", 0.0003),
        (r#"scorel_rpc_seconds_count{method="sendMessage"}"#, 2.0),
        (r#"scorel_sessions{phase="idle"}"#, 1.0),
        (r#"scorel_sessions{phase="running"}"#, 0.0),
    ] {
        assert_eq!(after.value(series), expected, "{series}");
    }
    let syncs = |metrics: &Exposition| metrics.value("scorel_fsync_seconds_count");
    assert!(syncs(&after) >= syncs(&before) + 6.0, "a record, a sync");
    assert!(after.value("scorel_fsync_seconds_sum") > 0.0);
}

#[tokio::test]
async fn unknown_methods_and_paths_make_no_series() {
    let daemon = DaemonUnderTest::start(SCORELD).await;
    let mut raw = RawConnection::connect(&daemon);
    raw.call("getStatus", &json!({}));
    let before = metrics(&daemon);
    for number in 0..200 {
        let reply = raw.call(&format!("canaryMethod{number}"), &json!({}));
        assert_eq!(
            reply["error"]["data"]["code"], "method_not_found",
            "{reply}"
        );
        http(
            &daemon,
            format!("GET /canary{number} HTTP/1.1\r\n\r\n").as_bytes(),
        );
    }
    assert_eq!(metrics(&daemon).series(), before.series());
}

#[tokio::test]
async fn only_get_of_metrics_is_answered_with_them() {
    let daemon = DaemonUnderTest::start(SCORELD).await;
    let mut others = RawConnection::connect(&daemon);
    let long = format!("GET /metrics HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(9000));
    let rows: [(&[u8], &str); 8] = [
        (b"GET /metrics HTTP/1.1\r\n\r\n", "200 OK"),
        (b"GET /metrics?x=1 HTTP/1.0\r\n\r\n", "200 OK"),
        (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "404 Not Found"),
        (b"GET /metrics/ HTTP/1.1\r\n\r\n", "404 Not Found"),
        (b"GET http://x/metrics HTTP/1.1\r\n\r\n", "404 Not Found"),
        (b"GIVE /metrics HTTP/1.1\r\n\r\n", "405 Method Not Allowed"),
        (b"GET /metrics\r\n\r\n", "400 Bad Request"),
        (long.as_bytes(), "431 Request Header Fields Too Large"),
    ];
    for (request, expected) in rows {
        let shown = String::from_utf8_lossy(&request[..request.len().min(60)]).into_owned();
        let answer = http(&daemon, request);
        assert_eq!(answer.status, format!("HTTP/1.1 {expected}"), "{shown}");
        let length = format!("Content-Length: {}", answer.text.len());
        assert!(answer.headers.contains(&length), "{:?}", answer.headers);
        let is_refused = expected.starts_with("405");
        let says_get = answer.headers.contains(&"Allow: GET".to_owned());
        assert_eq!(is_refused, says_get, "{:?}", answer.headers);
        assert!(others.works());
    }
}

#[tokio::test]
async fn nothing_of_a_conversation_is_in_metrics_or_logs() {
    let canaries =
        ["prompt", "answer", "title", "path", "key"].map(|it| format!("canary-{it}-4711"));
    let [prompt, answer, name, path, key] = &canaries;
    let model = ModelServer::start().await.unwrap();
    let arguments = json!({"path": format!("{path}.txt")}).to_string();
    let call = ScriptedChat::default().tool_call("c1", "Read", &arguments);
    model.answer(call.finish("tool_calls"));
    model.answer(
        ScriptedChat::default()
            .text(answer)
            .usage(5, 5)
            .finish("stop"),
    );
    model.answer(ScriptedResponse::json(
        500,
        r#"{"error":{"message":"out of order"}}"#,
    ));
    let mut daemon = DaemonUnderTest::new(SCORELD).with_variable("LAB_KEY", key);
    daemon.configure(&format!(
        "[model]\ntype = \"custom\"\napi = \"openai-completions\"\nprovider = \"lab\"\n\
         id = \"m\"\nbaseUrl = \"{}\"\napiKeyEnv = \"LAB_KEY\"\n\n[runtime]\nretries = 0\n",
        model.base_url()
    ));
    daemon.write_project_file(&format!("{path}.txt"), "text");
    daemon.spawn().await;
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    title(&client, id, name).await;
    turn(&client, &mut watch, id, prompt).await;
    turn(&client, &mut watch, id, prompt).await;
    for request in model.requests() {
        let body = String::from_utf8(request.body.clone()).unwrap();
        assert!(body.contains(prompt.as_str()), "{body}");
        let authorization = request.header("authorization").unwrap();
        assert!(authorization.contains(key.as_str()), "{authorization}");
    }
    let last = model.requests().pop().unwrap();
    let last = String::from_utf8(last.body).unwrap();
    for told in [path, answer] {
        assert!(last.contains(told.as_str()), "{told} in {last}");
    }
    let page = page(&daemon);
    assert!(page.contains(r#"provider="lab""#), "{page}");
    assert!(!page.contains(&id.to_string()), "{page}");
    daemon.stop().await;
    let logs = std::fs::read_dir(daemon.home().join("logs")).unwrap();
    let logs = logs.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap());
    let logs: String = logs.chain([daemon.errors()]).collect();
    assert!(logs.contains("stopped"), "the log is read");
    for canary in &canaries {
        assert!(!page.contains(canary.as_str()), "{canary} in {page}");
        assert!(!logs.contains(canary.as_str()), "{canary} in {logs}");
    }
}

#[tokio::test]
async fn promtool_finds_nothing_to_complain_about() {
    let checker = std::process::Command::new("promtool")
        .args(["check", "metrics"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut checker) = checker else {
        println!("skipped: promtool is not installed");
        return;
    };
    let model = ModelServer::start().await.unwrap();
    model.fallback(ScriptedChat::default().text("Yes.").finish("stop"));
    let daemon = daemon(&model, "").await;
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    turn(&client, &mut watch, id, "go").await;
    let page = page(&daemon);
    checker
        .stdin
        .take()
        .unwrap()
        .write_all(page.as_bytes())
        .unwrap();
    let checked = checker.wait_with_output().unwrap();
    assert!(checked.status.success(), "{checked:?}");
    assert_eq!(String::from_utf8_lossy(&checked.stderr), "");
}

#[tokio::test]
async fn a_question_is_counted_until_it_is_answered() {
    let model = ModelServer::start().await.unwrap();
    let arguments = json!({"path": "a.txt", "content": "a"}).to_string();
    let call = ScriptedChat::default().tool_call("c1", "Write", &arguments);
    model.answer(call.finish("tool_calls"));
    model.answer(ScriptedChat::default().text("Done.").finish("stop"));
    let daemon = daemon(
        &model,
        "[permissions]\nmode = \"ask\"\nask = [\"Write(**)\"]\n",
    )
    .await;
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    send(&client, id, "go").await;
    let request = watch.until("permission_request").await.pop().unwrap();
    let asking = status(&client).await;
    assert_eq!(
        (
            asking.questions,
            asking.sessions_by_phase.awaiting_permission
        ),
        (1, 1)
    );
    assert_eq!(
        metrics(&daemon).value(r#"scorel_sessions{phase="awaiting_permission"}"#),
        1.0
    );
    let shown = scorelctl(&daemon, &["status"], &[]).await;
    let shown = String::from_utf8(shown.stdout).unwrap();
    for line in ["manager   systemd", "asking    1 open question"] {
        assert!(shown.lines().any(|it| it == line), "{line}: {shown}");
    }
    let denial = json!({
        "sessionId": id, "requestId": request["requestId"], "decision": "deny",
    });
    let denied = RawConnection::connect(&daemon).call("respondPermission", &denial);
    assert!(denied["result"].is_object(), "{denied}");
    watch.until("turn_outcome").await;
    let idle = status_when(&client, |status| status.sessions_by_phase.idle == 1).await;
    assert_eq!(
        (idle.questions, idle.sessions_by_phase.awaiting_permission),
        (0, 0)
    );
}

/// Ten of these are more than a connection's outbox, the socket's buffer and one batch.
const CARD: usize = 200 * 1024;

#[tokio::test(flavor = "multi_thread")]
async fn a_subscriber_that_does_not_read_is_the_one_that_is_behind() {
    let mut daemon = DaemonUnderTest::new(SCORELD);
    // A busy machine may take longer than the normal limit, at which the daemon closes the connection.
    daemon.configure("[rpc]\nwriteTimeoutSeconds = 3600\n");
    daemon.spawn().await;
    let (client, id) = new_session(&daemon).await;
    let watcher = connect(&daemon.socket()).await;
    let mut watch = Watch::from_start(&watcher, id).await;
    let mut stalled = RawConnection::connect(&daemon);
    stalled.call("subscribeEvents", &json!({"sessionId": id}));
    let mut writer = RawConnection::connect(&daemon);
    for number in 0..30 {
        let card =
            json!({"sessionId": id, "kind": "board.card", "data": {"text": "x".repeat(CARD)}});
        let reply = writer.call("appendCustom", &card);
        assert!(reply["result"].is_object(), "{number}: {reply}");
        watch.until("custom").await;
    }
    let told = status_when(&client, |status| {
        let lags: Vec<_> = status.subscribers.iter().map(|it| it.lag_events).collect();
        matches!(lags[..], [behind, 0] if behind >= 10)
    });
    let told = told.await;
    assert!(
        told.subscribers.iter().all(|one| one.session_id == id),
        "{told:?}"
    );
    let lag = metrics(&daemon).value("scorel_subscriber_lag_events");
    assert!(lag >= 10.0, "{lag}");
    drop(stalled);
    status_when(&client, |status| status.subscribers.len() == 1).await;
    assert_eq!(metrics(&daemon).value("scorel_subscriber_lag_events"), 0.0);
}

#[tokio::test]
async fn curl_reads_the_metrics_as_the_manual_says() {
    let manual = include_str!("../../docs/operations.md");
    let command = "curl --unix-socket ~/.scorel/scoreld.sock http://localhost/metrics";
    assert!(manual.contains(command), "the manual has another command");
    let daemon = DaemonUnderTest::start(SCORELD).await;
    let shown = tokio::process::Command::new("curl")
        .args(["--silent", "--show-error", "--fail", "--max-time", "120"])
        .arg("--unix-socket")
        .arg(daemon.socket())
        .arg("http://localhost/metrics")
        .output();
    let shown = match timeout(Duration::from_secs(180), shown).await.unwrap() {
        Ok(shown) => shown,
        Err(error) => {
            println!("skipped: curl cannot be started: {error}");
            return;
        }
    };
    assert!(shown.status.success(), "{shown:?}");
    let text = String::from_utf8(shown.stdout).unwrap();
    Exposition::parse(&text).unwrap_or_else(|fault| panic!("{fault}"));
}
