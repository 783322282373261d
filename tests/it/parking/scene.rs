//! Eight turns of every kind, in one home, across restarts.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};

use futures_util::future::join_all;
use scorel_client::Connection;
use scorel_proto::{
    EndWait, EndWaitParams, PermissionDecision, PermissionRequestId, RespondPermission,
    RespondPermissionParams, SessionId, TurnId,
};
use scorel_testkit::{
    CheckedLog, DaemonUnderTest, ModelServer, RecordedRequest, ResponseGate, ScriptedChat,
    ScriptedResponse,
};
use serde_json::{Value, json};

use crate::under_test::{SCORELD, Watch, connect, create_session, send};

/// What a turn is busy with when the restart comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Busy {
    /// A model call that shows nothing before the restart.
    BeforeText,
    /// A model call that has shown text and ends.
    InText,
    /// The same, and then it calls a tool.
    InTextThenTool,
    /// Files are written, in one answer and in the next.
    Writes,
    /// A command that takes a moment.
    Command,
    /// Commands that run one after the other.
    Commands,
    /// A question.
    Question,
    /// A rate limit.
    Waiting,
}

pub(super) const KINDS: [Busy; 8] = [
    Busy::BeforeText,
    Busy::InText,
    Busy::InTextThenTool,
    Busy::Writes,
    Busy::Command,
    Busy::Commands,
    Busy::Question,
    Busy::Waiting,
];

const CONFIG: &str = "[permissions]\nmode = \"full\"\nask = [\"Bash(printf asked*)\"]\n";

/// One turn of a round.
#[derive(Debug, Clone, Copy)]
pub(super) struct RoundTurn {
    pub(super) kind: Busy,
    pub(super) session: SessionId,
    pub(super) turn: TurnId,
}

pub(super) struct ParkScene {
    pub(super) daemon: DaemonUnderTest,
    _model: ModelServer,
    script: Arc<RoundScript>,
    sessions: Vec<(Busy, SessionId)>,
    round: usize,
}

/// What the model answers. Messages are `KIND ROUND`.
#[derive(Default)]
struct RoundScript {
    gates: Mutex<HashMap<usize, ResponseGate>>,
    seen: Mutex<HashSet<String>>,
}

impl ParkScene {
    pub(super) async fn new() -> Self {
        let model = ModelServer::start().await.unwrap();
        let script = Arc::new(RoundScript::default());
        let answers = Arc::clone(&script);
        model.answer_with(move |request| answers.answer(request));
        let mut daemon = DaemonUnderTest::new(SCORELD);
        daemon.configure_model(&model.base_url());
        daemon.configure_more(CONFIG);
        daemon.spawn().await;
        let client = connect(&daemon.socket()).await;
        let mut sessions = Vec::new();
        for kind in KINDS {
            sessions.push((kind, create_session(&client, &daemon).await));
        }
        Self {
            daemon,
            _model: model,
            script,
            sessions,
            round: 0,
        }
    }

    /// Begins a turn of each kind.
    pub(super) async fn begin(&mut self) -> (Connection, Vec<RoundTurn>) {
        self.round += 1;
        let client = connect(&self.daemon.socket()).await;
        let begin = self.sessions.iter().map(|(kind, session)| {
            let text = format!("{kind:?} {}", self.round);
            let client = &client;
            async move {
                let turn = send(client, *session, &text).await;
                let (kind, session) = (*kind, *session);
                RoundTurn {
                    kind,
                    session,
                    turn,
                }
            }
        });
        let turns = join_all(begin).await;
        (client, turns)
    }

    /// Where the answers of this round wait before they come to their end.
    pub(super) fn gate(&self) -> ResponseGate {
        self.script.gate(self.round)
    }

    pub(super) fn log(&self, session: SessionId) -> CheckedLog {
        let path = self.daemon.log_path(&session.to_string());
        CheckedLog::read(&path).unwrap_or_else(|fault| panic!("{fault} in {}", path.display()))
    }

    /// The reason for which a turn ended; `None` if it has not.
    pub(super) fn reason(&self, turn: &RoundTurn) -> Option<String> {
        let log = self.log(turn.session);
        let id = turn.turn.to_string();
        let mut outcomes = log.outcomes().filter(|(ended, _)| *ended == id);
        outcomes.next().map(|(_, reason)| reason.to_owned())
    }

    /// No call of the turn was started twice, and what ran left one trace each.
    pub(super) fn check(&self, turn: &RoundTurn) {
        let log = self.log(turn.session);
        let started: Vec<String> = log
            .records()
            .iter()
            .filter(|record| record.type_name() == "tool_started")
            .filter(|record| record.turn_id() == Some(&turn.turn.to_string()))
            .map(|record| record.value["toolCallId"].to_string())
            .collect();
        let once: HashSet<&String> = started.iter().collect();
        assert_eq!(once.len(), started.len(), "{:?}: {started:?}", turn.kind);
        if self.reason(turn).as_deref() == Some("completed") {
            assert_eq!(self.traces(turn), traces_of(turn.kind), "{:?}", turn.kind);
        }
    }

