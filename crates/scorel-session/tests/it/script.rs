//! The model, the tools and the setup that a test plays.

use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream;
use scorel_engine::{
    Effect, Gatekeeper, HookChain, ModelInfo, ModelRequest, OpenGate, Permit, Provider,
    ProviderStream, Question, RetryPolicy, TokenPrice, Tool, ToolCall, ToolClass, ToolContext,
    ToolList, ToolOutcome, ToolPlan, ToolSpec, TurnLimits, TurnPorts, Verdict,
};
use scorel_files::FileRecorder;
use scorel_journal::Blobs;
use scorel_proto::{
    CompactionFacts, Context, InstructionPart, NoticeBody, ProjectId, SessionId, TurnError,
};
use scorel_session::{
    CompactionSetup, Guidance, KnownGuidance, PreparedEngine, PreparedTurn, SessionHeader,
    SessionResources, TitleAnswer, TitleRequest, TokioClock, TurnBackend, TurnRequest, TurnSetup,
};
use serde_json::json;
use tokio::sync::{mpsc, oneshot};

use crate::stage::{ModelCall, ToolRun};

/// What the next turns are prepared with.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) limits: TurnLimits,
    pub(crate) retry: RetryPolicy,
    /// What the next preparations end with instead of a turn.
    pub(crate) failures: VecDeque<Failure>,
    /// Preparations never end.
    pub(crate) is_stuck: bool,
    /// What the next preparation waits for.
    pub(crate) gate: Option<std::sync::mpsc::Receiver<()>>,
    /// The question before the tool `write` runs.
    pub(crate) question: Option<Question>,
    pub(crate) hooks: HookChain,
    /// Why nothing can be allowed for ever.
    pub(crate) no_grants: Option<io::ErrorKind>,
    /// What the model costs.
    pub(crate) price: Option<TokenPrice>,
    /// What the next turns tell the model.
    pub(crate) guidance: VecDeque<Guidance>,
    /// The title that the next session is given: the request goes out, the answer comes in.
    pub(crate) title: Option<(
        oneshot::Sender<TitleRequest>,
        oneshot::Receiver<TitleAnswer>,
    )>,
    /// What the user is told.
    pub(crate) notices: Vec<NoticeBody>,
    pub(crate) compaction: CompactionSetup,
    /// A model that the session had before.
    pub(crate) former: Option<Arc<dyn Provider>>,
    /// In tokens; 100,000 if `None`.
    pub(crate) window: Option<u64>,
    pub(crate) facts: CompactionFacts,
    /// The base prompt, if it is not to be short.
    pub(crate) base: Option<String>,
    /// The project's files; absent: there is no project.
    pub(crate) files: Option<Arc<FileRecorder>>,
}

/// How a preparation fails.
#[derive(Debug)]
pub(crate) enum Failure {
    Error(TurnError),
    Panic,
    /// The preparation succeeds and the model panics when it is asked.
    ModelPanic,
}

/// The setup of turns, a model and a toolbox: each model call and each tool call is handed to the
/// test, which says what happens.
#[derive(Debug)]
pub(crate) struct Script {
    pub(crate) plan: Mutex<Plan>,
    pub(crate) moved: Mutex<Vec<SessionId>>,
    /// What the model had been told before each turn.
    pub(crate) known: Mutex<Vec<KnownGuidance>>,
    /// The sessions whose resources were ended.
    pub(crate) ended: Mutex<Vec<SessionId>>,
    /// The sessions with a command in the background.
    pub(crate) running: Mutex<Vec<SessionId>>,
    /// The rules that were allowed for ever.
    pub(crate) allowed_always: Mutex<Vec<String>>,
    /// How many tools were dropped while they ran.
    pub(crate) abandoned: Arc<AtomicUsize>,
    model: ModelInfo,
    specs: Vec<ToolSpec>,
    calls: mpsc::Sender<ModelCall>,
    runs: mpsc::Sender<ToolRun>,
}

impl Script {
    pub(crate) fn new(calls: mpsc::Sender<ModelCall>, runs: mpsc::Sender<ToolRun>) -> Self {
        let spec = |name: &str, read_only| ToolSpec {
            name: name.to_owned(),
            description: format!("the tool {name}"),
            parameters: json!({"type": "object"}).into(),
            read_only,
            class: ToolClass::Outside,
        };
        Self {
            plan: Mutex::default(),
            moved: Mutex::default(),
            known: Mutex::default(),
            ended: Mutex::default(),
            running: Mutex::default(),
            allowed_always: Mutex::default(),
            abandoned: Arc::default(),
            model: ModelInfo {
                provider: "script".to_owned(),
                id: "script-1".to_owned(),
                context_window: 100_000,
                max_output_tokens: 10_000,
                price: None,
            },
            specs: vec![spec("look", true), spec("peek", true), spec("write", false)],
            calls,
            runs,
        }
    }

