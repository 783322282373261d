//! A daemon with a workflow package, and a model that answers as it is told.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use scorel_client::{ClientError, Connection};
use scorel_proto::{
    CheckWorkflow, CheckWorkflowParams, GetRun, GetRunParams, GetRunResult, Method, ProjectId,
    RegisterProject, RegisterProjectParams, RpcError, RunId, SessionId, StartRun, StartRunParams,
    StartRunResult,
};
use scorel_testkit::{DaemonUnderTest, ModelServer, ScriptedChat, ScriptedResponse};
use serde_json::{Value, json};

use super::answers::said_by_user;
use crate::under_test::{SCORELD, Watch, connect, send};

/// A workflow with a node that waits for a person, one that does not, and an end.
pub(super) struct RunScene {
    pub(super) daemon: DaemonUnderTest,
    pub(super) model: ModelServer,
    pub(super) client: Connection,
    pub(super) project: ProjectId,
    edits: Arc<Mutex<VecDeque<EditedAnswer>>>,
}

/// An answer of the model before which the document is edited.
struct EditedAnswer {
    document: PathBuf,
    edits: Vec<(String, String)>,
    answer: ScriptedResponse,
}

/// The head of the document that runs begin with.
const DOCUMENT: &str = "---\n# Mine\nschemaVersion: '1.1'\nworkflowType: notes\ncurrentNodeId: ''\nstepsCompleted: []\n\
                        variables: {}\n---\nNotes.\n";

/// Writes the package `notes`.
pub(crate) fn write_package(root: &Path, version: &str) {
    let step = |id: &str, kind: &str, more: &str| {
        format!("---\nschemaVersion: '1.1'\nnodeId: {id}\ntype: {kind}\n{more}---\nDo it.\n")
    };
    let manifest = json!({
        "schemaVersion": "1.1", "name": "notes", "version": version,
        "entry": {"workflow": "workflow.md", "graph": "graph.json", "agents": "agents.json"},
    });
    let graph = json!({
        "schemaVersion": "1.1", "entryNodeId": "ask",
        "nodes": [
            {"id": "ask", "type": "step", "file": "ask.md"},
            {"id": "write", "type": "step", "file": "write.md", "agentId": "bob"},
            {"id": "end", "type": "end", "file": "end.md"},
        ],
        "edges": [
            {"from": "ask", "to": "write", "label": "next"},
            {"from": "write", "to": "ask", "label": "again"},
            {"from": "write", "to": "end", "label": "done"},
        ],
    });
    let persona =
        json!({"role": "r", "identity": "i", "communication_style": "c", "principles": "p"});
    let agent = |id: &str, name: &str| {
        let metadata = json!({"name": name, "title": "Writer", "icon": "*"});
        json!({"id": id, "metadata": metadata, "persona": persona})
    };
    let agents =
        json!({"schemaVersion": "1.1", "agents": [agent("ann", "Ann"), agent("bob", "Bob")]});
    fs::create_dir_all(root).unwrap();
    for (file, text) in [
        ("bmad.json", manifest.to_string()),
        ("graph.json", graph.to_string()),
        ("agents.json", agents.to_string()),
        ("workflow.md", DOCUMENT.to_owned()),
        ("ask.md", step("ask", "step", "input: user\n")),
        ("write.md", step("write", "step", "")),
        ("end.md", step("end", "end", "")),
    ] {
        fs::write(root.join(file), text).unwrap();
    }
}

impl RunScene {
    /// With the package among those of the user.
    pub(super) async fn new() -> Self {
        let scene = Self::without_package().await;
        write_package(&scene.installed(), "1.0.0");
        scene
    }

    pub(super) async fn without_package() -> Self {
        Self::configured("").await
    }

    /// Without a package, and with more in the configuration.
    pub(super) async fn configured(more: &str) -> Self {
        Self::spawned(more, |_| ()).await
    }

