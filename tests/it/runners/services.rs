//! Files and terminals that an agent leaves to the daemon.

use std::fs;

use scorel_client::Connection;
use scorel_proto::{PermissionDecision, SessionId};
use scorel_testkit::{DaemonUnderTest, ModelServer};
use serde_json::{Value, json};

use super::scene::answer;
use super::{answer_of, only, send_to};
use crate::under_test::{SCORELD, Watch, has_sandbox, new_session};

const AGENT: &str = include_str!("agent.py");

/// Writes in the project, and tries to write outside of it.
const ESCAPE: &str = "\
import os
print(os.environ['WORD'])
open('made', 'w')
try:
    open('/etc/scorel-made', 'w')
except OSError:
    exit(3)";

/// A session whose runner makes the calls that it is sent.
struct ServiceScene {
    daemon: DaemonUnderTest,
    client: Connection,
    id: SessionId,
    watch: Watch,
    _model: ModelServer,
}

impl ServiceScene {
    async fn new(permissions: &str) -> Self {
        let model = ModelServer::start().await.unwrap();
        let path = std::env::var("PATH").unwrap();
        let mut daemon = DaemonUnderTest::new(SCORELD).with_variable("PATH", &path);
        let script = daemon.root().join("agent.py");
        fs::write(&script, AGENT).unwrap();
        daemon.configure_model(&model.base_url());
        daemon.configure_more(&format!(
            "[runners.agent]\ntype = \"acp\"\ncommand = {}\n[permissions]\n{permissions}\n",
            json!(["python3", script])
        ));
        daemon.spawn().await;
        let (client, id) = new_session(&daemon).await;
        let watch = Watch::from_start(&client, id).await;
        Self {
            daemon,
            client,
            id,
            watch,
            _model: model,
        }
    }

    async fn begin(&self, calls: &Value) {
        send_to(&self.client, self.id, "agent", &calls.to_string()).await;
    }

    /// What came of each call, once the turn has ended.
    async fn results(&mut self) -> Vec<Value> {
        let events = self.watch.until("turn_outcome").await;
        let outcome = only(&events, "turn_outcome");
        assert_eq!(outcome["reason"], "completed", "{outcome}");
        let text = &answer_of(&events)["message"]["content"][0]["text"];
        serde_json::from_str(text.as_str().unwrap()).unwrap()
    }

    fn path(&self, name: &str) -> String {
        let path = self.daemon.project().join(name);
        path.to_str().unwrap().to_owned()
    }
}

#[tokio::test]
async fn files_are_read_and_written_as_the_rules_say() {
    let mut scene = ServiceScene::new("deny = [\"Write(secret)\", \"Read(hidden)\"]").await;
    scene.daemon.write_project_file("text", "one\ntwo\nthree\n");
    scene.daemon.write_project_file("hidden", "kept back");
    let call = |method: &str, name: &str, more: Value| {
        let mut params = json!({"path": scene.path(name)});
        for (name, value) in more.as_object().unwrap() {
            params[name] = value.clone();
        }
        json!([method, params])
    };
    let calls = json!([
        call("fs/read_text_file", "text", json!({"line": 2, "limit": 1})),
        call("fs/write_text_file", "new/made", json!({"content": "made\n"})),
        call("fs/write_text_file", "text", json!({"content": "unread, replaced\n"})),
        call("fs/write_text_file", "secret", json!({"content": "x"})),
        call("fs/read_text_file", "hidden", json!({})),
        call("fs/read_text_file", "nowhere", json!({})),
        ["fs/write_text_file", {"path": "/etc/scorel-test", "content": "x"}],
        ["fs/rename", {}],
    ]);
    scene.begin(&calls).await;
    let results = scene.results().await;
    assert_eq!(results[0], json!({"content": "two\n"}));
    assert_eq!((&results[1], &results[2]), (&json!({}), &json!({})));
    let file = |name| fs::read_to_string(scene.path(name)).unwrap();
    assert_eq!(file("new/made"), "made\n");
    assert_eq!(file("text"), "unread, replaced\n");
    for refused in &results[3..7] {
        assert_eq!(refused["code"], -32602, "{refused}");
    }
    assert!(!scene.daemon.project().join("secret").exists());
    assert_eq!(results[7]["code"], -32601, "{}", results[7]);
}