    /// Another model of the same provider, which the test plays as well.
    pub(crate) fn model_named(&self, id: &str, context_window: u64) -> Arc<dyn Provider> {
        Arc::new(ScriptedModel {
            model: ModelInfo {
                id: id.to_owned(),
                context_window,
                ..self.model.clone()
            },
            calls: self.calls.clone(),
        })
    }

    fn tools(&self) -> ToolList {
        let tool = |spec: &ToolSpec| -> Arc<dyn Tool> {
            Arc::new(ScriptedTool {
                spec: spec.clone(),
                runs: self.runs.clone(),
                abandoned: Arc::clone(&self.abandoned),
            })
        };
        ToolList::new(self.specs.iter().map(tool).collect()).expect("the names differ")
    }

    fn ports(&self, request: &TurnRequest, provider: Arc<dyn Provider>) -> TurnPorts {
        let plan = self.plan.lock().expect("not poisoned");
        TurnPorts {
            provider,
            tools: self.tools(),
            gate: Arc::new(ScriptedGate {
                question: plan.question.clone(),
                allowed: Mutex::new(request.allowed.clone()),
            }),
            hooks: plan.hooks.clone(),
            clock: Arc::new(TokioClock::new()),
            limits: plan.limits.clone(),
            retry: plan.retry.clone(),
            system: String::new(),
            thinking: scorel_proto::ThinkingLevel::default(),
        }
    }
}

impl Script {
    /// On a blocking thread, as the host prepares.
    fn prepare_now(&self, request: &TurnRequest) -> Result<PreparedTurn, TurnError> {
        let (gate, failure) = {
            let mut plan = self.plan.lock().expect("not poisoned");
            (plan.gate.take(), plan.failures.pop_front())
        };
        if let Some(gate) = gate {
            let _ = gate.recv_timeout(Duration::from_secs(60));
        }
        let mut model = self.model.clone();
        model.price = self.plan.lock().expect("not poisoned").price;
        model.id = request.model.clone().unwrap_or(model.id);
        let window = self.plan.lock().expect("not poisoned").window;
        model.context_window = window.unwrap_or(model.context_window);
        let provider: Arc<dyn Provider> = match failure {
            Some(Failure::Error(error)) => return Err(error),
            Some(Failure::Panic) => panic!("the test wants a panic in the setup"),
            Some(Failure::ModelPanic) => Arc::new(PanickingModel { model }),
            None => Arc::new(ScriptedModel {
                model,
                calls: self.calls.clone(),
            }),
        };
        let part = |source: &str, text: &str| InstructionPart {
            source: source.to_owned(),
            text: text.to_owned(),
            ..InstructionPart::default()
        };
        let base = self.plan.lock().expect("not poisoned").base.clone();
        let base = base.unwrap_or_else(|| "be brief".to_owned());
        let parts = vec![part("base", &base), part("environment", "a test")];
        self.known
            .lock()
            .expect("not poisoned")
            .push(request.known.clone());
        let (guidance, notices, compaction) = {
            let mut plan = self.plan.lock().expect("not poisoned");
            let guidance = plan.guidance.pop_front();
            (guidance, plan.notices.clone(), plan.compaction.clone())
        };
        Ok(PreparedTurn {
            backend: TurnBackend::Engine(PreparedEngine {
                ports: self.ports(request, provider),
                guidance: guidance.unwrap_or_else(|| Guidance::first(&request.known, parts)),
                compaction,
            }),
            notices,
        })
    }
}

impl TurnSetup for Script {
    fn resources(self: Arc<Self>, session: &SessionHeader) -> Arc<dyn SessionResources> {
        Arc::new(ScriptedSession {
            script: self,
            id: session.session_id,
        })
    }

    fn summary_model(&self, _: ProjectId, name: &str, _: Blobs) -> Option<Arc<dyn Provider>> {
        let former = self.plan.lock().expect("not poisoned").former.clone();
        former.filter(|former| former.model().name() == name)
    }

    fn title(&self, request: TitleRequest) -> BoxFuture<'static, Option<TitleAnswer>> {
        let title = self.plan.lock().expect("not poisoned").title.take();
        Box::pin(async move {
            let (asked, answer) = title?;
            let _ = asked.send(request);
            answer.await.ok()
        })
    }

    fn allow_always(&self, _: ProjectId, rules: &[String]) -> io::Result<()> {
        if let Some(kind) = self.plan.lock().expect("not poisoned").no_grants {
            return Err(kind.into());
        }
        let mut allowed = self.allowed_always.lock().expect("not poisoned");
        allowed.extend_from_slice(rules);
        Ok(())
    }
}

/// The state that the script keeps for a session.
#[derive(Debug)]
struct ScriptedSession {
    script: Arc<Script>,
    id: SessionId,
}

