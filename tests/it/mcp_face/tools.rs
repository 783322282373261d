use std::time::Duration;

use scorel_testkit::{ResponseGate, ScriptedChat};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::scene::Scene;

fn says(text: &str) -> ScriptedChat {
    ScriptedChat::default()
        .text(text)
        .finish("stop")
        .usage(1, 1)
}

#[tokio::test]
async fn a_message_that_is_sent_twice_is_delivered_once() {
    let mut scene = Scene::start("", &[]).await;
    scene.model.fallback(says("hello"));
    let session = scene.session().await;
    let message = json!({"sessionId": session, "text": "hi", "commandId": "mine-1"});
    let sent = scene.tool("send_message", &message).await.unwrap();
    let again = scene.tool("send_message", &message).await.unwrap();
    assert_eq!(sent, again);
    assert_eq!(sent["state"], "started");
    let wait = json!({"sessionId": session, "turnId": sent["turnId"], "timeoutSeconds": 50});
    let waited = scene.tool("wait_turn", &wait).await.unwrap();
    assert_eq!(waited["isOver"], true);
    assert_eq!(waited["output"], "hello");
    assert_eq!(scene.model.requests().len(), 1);
    // The last turn is found without its id too.
    let waited = scene
        .tool("wait_turn", &json!({"sessionId": session}))
        .await
        .unwrap();
    assert_eq!(waited["turnId"], sent["turnId"]);
    let made = json!({"projectId": waited_project(&mut scene).await, "commandId": "mine-2"});
    let first = scene.tool("create_session", &made).await.unwrap();
    assert_eq!(first, scene.tool("create_session", &made).await.unwrap());
    scene.mcp.close().await;
}

async fn waited_project(scene: &mut Scene) -> Value {
    let listed = scene.tool("list_projects", &json!({})).await.unwrap();
    listed["projects"][0]["projectId"].clone()
}

#[tokio::test]
async fn a_wait_ends_by_its_time_and_by_its_withdrawal_and_the_turn_goes_on() {
    let mut scene = Scene::start("", &[]).await;
    let never = ResponseGate::new();
    let late = ScriptedChat::default().text("late").wait(&never);
    scene.model.answer(late.finish("stop"));
    let session = scene.session().await;
    let message = json!({"sessionId": session, "text": "hi"});
    let sent = scene.tool("send_message", &message).await.unwrap();
    let wait = |seconds: u64| json!({"sessionId": session, "timeoutSeconds": seconds});
    let began = Instant::now();
    let waited = scene.tool("wait_turn", &wait(1)).await.unwrap();
    assert!(began.elapsed() >= Duration::from_secs(1));
    assert_eq!(
        (&waited["isOver"], &waited["turnId"]),
        (&json!(false), &sent["turnId"])
    );
    let refused = scene.tool("wait_turn", &wait(51)).await.unwrap_err();
    assert_eq!(refused["code"], "invalid_params");
    assert!(refused["help"].is_string(), "{refused}");

    let params =
        json!({"name": "wait_turn", "arguments": wait(50), "_meta": {"progressToken": "t"}});
    let id = scene.mcp.request("tools/call", &params).await;
    let told = scene
        .mcp
        .wait(|it| it["method"] == "notifications/progress")
        .await;
    assert_eq!(told["params"]["progressToken"], "t");
    scene
        .mcp
        .notify("notifications/cancelled", &json!({"requestId": id}))
        .await;
    // Its answer would come before this one.
    let cancel = json!({"sessionId": session, "turnId": sent["turnId"]});
    let cancelled = scene.tool("cancel_turn", &cancel).await.unwrap();
    assert_eq!(cancelled["cancelled"], true);
    let waited = scene.tool("wait_turn", &wait(50)).await.unwrap();
    assert_eq!(
        (&waited["isOver"], &waited["phase"]),
        (&json!(true), &json!("idle"))
    );
    assert!(!scene.mcp.has(|it| it["id"] == id), "it was withdrawn");
    scene.mcp.close().await;
}

#[tokio::test]
async fn every_event_can_be_read_however_large_it_is() {
    let mut scene = Scene::start("", &[]).await;
    let long = "a \"long\" answer\n".repeat(9_000);
    scene.model.answer(says(&long));
    let session = scene.session().await;
    let message = json!({"sessionId": session, "text": "hi"});
    scene.tool("send_message", &message).await.unwrap();
    let wait = json!({"sessionId": session, "timeoutSeconds": 50});
    let waited = scene.tool("wait_turn", &wait).await.unwrap();
    assert_eq!(waited["isOver"], true);
    assert!(
        waited["outputBytes"].as_u64().unwrap() > 100_000,
        "{}",
        waited["outputBytes"]
    );
    let (mut cursor, mut parts, mut types) = (Value::Null, String::new(), Vec::new());
    loop {
        let arguments = json!({"sessionId": session, "cursor": cursor});
        let page = scene.tool("read_events", &arguments).await.unwrap();
        for event in page["events"].as_array().unwrap() {
            match event["part"].as_str() {
                Some(part) => parts.push_str(part),
                None => types.push(event["type"].as_str().unwrap().to_owned()),
            }
        }
        cursor = page["nextCursor"].clone();
        if page["more"] == false {
            break;
        }
    }
    let message: Value = serde_json::from_str(&parts).unwrap();
    assert_eq!(message["message"]["content"][0]["text"], long);
    assert_eq!(types.last().unwrap(), "turn_outcome");
    let refused = json!({"sessionId": session, "cursor": "x"});
    let refused = scene.tool("read_events", &refused).await.unwrap_err();
    assert_eq!(refused["code"], "invalid_params");
    scene.mcp.close().await;
}

#[tokio::test]
async fn what_is_wrong_is_said_with_what_helps() {
    let mut scene = Scene::start("", &[]).await;
    let other = "ses_01K1H9Q8000000000000000001";
    for (tool, arguments, code) in [
        (
            "wait_turn",
            json!({"sessionId": other}),
            "session_not_found",
        ),
        (
            "send_message",
            json!({"sessionId": other, "text": "x"}),
            "session_not_found",
        ),
        (
            "send_message",
            json!({"sessionId": other, "text": " "}),
            "invalid_params",
        ),
        (
            "send_message",
            json!({"sessionId": "x", "text": "x"}),
            "invalid_params",
        ),
        ("list_projects", json!({"x": 1}), "invalid_params"),
        ("create_session", json!({}), "invalid_params"),
        ("no_tool", json!({}), "unknown_name"),
        ("answer_permission", json!({}), "forbidden"),
        ("list_questions", json!({}), "forbidden"),
    ] {
        let refused = scene.tool(tool, &arguments).await.unwrap_err();
        assert_eq!(refused["code"], code, "{tool} {refused}");
        let has_help = matches!(code, "session_not_found" | "forbidden");
        assert_eq!(refused["help"].is_string(), has_help, "{tool} {refused}");
    }
    scene.mcp.close().await;
}
