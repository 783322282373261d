use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use scorel_client::Connection;
use scorel_proto::{GetStatus, NoParams, ProcessStatus, SessionId};
use scorel_testkit::{DaemonUnderTest, ModelServer, ScriptedChat};
use serde_json::Value;

use crate::under_test::{SCORELD, Watch, connect, create_session, send};

/// A daemon with extensions of the user, in the mode that asks nothing.
pub(super) struct Scene {
    pub(super) daemon: DaemonUnderTest,
    pub(super) model: ModelServer,
    pub(super) client: Connection,
}

/// A session whose turns are watched.
pub(super) struct Talk {
    pub(super) id: SessionId,
    watch: Watch,
}

impl Scene {
    /// `write` makes the extensions in their directory.
    pub(super) async fn with(write: impl FnOnce(&Path)) -> Self {
        Self::prepared(|daemon| {
            let extensions = daemon.home().join("extensions");
            fs::create_dir_all(&extensions).unwrap();
            write(&extensions);
        })
        .await
    }

    pub(super) async fn prepared(prepare: impl FnOnce(&DaemonUnderTest)) -> Self {
        let model = ModelServer::start().await.unwrap();
        let done = ScriptedChat::default().text("done").finish("stop");
        model.fallback(done.usage(1, 1));
        let path = std::env::var("PATH").unwrap();
        let mut daemon = DaemonUnderTest::new(SCORELD).with_variable("PATH", &path);
        daemon.configure_model(&model.base_url());
        daemon.configure_more("[permissions]\nmode = \"full\"\n");
        prepare(&daemon);
        daemon.spawn().await;
        let client = connect(&daemon.socket()).await;
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
        Talk { id, watch }
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
        self.watch.until("turn_outcome").await
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

/// Returns whether a program is there. In CI all are needed.
pub(super) fn has(program: &str) -> bool {
    let is_there = Command::new(program).arg("--version").output().is_ok();
    let is_needed = std::env::var_os("CI").is_some();
    assert!(is_there || !is_needed, "{program} is not installed");
    if !is_there {
        println!("skipped: {program} is not installed");
    }
    is_there
}
