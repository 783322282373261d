use std::path::Path;

use scorel_testkit::{DaemonUnderTest, ModelServer, ResponseGate, ScriptedResponse};
use serde_json::{Value, json};

use crate::bench_client::{BenchClient, request};

/// A daemon with a model and a project.
pub(crate) struct BenchDaemon {
    pub(crate) daemon: DaemonUnderTest,
    pub(crate) model: ModelServer,
    pub(crate) client: BenchClient,
    pub(crate) project_id: Value,
}

impl BenchDaemon {
    pub(crate) async fn new(program: &Path) -> Self {
        Self::with(program, "").await
    }

    /// With more tables in the configuration.
    pub(crate) async fn with(program: &Path, tables: &str) -> Self {
        Self::start(DaemonUnderTest::new(program), tables).await
    }

    /// Starts a daemon whose home and project are prepared.
    pub(crate) async fn start(mut daemon: DaemonUnderTest, tables: &str) -> Self {
        let model = ModelServer::start().await.unwrap();
        daemon.configure_model(&model.base_url());
        // The conversations here are longer than any model's window, and are not to be summarised.
        daemon.configure_more("contextWindow = 100000000\n");
        daemon.configure_more(tables);
        daemon.spawn().await;
        let mut client = BenchClient::connect(&daemon.socket()).await;
        let project = json!({"workDir": daemon.project()});
        let project = client.call("registerProject", &project).await;
        Self {
            daemon,
            model,
            client,
            project_id: project["project"]["projectId"].clone(),
        }
    }

    /// Starts the daemon again, after it was stopped.
    pub(crate) async fn restart(&mut self) {
        self.daemon.spawn().await;
        self.client = BenchClient::connect(&self.daemon.socket()).await;
    }

    pub(crate) async fn new_session(&mut self) -> String {
        let params = json!({"projectId": self.project_id});
        let created = self.client.call("createSession", &params).await;
        created["sessionId"].as_str().unwrap().to_owned()
    }

    /// Subscribes on a connection of its own.
    pub(crate) async fn watch(&self, session_id: &str) -> BenchClient {
        let mut client = BenchClient::connect(&self.daemon.socket()).await;
        client.subscribe(session_id).await;
        client
    }

    pub(crate) async fn send_message(&mut self, session_id: &str) {
        self.client.call("sendMessage", &message(session_id)).await;
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

/// The event stream of a reply that calls a tool.
pub(crate) fn tool_call(tool: &str, arguments: &str) -> Vec<u8> {
    let event = |choice: Value| format!("data: {}\n\n", json!({"choices": [choice]}));
    let function = json!({"name": tool, "arguments": arguments});
    let call = json!({"index": 0, "id": "call_1", "type": "function", "function": function});
    let delta = json!({"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": null});
    let end = json!({"index": 0, "delta": {}, "finish_reason": "tool_calls"});
    let body = event(delta) + &event(end) + "data: [DONE]\n\n";
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
        let mut bench = BenchDaemon::new(program).await;
        let answer = ScriptedResponse::chat()
            .text("I have seen it.")
            .finish("stop");
        bench.model.fallback(answer);
        let mut sessions = Vec::new();
        let mut events = 0;
        for _ in 0..SESSIONS {
            let session = bench.new_session().await;
            let mut watch = bench.watch(&session).await;
            bench.send_message(&session).await;
            watch.until("\"turn_outcome\"").await;
            events += bench.daemon.log(&session).len() - 1;
            sessions.push(session);
        }
        Self {
            daemon: bench.daemon,
            sessions,
            events,
            _model: bench.model,
        }
    }
}
