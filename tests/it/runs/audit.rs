use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use super::scene::{RunScene, reads, said};
use crate::under_test::scorelctl;

fn lines(text: &str) -> Vec<Value> {
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).expect("a line is JSON"))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_audited_by_what_its_models_were_asked() {
    let scene = RunScene::new().await;
    let secret = "sk-of-the-audit-12345";
    let env = scene.daemon.home().join("env");
    fs::write(&env, format!("SCENE_KEY={secret}\n")).unwrap();
    fs::set_permissions(&env, Permissions::from_mode(0o600)).unwrap();
    let mut started = scene.start().await;
    started.until("WaitingUser", "question").await;
    started.answer_with_edit(&[], reads("README.md"));
    started.answer_with_edit(&[], said("It is read."));
    started.send(&format!("Read it with {secret}")).await;
    started.until("WaitingUser", "question").await;
    let file = scene.daemon.home().join("audit.jsonl");
    let run = started.run_id.to_string();
    let arguments = [
        "run",
        "audit",
        &run,
        "--redact",
        "-o",
        file.to_str().unwrap(),
    ];
    let written = scorelctl(&scene.daemon, &arguments, &[]).await;
    assert!(written.status.success(), "{written:?}");
    assert!(written.stderr.is_empty(), "{written:?}");
    let text = fs::read_to_string(&file).unwrap();
    assert!(
        !text.contains(secret) && text.contains("[secret SCENE_KEY]"),
        "{text}"
    );
    let calls = lines(&text);
    let field = |name: &str| -> Vec<Value> { calls.iter().map(|it| it[name].clone()).collect() };
    assert_eq!(field("id"), ["C01", "C02", "C03"]);
    assert_eq!(field("nodeId"), ["ask", "ask", "ask"]);
    for call in &calls {
        assert_eq!(call["proof"]["matches"], true, "{call}");
        assert!(!call["request"]["tools"].as_array().unwrap().is_empty());
    }
    let parts = calls[2]["request"]["messages"].as_array().unwrap().iter();
    let parts: Vec<&str> = parts.filter_map(|it| it["part"].as_str()).collect();
    assert_eq!(parts[..2], ["RUN_DIRECTIVE", "NODE_BRIEF"]);
    assert_eq!(parts.last(), Some(&"USER_INPUT"));
    assert_eq!(calls[1]["toolRuns"][0]["toolCallId"], "call_1");
    assert_eq!(
        calls[2]["uiAfter"],
        json!({"phase": "WaitingUser", "stopReason": "end_turn"})
    );
}
