use std::path::PathBuf;

use scorel_testkit::ScriptedChat;
use serde_json::json;

use super::scene::Scene;

/// A file that no session may write unasked.
fn outside(scene: &Scene) -> PathBuf {
    scene.daemon.root().join("new.txt")
}

fn script(scene: &Scene) {
    let input = json!({"path": outside(scene), "content": "hi"});
    let call = ScriptedChat::default().tool_call("c", "Write", &input.to_string());
    let call = call.finish("tool_calls");
    let done = ScriptedChat::default().text("done").finish("stop");
    scene
        .model
        .answer(call.usage(1, 1))
        .answer(done.usage(1, 1));
}

#[tokio::test]
async fn a_client_that_may_not_answer_waits_for_a_person_and_sees_the_question() {
    let mut scene = Scene::start("", &[]).await;
    script(&scene);
    let session = scene.session().await;
    let message = json!({"sessionId": session, "text": "hi"});
    scene.tool("send_message", &message).await.unwrap();
    scene.model.wait_for_requests(1).await;
    let waited = loop {
        let wait = json!({"sessionId": session, "timeoutSeconds": 1});
        let waited = scene.tool("wait_turn", &wait).await.unwrap();
        if waited["phase"] == "awaiting_permission" {
            break waited;
        }
    };
    assert_eq!(waited["isOver"], false);
    assert_eq!(waited["questions"][0]["tool"], "Write");
    let answer = json!({
        "sessionId": session,
        "requestId": waited["questions"][0]["requestId"],
        "decision": "once",
    });
    let refused = scene.tool("answer_permission", &answer).await.unwrap_err();
    assert_eq!(refused["code"], "forbidden");
    assert!(!outside(&scene).exists());
    scene.mcp.close().await;
}

#[tokio::test]
async fn a_client_with_the_flag_answers_for_one_call() {
    let mut scene = Scene::start("", &["--allow-answers"]).await;
    script(&scene);
    let session = scene.session().await;
    let message = json!({"sessionId": session, "text": "hi"});
    scene.tool("send_message", &message).await.unwrap();
    let wait = json!({"sessionId": session, "timeoutSeconds": 50});
    let waited = scene.tool("wait_turn", &wait).await.unwrap();
    let question = &waited["questions"][0];
    let listed = scene.tool("list_questions", &json!({})).await.unwrap();
    assert_eq!(&listed["questions"][0], question);
    let answer = |decision: &str| {
        json!({
            "sessionId": session,
            "requestId": question["requestId"],
            "decision": decision,
        })
    };
    let refused = scene
        .tool("answer_permission", &answer("always"))
        .await
        .unwrap_err();
    assert_eq!(refused["code"], "invalid_params");
    scene
        .tool("answer_permission", &answer("once"))
        .await
        .unwrap();
    let waited = scene.tool("wait_turn", &wait).await.unwrap();
    assert_eq!(waited["output"], "done");
    let written = std::fs::read_to_string(outside(&scene));
    assert_eq!(written.unwrap(), "hi");
    let refused = scene
        .tool("answer_permission", &answer("deny"))
        .await
        .unwrap_err();
    assert_eq!(refused["code"], "conflict");
    scene.mcp.close().await;
}
