//! A model, its tools and the set-up of turns: each call is handed to the history, which says what
//! comes of it.

use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::{BoxFuture, ready};
use futures_util::stream;
use scorel_engine::{
    Effect, Gatekeeper, HookChain, ModelInfo, ModelRequest, Permit, Provider, ProviderError,
    ProviderEvent, ProviderStream, Question, RetryPolicy, Tool, ToolCall, ToolClass, ToolContext,
    ToolList, ToolOutcome, ToolPlan, ToolSpec, TurnLimits, TurnPorts, Verdict,
};
use scorel_files::FileRecorder;
use scorel_proto::{Block, ErrorCategory, InstructionPart, ProjectId, RecordedFiles, TurnError};
use serde_json::json;
use tokio::sync::{mpsc, oneshot};

use super::project::Project;
use crate::{
    CompactionSettings, CompactionSetup, Guidance, PreparedEngine, PreparedTurn, SessionHeader,
    SessionResources, TitleAnswer, TitleRequest, TokioClock, TurnBackend, TurnRequest, TurnSetup,
};

/// More calls and events than a history leaves unread.
const ROOM: usize = 64;

/// A call of the model, which the history answers.
#[derive(Debug)]
pub(super) struct StagedCall {
    pub(super) request: ModelRequest,
    events: mpsc::Sender<Result<ProviderEvent, ProviderError>>,
}

impl StagedCall {
    pub(super) fn event(&self, event: ProviderEvent) {
        self.events.try_send(Ok(event)).expect("the call is read");
    }

    pub(super) fn fail(self, retry_after: Option<Duration>, retryable: bool) {
        let error = ProviderError {
            category: ErrorCategory::RateLimit,
            retryable,
            retry_after,
            status: Some(429),
            message: "too many requests".to_owned(),
            hint: None,
            usage: None,
        };
        self.events.try_send(Err(error)).expect("the call is read");
    }
}

/// A tool that runs, which the history ends.
#[derive(Debug)]
pub(super) struct StagedRun {
    pub(super) id: String,
    pub(super) context: ToolContext,
    reply: oneshot::Sender<ToolOutcome>,
}

impl StagedRun {
    pub(super) fn end(self, text: String, recorded: RecordedFiles) {
        let outcome = ToolOutcome {
            content: vec![Block::text(text)],
            is_error: false,
            details: None,
            recorded: Box::new(recorded),
        };
        self.reply.send(outcome).expect("the tool runs");
    }
}

/// What a daemon asks of its host.
#[derive(Debug)]
pub(super) struct Stage {
    /// True if the tool `write` needs permission.
    asks: bool,
    /// How much a compaction leaves, in tokens.
    keep_tokens: u64,
    project: Option<Arc<Project>>,
    calls: mpsc::Sender<StagedCall>,
    runs: mpsc::Sender<StagedRun>,
}

/// The history's end of the stage of one daemon.
#[derive(Debug)]
pub(super) struct StageEnd {
    pub(super) calls: mpsc::Receiver<StagedCall>,
    pub(super) runs: mpsc::Receiver<StagedRun>,
}

impl Stage {
    pub(super) fn new(
        (asks, keep_tokens): (bool, u64),
        project: Option<Arc<Project>>,
    ) -> (Arc<Self>, StageEnd) {
        let (calls_to, calls) = mpsc::channel(ROOM);
        let (runs_to, runs) = mpsc::channel(ROOM);
        let stage = Self {
            asks,
            keep_tokens,
            project,
            calls: calls_to,
            runs: runs_to,
        };
        (Arc::new(stage), StageEnd { calls, runs })
    }

    fn tools(&self) -> ToolList {
        let tool = |(name, read_only): (&str, bool)| -> Arc<dyn Tool> {
            Arc::new(StagedTool {
                spec: ToolSpec {
                    name: name.to_owned(),
                    description: format!("the tool {name}"),
                    parameters: json!({"type": "object"}).into(),
                    read_only,
                    class: ToolClass::Outside,
                },
                runs: self.runs.clone(),
            })
        };
        let tools = [("look", true), ("write", false)].map(tool);
        ToolList::new(tools.into()).expect("the names differ")
    }
}

impl TurnSetup for Stage {
    fn resources(self: Arc<Self>, _: &SessionHeader) -> Arc<dyn SessionResources> {
        self
    }