impl SessionResources for ScriptedSession {
    fn prepare(
        self: Arc<Self>,
        request: TurnRequest,
    ) -> BoxFuture<'static, Result<PreparedTurn, TurnError>> {
        let script = Arc::clone(&self.script);
        let is_stuck = script.plan.lock().expect("not poisoned").is_stuck;
        if is_stuck {
            return Box::pin(std::future::pending());
        }
        Box::pin(async move {
            let prepared = scorel_engine::spawn_blocking(move || script.prepare_now(&request));
            prepared.await.expect("the setup does not panic")
        })
    }

    fn leaf_moved(&self) {
        self.script
            .moved
            .lock()
            .expect("not poisoned")
            .push(self.id);
    }

    fn facts(&self, _: &Context) -> CompactionFacts {
        self.script.plan.lock().expect("not poisoned").facts.clone()
    }

    fn files(&self) -> io::Result<Arc<FileRecorder>> {
        let files = self.script.plan.lock().expect("not poisoned").files.clone();
        files.ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn is_running(&self) -> bool {
        let running = self.script.running.lock().expect("not poisoned");
        running.contains(&self.id)
    }

    fn end(&self) {
        self.script
            .ended
            .lock()
            .expect("not poisoned")
            .push(self.id);
    }
}

/// Asks before `write`, unless that was allowed for good.
#[derive(Debug)]
struct ScriptedGate {
    question: Option<Question>,
    allowed: Mutex<Vec<String>>,
}

impl Gatekeeper for ScriptedGate {
    fn judge(&self, effects: &[Effect], hook_reason: Option<&str>) -> BoxFuture<'static, Verdict> {
        let allowed = self.allowed.lock().expect("not poisoned");
        let is_write =
            |effect: &Effect| matches!(effect, Effect::CallOutside { tool, .. } if tool == "write");
        let question = self.question.clone().filter(|question| {
            let known = |rule| allowed.contains(rule);
            effects.iter().any(is_write)
                && (question.rules.is_empty() || !question.rules.iter().all(known))
        });
        let permit = Permit::default();
        match question {
            Some(question) => Box::pin(std::future::ready(Verdict::Ask { question, permit })),
            None => OpenGate.judge(effects, hook_reason),
        }
    }

    fn allow(&self, rules: &[String]) {
        let mut allowed = self.allowed.lock().expect("not poisoned");
        allowed.extend_from_slice(rules);
    }
}

#[derive(Debug)]
struct ScriptedModel {
    model: ModelInfo,
    calls: mpsc::Sender<ModelCall>,
}

impl Provider for ScriptedModel {
    fn model(&self) -> &ModelInfo {
        &self.model
    }

    fn stream(&self, request: ModelRequest) -> ProviderStream {
        let (events, received) = mpsc::channel(64);
        let call = ModelCall { request, events };
        self.calls.try_send(call).expect("the test takes its calls");
        Box::pin(stream::unfold(received, |mut received| async move {
            let event = received.recv().await?;
            Some((event, received))
        }))
    }
}

#[derive(Debug)]
struct PanickingModel {
    model: ModelInfo,
}

impl Provider for PanickingModel {
    fn model(&self) -> &ModelInfo {
        &self.model
    }

    fn stream(&self, _: ModelRequest) -> ProviderStream {
        panic!("the test wants a panic in the model");
    }
}

#[derive(Debug)]
struct ScriptedTool {
    spec: ToolSpec,
    runs: mpsc::Sender<ToolRun>,
    abandoned: Arc<AtomicUsize>,
}

impl Tool for ScriptedTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn plan(self: Arc<Self>, call: ToolCall) -> BoxFuture<'static, ToolPlan> {
        let effect = Effect::CallOutside {
            tool: call.name.clone(),
            also: Vec::new(),
            input: call.input.clone(),
            digest: None,
            reads_only: false,
        };
        let plan = ToolPlan::new(vec![effect], move |_, context| self.run(call, context));
        Box::pin(std::future::ready(plan))
    }
}

impl ScriptedTool {
    async fn run(self: Arc<Self>, call: ToolCall, context: ToolContext) -> ToolOutcome {
        let (reply, outcome) = oneshot::channel();
        let ToolContext { updates, cancel } = context;
        let run = ToolRun {
            call,
            updates,
            cancel,
            reply,
        };
        self.runs.try_send(run).expect("the test takes its tools");
        let running = Running(Some(Arc::clone(&self.abandoned)));
        let outcome = outcome.await.expect("the test ends its tools");
        running.ended();
        outcome
    }
}

/// Counts itself if it is dropped before its end.
struct Running(Option<Arc<AtomicUsize>>);

impl Running {
    fn ended(mut self) {
        self.0 = None;
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(abandoned) = &self.0 {
            abandoned.fetch_add(1, Ordering::Relaxed);
        }
    }
}
