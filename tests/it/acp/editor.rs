use std::collections::VecDeque;
use std::path::Path;
use std::process::{ExitStatus, Stdio};

use scorel_testkit::DaemonUnderTest;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

use crate::under_test::{PATIENCE, SCORELCTL, SCORELD};

/// An editor: `scorelctl acp` and its pipes.
pub(super) struct Editor {
    pub(super) child: Child,
    input: Option<ChildStdin>,
    output: Lines<BufReader<ChildStdout>>,
    last_id: u64,
    /// What came while something else was waited for.
    unread: VecDeque<Value>,
}

impl Editor {
    pub(super) fn start(daemon: &DaemonUnderTest) -> Self {
        let mut child = Command::new(SCORELCTL)
            .env_clear()
            .env("SCORELD", SCORELD)
            .env("SCOREL_HOME", daemon.home())
            .current_dir(daemon.root())
            .args(["acp"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap()).lines();
        Self {
            child,
            input,
            output,
            last_id: 0,
            unread: VecDeque::new(),
        }
    }

    pub(super) async fn initialize(&mut self) -> Value {
        let params = json!({ "protocolVersion": 1, "clientCapabilities": {} });
        self.call("initialize", params).await
    }

    /// Writes a line.
    pub(super) async fn write(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        let line = format!("{line}\n");
        timeout(PATIENCE, input.write_all(line.as_bytes()))
            .await
            .expect("the line is read in time")
            .unwrap();
    }

    /// Sends a request and returns its id.
    pub(super) async fn request(&mut self, method: &str, params: Value) -> u64 {
        self.last_id += 1;
        let id = self.last_id;
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.write(&request.to_string()).await;
        id
    }

    pub(super) async fn notify(&mut self, method: &str, params: Value) {
        let text = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        self.write(&text.to_string()).await;
    }

    /// Answers a request of the agent.
    pub(super) async fn respond(&mut self, id: &Value, result: Value) {
        let text = json!({ "jsonrpc": "2.0", "id": id, "result": result });
        self.write(&text.to_string()).await;
    }

    /// The next message.
    pub(super) async fn next(&mut self) -> Value {
        if let Some(message) = self.unread.pop_front() {
            return message;
        }
        self.read().await.expect("the agent is there")
    }

    /// `None` once the agent has closed its output.
    async fn read(&mut self) -> Option<Value> {
        let line = timeout(PATIENCE, self.output.next_line()).await;
        let line = line.expect("a message in time").unwrap()?;
        Some(serde_json::from_str(&line).unwrap_or_else(|_| panic!("no JSON: {line}")))
    }

    /// The next message of which this holds, and those before it.
    pub(super) async fn until(&mut self, found: impl Fn(&Value) -> bool) -> (Value, Vec<Value>) {
        let mut before = Vec::new();
        loop {
            let message = self.next().await;
            if found(&message) {
                return (message, before);
            }
            before.push(message);
        }
    }

    /// The answer to a request, and what came before it.
    pub(super) async fn answer(&mut self, id: u64) -> (Value, Vec<Value>) {
        self.until(|message| message["id"] == id && message["method"].is_null())
            .await
    }

    /// The result of a request. What comes before it stays unread.
    pub(super) async fn call(&mut self, method: &str, params: Value) -> Value {
        let answer = self.ask(method, params).await;
        assert!(answer["error"].is_null(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// The error of a request. What comes before it stays unread.
    pub(super) async fn fails(&mut self, method: &str, params: Value) -> Value {
        let answer = self.ask(method, params).await;
        assert!(answer["error"].is_object(), "{method}: {answer}");
        answer["error"].clone()
    }

    async fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params).await;
        let (answer, before) = self.answer(id).await;
        before
            .into_iter()
            .rev()
            .for_each(|message| self.unread.push_front(message));
        answer
    }

    /// Creates a session in a directory.
    pub(super) async fn new_session(&mut self, cwd: &Path) -> String {
        let result = self
            .call("session/new", json!({ "cwd": cwd, "mcpServers": [] }))
            .await;
        result["sessionId"].as_str().unwrap().to_owned()
    }

    /// Sends a prompt of a text and returns its id.
    pub(super) async fn prompt(&mut self, session: &str, text: &str) -> u64 {
        let prompt = json!([{ "type": "text", "text": text }]);
        let params = json!({ "sessionId": session, "prompt": prompt });
        self.request("session/prompt", params).await
    }

    /// The way to its standard input, for a test that writes by itself.
    pub(super) fn take_input(&mut self) -> ChildStdin {
        self.input.take().unwrap()
    }

    /// Ends standard input.
    pub(super) fn end(&mut self) {
        self.input = None;
    }

    /// Ends standard input, and waits for the program.
    pub(super) async fn finish(mut self) -> (ExitStatus, Vec<Value>) {
        self.end();
        let mut rest: Vec<_> = self.unread.drain(..).collect();
        while let Some(message) = self.read().await {
            rest.push(message);
        }
        let ended = timeout(PATIENCE, self.child.wait()).await;
        (ended.expect("it ends in time").unwrap(), rest)
    }
}

/// The updates of this kind.
pub(super) fn updates<'a>(messages: &'a [Value], kind: &str) -> Vec<&'a Value> {
    let updates = messages.iter().map(|message| &message["params"]["update"]);
    updates
        .filter(|update| update["sessionUpdate"] == kind)
        .collect()
}

/// The text of the chunks of this kind.
pub(super) fn text(messages: &[Value], kind: &str) -> String {
    let chunks = updates(messages, kind).into_iter();
    chunks
        .filter_map(|update| update["content"]["text"].as_str())
        .collect()
}