    fn title(&self, _: TitleRequest) -> BoxFuture<'static, Option<TitleAnswer>> {
        Box::pin(ready(None))
    }

    fn allow_always(&self, _: ProjectId, _: &[String]) -> io::Result<()> {
        Ok(())
    }
}

impl SessionResources for Stage {
    fn prepare(
        self: Arc<Self>,
        request: TurnRequest,
    ) -> BoxFuture<'static, Result<PreparedTurn, TurnError>> {
        let model = ModelInfo {
            provider: "stage".to_owned(),
            id: "stage-1".to_owned(),
            context_window: 1_000_000,
            max_output_tokens: 10_000,
            price: None,
        };
        let part = InstructionPart {
            source: "base".to_owned(),
            text: "be brief".to_owned(),
            ..InstructionPart::default()
        };
        let calls = self.calls.clone();
        let engine = PreparedEngine {
            ports: TurnPorts {
                provider: Arc::new(StagedModel { model, calls }),
                tools: self.tools(),
                gate: Arc::new(StagedGate {
                    asks: self.asks,
                    allowed: Mutex::new(!request.allowed.is_empty()),
                }),
                hooks: HookChain::default(),
                clock: Arc::new(TokioClock::new()),
                limits: TurnLimits::default(),
                retry: RetryPolicy {
                    max_attempts: u32::MAX,
                    max_waits: u32::MAX,
                    ..RetryPolicy::default()
                },
                system: String::new(),
                thinking: scorel_proto::ThinkingLevel::default(),
            },
            guidance: Guidance::first(&request.known, vec![part]),
            compaction: CompactionSetup {
                settings: CompactionSettings {
                    keep_tokens: self.keep_tokens,
                    ..CompactionSettings::default()
                },
                auxiliary: None,
            },
        };
        Box::pin(ready(Ok(PreparedTurn {
            backend: TurnBackend::Engine(engine),
            notices: Vec::new(),
        })))
    }

    fn leaf_moved(&self) {}

    fn files(&self) -> io::Result<Arc<FileRecorder>> {
        let project = self.project.as_ref();
        let project = project.ok_or(io::ErrorKind::NotFound)?;
        Ok(project.recorder())
    }

    fn end(&self) {}
}

#[derive(Debug)]
struct StagedModel {
    model: ModelInfo,
    calls: mpsc::Sender<StagedCall>,
}

impl Provider for StagedModel {
    fn model(&self) -> &ModelInfo {
        &self.model
    }

    fn stream(&self, request: ModelRequest) -> ProviderStream {
        let (events, received) = mpsc::channel(ROOM);
        // A daemon that died makes calls that no history answers.
        let _ = self.calls.try_send(StagedCall { request, events });
        Box::pin(stream::unfold(received, |mut received| async move {
            let event = received.recv().await?;
            Some((event, received))
        }))
    }
}

#[derive(Debug)]
struct StagedGate {
    asks: bool,
    allowed: Mutex<bool>,
}

impl Gatekeeper for StagedGate {
    fn judge(&self, effects: &[Effect], _: Option<&str>) -> BoxFuture<'static, Verdict> {
        let is_write =
            |effect: &Effect| matches!(effect, Effect::CallOutside { tool, .. } if tool == "write");
        let allowed = *self.allowed.lock().expect("not poisoned");
        let permit = Permit::default();
        let verdict = if self.asks && !allowed && effects.iter().any(is_write) {
            let question = Question {
                reason: "it writes".to_owned(),
                rules: vec!["write(*)".to_owned()],
                session_only: false,
                timeout: None,
                allow_at_timeout: false,
            };
            Verdict::Ask { question, permit }
        } else {
            Verdict::Allow(permit)
        };
        Box::pin(ready(verdict))
    }

    fn allow(&self, _: &[String]) {
        *self.allowed.lock().expect("not poisoned") = true;
    }
}

#[derive(Debug)]
struct StagedTool {
    spec: ToolSpec,
    runs: mpsc::Sender<StagedRun>,
}

impl Tool for StagedTool {
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
        Box::pin(ready(plan))
    }
}

impl StagedTool {
    async fn run(self: Arc<Self>, call: ToolCall, context: ToolContext) -> ToolOutcome {
        let (reply, outcome) = oneshot::channel();
        let id = call.id;
        let _ = self.runs.try_send(StagedRun { id, context, reply });
        let gone = |_| ToolOutcome::error("the daemon is gone");
        outcome.await.unwrap_or_else(gone)
    }
}
