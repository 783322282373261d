use serde_json::json;

use super::scene::Scene;

#[tokio::test]
async fn both_eras_are_served_on_one_connection() {
    let mut scene = Scene::start("", &[]).await;
    let params = json!({
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    });
    let begun = scene.mcp.call("initialize", &params).await.unwrap();
    assert_eq!(begun["protocolVersion"], "2025-06-18");
    assert_eq!(begun["serverInfo"]["name"], "scorel");
    assert!(begun["resultType"].is_null());
    scene
        .mcp
        .notify("notifications/initialized", &json!({}))
        .await;
    assert_eq!(scene.mcp.call("ping", &json!({})).await.unwrap(), json!({}));
    let listed = scene.mcp.call("tools/list", &json!({})).await.unwrap();
    let names = |listed: &serde_json::Value| {
        let tools = listed["tools"].as_array().unwrap().iter();
        let names = tools.map(|it| it["name"].as_str().unwrap().to_owned());
        names.collect::<Vec<_>>()
    };
    assert_eq!(
        names(&listed),
        [
            "list_projects",
            "list_sessions",
            "create_session",
            "send_message",
            "wait_turn",
            "read_events",
            "cancel_turn"
        ]
    );
    for tool in listed["tools"].as_array().unwrap() {
        assert_eq!(tool["inputSchema"]["type"], "object");
        let dialect = tool["inputSchema"]["$schema"].as_str().unwrap();
        assert!(dialect.contains("2020-12"), "{dialect}");
    }

    let meta = json!({"_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }});
    let found = scene.mcp.call("server/discover", &meta).await.unwrap();
    assert_eq!(found["supportedVersions"], json!(["2026-07-28"]));
    assert_eq!(found["resultType"], "complete");
    let again = scene.mcp.call("tools/list", &meta).await.unwrap();
    assert_eq!(again["resultType"], "complete");
    assert_eq!(names(&again), names(&listed));
    let newer = json!({"_meta": {"io.modelcontextprotocol/protocolVersion": "2030-01-01"}});
    let refused = scene.mcp.call("tools/list", &newer).await.unwrap_err();
    assert_eq!(refused["code"], -32022);
    assert_eq!(refused["data"]["supported"], json!(["2026-07-28"]));
    scene.mcp.close().await;
}

#[tokio::test]
async fn a_message_that_cannot_be_served_is_refused_and_the_next_one_is_not() {
    let mut scene = Scene::start("", &[]).await;
    for (text, code) in [("no json\n", -32700), ("[]\n", -32600)] {
        scene.mcp.write(text).await;
        let refused = scene.mcp.wait(|it| it["id"].is_null()).await;
        assert_eq!(refused["error"]["code"], code);
    }
    for method in ["resources/list", "prompts/list", "x"] {
        let refused = scene.mcp.call(method, &json!({})).await.unwrap_err();
        assert_eq!(refused["code"], -32601, "{method}");
    }
    for params in [json!({}), json!({"name": "list_projects", "arguments": []})] {
        let refused = scene.mcp.call("tools/call", &params).await.unwrap_err();
        assert_eq!(refused["code"], -32602, "{params}");
    }
    scene.tool("list_projects", &json!({})).await.unwrap();
    scene.mcp.close().await;
}
