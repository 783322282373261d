//! Rules about tools of servers, however a model calls them.

use scorel_proto::{PermissionDecision, RespondPermission, RespondPermissionParams};
use serde_json::{Value, json};

use super::scene::{Scene, Talk};
use crate::under_test::send;

fn tool(name: &str, description: &str) -> Value {
    json!({"name": name, "description": description, "inputSchema": {"type": "object"}})
}

/// More tools than requests describe.
fn many(more: &[Value]) -> Value {
    let tools = (0..50).map(|number| tool(&format!("tool_{number}"), "One of many."));
    Value::Array(tools.chain(more.iter().cloned()).collect())
}

impl Scene {
    async fn answer(&self, talk: &Talk, asked: &Value, decision: PermissionDecision) {
        let params = RespondPermissionParams {
            session_id: talk.id,
            request_id: serde_json::from_value(asked["requestId"].clone()).unwrap(),
            decision,
            reason: None,
            command_id: None,
        };
        self.client
            .call::<RespondPermission>(&params)
            .await
            .unwrap();
    }
}

#[tokio::test]
async fn a_denied_tool_is_denied_through_another_and_by_its_other_names() {
    let permissions = "mode = \"full\"\ndeny = [\"Tool(mcp__fake__tool_7)\", \"Tool(mcp__fake__drop_all)\", \
        \"Tool(mcp__fake__erase.all)\"]";
    let list = many(&[
        tool("drop_all", "Drops."),
        tool("drop.all", "Drops too."),
        tool("erase.all", "Erases."),
    ]);
    let scene = Scene::listing(permissions, &list).await;
    let mut talk = scene.talk().await;
    for name in ["tool_7", "drop_all", "drop.all", "erase.all"] {
        let found = scene.search(&mut talk, &name.replace('.', " ")).await;
        let is_it = |it: &&String| match name.contains('.') {
            true => it.starts_with(&format!("mcp__fake__{}_", name.replace('.', "_"))),
            false => **it == format!("mcp__fake__{name}"),
        };
        let found = found
            .iter()
            .find(is_it)
            .unwrap_or_else(|| panic!("{name}: {found:?}"));
        let answer = scene.call_found(&mut talk, found, &json!({})).await;
        assert!(answer.contains("denies it"), "{name}: {answer}");
        assert!(!answer.contains(": {}"), "it has not run: {answer}");
    }
    let answer = scene
        .call_found(&mut talk, "mcp__fake__tool_8", &json!({}))
        .await;
    assert!(answer.contains("tool_8: {}"), "{answer}");
}

#[tokio::test]
async fn a_question_is_about_the_tool_that_runs() {
    let scene = Scene::listing("mode = \"ask\"", &many(&[])).await;
    let mut talk = scene.talk().await;
    scene.will_call_found("mcp__fake__tool_3", &json!({"a": 1}));
    send(&scene.client, talk.id, "go on").await;
    let seen = talk.until("permission_request").await;
    let asked = seen.last().unwrap();
    assert_eq!(asked["toolName"], "mcp__fake__tool_3");
    assert_eq!(asked["input"], json!({"a": 1}));
    scene.answer(&talk, asked, PermissionDecision::Once).await;
    let seen = talk.until("turn_outcome").await;
    let started = seen.iter().find(|it| it["type"] == "tool_started").unwrap();
    assert_eq!(started["toolName"], "mcp__fake__tool_3");
    let result = scene.results().pop().unwrap();
    assert!(result.contains("tool_3: {"), "{result}");
}

#[tokio::test]
async fn a_question_about_a_found_tool_outlives_the_daemon() {
    let mut scene = Scene::listing("mode = \"ask\"", &many(&[])).await;
    let mut talk = scene.talk().await;
    scene.will_call_found("mcp__fake__tool_3", &json!({"a": 1}));
    send(&scene.client, talk.id, "go on").await;
    talk.until("permission_request").await;
    scene.kill_daemon().await;
    let seen = talk.look_again(&scene.client).await;
    let asked = seen
        .iter()
        .rfind(|it| it["type"] == "permission_request")
        .unwrap();
    scene.answer(&talk, asked, PermissionDecision::Once).await;
    talk.until("turn_outcome").await;
    let result = scene.results().pop().unwrap();
    assert!(
        result.contains("tool_3: {") && result.contains("a"),
        "{result}"
    );
}

#[tokio::test]
async fn always_asks_again_after_the_description_has_changed() {
    let scene = Scene::listing("mode = \"ask\"", &json!([tool("one", "The first.")])).await;
    let mut talk = scene.talk().await;
    scene.will_call("one", &json!({}));
    send(&scene.client, talk.id, "go on").await;
    let seen = talk.until("permission_request").await;
    let asked = seen.last().unwrap();
    let rule = asked["rules"][0].as_str().unwrap();
    let digest = rule.strip_prefix("Tool(mcp__fake__one#").unwrap();
    assert_eq!(digest.trim_end_matches(')').len(), 12, "{rule}");
    scene.answer(&talk, asked, PermissionDecision::Always).await;
    talk.until("turn_outcome").await;
    let answer = scene.call(&mut talk, "one", &json!({})).await;
    assert!(
        answer.contains("one: {}"),
        "it is not asked about: {answer}"
    );
    scene.relist(&json!([tool("one", "Another first.")])).await;
    scene.refresh(&talk).await;
    scene.will_call("one", &json!({}));
    send(&scene.client, talk.id, "again").await;
    talk.until("permission_request").await;
}