    /// As [`RunScene::configured`], with a daemon that is prepared before it starts.
    pub(super) async fn spawned(more: &str, prepare: impl FnOnce(&mut DaemonUnderTest)) -> Self {
        let model = ModelServer::start().await.unwrap();
        let edits: Arc<Mutex<VecDeque<EditedAnswer>>> = Arc::default();
        let edited = Arc::clone(&edits);
        model.answer_with(move |request| {
            if let Some(answer) = of_agent(&request.json()) {
                return answer.into();
            }
            let Some(next) = edited.lock().unwrap().pop_front() else {
                return said("Yes.").into();
            };
            for (from, to) in &next.edits {
                edit(&next.document, from, to);
            }
            next.answer
        });
        let mut daemon = DaemonUnderTest::new(SCORELD);
        daemon.configure_model(&model.base_url());
        daemon.configure_more(more);
        prepare(&mut daemon);
        daemon.spawn().await;
        let client = connect(&daemon.socket()).await;
        let project = registered(&client, &daemon).await;
        Self {
            daemon,
            model,
            client,
            project,
            edits,
        }
    }

    /// Where the user's package is.
    pub(super) fn installed(&self) -> PathBuf {
        self.daemon.home().join("workflows/notes")
    }

    /// Kills the daemon and starts another one.
    pub(super) async fn kill(&mut self) {
        self.daemon.kill().await;
        self.daemon.spawn().await;
        self.client = connect(&self.daemon.socket()).await;
    }

    pub(super) async fn digest(&self) -> String {
        let params = CheckWorkflowParams {
            workflow: Some("notes".to_owned()),
            project_id: Some(self.project),
            ..CheckWorkflowParams::default()
        };
        let checked = self.call::<CheckWorkflow>(&params).await;
        checked.digest.expect("the package is whole")
    }

    /// The parameters that start a run with the plan of now.
    pub(super) async fn plan(&self) -> StartRunParams {
        self.plan_of("notes", self.digest().await)
    }

    pub(super) fn plan_of(&self, workflow: &str, confirm: String) -> StartRunParams {
        StartRunParams {
            project_id: self.project,
            workflow: workflow.to_owned(),
            confirm,
            agent_id: None,
            autopilot: None,
            variables: None,
            input: None,
            model: None,
            workspace: None,
            command_id: None,
        }
    }

    pub(super) async fn start(&self) -> StartedScene<'_> {
        let params = self.plan().await;
        self.start_with(&params).await
    }

    pub(super) async fn start_with(&self, params: &StartRunParams) -> StartedScene<'_> {
        let started = self.call::<StartRun>(params).await;
        self.follow(started).await
    }

    pub(super) async fn follow(&self, started: StartRunResult) -> StartedScene<'_> {
        StartedScene {
            scene: self,
            run_id: started.run_id,
            session_id: started.session_id,
            watch: Watch::from_start(&self.client, started.session_id).await,
        }
    }

    pub(super) async fn call<M: Method>(&self, params: &M::Params) -> M::Result {
        self.client.call::<M>(params).await.unwrap()
    }

    pub(super) async fn refused<M: Method>(&self, params: &M::Params) -> RpcError {
        match self.client.call::<M>(params).await {
            Err(ClientError::Rpc(error)) => error,
            other => panic!("{:?}", other.map(drop)),
        }
    }

    pub(super) async fn get(&self, run_id: RunId) -> GetRunResult {
        self.call::<GetRun>(&GetRunParams { run_id }).await
    }

    pub(super) fn document(&self, run_id: RunId) -> PathBuf {
        let runs = self.daemon.home().join("runs");
        runs.join(run_id.to_string()).join("state/workflow.md")
    }

    /// The data of the session's records of a kind.
    pub(super) fn records(&self, session: SessionId, kind: &str) -> Vec<Value> {
        let log = self.daemon.log(&session.to_string()).into_iter();
        let of_kind = log.filter(|record| record["kind"] == kind);
        of_kind.map(|record| record["data"].clone()).collect()
    }

    /// The texts of the last user message of each request, in their order.
    pub(super) fn told(&self) -> Vec<String> {
        let requests = self.model.requests();
        let told = requests
            .iter()
            .filter_map(|it| said_by_user(&it.json()).pop());
        told.collect()
    }
}

