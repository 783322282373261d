//! Tools of servers, whatever their names and schemas are, described and searched for.

use std::fs;

use scorel_testkit::{ModelReply, WireApi};
use serde_json::{Value, json};

use super::WireScene;

const SERVER: &str = include_str!("../mcp/server.py");

fn tool(name: &str, schema: Value) -> Value {
    let mut schema = schema;
    schema["type"] = "object".into();
    json!({"name": name, "description": "Has an odd name or schema.", "inputSchema": schema})
}

/// Names and schemas that servers have.
fn odd() -> Vec<Value> {
    vec![
        tool("drop.all", json!({})),
        tool("drop_all", json!({"properties": {}})),
        tool("größe", json!({"additionalProperties": false})),
        tool(
            &"long".repeat(30),
            json!({"properties": {"a": {"type": ["string", "null"]}}}),
        ),
        tool(
            "9 lives",
            json!({"properties": {"a": {"anyOf": [{"type": "string"}, {"type": "number"}]}}}),
        ),
        tool(
            "refers",
            json!({"properties": {"a": {"$ref": "#/$defs/it"}}, "$defs": {"it": {"type": "string"}}}),
        ),
        tool(
            "constant",
            json!({"properties": {"a": {"const": 1}, "b": {"enum": ["x", 2, null]}}}),
        ),
        tool(
            "closed",
            json!({"properties": {"a": {"type": "array", "items": false}}, "patternProperties": {"^x": {}}}),
        ),
    ]
}

impl WireScene {
    async fn with_server(api: WireApi, tools: &[Value]) -> Self {
        let scene = Self::over(api).await;
        let home = scene.daemon.home();
        let (server, notes) = (home.join("server.py"), home.join("notes"));
        fs::write(&server, SERVER).unwrap();
        fs::write(home.join("notes.tools"), Value::from(tools).to_string()).unwrap();
        scene.daemon.configure_more(&format!(
            "[permissions]\nmode = \"full\"\n\n[[mcp.servers]]\nname = \"odd\"\ncommand = \"python3\"\n\
             args = [{server:?}, \"from-file\", {notes:?}]\n"
        ));
        scene
    }
}

#[tokio::test]
async fn every_wire_takes_all_names_and_schemas() {
    for api in WireApi::ALL {
        let mut scene = WireScene::with_server(api, &odd()).await;
        let call = ModelReply::default().tool_call("call_1", "mcp__odd__refers", "{\"a\": \"b\"}");
        scene.endpoint.reply(call);
        scene.endpoint.reply(ModelReply::default().text("Done."));
        scene.turn("Go on.").await;
        let request = scene.last_request();
        for name in [
            "mcp__odd__drop_all",
            "mcp__odd__gr__e_",
            "mcp__odd__9_lives_",
            "mcp__odd__closed",
        ] {
            assert!(request.contains(name), "{api:?}: {name}");
        }
        assert!(request.contains("refers: {"), "{api:?}: it was called");
    }
}

#[tokio::test]
async fn a_found_tool_is_called_over_every_wire() {
    let filled = (0..50).map(|number| tool(&format!("filler_{number}"), json!({})));
    let tools: Vec<Value> = odd().into_iter().chain(filled).collect();
    for api in WireApi::ALL {
        let mut scene = WireScene::with_server(api, &tools).await;
        let search =
            ModelReply::default().tool_call("call_1", "ToolSearch", "{\"query\": \"refers\"}");
        let arguments = json!({"name": "mcp__odd__refers", "input": {"a": "b"}}).to_string();
        let call = ModelReply::default().tool_call("call_2", "ToolCall", &arguments);
        scene.endpoint.reply(search).reply(call);
        scene.endpoint.reply(ModelReply::default().text("Done."));
        scene.turn("Go on.").await;
        let request = scene.last_request();
        assert!(request.contains("refers: {"), "{api:?}: it was called");
        scene.endpoint.reply(ModelReply::default().text("Yes."));
        scene.turn("Is it accepted again?").await;
    }
}