/// A write outside the project needs a yes, which the agent asks for, once.
#[tokio::test]
async fn what_a_client_allows_is_done_and_nothing_else() {
    let mut scene = ServiceScene::new("").await;
    let outside = tempfile::tempdir().unwrap();
    let path = |name: &str| outside.path().join(name);
    let ask = json!({
        "toolCall": {"toolCallId": "edit", "kind": "edit", "title": "Edit",
            "locations": [{"path": path("allowed")}]},
        "options": [{"optionId": "yes", "name": "Yes", "kind": "allow_once"}],
    });
    let write = |name: &str| json!(["fs/write_text_file", {"path": path(name), "content": "x"}]);
    let calls = json!([
        write("allowed"),
        ["session/request_permission", ask],
        write("allowed"),
        write("allowed"),
        write("other"),
    ]);
    scene.begin(&calls).await;
    let asked = scene.watch.until("permission_request").await;
    let asked = asked.last().unwrap();
    answer(&scene.client, scene.id, asked, PermissionDecision::Once).await;
    let results = scene.results().await;
    assert_eq!(results[0]["code"], -32602, "{results:?}");
    let text = results[0]["message"].as_str().unwrap();
    assert!(text.contains("request permission"), "{text}");
    assert_eq!(results[2], json!({}));
    assert_eq!(results[3]["code"], -32602, "once is once: {results:?}");
    assert_eq!(results[4]["code"], -32602, "{results:?}");
    assert!(path("allowed").exists() && !path("other").exists());
}

#[tokio::test]
async fn terminals_run_in_the_sandbox_of_commands() {
    if !has_sandbox() {
        return;
    }
    let mut scene = ServiceScene::new("").await;
    let project = scene.daemon.project();
    let create = |command: &str, args: Value| {
        let environment = json!([{"name": "WORD", "value": "a 'line' that is cut"}]);
        json!(["terminal/create", {"command": command, "args": args, "env": environment,
            "cwd": project, "outputByteLimit": 10}])
    };
    let of = |method: &str| json!([method, {"terminalId": "$terminal"}]);
    let calls = json!([
        create("python3", json!(["-c", ESCAPE])),
        of("terminal/wait_for_exit"),
        of("terminal/output"),
        of("terminal/release"),
        of("terminal/output"),
        create("sleep 4000", json!([])),
        of("terminal/output"),
        of("terminal/kill"),
        of("terminal/wait_for_exit"),
        create("sleep 4001", json!([])),
    ]);
    scene.begin(&calls).await;
    let results = scene.results().await;
    assert_eq!(results[1]["exitCode"], 3, "{results:?}");
    assert_eq!(results[2]["truncated"], true, "{results:?}");
    assert_eq!(results[2]["output"], "at is cut\n");
    assert_eq!(results[2]["exitStatus"]["exitCode"], 3);
    assert_eq!(results[4]["code"], -32602, "it is released: {results:?}");
    assert!(results[6]["exitStatus"].is_null(), "{results:?}");
    assert!(results[8]["signal"].is_string(), "{results:?}");
    assert!(scene.daemon.project().join("made").exists());
    assert!(!std::path::Path::new("/etc/scorel-made").exists());
}

/// The end of an output that is larger than the part kept in memory.
#[tokio::test]
async fn a_long_output_of_a_terminal_is_cut_at_its_beginning() {
    if !has_sandbox() {
        return;
    }
    let mut scene = ServiceScene::new("").await;
    let print = "print('x' * 400000 + 'the end')";
    let of = |method: &str| json!([method, {"terminalId": "$terminal"}]);
    let calls = json!([
        ["terminal/create", {"command": "python3", "args": ["-c", print]}],
        of("terminal/wait_for_exit"),
        of("terminal/output"),
    ]);
    scene.begin(&calls).await;
    let results = scene.results().await;
    let output = results[2]["output"].as_str().unwrap();
    assert!(output.ends_with("the end\n"), "{} bytes", output.len());
    assert_eq!(results[2]["truncated"], true);
    assert!(output.len() > 200_000, "{} bytes", output.len());
}
