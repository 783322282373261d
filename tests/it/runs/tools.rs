use std::fs;

use serde_json::{Value, json};

use super::answers::{leaves, patches, reads_document, results};
use super::scene::{RunScene, said};

#[tokio::test]
async fn a_call_moves_a_run_as_its_graph_allows_and_the_model_is_told_of_the_node() {
    let scene = RunScene::new().await;
    let mut started = scene.start().await;
    started.until("WaitingUser", "question").await;
    let document = scene.document(started.run_id);
    let before = fs::read_to_string(&document).unwrap();
    let skips = json!({"currentNodeId": {"set": "end"}, "stepsCompleted": {"append": ["ask"]}});
    scene.model.answer(reads_document());
    scene.model.answer(patches(&skips));
    scene.model.answer(leaves("ask", "write"));
    scene.model.answer(said("Written."));
    started.send("Cats.").await;
    started.until("WaitingUser", "question").await;

    let requests: Vec<Value> = scene.model.requests().iter().map(|it| it.json()).collect();
    let system = requests[0]["messages"][0].to_string();
    for part in ["@state/workflow.md", "@pkg", "fs_apply_patch"] {
        assert!(
            system.contains(part),
            "the rules do not name {part}: {system}"
        );
    }
    let last = requests.last().unwrap();
    let found = results(last);
    let of_read = &found[0];
    assert!(
        of_read.contains("sha256") && of_read.contains("currentNodeId"),
        "{of_read}"
    );
    let refused = &found[1];
    assert!(
        refused.contains("E_INVALID_TRANSITION") && refused.contains("write"),
        "{refused}"
    );
    assert!(found[2].contains("sha256After"), "{}", found[2]);
    let messages = last["messages"].as_array().unwrap();
    let brief = messages.last().unwrap().to_string();
    assert!(
        brief.contains("NODE_BRIEF") && brief.contains("currentNodeId: write"),
        "{brief}"
    );

    let after = fs::read_to_string(&document).unwrap();
    assert!(after.contains("# Mine\n") && after.ends_with("---\nNotes.\n") && after != before);
    let states = scene.records(started.session_id, "workflow.state");
    let last = states.last().unwrap();
    assert_eq!(
        (&last["cause"], &last["toolCallId"]),
        (&json!("patch"), &json!("call_1"))
    );
    assert_eq!(
        (&last["from"], &last["currentNodeId"]),
        (&json!("ask"), &json!("write"))
    );
    assert_eq!(last["label"], "next");
    let good = document
        .parent()
        .unwrap()
        .parent()
        .unwrap()
        .join("last-good.md");
    assert_eq!(fs::read_to_string(good).unwrap(), after);
}

#[tokio::test]
async fn an_ordinary_session_and_a_runs_session_in_chat_cannot_change_it() {
    let scene = RunScene::new().await;
    let mut started = scene.start().await;
    started.until("WaitingUser", "question").await;
    let params = scorel_proto::UpdateRunParams {
        run_id: started.run_id,
        autopilot: None,
        mode: Some(scorel_proto::RunMode::Chat),
        goto: None,
        command_id: None,
    };
    scene.call::<scorel_proto::UpdateRun>(&params).await;
    scene.model.answer(leaves("ask", "write"));
    scene.model.answer(said("No."));
    let before = fs::read_to_string(scene.document(started.run_id)).unwrap();
    started.send("Is it late?").await;
    let requests = scene.model.wait_for_requests(3).await;
    let result = results(&requests[2].json()).remove(0);
    assert!(result.contains("\"ok\":false"), "{result}");
    assert_eq!(
        fs::read_to_string(scene.document(started.run_id)).unwrap(),
        before
    );
    let (client, ordinary) = crate::under_test::new_session(&scene.daemon).await;
    crate::under_test::send(&client, ordinary, "Hello?").await;
    let requests = scene.model.wait_for_requests(4).await;
    let tools = requests[3].json()["tools"].to_string();
    assert!(!tools.contains("fs_read"), "{tools}");
}
