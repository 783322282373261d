use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::process::{Pid, Signal};
use scorel_client::Connection;
use scorel_proto::{
    GetStatus, NoParams, ProcessState, ProcessStatus, SessionId, UpdateSession, UpdateSessionParams,
};
use scorel_testkit::{DaemonUnderTest, ModelServer, ScriptedChat};
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use crate::program_stage::ProgramStage;
use crate::under_test::{PATIENCE, Watch, connect, create_session, send, until};

/// The server, as Python runs it.
const SERVER: &str = include_str!("server.py");

/// A daemon with servers of the user, in the mode that asks nothing.
pub(super) struct Scene {
    pub(super) daemon: DaemonUnderTest,
    pub(super) model: ModelServer,
    pub(super) client: Connection,
    notes: PathBuf,
}

/// A session whose turns are watched.
pub(super) struct Talk {
    pub(super) id: SessionId,
    watch: Watch,
}

impl Scene {
    /// With one server of a kind, named `fake`.
    pub(super) async fn of(kind: &str) -> Self {
        Self::configured(kind, "").await
    }

    /// With more keys of the server.
    pub(super) async fn configured(kind: &str, keys: &str) -> Self {
        Self::in_mode("full", kind, keys).await
    }

    pub(super) async fn in_mode(mode: &str, kind: &str, keys: &str) -> Self {
        Self::permitting(&format!("mode = {mode:?}"), kind, keys).await
    }

    /// With a server whose tools stand in a file.
    pub(super) async fn listing(permissions: &str, tools: &Value) -> Self {
        let scene = Self::permitting(permissions, "from-file", "").await;
        scene.list(tools);
        scene
    }

    pub(super) async fn permitting(permissions: &str, kind: &str, keys: &str) -> Self {
        Self::start(permissions, |daemon| {
            let server = daemon.home().join("server.py");
            fs::write(&server, SERVER).unwrap();
            let notes = daemon.home().join("notes");
            format!("command = \"python3\"\nargs = [{server:?}, {kind:?}, {notes:?}]\n{keys}\n")
        })
        .await
    }

    /// With another program as the server.
    pub(super) async fn running(program: &Path, arguments: &[&str]) -> Self {
        Self::start("mode = \"full\"", |daemon| {
            // One of them would keep its state beside its program.
            let memory = daemon.home().join("memory.json");
            format!(
                "command = {program:?}\nargs = {arguments:?}\nenv = {{MEMORY_FILE_PATH = {memory:?}}}\n"
            )
        })
        .await
    }

    /// With the keys of a server's entry.
    pub(super) async fn start(
        permissions: &str,
        server: impl FnOnce(&DaemonUnderTest) -> String,
    ) -> Self {
        let stage = ProgramStage::start("KEY", |daemon| {
            let server = server(daemon);
            format!("[permissions]\n{permissions}\n\n[[mcp.servers]]\nname = \"fake\"\n{server}")
        });
        let ProgramStage {
            daemon,
            model,
            client,
        } = stage.await;
        Self {
            notes: daemon.home().join("notes"),
            daemon,
            model,
            client,
        }
    }

    /// Kills the daemon as a power cut does, and starts another.
    pub(super) async fn kill_daemon(&mut self) {
        self.daemon.kill().await;
        self.daemon.spawn().await;
        self.client = connect(&self.daemon.socket()).await;
    }

    pub(super) async fn talk(&self) -> Talk {
        self.talk_in(create_session(&self.client, &self.daemon).await)
            .await
    }

    pub(super) async fn talk_in(&self, id: SessionId) -> Talk {
        let mut watch = Watch::from_start(&self.client, id).await;
        watch.until("sync_end").await;
        Talk { id, watch }
    }

    /// The lines that servers have noted, without those that are not about `about`.
    pub(super) fn noted(&self, about: &str) -> Vec<Value> {
        let text = fs::read_to_string(self.notes()).unwrap_or_default();
        let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
        lines.filter(|it: &Value| !it[about].is_null()).collect()
    }

    /// Has the model call a tool in the next turn.
    pub(super) fn will_call(&self, tool: &str, arguments: &Value) {
        let name = format!("mcp__fake__{tool}");
        let call = ScriptedChat::default().tool_call("call", &name, &arguments.to_string());
        self.model.answer(call.finish("tool_calls").usage(1, 1));
    }

    /// Has the model call a tool so many times in one answer.
    pub(super) fn will_call_at_once(&self, tool: &str, arguments: &Value, calls: usize) {
        let name = format!("mcp__fake__{tool}");
        let all = (0..calls).fold(ScriptedChat::default(), |chat, number| {
            chat.tool_call(&format!("call-{number}"), &name, &arguments.to_string())
        });
        self.model.answer(all.finish("tool_calls").usage(1, 1));
    }

    /// Has the model read a resource in the next turn.
    pub(super) fn will_read(&self, arguments: &Value) {
        let arguments = arguments.to_string();
        let call = ScriptedChat::default().tool_call("call", "McpResource", &arguments);
        self.model.answer(call.finish("tool_calls").usage(1, 1));
    }