/// A run with its session, followed.
pub(super) struct StartedScene<'a> {
    scene: &'a RunScene,
    pub(super) run_id: RunId,
    pub(super) session_id: SessionId,
    watch: Watch,
}

impl StartedScene<'_> {
    /// Waits until the run is in a phase for a reason.
    pub(super) async fn until(&mut self, phase: &str, reason: &str) {
        loop {
            let event = self.watch.next().await;
            let data = &event["data"];
            let is_phase = event["type"] == "custom" && event["kind"] == "workflow.phase";
            if is_phase && data["to"] == phase && data["reason"] == reason {
                return;
            }
        }
    }

    /// Waits until the turn that was begun last has ended.
    pub(super) async fn turn_ends(&mut self) {
        self.watch.until("turn_outcome").await;
    }

    /// Waits until a person is asked for a permission.
    pub(super) async fn asked(&mut self) -> Value {
        let events = self.watch.until("permission_request").await;
        events.into_iter().next_back().unwrap()
    }

    /// Waits until a summary has taken the place of what was said.
    pub(super) async fn compacted(&mut self) {
        self.watch.until("compact").await;
    }

    pub(super) async fn send(&self, text: &str) {
        send(&self.scene.client, self.session_id, text).await;
    }

    /// Puts another text in the place of a part of the document, as an editor does.
    pub(super) fn edit(&self, from: &str, to: &str) {
        edit(&self.scene.document(self.run_id), from, to);
    }

    /// The model edits the document before it gives an answer, as a program that it runs would.
    pub(super) fn answer_with_edit(
        &self,
        edits: &[(&str, &str)],
        answer: impl Into<ScriptedResponse>,
    ) {
        let edits = edits.iter();
        let edits = edits.map(|(from, to)| ((*from).to_owned(), (*to).to_owned()));
        let next = EditedAnswer {
            document: self.scene.document(self.run_id),
            edits: edits.collect(),
            answer: answer.into(),
        };
        self.scene.edits.lock().unwrap().push_back(next);
    }
}

/// The answer to an agent whose task has a word in brackets: `[task]` is done at once, `[gives]` gives one on first.
fn of_agent(request: &Value) -> Option<ScriptedChat> {
    let messages = request["messages"].as_array()?;
    let mut users = messages.iter().filter(|it| it["role"] == "user");
    let prompt = super::answers::text_of(&users.next()?["content"]);
    let is_first = !messages.iter().any(|it| it["role"] == "tool");
    if prompt.contains("[gives]") && is_first {
        let arguments = json!({"agentType": "worker", "prompt": "[task] on"}).to_string();
        let call = ScriptedChat::default().tool_call("call_1", "AgentSpawn", &arguments);
        return Some(call.finish("tool_calls"));
    }
    let is_agent = prompt.contains("[gives]") || prompt.contains("[task]");
    is_agent.then(|| said("Done.").usage(100, 60))
}

/// Puts another text in the place of a part of a file.
pub(super) fn edit(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains(from), "no {from:?} in {text}");
    fs::write(path, text.replacen(from, to, 1)).unwrap();
}

pub(super) fn said(text: &str) -> ScriptedChat {
    ScriptedChat::default().text(text).finish("stop")
}

/// A call of a tool that every session has.
pub(super) fn reads(path: &str) -> ScriptedChat {
    let arguments = json!({"path": path}).to_string();
    ScriptedChat::default()
        .tool_call("call_1", "Read", &arguments)
        .finish("tool_calls")
}

async fn registered(client: &Connection, daemon: &DaemonUnderTest) -> ProjectId {
    let params = RegisterProjectParams {
        work_dir: daemon.project().to_str().unwrap().to_owned(),
        display_name: None,
        command_id: None,
    };
    let registered = client.call::<RegisterProject>(&params).await.unwrap();
    registered.project.project_id
}
