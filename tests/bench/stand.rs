use std::path::Path;

use scorel_testkit::{DaemonUnderTest, ModelServer, ResponseGate, ScriptedResponse};
use serde_json::{Value, json};

use crate::wire::{Wire, request};

/// A daemon with a model and a project.
pub(crate) struct Stand {
    pub(crate) daemon: DaemonUnderTest,
    pub(crate) model: ModelServer,
    pub(crate) wire: Wire,
    project_id: Value,
}

impl Stand {
    pub(crate) async fn new(program: &Path) -> Self {
        let mut daemon = DaemonUnderTest::new(program);
        let model = ModelServer::start().await.unwrap();
        daemon.configure_model(&model.base_url());
        daemon.spawn().await;
        let mut wire = Wire::connect(&daemon.socket()).await;
        let project = json!({"workDir": daemon.project()});
        let project = wire.call("registerProject", &project).await;
        Self {
            daemon,
            model,
            wire,
            project_id: project["project"]["projectId"].clone(),
        }
    }

    /// Starts the daemon again, after it was stopped.
    pub(crate) async fn restart(&mut self) {
        self.daemon.spawn().await;
        self.wire = Wire::connect(&self.daemon.socket()).await;
    }

    pub(crate) async fn new_session(&mut self) -> String {
        let params = json!({"projectId": self.project_id});
        let created = self.wire.call("createSession", &params).await;
        created["sessionId"].as_str().unwrap().to_owned()
    }

    /// Subscribes on a connection of its own.
    pub(crate) async fn watch(&self, session_id: &str) -> Wire {
        let mut wire = Wire::connect(&self.daemon.socket()).await;
        wire.subscribe(session_id).await;
        wire
    }

    pub(crate) async fn send_message(&mut self, session_id: &str) {
        self.wire.call("sendMessage", &message(session_id)).await;
    }

    /// Starts a turn whose reply has reached `gate`.
    pub(crate) async fn begin_turn(
        &mut self,
        session_id: &str,
        answer: ScriptedResponse,
        gate: &ResponseGate,
    ) {
        self.model.answer(answer);
        self.send_message(session_id).await;
        gate.reached().await;
    }
}

fn message(session_id: &str) -> Value {
    json!({"sessionId": session_id, "content": "go on"})
}

pub(crate) fn send_message(session_id: &str) -> Vec<u8> {
    request("sendMessage", &message(session_id))
}

/// The event stream of a reply with `words` one-word deltas.
pub(crate) fn words(count: usize) -> Vec<u8> {
    let event = |choice: Value| {
        let event = json!({
            "id": "chatcmpl-bench",
            "object": "chat.completion.chunk",
            "model": "test-model",
            "choices": [choice],
        });
        format!("data: {event}\n\n")
    };
    let delta = json!({"index": 0, "delta": {"content": " word"}, "finish_reason": null});
    let end = json!({"index": 0, "delta": {}, "finish_reason": "stop"});
    let mut body = event(delta).repeat(count);
    body.push_str(&event(end));
    body.push_str("data: [DONE]\n\n");
    body.into_bytes()
}

/// The number of sessions of a filled home.
const SESSIONS: usize = 1_000;

/// A daemon with many sessions, each with a turn.
pub(crate) struct Filled {
    pub(crate) daemon: DaemonUnderTest,
    pub(crate) sessions: Vec<String>,
    /// The records of all sessions together.
    pub(crate) events: usize,
    _model: ModelServer,
}

impl Filled {
    pub(crate) async fn new(program: &Path) -> Self {
        let mut stand = Stand::new(program).await;
        let answer = ScriptedResponse::chat()
            .text("I have seen it.")
            .finish("stop");
        stand.model.fallback(answer);
        let mut sessions = Vec::new();
        let mut events = 0;
        for _ in 0..SESSIONS {
            let session = stand.new_session().await;
            let mut watch = stand.watch(&session).await;
            stand.send_message(&session).await;
            watch.until("\"turn_outcome\"").await;
            events += stand.daemon.log(&session).len() - 1;
            sessions.push(session);
        }
        Self {
            daemon: stand.daemon,
            sessions,
            events,
            _model: stand.model,
        }
    }
}
