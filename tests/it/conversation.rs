//! A conversation with a model over real HTTP, and its log.

use scorel_proto::{Cancel, CancelParams};
use scorel_testkit::{DaemonUnderTest, ModelServer, ResponseGate, ScriptedChat};
use serde_json::{Value, json};

use crate::raw::RawConnection;
use crate::under_test::{SCORELD, Watch, new_session, send, session, streamed_text, types};

const CLIENT: &str = "cli_01ARZ3NDEKTSV4RRFFQ69G5FAV";

/// A daemon whose model makes two parallel calls, then one, then replies.
async fn with_scripted_model() -> (DaemonUnderTest, ModelServer) {
    let model = ModelServer::start().await.unwrap();
    let looks = ScriptedChat::default()
        .text("I look around.")
        .tool_call("call_a", "Glob", r#"{"pattern":"*"}"#)
        .tool_call("call_b", "Grep", r#"{"pattern":"answer","mode":"content"}"#)
        .finish("tool_calls")
        .usage(100, 20);
    let reads = ScriptedChat::default()
        .tool_call("call_c", "Read", r#"{"path":"notes.txt"}"#)
        .finish("tool_calls")
        .usage(150, 10);
    let answers = ScriptedChat::default()
        .text("The answer ")
        .text("is 42.")
        .finish("stop")
        .usage(200, 5);
    model.answer(looks).answer(reads).answer(answers);
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure_model(&model.base_url());
    daemon.write_project_file("notes.txt", "the answer is 42\n");
    daemon.spawn().await;
    (daemon, model)
}

#[tokio::test]
async fn the_log_has_every_step_of_a_turn_with_tools() {
    let (daemon, model) = with_scripted_model().await;
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    send(&client, id, "What is the answer?").await;
    let seen = watch.until("turn_outcome").await;
    assert!(streamed_text(&seen).ends_with("The answer is 42."));

    let log = daemon.log(&id.to_string());
    assert_eq!(log[0]["type"], "session");
    assert_eq!(
        types(&log[1..]),
        [
            "message",
            "instruction_snapshot",
            "message",
            "tool_started",
            "tool_started",
            "message",
            "message",
            "message",
            "tool_started",
            "message",
            "message",
            "turn_outcome",
        ]
    );
    let messages: Vec<&Value> = log
        .iter()
        .filter(|line| line["type"] == "message")
        .collect();
    let roles: Vec<&Value> = messages
        .iter()
        .map(|line| &line["message"]["role"])
        .collect();
    assert_eq!(
        roles,
        [
            "user",
            "assistant",
            "tool_result",
            "tool_result",
            "assistant",
            "tool_result",
            "assistant"
        ]
    );
    for pair in messages.windows(2) {
        assert_eq!(
            pair[1]["parentId"], pair[0]["id"],
            "messages form one chain"
        );
    }
    let results: Vec<&Value> = messages
        .iter()
        .filter(|line| line["message"]["role"] == "tool_result")
        .map(|line| &line["message"]["content"][0]["toolUseId"])
        .collect();
    assert_eq!(
        results,
        ["call_a", "call_b", "call_c"],
        "results come in the order of the calls"
    );
    assert_eq!(log.last().unwrap()["reason"], "completed");
    assert_eq!(log.last().unwrap()["steps"], 3);
    assert_eq!(log.last().unwrap()["usage"]["inputTokens"], 450);
    assert_eq!(model.requests().len(), 3);
}

#[tokio::test]
async fn the_model_gets_the_results_of_its_calls() {
    let (daemon, model) = with_scripted_model().await;
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    send(&client, id, "What is the answer?").await;
    watch.until("turn_outcome").await;
    let requests = model.requests();
    let last = requests[2].json();
    let messages = last["messages"].as_array().unwrap();
    let roles: Vec<&Value> = messages.iter().map(|message| &message["role"]).collect();
    assert_eq!(
        roles,
        [
            "system",
            "user",
            "assistant",
            "tool",
            "tool",
            "assistant",
            "tool"
        ],
        "{last:#}"
    );
    assert!(
        messages[4]["content"]
            .as_str()
            .unwrap()
            .contains("the answer is 42")
    );
    assert!(
        messages[6]["content"]
            .as_str()
            .unwrap()
            .contains("the answer is 42")
    );
    let system = messages[0]["content"].as_str().unwrap();
    assert!(system.contains(daemon.project().to_str().unwrap()));
    for pair in requests.windows(2) {
        let (before, after) = (pair[0].json(), pair[1].json());
        let before = before["messages"].as_array().unwrap().clone();
        let after = after["messages"].as_array().unwrap();
        assert_eq!(after[..before.len()], before, "a request only grows");
    }
}

#[tokio::test]
async fn events_are_seen_in_the_order_of_their_numbers_and_as_they_are_logged() {
    let (daemon, _model) = with_scripted_model().await;
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    send(&client, id, "What is the answer?").await;
    let seen = watch.until("turn_outcome").await;
    let events: Vec<&Value> = seen.iter().filter(|item| item["seq"].is_u64()).collect();
    let seqs: Vec<u64> = events
        .iter()
        .map(|event| event["seq"].as_u64().unwrap())
        .collect();
    assert!(seqs.windows(2).all(|pair| pair[0] < pair[1]), "{seqs:?}");
    let persistent: Vec<&Value> = events
        .iter()
        .copied()
        .filter(|event| event["prev"].is_u64())
        .collect();
    let log = daemon.log(&id.to_string());
    assert_eq!(persistent, log[1..].iter().collect::<Vec<_>>());
    let kinds = types(&seen);
    let start = kinds
        .iter()
        .position(|kind| *kind == "runtime_start")
        .unwrap();
    assert_eq!(
        kinds[start - 1],
        "message",
        "a turn's first event is a record"
    );
    assert_eq!(kinds[kinds.len() - 2..], ["runtime_end", "turn_outcome"]);
}

#[tokio::test]
async fn cancelling_keeps_the_text_and_ends_the_request() {
    let model = ModelServer::start().await.unwrap();
    let gate = ResponseGate::default();
    model.answer(
        ScriptedChat::default()
            .text("half an ")
            .text("answer")
            .wait(&gate)
            .text("never"),
    );
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure_model(&model.base_url());
    daemon.spawn().await;
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    let turn_id = send(&client, id, "Talk.").await;
    gate.reached().await;
    while streamed_text(&watch.until("text_delta").await) != "answer" {}
    let params = CancelParams {
        children: None,
        session_id: id,
        expected_turn_id: Some(turn_id),
        clear_queue: None,
        command_id: None,
    };
    assert!(client.call::<Cancel>(&params).await.unwrap().cancelled);
    let rest = watch.until("turn_outcome").await;
    assert_eq!(rest.last().unwrap()["reason"], "cancelled");
    gate.abandoned().await;
    let log = daemon.log(&id.to_string());
    let partial = log
        .iter()
        .find(|line| line["message"]["partial"] == true)
        .unwrap();
    assert_eq!(
        partial["message"]["content"],
        json!([{"type": "text", "text": "half an answer"}])
    );
    assert!(
        !client.call::<Cancel>(&params).await.unwrap().cancelled,
        "nothing runs any more"
    );
}

/// A program of its own clears the queue over the socket; the daemon is killed right after the reply.
#[tokio::test(flavor = "multi_thread")]
async fn clearing_the_queue_with_a_cancel_survives_a_kill() {
    let model = ModelServer::start().await.unwrap();
    let gate = ResponseGate::default();
    model.answer(ScriptedChat::default().wait(&gate).text("never"));
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure_model(&model.base_url());
    daemon.spawn().await;
    let (client, id) = new_session(&daemon).await;
    let turn_id = send(&client, id, "one").await;
    gate.reached().await;
    let say = json!({"sessionId": id, "content": "two"});
    let cancel = json!({"sessionId": id, "expectedTurnId": turn_id, "clearQueue": true,
        "commandId": "stop"});
    let hello = json!({"clientId": CLIENT, "protocol": {"min": 1, "max": 1}});
    let mut raw = RawConnection::connect(&daemon);
    raw.call("hello", &hello);
    assert_eq!(raw.call("sendMessage", &say)["result"]["status"], "queued");
    let first = raw.call("cancel", &cancel)["result"].clone();
    assert_eq!(first["cancelled"], true);
    assert!(first["seq"].is_u64(), "{first}");
    daemon.kill().await;
    daemon.spawn().await;
    let mut raw = RawConnection::connect(&daemon);
    raw.call("hello", &hello);
    assert_eq!(raw.call("cancel", &cancel)["result"], first);
    let session = raw.call("getSession", &json!({"sessionId": id}))["result"]["session"].clone();
    assert_eq!(session["queue"], json!([]), "{session}");
    let log = daemon.log(&id.to_string());
    let record = log.iter().find(|line| line["seq"] == first["seq"]).unwrap();
    assert_eq!(record["clientId"], CLIENT);
    assert_eq!(record["cancelTurnId"], json!(turn_id));
    let turns = log.iter().filter(|line| line["type"] == "turn_outcome");
    assert_eq!(turns.count(), 1, "the queued message has become no turn");
}

#[tokio::test]
async fn a_message_to_a_running_session_becomes_a_turn_of_its_own() {
    let model = ModelServer::start().await.unwrap();
    let gate = ResponseGate::default();
    model.answer(
        ScriptedChat::default()
            .wait(&gate)
            .text("first")
            .finish("stop"),
    );
    model.answer(ScriptedChat::default().text("second").finish("stop"));
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure_model(&model.base_url());
    daemon.spawn().await;
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    send(&client, id, "one").await;
    gate.reached().await;
    let queued = client
        .call::<scorel_proto::SendMessage>(&crate::under_test::message(id, "two"))
        .await
        .unwrap();
    let queued = serde_json::to_value(queued).unwrap();
    assert_eq!(
        (&queued["status"], &queued["position"]),
        (&json!("queued"), &json!(0))
    );
    assert_eq!(session(&client, id).await.queue.len(), 1);
    gate.open();
    watch.until("turn_outcome").await;
    let second = watch.until("turn_outcome").await;
    let follow_up = &second[0];
    assert_eq!(follow_up["queueItemId"], queued["queueItemId"]);
    assert_eq!(follow_up["message"]["meta"]["source"], "followUp");
    assert!(streamed_text(&second).ends_with("second"));
    assert!(session(&client, id).await.queue.is_empty());
}

#[tokio::test]
async fn a_provider_that_refuses_fails_the_turn_and_not_the_session() {
    let model = ModelServer::start().await.unwrap();
    model.answer(scorel_testkit::ScriptedResponse::json(
        401,
        r#"{"error": {"message": "Incorrect API key provided", "code": "invalid_api_key"}}"#,
    ));
    model.answer(ScriptedChat::default().text("better").finish("stop"));
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure_model(&model.base_url());
    daemon.spawn().await;
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    send(&client, id, "one").await;
    let failed = watch.until("turn_outcome").await;
    let outcome = failed.last().unwrap();
    assert_eq!(
        (&outcome["reason"], &outcome["error"]["code"]),
        (&json!("error"), &json!("auth"))
    );
    send(&client, id, "two").await;
    assert_eq!(
        watch.until("turn_outcome").await.last().unwrap()["reason"],
        "completed"
    );
}

#[tokio::test]
async fn without_a_configuration_the_demo_answers_and_says_what_it_is() {
    let daemon = DaemonUnderTest::start(SCORELD).await;
    daemon.write_project_file("README.md", "# A project\n");
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    send(&client, id, "What is here?").await;
    let seen = watch.until("turn_outcome").await;
    assert_eq!(seen.last().unwrap()["reason"], "completed");
    assert!(types(&seen).contains(&"tool_started"));
    let text = streamed_text(&seen);
    assert!(text.contains("not a language model"), "{text}");
    assert!(text.contains("README.md"), "{text}");
}
