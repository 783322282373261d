use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use scorel_client::Connection;
use scorel_proto::{GetStatus, NoParams, ProcessStatus, SessionId};
use scorel_testkit::{DaemonUnderTest, ModelServer, ScriptedChat};
use serde_json::Value;

use crate::program_stage::ProgramStage;
use crate::under_test::{Watch, create_session, send};

/// A daemon with extensions of the user, in the mode that asks nothing.
pub(super) struct Scene {
    pub(super) daemon: DaemonUnderTest,
    pub(super) model: ModelServer,
    pub(super) client: Connection,
}

/// A session whose turns are watched.
pub(super) struct Talk {
    pub(super) id: SessionId,
    /// The events of its turns.
    pub(super) seen: Vec<Value>,
    watch: Watch,
}

impl Scene {
    /// `write` makes the extensions in their directory.
    pub(super) async fn with(write: impl FnOnce(&Path)) -> Self {
        Self::configured("", write).await
    }

    /// With more keys of the model.
    pub(super) async fn configured(model_keys: &str, write: impl FnOnce(&Path)) -> Self {
        Self::made(model_keys, |daemon| {
            let extensions = daemon.home().join("extensions");
            fs::create_dir_all(&extensions).unwrap();
            write(&extensions);
        })
        .await
    }

    pub(super) async fn prepared(prepare: impl FnOnce(&DaemonUnderTest)) -> Self {
        Self::made("", prepare).await
    }

    async fn made(model_keys: &str, prepare: impl FnOnce(&DaemonUnderTest)) -> Self {
        let stage = ProgramStage::start("ANY_API_KEY", |daemon| {
            prepare(daemon);
            format!("{model_keys}[permissions]\nmode = \"full\"\n")
        });
        let ProgramStage {
            daemon,
            model,
            client,
        } = stage.await;
        Self {
            daemon,
            model,
            client,
        }
    }

    pub(super) async fn talk(&self) -> Talk {
        let id = create_session(&self.client, &self.daemon).await;
        self.talk_in(id).await
    }

    pub(super) async fn talk_in(&self, id: SessionId) -> Talk {
        let mut watch = Watch::from_start(&self.client, id).await;
        watch.until("sync_end").await;
        Talk {
            id,
            seen: Vec::new(),
            watch,
        }
    }

    /// The lines that an extension has noted in a file of its own.
    pub(super) fn noted(&self, id: &str, file: &str) -> Vec<Value> {
        let data = self.daemon.home().join("extension-data");
        let text = fs::read_to_string(data.join(id).join(file)).unwrap_or_default();
        let lines = text.lines().map(serde_json::from_str);
        lines.collect::<Result<_, _>>().unwrap()
    }

    /// The messages of a request, as JSON.
    pub(super) fn sent(&self, request: usize) -> String {
        self.model.requests()[request].json()["messages"].to_string()
    }

    /// A turn in which the model calls one tool, and what it then reads of the result.
    pub(super) async fn call(&self, talk: &mut Talk, tool: &str, arguments: &Value) -> String {
        let call = ScriptedChat::default().tool_call("call", tool, &arguments.to_string());
        self.model.answer(call.finish("tool_calls").usage(1, 1));
        talk.turn(&self.client, "go on").await;
        let requests = self.model.requests();
        let body = requests.last().unwrap().json();
        let messages = body["messages"].as_array().unwrap().iter();
        let mut results = messages.filter(|message| message["role"] == "tool");
        results.next_back().unwrap()["content"].to_string()
    }

    pub(super) async fn processes(&self) -> Vec<ProcessStatus> {
        let status = self.client.call::<GetStatus>(&NoParams {}).await.unwrap();
        status.processes
    }
}

impl Talk {
    pub(super) async fn turn(&mut self, client: &Connection, text: &str) -> Vec<Value> {
        send(client, self.id, text).await;
        self.until("turn_outcome").await
    }

    /// Follows the session on another connection.
    pub(super) async fn again(&mut self, client: &Connection) {
        self.watch = Watch::from_start(client, self.id).await;
        self.watch.until("sync_end").await;
    }

    pub(super) async fn until(&mut self, kind: &str) -> Vec<Value> {
        let events = self.watch.until(kind).await;
        self.seen.extend(events.iter().cloned());
        events
    }
}

/// The tools that the latest request offers.
pub(super) fn offered(model: &ModelServer) -> Vec<String> {
    let body = model.requests().last().unwrap().json();
    let tools = body["tools"].as_array().unwrap().iter();
    let names = tools.map(|tool| tool["function"]["name"].as_str().unwrap().to_owned());
    names.collect()
}

/// A published example, copied.
pub(super) fn example(extensions: &Path, id: &str) {
    let docs = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs/extensions");
    let copy = extensions.join(id);
    fs::create_dir(&copy).unwrap();
    for entry in fs::read_dir(docs.join(id)).unwrap() {
        let file = entry.unwrap().path();
        fs::copy(&file, copy.join(file.file_name().unwrap())).unwrap();
    }
}

/// The beginning and the end of each program: `ask` calls the daemon, and a function answers a method of its name,
/// with `_` for the period.
const BEGIN: &str = r#"
import json, os, pathlib, sys
waiting = []
def say(message):
    print(json.dumps({"jsonrpc": "2.0"} | message), flush=True)
def ask(method, **params):
    say({"id": "ask", "method": method, "params": params})
    while True:
        message = json.loads(sys.stdin.readline())
        if message.get("id") == "ask" and "method" not in message:
            return message.get("result", message.get("error"))
        waiting.append(message)
def initialize(params):
    os.chdir(params["dataDir"])
    return {}
def note(name, value):
    with open(name, "a") as file:
        file.write(json.dumps(value) + "\n")
"#;

const END: &str = r#"
while True:
    line = json.dumps(waiting.pop(0)) if waiting else sys.stdin.readline()
    if not line:
        break
    message = json.loads(line)
    answer = globals().get(message["method"].replace(".", "_"))
    result = answer(message.get("params")) if answer else None
    if "id" in message:
        say({"id": message["id"], "result": result})
"#;

/// An extension whose program has these functions. `manifest` is what follows its head.
pub(super) fn python(extensions: &Path, id: &str, manifest: &str, functions: &str) {
    let dir = extensions.join(id);
    fs::create_dir_all(&dir).unwrap();
    fs::write(dir.join("main.py"), format!("{BEGIN}{functions}{END}")).unwrap();
    let head = format!("manifest = 1\nid = \"{id}\"\nname = \"{id}\"\nversion = \"1\"\n");
    let command = "command = [\"python3\", \"main.py\"]\n";
    fs::write(
        dir.join("extension.toml"),
        format!("{head}{command}{manifest}"),
    )
    .unwrap();
}

/// Returns whether a program is there. In CI all are needed.
pub(crate) fn has(program: &str) -> bool {
    let is_there = Command::new(program).arg("--version").output().is_ok();
    let is_needed = std::env::var_os("CI").is_some();
    assert!(is_there || !is_needed, "{program} is not installed");
    if !is_there {
        println!("skipped: {program} is not installed");
    }
    is_there
}
