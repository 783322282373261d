//! Tools that requests do not describe: the model searches for them, and calls them through another tool.

use scorel_testkit::{ScriptedChat, ScriptedResponse};
use serde_json::{Value, json};

use super::scene::{Scene, Talk};

/// Bytes by which many tools may make a request larger.
const GROWTH: usize = 4096;

fn tool(name: &str, description: &str) -> Value {
    let schema = json!({"type": "object", "properties": {"text": {"type": "string"}}});
    json!({"name": name, "description": description, "inputSchema": schema})
}

impl Scene {
    /// Has the model call a tool through `ToolCall` in the next turn.
    pub(super) fn will_call_found(&self, tool: &str, input: &Value) {
        let arguments = json!({"name": tool, "input": input}).to_string();
        let call = ScriptedChat::default().tool_call("call", "ToolCall", &arguments);
        self.model.answer(call.finish("tool_calls").usage(1, 1));
    }

    pub(super) async fn call_found(&self, talk: &mut Talk, tool: &str, input: &Value) -> String {
        self.will_call_found(tool, input);
        talk.turn(&self.client, "go on").await;
        self.results().pop().unwrap()
    }

    /// The names of the tools that the model finds.
    pub(super) async fn search(&self, talk: &mut Talk, query: &str) -> Vec<String> {
        let arguments = json!({"query": query}).to_string();
        let call = ScriptedChat::default().tool_call("call", "ToolSearch", &arguments);
        self.model.answer(call.finish("tool_calls").usage(1, 1));
        talk.turn(&self.client, "look").await;
        let result = self.results().pop().unwrap();
        let words =
            result.split(|char: char| !char.is_ascii_alphanumeric() && char != '_' && char != '-');
        let names = words.filter(|word| word.starts_with("mcp__"));
        names.map(str::to_owned).collect()
    }

    fn size(&self) -> usize {
        self.model.requests().last().unwrap().body.len()
    }

    fn names_in_request(&self) -> Vec<String> {
        let body = self.model.requests().last().unwrap().json();
        let tools = body["tools"].as_array().unwrap().iter();
        let names = tools.map(|tool| tool["function"]["name"].as_str().unwrap().to_owned());
        names.collect()
    }
}

#[tokio::test]
async fn of_five_hundred_tools_one_is_found_and_called() {
    let tools = (0..500).map(|number| {
        let subject = if number == 321 { "penguins" } else { "cats" };
        tool(
            &format!("list_{number}"),
            &format!("Lists {subject}. {}", "x".repeat(2048)),
        )
    });
    let scene = Scene::listing("mode = \"full\"", &json!([])).await;
    let mut talk = scene.talk().await;
    talk.turn(&scene.client, "hi").await;
    let before = scene.size();
    scene.relist(&tools.collect()).await;
    let mut talk = scene.talk().await;
    talk.turn(&scene.client, "hi").await;
    let grown = scene.size() - before;
    assert!(grown <= GROWTH, "{grown}");
    let names = scene.names_in_request();
    assert!(names.contains(&"ToolSearch".to_owned()) && names.contains(&"ToolCall".to_owned()));
    assert!(scene.offered().is_empty());
    let prefix = scene.prefix();
    let found = scene.search(&mut talk, "penguins").await;
    assert_eq!(found[0], "mcp__fake__list_321");
    let answer = scene
        .call_found(&mut talk, &found[0], &json!({"text": "all"}))
        .await;
    assert!(
        answer.contains("list_321: {") && answer.contains("all"),
        "{answer}"
    );
    let misfit = scene
        .call_found(&mut talk, &found[0], &json!({"text": 1}))
        .await;
    assert!(misfit.contains("text") && misfit.contains("E_"), "{misfit}");
    let unknown = scene
        .call_found(&mut talk, "mcp__fake__none", &json!({}))
        .await;
    assert!(unknown.contains("E_UNKNOWN_TOOL"), "{unknown}");
    assert_eq!(scene.prefix(), prefix);
}

#[tokio::test]
async fn a_schema_that_the_endpoint_refuses_costs_its_tool_and_not_the_turn() {
    let list = json!([tool("good", "Is taken."), tool("bad", "Is refused.")]);
    let scene = Scene::listing("mode = \"full\"", &list).await;
    let mut talk = scene.talk().await;
    let refusal = json!({"error": {
        "message": "Invalid schema for function 'mcp__fake__bad': no", "type": "invalid_request_error",
    }});
    scene
        .model
        .answer(ScriptedResponse::json(400, refusal.to_string()));
    let seen = talk.turn(&scene.client, "hi").await;
    assert_eq!(seen.last().unwrap()["reason"], "completed");
    assert_eq!(scene.offered(), ["mcp__fake__good"]);
    assert_eq!(scene.search(&mut talk, "refused").await, ["mcp__fake__bad"]);
    let answer = scene
        .call_found(&mut talk, "mcp__fake__bad", &json!({}))
        .await;
    assert!(answer.contains("bad: {}"), "{answer}");
    assert_eq!(scene.offered(), ["mcp__fake__good"], "it stays so");
}
