use scorel_testkit::{DaemonUnderTest, ModelServer};
use serde_json::{Value, json};
use tokio::process::Command;

use crate::acp::editor::Editor;
use crate::under_test::{SCORELCTL, SCORELD, connect, create_session, daemon};

/// A daemon with a project, and a client of its tools.
pub(super) struct Scene {
    pub(super) daemon: DaemonUnderTest,
    pub(super) model: ModelServer,
    pub(super) mcp: Editor,
}

impl Scene {
    pub(super) async fn start(config: &str, arguments: &[&str]) -> Self {
        let model = ModelServer::start().await.unwrap();
        let daemon = daemon(&model, config).await;
        // Registers the project.
        create_session(&connect(&daemon.socket()).await, &daemon).await;
        let mcp = Editor::of(server(&daemon, arguments), &daemon.project());
        Self { daemon, model, mcp }
    }

    /// Calls a tool, and returns its result.
    pub(super) async fn tool(&mut self, name: &str, arguments: &Value) -> Result<Value, Value> {
        let params = json!({"name": name, "arguments": arguments});
        let result = self.mcp.call("tools/call", &params).await.unwrap();
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(result.to_string().len() <= 64 * 1024, "{name}");
        let structured = result["structuredContent"].clone();
        assert_eq!(serde_json::from_str::<Value>(text).unwrap(), structured);
        match result["isError"].as_bool().unwrap() {
            true => Err(structured),
            false => Ok(structured),
        }
    }

    /// A session of the project.
    pub(super) async fn session(&mut self) -> String {
        let listed = self.tool("list_projects", &json!({})).await.unwrap();
        let project = &listed["projects"][0]["projectId"];
        let made = self
            .tool("create_session", &json!({"projectId": project}))
            .await
            .unwrap();
        made["sessionId"].as_str().unwrap().to_owned()
    }
}

/// The program that serves.
pub(super) fn server(daemon: &DaemonUnderTest, arguments: &[&str]) -> Command {
    let mut command = Command::new(SCORELCTL);
    command
        // A daemon that it starts while the test has none would have to make room for the test's own.
        .args(["--no-start", "mcp", "serve"])
        .args(arguments)
        .env_clear()
        .env("SCORELD", SCORELD)
        .env("SCOREL_HOME", daemon.home());
    command
}
