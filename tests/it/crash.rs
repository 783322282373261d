//! A killed daemon, and how the next one recovers.

use scorel_testkit::{DaemonUnderTest, ModelServer, ResponseGate, ScriptedChat};
use serde_json::{Value, json};

use crate::under_test::{
    SCORELD, Watch, connect, message, new_session, send, session, streamed_text,
};

/// A daemon killed in the middle of a reply.
struct Killed {
    daemon: DaemonUnderTest,
    model: ModelServer,
    session: scorel_proto::SessionId,
    seen: Vec<Value>,
}

async fn killed_in_mid_stream() -> Killed {
    let model = ModelServer::start().await.unwrap();
    let gate = ResponseGate::default();
    let asks = ScriptedChat::default().tool_call("c1", "Glob", r#"{"pattern":"*"}"#);
    model.answer(asks.finish("tool_calls"));
    model.answer(
        ScriptedChat::default()
            .text("half an ")
            .text("answer")
            .wait(&gate),
    );
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure_model(&model.base_url());
    daemon.spawn().await;
    let (client, session) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, session).await;
    send(&client, session, "Talk.").await;
    let queued = client
        .call::<scorel_proto::SendMessage>(&message(session, "later"))
        .await;
    queued.unwrap();
    let mut seen = Vec::new();
    while !streamed_text(&seen).ends_with("answer") {
        seen.push(watch.next().await);
    }
    daemon.kill().await;
    Killed {
        daemon,
        model,
        session,
        seen,
    }
}

fn highest_seq(events: &[Value]) -> u64 {
    events
        .iter()
        .filter_map(|event| event["seq"].as_u64())
        .max()
        .unwrap()
}

#[tokio::test]
async fn nothing_acknowledged_or_seen_is_lost_and_no_number_is_issued_twice() {
    let Killed {
        mut daemon,
        session: id,
        seen,
        ..
    } = killed_in_mid_stream().await;
    daemon.spawn().await;
    let client = connect(&daemon.socket()).await;
    let after = session(&client, id).await;
    let log = daemon.log(&id.to_string());
    for event in seen.iter().filter(|event| event["prev"].is_u64()) {
        assert!(log.contains(event), "{event} was seen and is gone");
    }
    let published = highest_seq(&seen);
    let new: Vec<u64> = log
        .iter()
        .filter_map(|line| line["seq"].as_u64())
        .filter(|seq| !seen.iter().any(|event| event["seq"].as_u64() == Some(*seq)))
        .collect();
    assert!(
        new.iter().all(|seq| *seq > published),
        "{new:?} against {published}"
    );
    assert_eq!(after.queue.len(), 1, "the queued message is still there");
    assert!(after.queue_paused, "an interrupted turn pauses the queue");
}

#[tokio::test]
async fn an_interrupted_turn_is_marked_once() {
    let Killed {
        mut daemon,
        session: id,
        ..
    } = killed_in_mid_stream().await;
    for _ in 0..3 {
        daemon.spawn().await;
        let client = connect(&daemon.socket()).await;
        session(&client, id).await;
        daemon.kill().await;
    }
    let log = daemon.log(&id.to_string());
    let outcomes: Vec<&Value> = log
        .iter()
        .filter(|line| line["type"] == "turn_outcome")
        .collect();
    assert_eq!(outcomes.len(), 1);
    assert_eq!(outcomes[0]["reason"], "interrupted");
}

