//! What a request reads of the log.

use std::collections::HashSet;

use scorel_client::Connection;
use scorel_testkit::{DaemonUnderTest, ModelServer, ScriptedChat, Sightings, Strace, Trace};
use serde_json::{Value, json};

use super::order::messages;
use super::script::{call, until_idle};
use super::strace_works;
use crate::under_test::{SCORELD, indexed};

/// Holds a few of the messages here.
const MODEL: &str = "contextWindow = 60000\nmaxTokens = 4000\n";

/// About 11,000 tokens each.
const CHARACTERS: usize = 40_000;

const MESSAGES: usize = 30;

/// The traced calls: those that read, and those that send replies.
const CALLS: &str = "trace=read,readv,pread64,preadv,preadv2,mmap,write,writev,sendto,sendmsg";

#[tokio::test(flavor = "multi_thread")]
async fn the_first_request_after_a_load_reads_the_window_and_not_the_log() {
    if !strace_works() {
        return;
    }
    let model = ModelServer::start().await.unwrap();
    model.fallback(ScriptedChat::default().text("yes").finish("stop"));
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure_model(&model.base_url());
    daemon.configure_more(MODEL);
    daemon.spawn().await;
    let session = long_session(&daemon).await;
    // What the search index has not read by then, it reads after the next start.
    indexed(&daemon).await;
    daemon.stop().await;
    let log = daemon.log(session.as_str().unwrap());
    let window = window_bytes(&log);
    let whole: usize = log.iter().map(record_bytes).sum();
    assert!(whole > 5 * window, "{whole} bytes, {window} in the window");

    let options = ["-e", CALLS].map(str::to_owned);
    let strace = Strace::new(daemon.root(), &options);
    daemon.run_under(strace.command());
    daemon.spawn().await;
    let before = model.requests().len();
    let client = connected(&daemon).await;
    let load = json!({"sessionId": session, "afterSeq": 0, "limit": 1});
    call(&client, "getEvents", &load).await.unwrap();
    // No subscription: it would read the events that it begins with.
    let message = json!({"sessionId": session, "content": "go on"});
    call(&client, "sendMessage", &message).await.unwrap();
    let requests = model.wait_for_requests(before + 1).await;
    daemon.stop().await;
    assert_eq!(requests.len(), before + 1, "no compaction of its own");
    let read = read_after_load(&strace.finish());
    println!("{read} bytes read of a log of {whole}, with a window of {window}");
    assert!(read >= window, "all of it was read");
    assert!(read as f64 <= 1.2 * window as f64, "{read} for {window}");
}

pub(super) async fn connected(daemon: &DaemonUnderTest) -> Connection {
    let client = Connection::connect(&daemon.socket()).await.unwrap();
    client.hello(None).await.unwrap();
    client
}

/// A session whose older messages were summarised.
async fn long_session(daemon: &DaemonUnderTest) -> Value {
    let client = connected(daemon).await;
    let register = json!({"workDir": daemon.project()});
    let project = call(&client, "registerProject", &register).await.unwrap();
    let create = json!({"projectId": project["project"]["projectId"]});
    let session = call(&client, "createSession", &create).await.unwrap();
    let session = session["sessionId"].clone();
    for number in 0..MESSAGES {
        let text = format!("{number} {}", "x".repeat(CHARACTERS));
        say(&client, &session, text).await;
    }
    session
}

async fn say(client: &Connection, session: &Value, text: String) {
    let params = json!({"sessionId": session, "content": text});
    call(client, "sendMessage", &params).await.unwrap();
    let mut seen = Sightings::default();
    until_idle(client, session, &mut seen).await.unwrap();
}

/// The length of the records that the context is made of: the newest summary, the messages that it
/// keeps, and those that it does not cover.
fn window_bytes(log: &[Value]) -> usize {
    let barrier = log.iter().rfind(|record| record["type"] == "compact");
    let barrier = barrier.expect("a compaction");
    let kept: HashSet<&str> = barrier["keep"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let covered = log
        .iter()
        .position(|record| record["id"] == barrier["compactedThrough"])
        .expect("the last message that is covered");
    let messages = log.iter().enumerate().filter(|(place, record)| {
        let is_kept = record["id"].as_str().is_some_and(|id| kept.contains(id));
        record["type"] == "message" && (*place > covered || is_kept)
    });
    let messages: usize = messages.map(|(_, record)| record_bytes(record)).sum();
    messages + record_bytes(barrier)
}

/// The length of a record's line.
fn record_bytes(record: &Value) -> usize {
    record.to_string().len() + 1
}

/// How many bytes of logs were read after the reply with the events of the loaded session.
fn read_after_load(trace: &Trace) -> usize {
    let loaded = messages(trace)
        .into_iter()
        .find(|(message, _)| message["result"]["events"][0]["seq"].is_u64());
    let (_, loaded) = loaded.expect("the reply");
    let calls = trace.calls().iter().filter(|call| {
        let of_log = |target: &str| target.ends_with("/events.jsonl");
        call.began > loaded && call.target().is_some_and(of_log)
    });
    calls
        .filter(|call| !call.name.starts_with("write"))
        .map(|call| {
            assert_ne!(call.name, "mmap", "read without a call");
            let read = call.result.as_deref().unwrap_or_default();
            read.parse::<usize>().unwrap_or_default()
        })
        .sum()
}
