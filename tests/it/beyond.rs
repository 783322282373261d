//! Files, commands and hosts beyond the project and the sandbox, with the real daemon.

mod files;
mod hosts;
mod unsandboxed;

use scorel_client::Connection;
use scorel_proto::{
    PermissionDecision, PermissionRequestId, RespondPermission, RespondPermissionParams, SessionId,
};
use scorel_testkit::{DaemonUnderTest, ModelServer, ScriptedChat};
use serde_json::Value;

use crate::under_test::{SCORELD, Watch, new_session, send};

/// A daemon in whose project a model makes calls.
struct Calls {
    daemon: DaemonUnderTest,
    model: ModelServer,
}

/// What became of the calls of a turn.
struct Answered {
    /// The requests, in order.
    asked: Vec<Value>,
    /// The results, with text and details.
    results: Vec<Value>,
}

impl Calls {
    async fn new(config: &str) -> Self {
        let model = ModelServer::start().await.unwrap();
        let mut daemon = DaemonUnderTest::new(SCORELD);
        daemon.configure_model(&model.base_url());
        daemon.configure_more(config);
        daemon.spawn().await;
        Self { daemon, model }
    }

    /// Plays a turn with these calls in a new session, and gives every request the same answer.
    async fn play(&self, calls: &[(&str, Value)], decision: PermissionDecision) -> Answered {
        for (index, (tool, arguments)) in calls.iter().enumerate() {
            let id = format!("call_{index}");
            let answer = ScriptedChat::default().tool_call(&id, tool, &arguments.to_string());
            self.model.answer(answer.finish("tool_calls"));
        }
        self.model
            .answer(ScriptedChat::default().text("Done.").finish("stop"));
        let (client, id) = new_session(&self.daemon).await;
        let mut watch = Watch::from_start(&client, id).await;
        send(&client, id, "Do it.").await;
        let mut asked = Vec::new();
        loop {
            let item = watch.next().await;
            if item["type"] == "permission_request" {
                let request = serde_json::from_value(item["requestId"].clone()).unwrap();
                respond(&client, id, request, decision).await;
                asked.push(item);
            } else if item["type"] == "turn_outcome" {
                break;
            }
        }
        let log = self.daemon.log(&id.to_string());
        let results = log
            .iter()
            .filter(|line| line["message"]["role"] == "tool_result");
        Answered {
            asked,
            results: results
                .map(|line| line["message"]["content"][0].clone())
                .collect(),
        }
    }
}

impl Answered {
    /// The text of a result that is no error.
    fn ok(&self, index: usize) -> &str {
        let result = &self.results[index];
        assert_eq!(result["isError"], false, "{result:#}");
        text(result)
    }

    /// The text of a result that is an error.
    fn error(&self, index: usize) -> &str {
        let result = &self.results[index];
        assert_eq!(result["isError"], true, "{result:#}");
        text(result)
    }
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

async fn respond(
    client: &Connection,
    session_id: SessionId,
    request_id: PermissionRequestId,
    decision: PermissionDecision,
) {
    let params = RespondPermissionParams {
        session_id,
        request_id,
        decision,
        reason: None,
        command_id: None,
    };
    client.call::<RespondPermission>(&params).await.unwrap();
}