#[tokio::test]
async fn the_session_goes_on_after_a_crash() {
    let Killed {
        mut daemon,
        model,
        session: id,
        ..
    } = killed_in_mid_stream().await;
    model.answer(ScriptedChat::default().text("later, then").finish("stop"));
    model.answer(ScriptedChat::default().text("back").finish("stop"));
    daemon.spawn().await;
    let client = connect(&daemon.socket()).await;
    let mut watch = Watch::from_start(&client, id).await;
    let queued = client
        .call::<scorel_proto::SendMessage>(&message(id, "again"))
        .await
        .unwrap();
    assert_eq!(serde_json::to_value(queued).unwrap()["status"], "queued");
    let mut seen = Vec::new();
    while !streamed_text(&seen).ends_with("back") {
        seen.push(watch.next().await);
    }
    let request = model.requests().last().unwrap().json();
    let roles: Vec<&Value> = request["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| &message["role"])
        .collect();
    assert_eq!(roles.last().unwrap(), &&json!("user"));
    let calls = roles.iter().filter(|role| **role == "tool").count();
    assert_eq!(
        calls, 1,
        "the call before the crash kept its result: {roles:?}"
    );
}

#[tokio::test]
async fn sigterm_interrupts_turns_keeps_their_text_and_exits_successfully() {
    let model = ModelServer::start().await.unwrap();
    let gate = ResponseGate::default();
    model.answer(ScriptedChat::default().text("half an answer").wait(&gate));
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure_model(&model.base_url());
    daemon.spawn().await;
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    send(&client, id, "Talk.").await;
    watch.until("text_delta").await;
    assert!(daemon.stop().await.success());
    let rest = watch.until("turn_outcome").await;
    assert_eq!(rest.last().unwrap()["reason"], "interrupted");
    let log = daemon.log(&id.to_string());
    let partial = log
        .iter()
        .find(|line| line["message"]["partial"] == true)
        .unwrap();
    assert_eq!(partial["message"]["content"][0]["text"], "half an answer");
    assert!(
        !daemon.socket().exists(),
        "the socket is gone with the daemon"
    );
}

#[tokio::test]
async fn the_seen_part_of_an_answer_is_kept() {
    let Killed {
        mut daemon,
        session: id,
        seen,
        ..
    } = killed_in_mid_stream().await;
    daemon.spawn().await;
    let client = connect(&daemon.socket()).await;
    session(&client, id).await;
    let log = daemon.log(&id.to_string());
    let partial = log
        .iter()
        .find(|line| line["message"]["partial"] == true)
        .unwrap();
    assert_eq!(partial["message"]["stopReason"], "interrupted");
    assert_eq!(partial["message"]["content"][0]["text"], "half an answer");
    let start = seen
        .iter()
        .rfind(|event| event["type"] == "message_start")
        .unwrap();
    assert_eq!(partial["id"], start["eventId"], "clients replace by id");
}

#[tokio::test]
async fn an_interrupted_turn_is_closed_before_any_client_opens_its_session() {
    let Killed {
        mut daemon,
        session: id,
        ..
    } = killed_in_mid_stream().await;
    daemon.spawn().await;
    let client = connect(&daemon.socket()).await;
    let mut host = client.subscribe_host().await.unwrap();
    let is_closed = |session: &Value| {
        session["sessionId"] == id.to_string().as_str() && session["queuePaused"] == true
    };
    loop {
        let event: Value = serde_json::from_str(host.next().await.unwrap().get()).unwrap();
        let snapshot = event["sessions"].as_array().into_iter().flatten();
        if snapshot.chain([&event["session"]]).any(is_closed) {
            break;
        }
    }
    let log = daemon.log(&id.to_string());
    assert_eq!(log.last().unwrap()["reason"], "interrupted");
}

#[tokio::test]
async fn an_interrupted_turn_goes_on_once_where_that_is_wanted() {
    let model = ModelServer::start().await.unwrap();
    let gate = ResponseGate::default();
    model.answer(ScriptedChat::default().text("half an ").wait(&gate));
    model.answer(ScriptedChat::default().text("and the rest").finish("stop"));
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure(&format!(
        "[model]\ntype = \"custom\"\napi = \"openai-completions\"\nprovider = \"test\"\n\
         id = \"m\"\nbaseUrl = \"{}\"\n[runtime]\nonRestart = \"resume\"\n",
        model.base_url()
    ));
    daemon.spawn().await;
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    let turn_id = send(&client, id, "Talk.").await;
    watch.until("text_delta").await;
    daemon.kill().await;
    daemon.spawn().await;
    let client = connect(&daemon.socket()).await;
    let mut watch = Watch::from_start(&client, id).await;
    let rest = watch.until("turn_outcome").await;
    let outcome = rest.last().unwrap();
    assert_eq!(outcome["reason"], "completed");
    assert_eq!(outcome["turnId"], turn_id.to_string().as_str());
    assert_eq!(outcome["steps"], 2);
    let request = model.requests().last().unwrap().json();
    let said: Vec<&Value> = request["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| &message["role"])
        .collect();
    assert_eq!(said, ["system", "user", "assistant", "user"]);
}
