//! The order lint: nothing about a record is sent, and no command starts, before the record is synced.

use std::collections::HashMap;

use scorel_testkit::{Strace, Trace, TracedCall};
use serde_json::Value;

use super::script::scripted;
use super::strace_works;
use crate::files::{Scene, bash};
use crate::under_test::{connect, has_sandbox};

/// A record in the trace.
struct WrittenRecord {
    line: Value,
    path: String,
    /// The position at which its write had returned.
    at: usize,
    /// The position at which a sync that began after the write had returned.
    durable: Option<usize>,
}

#[derive(Debug, Default)]
struct OrderFindings {
    /// Replies and events about records that were checked.
    told: usize,
    /// Those sent before the sync.
    early: Vec<String>,
}

#[tokio::test(flavor = "multi_thread")]
async fn no_reply_and_no_event_leaves_before_its_record_is_synced() {
    if !strace_works() {
        return;
    }
    let synced = lint(&traced_run("").await);
    println!(
        "order lint: {} told, {} early",
        synced.told,
        synced.early.len()
    );
    assert!(synced.told >= 30, "{synced:?}");
    assert!(synced.early.is_empty(), "{:#?}", synced.early);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_lint_finds_a_daemon_that_does_not_sync() {
    if !strace_works() {
        return;
    }
    let flushed = lint(&traced_run("[sessions]\ndurability = \"flush\"\n").await);
    println!(
        "order lint without sync: {} told, {} early",
        flushed.told,
        flushed.early.len()
    );
    assert!(flushed.told >= 30, "{flushed:?}");
    assert_eq!(flushed.early.len(), flushed.told);
}

#[tokio::test(flavor = "multi_thread")]
async fn names_are_synced_and_a_session_is_announced_after_its_names() {
    if !strace_works() {
        return;
    }
    let trace = traced_run("").await;
    let names = names(&trace);
    assert!(names.len() > 5, "{names:?}");
    for (path, named) in &names {
        let dir = parent(path);
        assert!(
            synced(&trace, dir, *named).is_some(),
            "{path} is not synced"
        );
    }
    let mut sessions = 0;
    for (message, left) in messages(&trace) {
        let result = &message["result"];
        let Some(id) = result["sessionId"].as_str() else {
            continue;
        };
        let log = format!("/sessions/{id}/events.jsonl");
        let Some((path, named)) = names.iter().find(|(path, _)| path.ends_with(&log)) else {
            continue;
        };
        let dir = parent(path);
        for dir in [dir, parent(dir)] {
            let synced = synced(&trace, dir, *named);
            assert!(
                synced.is_some_and(|synced| synced < left),
                "{dir}: {message}"
            );
        }
        sessions += 1;
    }
    assert!(sessions >= 2, "two sessions were made");
}

/// The word that starts a command, as it is written to a socket: by the daemon, then by the supervisor.
const GO: &[u8] = b"g";

#[tokio::test(flavor = "multi_thread")]
async fn a_command_starts_after_the_start_of_its_call_is_synced() {
    if !strace_works() || !has_sandbox() {
        return;
    }
    let mut scene = Scene::new(|_| {}).await;
    scene.daemon.stop().await;
    let strace = Strace::new(scene.daemon.root(), &[]);
    scene.daemon.run_under(strace.command());
    scene.daemon.spawn().await;
    scene.client = connect(&scene.daemon.socket()).await;
    scene.turn(&[bash("echo x > made")]).await;
    scene.daemon.stop().await;
    let trace = strace.finish();
    let started = records(&trace);
    let started = started.iter().find(|it| it.line["type"] == "tool_started");
    let durable = started.unwrap().durable.unwrap();
    let sent = |call: &&TracedCall| {
        let is_socket = call.target().is_some_and(|it| it.starts_with("socket:"));
        is_socket && call.bytes() == GO
    };
    let words: Vec<usize> = trace
        .calls()
        .iter()
        .filter(sent)
        .map(|it| it.began)
        .collect();
    let [told, passed_on] = words[..] else {
        panic!("{words:?}")
    };
    assert!(durable < told && told < passed_on, "{durable} {words:?}");
    let made = |call: &&TracedCall| call.name == "openat" && call.arguments.contains("\"made\"");
    let made = trace.calls().iter().find(made).unwrap().began;
    assert!(passed_on < made, "{words:?} {made}");
}

/// The targets of renames, each with the position at which the rename had returned. Without `daemon.json`, which
/// tells only of a process.
fn names(trace: &Trace) -> Vec<(String, usize)> {
    let calls = trace.calls().iter();
    let renamed = calls.filter(|call| call.name.starts_with("rename") && call.succeeded());
    let target = |arguments: &str| arguments.split('"').nth(3).map(str::to_owned);
    renamed
        .map(|call| (target(&call.arguments).expect("two paths"), call.ended))
        .filter(|(path, _)| !path.ends_with("/daemon.json"))
        .collect()
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').expect("a path from the root").0
}

/// The position at which a directory sync that began after `moment` had returned.
fn synced(trace: &Trace, dir: &str, since: usize) -> Option<usize> {
    let mut calls = trace.calls().iter();
    let found = calls.find(|call| {
        let is_sync = call.name == "fsync" && call.succeeded();
        is_sync && call.began > since && call.target() == Some(dir)
    });
    found.map(|call| call.ended)
}

async fn traced_run(configuration: &str) -> Trace {
    let (mut daemon, _model, mut script) = scripted().await;
    let config = daemon.home().join("config.toml");
    let model = std::fs::read_to_string(config).unwrap();
    daemon.configure(&format!("{model}{configuration}"));
    let strace = Strace::new(daemon.root(), &[]);
    daemon.run_under(strace.command());
    daemon.spawn().await;
    script.run(&daemon.socket()).await.unwrap();
    daemon.stop().await;
    strace.finish()
}

fn lint(trace: &Trace) -> OrderFindings {
    let written = records(trace);
    let mut findings = OrderFindings::default();
    for (text, left) in messages(trace) {
        for record in written
            .iter()
            .filter(|record| tells_of(&text, &record.line))
        {
            findings.told += 1;
            if record.durable.is_none_or(|durable| durable >= left) {
                findings.early.push(format!("{}: {text}", record.path));
            }
        }
    }
    findings
}

/// The records written to logs.
fn records(trace: &Trace) -> Vec<WrittenRecord> {
    let mut written: Vec<WrittenRecord> = Vec::new();
    for call in trace.calls() {
        let Some(path) = call.target().filter(|path| path.ends_with("/events.jsonl")) else {
            continue;
        };
        if call.name == "write" && call.succeeded() {
            let bytes = call.bytes();
            let line = serde_json::from_slice(&bytes).expect("a record is one write");
            written.push(WrittenRecord {
                line,
                path: path.to_owned(),
                at: call.ended,
                durable: None,
            });
        } else if call.name == "fdatasync" && call.succeeded() {
            let covered =
                |record: &&mut WrittenRecord| record.path == path && record.at < call.began;
            for record in written.iter_mut().filter(covered) {
                record.durable.get_or_insert(call.ended);
            }
        }
    }
    written
}

/// The JSON-RPC messages sent, each with the position at which its first byte was sent.
pub(super) fn messages(trace: &Trace) -> Vec<(Value, usize)> {
    let mut found = Vec::new();
    let mut begun: HashMap<&str, (Vec<u8>, usize)> = HashMap::new();
    for call in trace.calls() {
        let Some(socket) = call.target().filter(|target| target.starts_with("socket:")) else {
            continue;
        };
        let (rest, since) = begun.entry(socket).or_insert((Vec::new(), call.began));
        for byte in call.bytes() {
            if rest.is_empty() {
                *since = call.began;
            }
            if byte == b'\n' {
                let message = serde_json::from_slice::<Value>(rest);
                found.extend(message.ok().map(|message| (message, *since)));
                rest.clear();
            } else {
                rest.push(byte);
            }
        }
    }
    found.retain(|(message, _)| message["jsonrpc"] == "2.0");
    found
}

/// Whether a message contains a record or acknowledges it.
fn tells_of(message: &Value, record: &Value) -> bool {
    let event = &message["params"]["result"];
    if event["prev"].is_u64() {
        return event["seq"] == record["seq"] && event["sessionId"] == record["sessionId"];
    }
    let result = &message["result"];
    let acknowledged = result["seq"].is_u64() && result["seq"] == record["seq"];
    let item = &record["ops"][0]["item"]["queueItemId"];
    let names_it = result["userEventId"] == record["id"]
        || (item.is_string() && result["queueItemId"] == *item)
        || result["session"]["sessionId"] == record["sessionId"];
    acknowledged && names_it
}
