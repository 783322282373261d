use std::collections::VecDeque;
use std::path::Path;
use std::process::Stdio;

use scorel_testkit::DaemonUnderTest;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

use crate::under_test::{PATIENCE, SCORELCTL, SCORELD};

/// An editor: real pipes to a real `scorelctl acp`.
pub(crate) struct Editor {
    child: Child,
    input: Option<ChildStdin>,
    output: Lines<BufReader<ChildStdout>>,
    last_id: u64,
    /// The messages that came and were not asked for yet.
    seen: VecDeque<Value>,
    cwd: String,
}

impl Editor {
    /// Starts the agent and initializes it.
    pub(crate) async fn start(daemon: &DaemonUnderTest) -> Self {
        let mut editor = Self::bare(daemon);
        editor.initialize().await;
        editor
    }

    pub(crate) async fn initialize(&mut self) {
        let params = json!({"protocolVersion": 1, "clientCapabilities": {}});
        self.call("initialize", &params).await.unwrap();
    }

    pub(super) fn bare(daemon: &DaemonUnderTest) -> Self {
        let mut agent = Command::new(SCORELCTL);
        agent
            // A daemon that it starts while the test has none would have to make room for the test's own.
            .args(["--no-start", "acp"])
            .env_clear()
            .env("SCORELD", SCORELD)
            .env("SCOREL_HOME", daemon.home());
        Self::of(agent, &daemon.project())
    }

    /// Runs an agent for a project's directory.
    pub(crate) fn of(mut agent: Command, project: &Path) -> Self {
        let mut child = agent
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap()).lines();
        Self {
            input: child.stdin.take(),
            output,
            child,
            last_id: 0,
            seen: VecDeque::new(),
            cwd: project.to_str().unwrap().to_owned(),
        }
    }

    pub(crate) async fn write(&mut self, text: &str) {
        let input = self.input.as_mut().expect("an open input");
        input.write_all(text.as_bytes()).await.unwrap();
    }

    pub(super) async fn send(&mut self, message: &Value) {
        self.write(&format!("{message}\n")).await;
    }

    pub(crate) async fn request(&mut self, method: &str, params: &Value) -> u64 {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
            .await;
        id
    }

    pub(crate) async fn notify(&mut self, method: &str, params: &Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}))
            .await;
    }

    /// The next message that is such a one; the others are kept.
    pub(crate) async fn wait(&mut self, is: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.seen.iter().position(&is) {
            return self.seen.remove(at).unwrap();
        }
        loop {
            let message = self.read().await;
            if is(&message) {
                return message;
            }
            self.seen.push_back(message);
        }
    }

    async fn read(&mut self) -> Value {
        let line = timeout(PATIENCE, self.output.next_line()).await;
        let Ok(line) = line else {
            panic!("nothing came in time; before: {:#?}", self.seen);
        };
        let line = line.unwrap().expect("the agent goes on");
        serde_json::from_str(&line).expect("a line of JSON")
    }

    pub(crate) async fn answer(&mut self, id: u64) -> Result<Value, Value> {
        let is = |it: &Value| it["id"] == id && it["method"].is_null();
        let answer = self.wait(is).await;
        match answer.get("error") {
            Some(error) => Err(error.clone()),
            None => Ok(answer["result"].clone()),
        }
    }

    pub(crate) async fn call(&mut self, method: &str, params: &Value) -> Result<Value, Value> {
        let id = self.request(method, params).await;
        self.answer(id).await
    }

    /// A session of the daemon's project.
    pub(crate) async fn new_session(&mut self) -> String {
        let params = json!({"cwd": self.cwd, "mcpServers": []});
        let answer = self.call("session/new", &params).await.unwrap();
        answer["sessionId"].as_str().unwrap().to_owned()
    }

    pub(super) async fn open(&mut self, method: &str, session: &str) -> Result<Value, Value> {
        let params = json!({"sessionId": session, "cwd": self.cwd, "mcpServers": []});
        self.call(method, &params).await
    }

    pub(crate) async fn prompt(&mut self, session: &str, text: &str) -> u64 {
        self.prompt_with(session, &json!([{"type": "text", "text": text}]))
            .await
    }

    pub(super) async fn prompt_with(&mut self, session: &str, blocks: &Value) -> u64 {
        let params = json!({"sessionId": session, "prompt": blocks});
        self.request("session/prompt", &params).await
    }

    pub(crate) async fn stopped(&mut self, prompt: u64) -> String {
        let answer = self.answer(prompt).await.unwrap();
        answer["stopReason"].as_str().unwrap().to_owned()
    }

    /// The next question about permission.
    pub(super) async fn question(&mut self) -> Value {
        self.wait(|it| it["method"] == "session/request_permission")
            .await
    }

    pub(super) async fn choose(&mut self, question: &Value, option: &str) {
        let result = json!({"outcome": {"outcome": "selected", "optionId": option}});
        self.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": result}))
            .await;
    }

    /// The next update of this kind.
    pub(super) async fn update(&mut self, kind: &str) -> Value {
        let update = self.wait(|it| it["params"]["update"]["sessionUpdate"] == kind);
        update.await["params"]["update"].clone()
    }

    /// The texts of the updates of this kind that came and were not asked for.
    pub(crate) fn texts(&self, kind: &str) -> Vec<String> {
        let updates = self.seen.iter().map(|it| &it["params"]["update"]);
        let of_kind = updates.filter(|it| it["sessionUpdate"] == kind);
        let text = |it: &Value| it["content"]["text"].as_str().unwrap_or("").to_owned();
        of_kind.map(text).collect()
    }

    /// Returns whether such a message came and was not asked for.
    pub(crate) fn has(&self, is: impl Fn(&Value) -> bool) -> bool {
        self.seen.iter().any(is)
    }

    pub(super) fn forget(&mut self) {
        self.seen.clear();
    }

    pub(super) fn cwd(&self) -> &str {
        &self.cwd
    }

    /// The input, for one that writes without reading.
    pub(super) fn take_input(&mut self) -> ChildStdin {
        self.input.take().expect("an open input")
    }

    /// Closes the input, and waits for the end.
    pub(crate) async fn close(mut self) {
        drop(self.input.take());
        let status = timeout(PATIENCE, self.child.wait()).await;
        assert!(status.expect("it ends in time").unwrap().success());
    }

    /// The peak of the resident memory, in KiB.
    pub(super) fn peak_kib(&self) -> u64 {
        let pid = self.child.id().expect("it runs");
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        let line = status.lines().find(|it| it.starts_with("VmHWM:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }
}
