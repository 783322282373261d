//! The system calls that a start and a turn may make, as counts: they depend on no clock and no load.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::time::{Duration, SystemTime};

use scorel_client::Connection;
use scorel_testkit::{
    DaemonUnderTest, ModelServer, ScriptedChat, ScriptedResponse, Sightings, Strace, Trace,
    TracedCall,
};
use serde_json::{Value, json};

use super::order::messages;
use super::reads::connected;
use super::script::{call, until_idle};
use super::strace_works;
use crate::under_test::{SCORELD, has_sandbox};

/// The links that a turn with a command may look at. The table of credentials alone has two hundred places.
const MAX_READLINK: usize = 40;

/// Starts and stops a daemon, which waits for its probes.
async fn traced_start(daemon: &mut DaemonUnderTest) -> Trace {
    let options = ["-e", "trace=execve,openat,rename,renameat,renameat2"].map(str::to_owned);
    let strace = Strace::new(daemon.root(), &options);
    daemon.run_under(strace.command());
    daemon.spawn().await;
    daemon.stop().await;
    strace.finish()
}

fn is_execution(call: &&TracedCall) -> bool {
    call.name == "execve" && call.succeeded()
}

#[tokio::test]
async fn the_sandbox_is_tried_after_readiness_and_once() {
    if !strace_works() || !has_sandbox() {
        return;
    }
    let mut daemon = DaemonUnderTest::new(SCORELD);
    let first = traced_start(&mut daemon).await;
    let is_ready = |call: &&TracedCall| {
        call.name.starts_with("rename") && call.arguments.contains("/daemon.json\"")
    };
    let ready = first.calls().iter().find(is_ready).unwrap().began;
    let executed: Vec<usize> = first
        .calls()
        .iter()
        .filter(is_execution)
        .map(|it| it.began)
        .collect();
    let before = executed.iter().filter(|began| **began < ready).count();
    assert_eq!(before, 1, "the daemon itself, of {}", executed.len());
    assert!(executed.len() > 1, "probes after that");
    if !daemon.home().join("sandbox-support").exists() {
        println!("skipped: this kernel lacks something, which is not remembered");
        return;
    }
    let again = traced_start(&mut daemon).await;
    assert_eq!(again.calls().iter().filter(is_execution).count(), 1);
    daemon.configure("[tools]\nhidden = [\"/nowhere\"]\n");
    let changed = traced_start(&mut daemon).await;
    let executed = changed.calls().iter().filter(is_execution).count();
    assert!(executed > 1, "another configuration");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_opens_nothing_to_count_descriptors_and_finds_no_place_again() {
    if !strace_works() {
        return;
    }
    let model = ModelServer::start().await.unwrap();
    model.answer_with(|request| -> ScriptedResponse {
        let messages = request.json()["messages"].as_array().cloned();
        let is_result = messages.is_some_and(|all| all.last().unwrap()["role"] == "tool");
        let (chat, bash) = (ScriptedChat::default(), r#"{"command":"true"}"#);
        match is_result {
            true => chat.text("done").finish("stop").into(),
            false => chat
                .tool_call("c", "Bash", bash)
                .finish("tool_calls")
                .into(),
        }
    });
    let mut daemon = DaemonUnderTest::new(SCORELD);
    let user = daemon.root().join("user");
    fs::create_dir_all(user.join(".config")).unwrap();
    daemon = daemon.with_variable("HOME", user.to_str().unwrap());
    daemon.configure_model(&model.base_url());
    daemon.configure_more("[permissions]\nmode = \"full\"\n");
    let options = [
        "-e",
        "trace=openat,readlink,pwrite64,write,writev,sendto,sendmsg",
    ];
    let strace = Strace::new(daemon.root(), &options.map(str::to_owned));
    daemon.run_under(strace.command());
    daemon.spawn().await;
    let client = connected(&daemon).await;
    let register = json!({"workDir": daemon.project()});
    let project = call(&client, "registerProject", &register).await.unwrap();
    let create = json!({"projectId": project["project"]["projectId"]});
    let session = call(&client, "createSession", &create).await.unwrap()["sessionId"].clone();
    let mut turns = 0;
    // The places are kept once their directories are so old that every change would be seen.
    let age = || {
        let changed = fs::metadata(&user).unwrap().ctime().unsigned_abs();
        let changed = SystemTime::UNIX_EPOCH + Duration::from_secs(changed);
        SystemTime::now()
            .duration_since(changed)
            .unwrap_or_default()
    };
    let mut after_settled = 0;
    while after_settled < 2 {
        let message = json!({"sessionId": session, "content": "go on"});
        after_settled += usize::from(age() > Duration::from_secs(4));
        call(&client, "sendMessage", &message).await.unwrap();
        until_idle(&client, &session, &mut Sightings::default())
            .await
            .unwrap();
        until_indexed(&client).await;
        turns += 1;
    }
    let threads = fs::read_dir(format!("/proc/{}/task", daemon.pid())).unwrap();
    let threads: Vec<u32> = threads
        .filter_map(|it| it.unwrap().file_name().to_str()?.parse().ok())
        .collect();
    daemon.stop().await;
    let trace = strace.finish();
    let last = last_turn(&trace, turns);
    let count = |is: &dyn Fn(&TracedCall) -> bool| last.iter().filter(|call| is(call)).count();
    let own = |call: &TracedCall| threads.contains(&call.thread);
    let opens = count(&|call| {
        call.name == "openat" && own(call) && call.arguments.contains("/events.jsonl\"")
    });
    assert_eq!(opens, 0, "the log is open");
    let links = count(&|call| call.name == "readlink" && own(call));
    println!("{links} links, {} calls of {turns} turns", last.len());
    assert!(links <= MAX_READLINK, "{links} links");
    let indexed = count(&|call| call.target().is_some_and(|it| it.contains("/search.db")));
    assert_eq!(indexed, 0, "the index follows behind the turn");
}

/// Waits until the index has the turns so far. On a busy machine it would be written while the next one runs.
async fn until_indexed(client: &Connection) {
    let query = json!({"query": "on"});
    while call(client, "search", &query).await.unwrap()["behindBytes"] != 0 {
        tokio::task::yield_now().await;
    }
}

/// The calls of the last turn: from the reply to the message until the outcome is sent.
fn last_turn(trace: &Trace, turns: usize) -> Vec<&TracedCall> {
    let sent = messages(trace);
    let accepted: Vec<usize> = sent
        .iter()
        .filter(|(message, _)| message["result"]["status"] == "accepted")
        .map(|(_, began)| *began)
        .collect();
    assert_eq!(accepted.len(), turns);
    let began = *accepted.last().unwrap();
    let is_end = |(message, at): &&(Value, usize)| {
        *at > began && message["params"]["result"]["type"] == "turn_outcome"
    };
    let ended = sent.iter().filter(is_end).map(|(_, at)| *at).max().unwrap();
    let calls = trace.calls().iter();
    calls
        .filter(|call| call.began > began && call.began < ended)
        .collect()
}
