//! Every mutating command, repeated with the same command id.

use std::path::Path;

use scorel_proto::{METHODS, SendMessage, SendMessageParams};
use scorel_testkit::{DaemonUnderTest, ModelServer, ScriptedChat};
use serde_json::{Value, json};

use crate::raw::RawConnection;
use crate::runs::write_package;
use crate::under_test::{SCORELD, Watch, message, new_session, send};

const CLIENT: &str = "cli_01ARZ3NDEKTSV4RRFFQ69G5FAV";
const OTHER_CLIENT: &str = "cli_01BX5ZZKBKACTAV9WEVGEMMVRZ";
const TURN: &str = "trn_01BX5ZZKBKACTAV9WEVGEMMVRZ";

/// Commands not in the table: one needs a damaged log, one creates something content-addressed, and
/// the others need an open question, a wait, a long conversation or a git worktree.
const OTHERS: [&str; 6] = [
    "acceptDamage",
    "putBlob",
    "respondPermission",
    "endWait",
    "compact",
    "removeWorktree",
];

/// A runner that keeps a context, and an agent whose tasks wait for ever.
const CONFIG: &str = r#"
[agents.idle]
defaultQuota = 0

[runners.keeper]
type = "command"
output = "events"
trustOwn = true
command = ["/bin/sh", "-c", """
    echo '{"type": "context", "contextId": "one"}'
    echo '{"type": "text", "text": "Yes."}'
"""]
"#;

/// A conversation that another agent has written.
const TRANSCRIPT: &str = r#"{"id": "1", "timestamp": "2025-05-07T17:24:21Z", "git": {}}
{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "alpha?"}]}
"#;

