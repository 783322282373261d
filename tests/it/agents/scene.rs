//! A daemon with agents, and a model that plays all of them.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};

use scorel_client::{ClientError, Connection};
use scorel_proto::{
    AgentInfo, AgentTaskId, AgentTaskInfo, GetRuntime, GetRuntimeParams, GetRuntimeResult,
    ListAgents, ListAgentsParams, ListRuntimes, ListRuntimesParams, OpenOrchestrator,
    OpenOrchestratorParams, ProjectId, QuotaPolicy, RegisterProject, RegisterProjectParams,
    ResultDelivery, RpcError, SessionId, SetQuota, SetQuotaParams, SpawnRuntime,
    SpawnRuntimeParams, SpawnRuntimeResult,
};
use scorel_testkit::{
    DaemonUnderTest, ModelServer, RecordedRequest, ResponseGate, ScriptedChat, ScriptedResponse,
};
use serde_json::{Value, json};

use crate::full_disk::spawn_on_small_disk;
use crate::under_test::{SCORELD, Watch, connect};

/// Two agents of our own engine.
pub(super) const AGENTS: &str = "\
[agents.developer]
displayName = \"Developer\"
description = \"Writes code.\"
capabilities = [\"rust\"]
defaultQuota = 1

[agents.reviewer]
displayName = \"Reviewer\"
description = \"Reads code.\"
defaultQuota = 3
";

/// What the model says to each task. A task is told from the others by a word in brackets in its prompt, such
/// as `[one]`; the conversation that gives the tasks has one too.
#[derive(Debug, Clone, Default)]
pub(super) struct Parts {
    scripts: Arc<Mutex<BTreeMap<String, VecDeque<ScriptedResponse>>>>,
    /// The tasks of the requests, in the order of their arrival.
    asked: Arc<Mutex<Vec<String>>>,
}

impl Parts {
    /// Appends a response to the script of a task. After the last one the model says `NAME is done`.
    pub(super) fn answer(&self, name: &str, answer: impl Into<ScriptedResponse>) {
        let mut scripts = self.scripts.lock().unwrap();
        let script = scripts.entry(name.to_owned()).or_default();
        script.push_back(answer.into());
    }

    /// The model calls a tool.
    pub(super) fn call(&self, name: &str, tool: &str, arguments: &Value) {
        let id = format!("call_{}", AgentTaskId::generate());
        let chat = ScriptedChat::default().tool_call(&id, tool, &arguments.to_string());
        self.answer(name, chat.finish("tool_calls"));
    }

    /// The model thinks until the gate is open, and then says `NAME is done`.
    pub(super) fn hold(&self, name: &str) -> ResponseGate {
        let gate = ResponseGate::new();
        let chat = ScriptedChat::default().wait(&gate).text(&done(name));
        self.answer(name, chat.finish("stop"));
        gate
    }

    /// How many requests a task has made.
    pub(super) fn requests_of(&self, name: &str) -> usize {
        let asked = self.asked.lock().unwrap();
        asked.iter().filter(|known| *known == name).count()
    }

    /// The tasks in the order of their first requests.
    pub(super) fn order(&self) -> Vec<String> {
        let mut order: Vec<String> = Vec::new();
        for name in self.asked.lock().unwrap().iter() {
            if !order.contains(name) {
                order.push(name.clone());
            }
        }
        order
    }

    fn respond(&self, request: &RecordedRequest) -> ScriptedResponse {
        let name = task_of(&request.json());
        self.asked.lock().unwrap().push(name.clone());
        let mut scripts = self.scripts.lock().unwrap();
        let scripted = scripts.get_mut(&name).and_then(VecDeque::pop_front);
        scripted.unwrap_or_else(|| {
            let chat = ScriptedChat::default().text(&done(&name));
            chat.usage(100, 10).finish("stop").into()
        })
    }
}

pub(super) fn done(name: &str) -> String {
    format!("{name} is done")
}

/// The word in brackets in the first message of the user.
fn task_of(request: &Value) -> String {
    let messages = request["messages"].as_array().cloned().unwrap_or_default();
    let texts = messages.iter().filter(|message| message["role"] == "user");
    for message in texts {
        let text = message["content"].to_string();
        if let Some((_, rest)) = text.split_once('[')
            && let Some((name, _)) = rest.split_once(']')
        {
            return name.to_owned();
        }
    }
    "nobody".to_owned()
}

/// A daemon, its model, and the orchestrator of its project.
pub(super) struct AgentScene {
    pub(super) daemon: DaemonUnderTest,
    pub(super) model: ModelServer,
    pub(super) parts: Parts,
    pub(super) client: Connection,
    pub(super) project: ProjectId,
    pub(super) lead: SessionId,
}

impl AgentScene {
    pub(super) async fn new() -> Self {
        Self::with(AGENTS).await
    }

    pub(super) async fn with(config: &str) -> Self {
        let mut daemon = DaemonUnderTest::new(SCORELD);
        let (model, parts) = playing(&daemon, config).await;
        daemon.spawn().await;
        let client = connect(&daemon.socket()).await;
        Self::of(daemon, model, parts, client).await
    }

    /// With a home on a small disk that only the daemon sees.
    pub(super) async fn on_small_disk(config: &str) -> Self {
        let mut daemon = DaemonUnderTest::new(SCORELD);
        let (model, parts) = playing(&daemon, config).await;
        let socket = spawn_on_small_disk(&mut daemon).await;
        let client = connect(&socket).await;
        Self::of(daemon, model, parts, client).await
    }

    async fn of(
        daemon: DaemonUnderTest,
        model: ModelServer,
        parts: Parts,
        client: Connection,
    ) -> Self {
        let project = register(&client, &daemon).await;
        let lead = open(&client, project).await;
        Self {
            daemon,
            model,
            parts,
            client,
            project,
            lead,
        }
    }

    /// Spawns a task whose prompt is its name in brackets.
    pub(super) async fn spawn(&self, agent: &str, name: &str) -> SpawnRuntimeResult {
        self.spawn_as(agent, name, None, ResultDelivery::None).await
    }

    pub(super) async fn spawn_as(
        &self,
        agent: &str,
        name: &str,
        workflow: Option<&str>,
        deliver: ResultDelivery,
    ) -> SpawnRuntimeResult {
        let params = SpawnRuntimeParams {
            workflow_id: workflow.map(str::to_owned),
            deliver: Some(deliver),
            ..task(self.lead, agent, name)
        };
        self.client.call::<SpawnRuntime>(&params).await.unwrap()
    }

    pub(super) async fn runtime(&self, id: AgentTaskId) -> GetRuntimeResult {
        let params = GetRuntimeParams { runtime_id: id };
        self.client.call::<GetRuntime>(&params).await.unwrap()
    }

    /// The runtimes of the orchestrator, as they were spawned.
    pub(super) async fn runtimes(&self) -> Vec<AgentTaskInfo> {
        let params = ListRuntimesParams {
            session_id: Some(self.lead),
            limit: Some(1000),
            ..ListRuntimesParams::default()
        };
        let listed = self.client.call::<ListRuntimes>(&params).await.unwrap();
        let mut runtimes = listed.runtimes;
        runtimes.reverse();
        runtimes
    }

    pub(super) async fn quota(&self, agent: &str, policy: QuotaPolicy) -> AgentInfo {
        let params = SetQuotaParams {
            project_id: self.project,
            agent_type: agent.to_owned(),
            policy,
            expected: None,
            command_id: None,
        };
        self.client.call::<SetQuota>(&params).await.unwrap().agent
    }

    pub(super) async fn agent(&self, name: &str) -> AgentInfo {
        let params = ListAgentsParams {
            project_id: Some(self.project),
        };
        let listed = self.client.call::<ListAgents>(&params).await.unwrap();
        let mut agents = listed.agents.into_iter();
        agents.find(|agent| agent.agent_type == name).unwrap()
    }

    pub(super) async fn watch(&self) -> Watch {
        Watch::from_start(&self.client, self.lead).await
    }

    /// Waits until so many runtimes have ended.
    pub(super) async fn until_ended(&self, count: usize) -> Vec<Value> {
        let mut watch = self.watch().await;
        let mut seen = Vec::new();
        for _ in 0..count {
            seen.extend(watch.until("runtime_finished").await);
        }
        seen
    }

    /// Kills the daemon and starts the next one.
    pub(super) async fn restart(&mut self) {
        self.daemon.kill().await;
        self.daemon.spawn().await;
        self.client = connect(&self.daemon.socket()).await;
    }

    /// The records of the orchestrator's log.
    pub(super) fn log(&self) -> Vec<Value> {
        self.daemon.log(&self.lead.to_string())
    }
}

/// A task whose prompt is its name in brackets.
pub(super) fn task(session_id: SessionId, agent: &str, name: &str) -> SpawnRuntimeParams {
    SpawnRuntimeParams {
        session_id,
        agent_type: agent.to_owned(),
        prompt: format!("[{name}] Do it."),
        title: Some(name.to_owned()),
        workflow_id: None,
        continued: None,
        deliver: None,
        command_id: None,
    }
}

/// Asks for a task that is refused.
pub(super) async fn refused(scene: &AgentScene, params: &SpawnRuntimeParams) -> RpcError {
    match scene.client.call::<SpawnRuntime>(params).await {
        Err(ClientError::Rpc(error)) => error,
        other => panic!("it was not refused: {other:?}"),
    }
}

/// The arguments of `AgentSpawn` for such a task.
pub(super) fn arguments(agent: &str, name: &str) -> Value {
    json!({"agentType": agent, "prompt": format!("[{name}] Do it."), "title": name})
}

/// A model that plays all agents, and the configuration that names it.
async fn playing(daemon: &DaemonUnderTest, config: &str) -> (ModelServer, Parts) {
    let model = ModelServer::start().await.unwrap();
    let parts = Parts::default();
    let respond = parts.clone();
    model.answer_with(move |request| respond.respond(request));
    daemon.configure_model(&model.base_url());
    daemon.configure_more(config);
    (model, parts)
}

async fn register(client: &Connection, daemon: &DaemonUnderTest) -> ProjectId {
    let params = RegisterProjectParams {
        work_dir: daemon.project().to_str().unwrap().to_owned(),
        display_name: None,
        command_id: None,
    };
    let registered = client.call::<RegisterProject>(&params).await.unwrap();
    registered.project.project_id
}

/// The orchestrator of a project.
pub(super) async fn open(client: &Connection, project_id: ProjectId) -> SessionId {
    let params = OpenOrchestratorParams {
        project_id,
        command_id: None,
    };
    let opened = client.call::<OpenOrchestrator>(&params).await.unwrap();
    opened.session_id
}
