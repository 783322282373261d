use std::future::Future;

use scorel_client::Connection;
use scorel_proto::{
    Cancel, CancelParams, SendMessage, SendMessageParams, SendMessageResult, SessionId,
    UpdateSession, UpdateSessionParams, WhileRunning,
};
use scorel_testkit::{DaemonUnderTest, ModelReply, ResponseGate, StrictServer, WireApi};
use serde_json::Value;
use tokio::time::timeout;

use super::wire_model::WireModel;
use crate::under_test::{PATIENCE, SCORELD, Watch, connect, message, new_session, send, session};

/// A session whose model is at the strict endpoint.
pub(crate) struct Scene {
    pub(crate) daemon: DaemonUnderTest,
    pub(crate) client: Connection,
    pub(crate) session: SessionId,
    pub(crate) endpoint: StrictServer,
    pub(crate) model: WireModel,
    watch: Watch,
}

impl Scene {
    pub(super) async fn over(api: WireApi) -> Self {
        let model = WireModel::of(api);
        let endpoint = StrictServer::start().await.unwrap();
        let mut daemon = DaemonUnderTest::new(SCORELD).with_variable("STRICT_KEY", "sk-strict");
        daemon.configure(&model.section(&endpoint.server().address().to_string()));
        // A repository of its own: others come and go in the directory for temporary files above it.
        std::fs::create_dir(daemon.project().join(".git")).unwrap();
        daemon.write_project_file("notes.txt", "the answer is 42\n");
        daemon.spawn().await;
        let (client, session) = new_session(&daemon).await;
        let watch = watch(&daemon, session, None).await;
        Self {
            daemon,
            client,
            session,
            endpoint,
            model,
            watch,
        }
    }

    /// Replaces the configuration: the lines of the model, and sections after it.
    pub(super) fn configure(&self, model: &str, more: &str) {
        let address = self.endpoint.server().address().to_string();
        let section = self.model.section(&address);
        self.daemon.configure(&format!("{section}{model}\n{more}"));
    }

    pub(crate) fn reply(&self, reply: ModelReply) -> &Self {
        self.endpoint.reply(reply);
        self
    }

    /// Starts a turn.
    pub(super) async fn begin(&self, text: &str) {
        send(&self.client, self.session, text).await;
    }

    /// Runs a turn of one reply.
    pub(super) async fn turn(&mut self, text: &str, reply: &str) {
        self.reply(says(reply));
        self.begin(text).await;
        self.completed().await;
    }

    pub(super) async fn completed(&mut self) {
        let outcome = self.outcome().await;
        let (api, rejections) = (self.model.api.name(), self.endpoint.rejections());
        assert_eq!(outcome, "completed", "{api}: {rejections:?}");
    }

    /// Waits for the end of the turn.
    pub(super) async fn outcome(&mut self) -> String {
        let seen = self.until("turn_outcome").await;
        seen["reason"].as_str().unwrap().to_owned()
    }

    /// Waits for an event.
    pub(super) async fn until(&mut self, type_name: &str) -> Value {
        let seen = self.watch.until(type_name).await;
        seen.last().unwrap().clone()
    }

    /// Waits for the end of a compaction outside a turn.
    pub(super) async fn compaction(&mut self) -> Value {
        loop {
            let event = self.watch.next().await;
            let ends = event["type"] == "compact"
                || event["type"] == "compaction" && event["state"] != "started";
            if ends {
                return event;
            }
        }
    }

    /// Sends a message that waits.
    pub(super) async fn queue(&self, text: &str, while_running: WhileRunning) {
        let params = SendMessageParams {
            while_running: Some(while_running),
            ..message(self.session, text)
        };
        let sent = self.client.call::<SendMessage>(&params).await.unwrap();
        assert!(matches!(sent, SendMessageResult::Queued { .. }), "{sent:?}");
    }

    /// Cancels what runs.
    pub(super) async fn cancel(&self) {
        let running = session(&self.client, self.session).await;
        let params = CancelParams {
            children: None,
            session_id: self.session,
            expected_turn_id: running.turn_id,
            clear_queue: None,
            command_id: None,
        };
        let cancel = self.client.call::<Cancel>(&params).await.unwrap();
        assert!(cancel.cancelled, "{cancel:?}");
    }

    /// Cancels the turn, and waits for its end.
    pub(super) async fn cancel_turn(&mut self) {
        self.cancel().await;
        assert_eq!(self.outcome().await, "cancelled");
    }

    pub(super) async fn update(&self, change: impl FnOnce(&mut UpdateSessionParams)) {
        let mut params = UpdateSessionParams {
            session_id: self.session,
            title: None,
            runner: None,
            model: None,
            thinking_level: None,
            tools: None,
            on_restart: None,
            refresh_instructions: None,
            command_id: None,
        };
        change(&mut params);
        self.client.call::<UpdateSession>(&params).await.unwrap();
    }

    /// Kills the daemon and starts the next one.
    pub(super) async fn kill(&mut self) {
        self.daemon.kill().await;
        self.start_again().await;
    }

    /// Stops the daemon and starts the next one.
    pub(super) async fn restart(&mut self) {
        self.daemon.stop().await;
        self.start_again().await;
    }

    /// Starts the next daemon, and watches what it writes.
    async fn start_again(&mut self) {
        let last = self.daemon.log(&self.session.to_string());
        let last = last.last().unwrap()["seq"].as_u64();
        self.daemon.spawn().await;
        self.client = connect(&self.daemon.socket()).await;
        self.watch = watch(&self.daemon, self.session, last).await;
    }
}

/// A subscription with a connection of its own: one that is not read blocks the calls beside it.
async fn watch(daemon: &DaemonUnderTest, session: SessionId, after: Option<u64>) -> Watch {
    let client = connect(&daemon.socket()).await;
    Watch::from(&client, session, after, None).await
}

/// Waits until a reply is at its gate.
pub(crate) async fn reached(gate: &ResponseGate) {
    in_time(gate.reached()).await;
}

pub(crate) async fn in_time<T>(what: impl Future<Output = T>) -> T {
    let waited = timeout(PATIENCE, what).await;
    waited.expect("it happens in time")
}

pub(super) fn says(text: &str) -> ModelReply {
    ModelReply::default().text(text)
}

pub(super) fn calls(id: &str, tool: &str, arguments: &str) -> ModelReply {
    ModelReply::default()
        .thinking("Let me see.")
        .tool_call(id, tool, arguments)
}

pub(super) fn reads(id: &str, path: &str) -> ModelReply {
    calls(id, "Read", &format!("{{\"path\":\"{path}\"}}"))
}