/// A command, its parameters, and other valid parameters.
type CommandCase = (&'static str, Value, Value);

/// A home with a used session, and the ids that commands refer to.
struct CommandStage {
    daemon: DaemonUnderTest,
    _model: ModelServer,
    session: String,
}

impl CommandStage {
    async fn new() -> Self {
        let model = ModelServer::start().await.unwrap();
        model.fallback(ScriptedChat::default().text("Yes.").finish("stop"));
        let mut daemon = DaemonUnderTest::new(SCORELD);
        daemon.configure_model(&model.base_url());
        daemon.configure_more(CONFIG);
        write_plugin(&daemon.home().join("extensions/tidy"));
        daemon.spawn().await;
        let (client, session) = new_session(&daemon).await;
        let mut watch = Watch::from_start(&client, session).await;
        send(&client, session, "Hello?").await;
        watch.until("turn_outcome").await;
        let to_keeper = SendMessageParams {
            runner: Some("keeper".to_owned()),
            ..message(session, "And you?")
        };
        client.call::<SendMessage>(&to_keeper).await.unwrap();
        watch.until("turn_outcome").await;
        Self {
            daemon,
            _model: model,
            session: session.to_string(),
        }
    }

    fn connect(&self, client: &str) -> RawConnection {
        let mut raw = RawConnection::connect(&self.daemon);
        let hello = json!({"clientId": client, "protocol": {"min": 1, "max": 1}});
        let greeted = raw.call("hello", &hello);
        assert!(greeted["result"].is_object(), "{greeted}");
        raw
    }

    /// In an order in which each finds its preconditions.
    fn commands(&self, raw: &mut RawConnection) -> Vec<CommandCase> {
        let session = &self.session;
        let dir = self.daemon.project().join("inner");
        std::fs::create_dir(&dir).unwrap();
        let inner = json!({"workDir": dir});
        let project = raw.call("registerProject", &inner)["result"]["project"]["projectId"].clone();
        let spare = json!({"projectId": project, "title": "spare"});
        let spare = raw.call("createSession", &spare)["result"]["sessionId"].clone();
        let empty = self.daemon.project().join("empty");
        std::fs::create_dir(&empty).unwrap();
        let empty = raw.call("registerProject", &json!({"workDir": empty}));
        let empty = &empty["result"]["project"]["projectId"];
        let lead = json!({"projectId": project, "title": "lead"});
        let lead = raw.call("createSession", &lead)["result"]["sessionId"].clone();
        let task = |prompt: &str| json!({"sessionId": lead, "agentType": "idle", "prompt": prompt});
        let tasks: Vec<Value> = ["a", "b", "c"]
            .iter()
            .map(|prompt| raw.call("spawnRuntime", &task(prompt))["result"]["runtimeId"].clone())
            .collect();
        let transcript = self.daemon.root().join("rollout.jsonl");
        std::fs::write(&transcript, TRANSCRIPT).unwrap();
        let named = json!({"workDir": dir, "displayName": "another name"});
        let described = raw.call("getSession", &json!({"sessionId": session}));
        let leaf = &described["result"]["session"]["activeLeafId"];
        let other = &described["result"]["session"]["projectId"];
        let runs = self.runs(raw, other);
        let confirm = &runs[0]["confirm"];
        let [run, gone] = [&runs[0]["runId"], &runs[1]["runId"]];
        vec![
            ("registerProject", inner, named),
            (
                "createSession",
                json!({"projectId": project, "title": "one"}),
                json!({"projectId": project, "title": "two"}),
            ),
            (
                "importSession",
                json!({"projectId": project, "path": transcript}),
                json!({"projectId": project, "path": "/elsewhere"}),
            ),
            (
                "updateSession",
                json!({"sessionId": session, "title": "one"}),
                json!({"sessionId": session, "title": "two"}),
            ),
            (
                "appendCustom",
                json!({"sessionId": session, "kind": "a.b", "data": 1}),
                json!({"sessionId": session, "kind": "a.b", "data": 2}),
            ),
            (
                "cloneSession",
                json!({"sessionId": session, "eventId": leaf}),
                json!({"sessionId": session, "eventId": null}),
            ),
            (
                "restoreFiles",
                json!({"sessionId": session, "beforeEventId": leaf}),
                json!({"sessionId": session, "beforeEventId": leaf, "scope": "all"}),
            ),
            (
                "rewind",
                json!({"sessionId": session, "targetEventId": null, "expectedLeafId": leaf}),
                json!({"sessionId": session, "targetEventId": leaf, "expectedLeafId": leaf}),
            ),
            (
                "branch",
                json!({"sessionId": session, "leafEventId": leaf, "expectedLeafId": null,
                    "restoreFiles": {}}),
                json!({"sessionId": session, "leafEventId": leaf, "expectedLeafId": null,
                    "restoreFiles": {"scope": "all"}}),
            ),
            (
                "forgetContext",
                json!({"sessionId": session, "runner": "keeper"}),
                json!({"sessionId": session, "runner": "codex"}),
            ),
            (
                "appendCustomMessage",
                custom_message(session, "one"),
                custom_message(session, "two"),
            ),
            (
                // Without `clearQueue` it is answered from memory and has no receipt.
                "cancel",
                json!({"sessionId": session, "clearQueue": true}),
                json!({"sessionId": session, "clearQueue": true, "expectedTurnId": TURN}),
            ),
            (
                // The cancel before it was the first change of the queue.
                "rewriteQueue",
                json!({"sessionId": session, "expectedVersion": 1,
                    "ops": [{"op": "add", "kind": "followUp", "content": "held", "hold": true}]}),
                json!({"sessionId": session, "expectedVersion": 1, "ops": [{"op": "pause"}]}),
            ),
            (
                "sendMessage",
                json!({"sessionId": session, "content": "one"}),
                json!({"sessionId": session, "content": "two"}),
            ),
            (
                "runCommand",
                json!({"sessionId": session, "name": "tidy:greet", "arguments": "one"}),
                json!({"sessionId": session, "name": "tidy:greet", "arguments": "two"}),
            ),
            (
                "setAgent",
                json!({"agentType": "extra", "displayName": "Extra"}),
                json!({"agentType": "extra", "displayName": "Other"}),
            ),
            (
                "setQuota",
                json!({"projectId": project, "agentType": "extra", "policy": {"project": 1}}),
                json!({"projectId": project, "agentType": "extra", "policy": {"project": 2}}),
            ),
            (
                "openOrchestrator",
                json!({"projectId": other}),
                json!({"projectId": empty}),
            ),
            ("spawnRuntime", task("one"), task("two")),
            (
                "moveRuntime",
                json!({"runtimeId": tasks[1], "position": 1}),
                json!({"runtimeId": tasks[1], "position": 2}),
            ),
            (
                "stopRuntime",
                json!({"runtimeId": tasks[2]}),
                json!({"runtimeId": tasks[0]}),
            ),
            (
                "startRun",
                json!({"projectId": other, "workflow": "notes", "confirm": confirm}),
                json!({"projectId": other, "workflow": "notes", "confirm": confirm, "input": "x"}),
            ),
            (
                "updateRun",
                json!({"runId": run, "autopilot": false}),
                json!({"runId": run, "autopilot": true}),
            ),
            (
                "rebindRun",
                json!({"runId": run}),
                json!({"runId": run, "digest": "0"}),
            ),
            (
                "repairRun",
                json!({"runId": run, "restore": "last-good"}),
                json!({"runId": gone, "restore": "last-good"}),
            ),
            ("deleteRun", json!({"runId": gone}), json!({"runId": run})),
            (
                "resumeRun",
                json!({"runId": run}),
                json!({"runId": run, "newSession": true}),
            ),
            (
                "archiveSession",
                json!({"sessionId": session}),
                json!({"sessionId": session, "archived": false}),
            ),
            (
                "deleteSession",
                json!({"sessionId": spare}),
                json!({"sessionId": session}),
            ),
            (
                "undeleteSession",
                json!({"sessionId": spare}),
                json!({"sessionId": session}),
            ),
            (
                "updateProject",
                json!({"projectId": other, "displayName": "one"}),
                json!({"projectId": other, "displayName": "two"}),
            ),
            (
                "removeProject",
                json!({"projectId": empty}),
                json!({"projectId": project}),
            ),
        ]
    }
}

impl CommandStage {
    /// Two runs at rest, each with the digest of the plan that it was started with.
    fn runs(&self, raw: &mut RawConnection, project: &Value) -> [Value; 2] {
        write_package(&self.daemon.home().join("workflows/notes"), "1.0.0");
        let checked = raw.call("checkWorkflow", &json!({"workflow": "notes"}));
        let confirm = &checked["result"]["digest"];
        let params = json!({"projectId": project, "workflow": "notes", "confirm": confirm});
        [(); 2].map(|()| {
            let mut started = raw.call("startRun", &params)["result"].clone();
            settled(raw, started["sessionId"].as_str().unwrap());
            started["confirm"] = confirm.clone();
            started
        })
    }
}

/// A plugin with one command.
fn write_plugin(root: &Path) {
    for (file, text) in [
        (".claude-plugin/plugin.json", r#"{"name": "tidy"}"#),
        ("commands/greet.md", "Greet $ARGUMENTS."),
    ] {
        let file = root.join(file);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
}

fn custom_message(session: &str, text: &str) -> Value {
    let message = json!({"role": "user", "content": [{"type": "text", "text": text}]});
    json!({"sessionId": session, "kind": "a.b", "message": message})
}

fn with_name(params: &Value, name: &str) -> Value {
    let mut params = params.clone();
    params["commandId"] = json!(name);
    params
}

/// The result without the current state of session, queue and run.
fn effect(answer: &Value) -> Value {
    let mut effect = answer["result"].clone();
    assert!(effect.is_object(), "{answer}");
    if let Some(fields) = effect.as_object_mut() {
        fields.remove("session");
        fields.remove("queue");
        fields.remove("run");
        // The message of a command is in an object of its own.
        if let Some(message) = fields.get_mut("message").and_then(Value::as_object_mut) {
            message.remove("session");
            message.remove("queue");
        }
    }
    effect
}

fn code(answer: &Value) -> &str {
    answer["error"]["data"]["code"]
        .as_str()
        .unwrap_or("no error")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_command_has_one_effect_and_one_answer_across_restarts() {
    let mut stage = CommandStage::new().await;
    let mut raw = stage.connect(CLIENT);
    let commands = stage.commands(&mut raw);
    let named = METHODS
        .iter()
        .filter(|method| (method.param_names)().contains(&"commandId"));
    for method in named.filter(|method| !OTHERS.contains(&method.name)) {
        let is_listed = commands.iter().any(|(name, ..)| *name == method.name);
        assert!(is_listed, "{} is not in the table", method.name);
    }
    let mut answers = Vec::new();
    for (method, params, _) in &commands {
        let answer = raw.call(method, &with_name(params, method));
        answers.push(effect(&answer));
    }
    let mut logs = Vec::new();
    for round in ["at once", "after a kill", "after an orderly stop"] {
        match round {
            "after a kill" => stage.daemon.kill().await,
            "after an orderly stop" => drop(stage.daemon.stop().await),
            _ => {}
        }
        if round != "at once" {
            stage.daemon.spawn().await;
        }
        let mut raw = stage.connect(CLIENT);
        for ((method, params, other), answer) in commands.iter().zip(&answers) {
            let again = raw.call(method, &with_name(params, method));
            assert_eq!(effect(&again), *answer, "{method} {round}");
            let refused = raw.call(method, &with_name(other, method));
            assert_eq!(code(&refused), "conflict", "{method} {round}: {refused}");
        }
        settled(&mut raw, &stage.session);
        logs.push(stage.daemon.log(&stage.session).len());
    }
    // A kill may interrupt the message's turn, which adds at most an outcome.
    assert!(logs[2] == logs[1], "{logs:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_name_of_a_command_belongs_to_one_client() {
    let stage = CommandStage::new().await;
    let rename = with_name(&json!({"sessionId": stage.session, "title": "one"}), "x");
    let mine = effect(&stage.connect(CLIENT).call("updateSession", &rename));
    let theirs = effect(&stage.connect(OTHER_CLIENT).call("updateSession", &rename));
    assert!(
        mine["seq"].as_u64() < theirs["seq"].as_u64(),
        "{mine} {theirs}"
    );
    let anonymous = RawConnection::connect(&stage.daemon).call("updateSession", &rename);
    assert_eq!(code(&anonymous), "invalid_params", "{anonymous}");
}

/// Waits until the session is idle.
fn settled(raw: &mut RawConnection, session: &str) {
    loop {
        let reply = raw.call("getSession", &json!({"sessionId": session}));
        if reply["result"]["session"]["turnId"].is_null() {
            return;
        }
    }
}
