//! Servers of plugins.

use std::fs;

use scorel_proto::{ListMcpServers, ListMcpServersParams};

use super::scene::Scene;

const SERVER: &str = include_str!("library.py");

#[tokio::test]
async fn the_server_of_a_plugin_runs_from_it_with_its_variables() {
    let scene = Scene::start("mode = \"full\"", |daemon| {
        let plugin = daemon.home().join("extensions/tidy");
        fs::create_dir_all(plugin.join(".claude-plugin")).unwrap();
        fs::write(
            plugin.join(".claude-plugin/plugin.json"),
            r#"{"name": "tidy"}"#,
        )
        .unwrap();
        fs::write(plugin.join("library.py"), SERVER).unwrap();
        let servers = r#"{"mcpServers": {"docs": {"command": "python3", "args":
            ["${CLAUDE_PLUGIN_ROOT}/library.py", "wet", "${CLAUDE_PLUGIN_DATA}/notes"]}}}"#;
        fs::write(plugin.join(".mcp.json"), servers).unwrap();
        "command = \"false\"\n".to_owned()
    })
    .await;
    let mut talk = scene.talk().await;
    talk.turn(&scene.client, "hi").await;
    assert_eq!(scene.offered(), ["mcp__plugin_tidy_docs__noop"]);
    let arguments = serde_json::json!({"server": "plugin_tidy_docs", "uri": "doc://one"});
    let text = scene.read(&mut talk, &arguments).await;
    assert!(text.contains("The text of doc://one"), "{text}");
    let notes = scene.daemon.home().join("extension-data/tidy/notes");
    assert!(fs::read_to_string(notes).unwrap().contains("doc://one"));
    let params = ListMcpServersParams::default();
    let listed = scene.client.call::<ListMcpServers>(&params).await.unwrap();
    let names: Vec<_> = listed.servers.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["fake", "plugin_tidy_docs"]);
}
