//! A program that tells its secret wherever it can. In the end the scene looks for it everywhere.

use std::fs;
use std::path::Path;

use scorel_proto::{GetProcessLog, GetProcessLogParams};
use scorel_testkit::CANARY;
use serde_json::json;

use super::scene::{Scene, has};

const PROGRAM: &str = r#"
import json, os, sys

KEY = os.environ["KEY"]
assert "ANY_API_KEY" not in os.environ

def say(message):
    text = json.dumps({"jsonrpc": "2.0", **message}) + "\n"
    middle = text.find(KEY) + 5
    for part in (text[:middle], text[middle:]):
        sys.stdout.write(part)
        sys.stdout.flush()

def call(way, id):
    say({"method": "tool.progress", "params": {"callId": id, "text": KEY}})
    if way == "dies":
        print("it was " + KEY, file=sys.stderr, flush=True)
        os._exit(3)
    if way == "broken":
        print("no JSON: " + KEY, flush=True)
    if way == "error":
        return {"error": {"code": -32000, "message": KEY}}
    content = [{"type": "text", "text": "it is " + KEY}]
    return {"result": {"content": content, "isError": way == "fails", "details": {"key": KEY}}}

def hook(params):
    if params["hook"] == "afterToolCall":
        return {"result": {"context": KEY}}
    return {"result": {"decision": "deny", "reason": "it has " + KEY}}

print("began with " + KEY, file=sys.stderr, flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    method, params = message["method"], message["params"]
    answer = {"result": {}}
    if method == "tool.call":
        answer = call(params["input"]["way"], params["callId"])
    if method == "hook.run":
        answer = hook(params)
    say({"id": message["id"], **answer})
"#;

const MANIFEST: &str = r#"
manifest = 1
id = "tells"
name = "Tells"
version = "1"
command = ["python3", "tells.py"]
secretEnv = { KEY = "ANY_API_KEY" }
[[tools]]
name = "tell"
description = "Tells."
[hooks.beforeToolCall]
matcher = "Bash"
[hooks.afterToolCall]
matcher = "Read"
"#;

fn tells(extensions: &Path) {
    let dir = extensions.join("tells");
    fs::create_dir(&dir).unwrap();
    fs::write(dir.join("tells.py"), PROGRAM).unwrap();
    fs::write(dir.join("extension.toml"), MANIFEST).unwrap();
}

#[tokio::test]
async fn no_secret_of_a_program_is_kept_or_told() {
    if !has("python3") {
        return;
    }
    let scene = Scene::with(tells).await;
    scene.daemon.write_project_file("seen.txt", "seen\n");
    let mut talk = scene.talk().await;
    let calls = [
        ("ext__tells__tell", json!({"way": "works"})),
        ("ext__tells__tell", json!({"way": "fails"})),
        ("ext__tells__tell", json!({"way": "error"})),
        ("Bash", json!({"command": "echo x"})),
        ("Read", json!({"path": "seen.txt"})),
        ("ext__tells__tell", json!({"way": "broken"})),
        ("ext__tells__tell", json!({"way": "dies"})),
    ];
    for (tool, input) in calls {
        let result = scene.call(&mut talk, tool, &input).await;
        assert!(!result.contains(CANARY), "{input}: {result}");
        let is_cut_out = result.contains("[secret ");
        assert!(is_cut_out || input["way"] == "broken", "{input}: {result}");
    }
    let seen: String = talk.seen.iter().map(ToString::to_string).collect();
    assert!(!seen.contains(CANARY), "{seen}");
    let params = GetProcessLogParams {
        process: "extension:tells".to_owned(),
    };
    let read = scene.client.call::<GetProcessLog>(&params).await.unwrap();
    assert!(read.log.contains("began with [secret "), "{}", read.log);
    assert!(!read.log.contains(CANARY), "{}", read.log);
    let status = json!(scene.processes().await).to_string();
    assert!(!status.contains(CANARY), "{status}");
}