    /// A turn in which the model reads a resource, and what it then reads of the result.
    pub(super) async fn read(&self, talk: &mut Talk, arguments: &Value) -> String {
        self.will_read(arguments);
        talk.turn(&self.client, "go on").await;
        self.results().pop().unwrap()
    }

    /// Has the model write a file of the project in the next turn.
    pub(super) fn will_write(&self, path: &str, content: &str) {
        let arguments = json!({ "path": path, "content": content }).to_string();
        let call = ScriptedChat::default().tool_call("call", "Write", &arguments);
        self.model.answer(call.finish("tool_calls").usage(1, 1));
    }

    /// A turn in which the model calls one tool, and what it then reads of the result.
    pub(super) async fn call(&self, talk: &mut Talk, tool: &str, arguments: &Value) -> String {
        self.will_call(tool, arguments);
        talk.turn(&self.client, "go on").await;
        self.results().pop().unwrap()
    }

    /// The results in the latest request.
    pub(super) fn results(&self) -> Vec<String> {
        let body = self.model.requests().last().unwrap().json();
        let messages = body["messages"].as_array().unwrap().iter();
        let results = messages.filter(|message| message["role"] == "tool");
        results.map(|it| it["content"].to_string()).collect()
    }

    /// The tools of servers that the latest request offers.
    pub(super) fn offered(&self) -> Vec<String> {
        let body = self.model.requests().last().unwrap().json();
        let tools = body["tools"].as_array().unwrap().iter();
        let names = tools.map(|tool| tool["function"]["name"].as_str().unwrap().to_owned());
        names.filter(|name| name.starts_with("mcp__")).collect()
    }

    /// Waits until the server serves.
    pub(super) async fn until_ready(&self) {
        let wait = async {
            while self.process().await.state != ProcessState::Ready {
                // No event tells of it, and questions without a pause would keep the processor from the server.
                sleep(Duration::from_millis(50)).await;
            }
        };
        timeout(PATIENCE, wait).await.expect("in time");
    }

    pub(super) async fn process(&self) -> ProcessStatus {
        let status = self.client.call::<GetStatus>(&NoParams {}).await.unwrap();
        let mut processes = status.processes.into_iter();
        processes.find(|it| it.process == "mcp:fake").unwrap()
    }

    /// Changes the tools of a server that has them in a file, and returns once a running one has said so.
    pub(super) async fn relist(&self, tools: &Value) {
        let told = self.noted("changed").len();
        self.list(tools);
        until(|| self.noted("changed").len() > told).await;
    }

    fn list(&self, tools: &Value) {
        let file = self.daemon.home().join("notes.tools");
        // As a whole: the server may read it at any time.
        let whole = file.with_extension("new");
        fs::write(&whole, tools.to_string()).unwrap();
        fs::rename(whole, file).unwrap();
    }

    /// Ends the server's process.
    pub(super) fn kill_server(&self) {
        let started = self.noted("started");
        let pid = started.last().unwrap()["pid"].as_i64().unwrap();
        let pid = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
        rustix::process::kill_process(pid, Signal::KILL).unwrap();
    }

    /// Has the next turn begin with the tools that there are then.
    pub(super) async fn refresh(&self, talk: &Talk) {
        let params = UpdateSessionParams {
            session_id: talk.id,
            title: None,
            model: None,
            runner: None,
            thinking_level: None,
            tools: None,
            on_restart: None,
            refresh_instructions: Some(true),
            command_id: None,
        };
        self.client.call::<UpdateSession>(&params).await.unwrap();
    }

    /// The latest request without its messages: what it shares with others of its session.
    pub(super) fn prefix(&self) -> Value {
        let mut body = self.model.requests().last().unwrap().json();
        let system = body["messages"][0].take();
        assert_eq!(system["role"], "system");
        body["messages"] = system;
        body
    }

    /// The value of the secret `KEY`.
    pub(super) fn secret(&self) -> String {
        let file = fs::read_to_string(self.daemon.home().join("env")).unwrap();
        let mut values = file.lines().filter_map(|it| it.strip_prefix("KEY="));
        values.next().unwrap().to_owned()
    }

    pub(super) fn notes(&self) -> PathBuf {
        self.notes.clone()
    }

    /// Has servers note at another place.
    pub(super) fn notes_at(&mut self, notes: PathBuf) {
        self.notes = notes;
    }
}

impl Talk {
    pub(super) async fn turn(&mut self, client: &Connection, text: &str) -> Vec<Value> {
        send(client, self.id, text).await;
        self.until("turn_outcome").await
    }

    /// A client that was away looks at the session from its start.
    pub(super) async fn look_again(&mut self, client: &Connection) -> Vec<Value> {
        self.watch = Watch::from_start(client, self.id).await;
        self.watch.until("sync_end").await
    }

    pub(super) async fn until(&mut self, kind: &str) -> Vec<Value> {
        self.watch.until(kind).await
    }
}