    /// How many lines the commands of the turn have written.
    fn traces(&self, turn: &RoundTurn) -> usize {
        let path = self.daemon.project().join(format!("{:?}.txt", turn.kind));
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let line = format!("{:?} {}", turn.kind, self.round);
        text.lines().filter(|written| *written == line).count()
    }
}

/// How many lines the commands of a turn write.
const fn traces_of(kind: Busy) -> usize {
    match kind {
        Busy::BeforeText | Busy::InText | Busy::Writes | Busy::Waiting => 0,
        Busy::InTextThenTool | Busy::Command | Busy::Question => 1,
        Busy::Commands => 3,
    }
}

/// Follows a turn to its end, answers what it asks and ends what it waits for.
pub(super) async fn finish(client: &Connection, turn: &RoundTurn) {
    let mut watch = Watch::from_start(client, turn.session).await;
    loop {
        let event = watch.next().await;
        if event["turnId"] != turn.turn.to_string() {
            continue;
        }
        match event["type"].as_str() {
            Some("permission_request") => allow(client, turn, &event).await,
            Some("turn_waiting") if event["kind"] == "rate_limit" => {
                let params = EndWaitParams {
                    session_id: turn.session,
                    expected_turn_id: turn.turn,
                    command_id: None,
                };
                // The wait of the round before is in the log as well.
                let _over = client.call::<EndWait>(&params).await;
            }
            Some("turn_outcome") => return,
            _ => {}
        }
    }
}

async fn allow(client: &Connection, turn: &RoundTurn, request: &Value) {
    let request_id: PermissionRequestId = request["requestId"].as_str().unwrap().parse().unwrap();
    let params = RespondPermissionParams {
        session_id: turn.session,
        request_id,
        decision: PermissionDecision::Once,
        reason: None,
        command_id: None,
    };
    client.call::<RespondPermission>(&params).await.unwrap();
}

impl RoundScript {
    fn gate(&self, round: usize) -> ResponseGate {
        let mut gates = self.gates.lock().unwrap();
        gates.entry(round).or_default().clone()
    }

    fn answer(&self, request: &RecordedRequest) -> ScriptedResponse {
        let request = request.json();
        let messages = request["messages"].as_array().unwrap();
        let asks = |message: &Value| message["role"] == "user";
        let at = messages.iter().rposition(asks).unwrap();
        let text = text_of(&messages[at]);
        let results = messages[at..].iter().filter(|it| it["role"] == "tool");
        let (kind, round) = text.split_once(' ').unwrap();
        let gate = self.gate(round.parse().unwrap());
        let first = self.seen.lock().unwrap().insert(text.clone());
        let chat = ScriptedChat::default();
        match (kind, results.count()) {
            // Not only the first time: a restart may come before the daemon has asked at all.
            ("BeforeText", _) if !gate.is_open() => chat.wait(&ResponseGate::new()).finish("stop"),
            ("InText", _) => chat
                .text("half")
                .wait(&gate)
                .text(" and half")
                .finish("stop"),
            ("InTextThenTool", 0) => {
                let chat = chat.text("half").wait(&gate);
                calls(chat, &text, &[note(kind, &text)])
            }
            ("Writes", done @ 0..=1) => {
                let input = json!({"path": format!("written-{done}.txt"), "content": text});
                chat.tool_call(&format!("{text} {done}"), "Write", &input.to_string())
                    .finish("tool_calls")
            }
            ("Command", 0) => calls(chat, &text, &[format!("sleep 0.2; {}", note(kind, &text))]),
            ("Commands", 0) => {
                let slow = format!("sleep 0.05; {}", note(kind, &text));
                calls(chat, &text, &[slow.clone(), slow.clone(), slow])
            }
            ("Question", 0) => calls(
                chat,
                &text,
                &[format!("printf asked; {}", note(kind, &text))],
            ),
            ("Waiting", _) if first => {
                let body = r#"{"error":{"message":"slow down","type":"rate_limit_error"}}"#;
                return ScriptedResponse::json(429, body).header("retry-after", "600");
            }
            _ => chat.text("done").finish("stop"),
        }
        .into()
    }
}

/// A command that leaves a line.
fn note(kind: &str, text: &str) -> String {
    format!("echo '{text}' >> {kind}.txt")
}

fn calls(mut chat: ScriptedChat, text: &str, commands: &[String]) -> ScriptedChat {
    for (number, command) in commands.iter().enumerate() {
        let id = format!("{text} {number}").replace(' ', "_");
        let input = json!({"command": command}).to_string();
        chat = chat.tool_call(&id, "Bash", &input);
    }
    chat.finish("tool_calls")
}

fn text_of(message: &Value) -> String {
    match &message["content"] {
        Value::String(text) => text.clone(),
        parts => parts[0]["text"].as_str().unwrap().to_owned(),
    }
}
