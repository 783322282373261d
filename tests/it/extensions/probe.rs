//! An extension whose program tells where it runs and what it may do there.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::scene::{Scene, Talk};

/// Its tool answers in JSON. Its hook puts the word of its configuration behind each command.
const PROGRAM: &str = r#"
import json, os, socket, sys

START = {}

def attempt(action):
    try:
        action()
        return "done"
    except OSError as error:
        return type(error).__name__

def write(path):
    with open(path, "w") as file:
        file.write("x")

def connect(port):
    socket.create_connection(("127.0.0.1", port), timeout=5).close()

def probe(params):
    wanted = params["input"]
    return {
        "start": START,
        "turnId": params["turnId"],
        "pid": os.getpid(),
        "place": os.getcwd(),
        "writes": [attempt(lambda: write(path)) for path in wanted.get("write", [])],
        "connects": attempt(lambda: connect(wanted["connect"])) if "connect" in wanted else None,
    }

def hook(params):
    word = START["config"].get("word", "")
    return {"input": {"command": params["input"]["command"] + " " + word}}

print("started", file=sys.stderr, flush=True)
if len(sys.argv) > 1:
    write(sys.argv[1])
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    params, result = message.get("params"), {}
    if message["method"] == "initialize":
        START = params
    elif message["method"] == "tool.call":
        result = {"content": json.dumps(probe(params))}
    elif message["method"] == "hook.run":
        result = hook(params)
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"#;

const HOOK: &str = "[hooks.beforeToolCall]\nmatcher = 'Bash'\n";

/// A text of the probe that a model would be told.
pub(super) const LURE: &str = "lure-2290";

/// Writes the extension below a directory. It makes the file `mark` when it starts.
pub(super) fn probe(extensions: &Path, id: &str, mark: &Path) {
    let dir = extensions.join(id);
    fs::create_dir_all(&dir).unwrap();
    fs::write(dir.join("probe.py"), PROGRAM).unwrap();
    let mark = mark.display();
    let manifest = format!(
        "manifest = 1\nid = '{id}'\nname = 'Probe'\nversion = '1'\n\
         command = ['python3', 'probe.py', '{mark}']\n\
         [[tools]]\nname = 'probe'\ndescription = '{LURE}'\nparameters = {{ type = 'object' }}\n{HOOK}"
    );
    fs::write(dir.join("extension.toml"), manifest).unwrap();
}

/// Calls the tool of a probe, and returns what it found.
pub(super) async fn probed(scene: &Scene, talk: &mut Talk, id: &str, wanted: &Value) -> Value {
    let tool = format!("ext__{id}__probe");
    let result = scene.call(talk, &tool, wanted).await;
    let text: String = serde_json::from_str(&result).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|_| panic!("{text}"))
}
