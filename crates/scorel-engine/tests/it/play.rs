use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use scorel_engine::{
    EngineEvent, HookChain, PendingCall, Permission, RetryPolicy, Spending, StopSignal, TurnDriver,
    TurnEnd, TurnLimits, TurnPorts, TurnProgress, TurnStep,
};
use scorel_proto::{
    AssistantMessage, Block, Message, OutcomeReason, ThinkingLevel, ToolResultMessage,
};
use tokio::time::{Instant, sleep, timeout};

use crate::clock::PausedClock;
use crate::gate::ScriptedGate;
use crate::model::{Script, ScriptedModel};
use crate::rules;
use crate::toolbox::{ScriptedTools, Tool};

/// More than any turn may take, in paused time.
const PATIENCE: Duration = Duration::from_secs(7 * 24 * 3600);

/// How exact paused time is, twice: the timer counts whole milliseconds.
pub(crate) const TICK: Duration = Duration::from_millis(2);

/// A turn that is about to be played.
pub(crate) struct Scene {
    pub(crate) model: Arc<ScriptedModel>,
    pub(crate) tools: Arc<ScriptedTools>,
    pub(crate) gate: Arc<ScriptedGate>,
    pub(crate) hooks: HookChain,
    /// Tool calls that an earlier answer made.
    pub(crate) pending: Vec<PendingCall>,
    pub(crate) limits: TurnLimits,
    pub(crate) retry: RetryPolicy,
    pub(crate) cancel: StopSignal,
    /// What the turn has done before.
    pub(crate) progress: TurnProgress,
    /// The amounts spent before each call.
    pub(crate) spending: Spending,
}

/// A turn that was played.
pub(crate) struct Played {
    pub(crate) events: Vec<EngineEvent>,
    pub(crate) end: TurnEnd,
    /// How long it took.
    pub(crate) took: Duration,
}

impl Scene {
    pub(crate) fn new(
        scripts: impl IntoIterator<Item = Script>,
        tools: impl IntoIterator<Item = Tool>,
    ) -> Self {
        Self {
            model: ScriptedModel::new(scripts),
            tools: ScriptedTools::new(tools),
            gate: Arc::default(),
            hooks: HookChain::default(),
            pending: Vec::new(),
            limits: TurnLimits::default(),
            retry: RetryPolicy::default(),
            cancel: StopSignal::new(),
            progress: TurnProgress::default(),
            spending: Spending::default(),
        }
    }

    pub(crate) fn driver(&self) -> TurnDriver {
        self.driver_after(self.progress)
    }

    fn driver_after(&self, progress: TurnProgress) -> TurnDriver {
        let ports = TurnPorts {
            provider: self.model.clone(),
            tools: self.tools.list.clone(),
            gate: self.gate.clone(),
            hooks: self.hooks.clone(),
            clock: Arc::new(PausedClock::new()),
            limits: self.limits.clone(),
            retry: self.retry.clone(),
            system: "be brief".to_owned(),
            thinking: ThinkingLevel::Default,
        };
        let cancel = self.cancel.clone();
        if self.pending.is_empty() {
            TurnDriver::after(ports, cancel, progress)
        } else {
            TurnDriver::with_calls(ports, cancel, progress, self.pending.clone())
        }
    }

    /// Plays the turn to its end and checks the rules that hold for every turn.
    pub(crate) async fn play(&self) -> Played {
        self.play_watched(|_| {}).await
    }

    /// Plays the turn and cancels it after that much time.
    pub(crate) async fn play_cancelled_after(&self, duration: Duration) -> Played {
        let cancel = self.cancel.clone();
        tokio::spawn(async move {
            sleep(duration).await;
            cancel.cancel();
        });
        self.play().await
    }

    /// Plays the turn and cancels it at the first such event.
    pub(crate) async fn play_cancelled_at(
        &self,
        mut seen: impl FnMut(&EngineEvent) -> bool,
    ) -> Played {
        let cancel = self.cancel.clone();
        self.play_watched(|event| {
            if seen(event) {
                cancel.cancel();
            }
        })
        .await
    }

    /// Plays the turn; `watch` sees every event before the driver goes on.
    pub(crate) async fn play_watched(&self, watch: impl FnMut(&EngineEvent)) -> Played {
        let played = timeout(PATIENCE, self.run(watch)).await;
        played.expect("the turn comes to an end")
    }

    /// The answer of a hook about a call, or that of a person, unless the turn is cancelled.
    async fn permission(&self, asked: &PendingCall) -> Permission {
        self.gate.note(asked);
        let PendingCall { call, marks } = asked;
        if marks.as_ref().is_some_and(|it| it.allowed_by.is_some()) {
            return Permission::Granted;
        }
        tokio::select! {
            biased;
            _ = self.cancel.fired() => Permission::Refused("no answer".to_owned()),
            permission = self.gate.answer(call) => permission,
        }
    }

    /// Waits as the last event said, unless the turn is cancelled, and makes the driver for the rest
    /// of the turn, as the session does.
    async fn resumed(&self, events: &[EngineEvent], began: Instant) -> TurnDriver {
        let Some(EngineEvent::Waiting { wait, duration, .. }) = events.last() else {
            panic!("a suspended turn says how long");
        };
        tokio::select! {
            biased;
            _ = self.cancel.fired() => {}
            () = sleep(*duration) => {}
        }
        let waited: Duration = events.iter().map(wait_of).sum();
        let mut progress = TurnProgress {
            waits: *wait,
            elapsed: self.progress.elapsed + began.elapsed().saturating_sub(waited),
            ..self.progress
        };
        for event in events {
            let (usage, cost) = match event {
                EngineEvent::MessageEnd { message } => {
                    progress.steps += 1;
                    (message.usage.unwrap_or_default(), message.cost)
                }
                EngineEvent::CallCharged { usage, cost, .. } => (*usage, *cost),
                _ => continue,
            };
            progress.usage += usage;
            progress.cost.add(&usage, cost);
        }
        self.driver_after(progress)
    }

    async fn run(&self, mut watch: impl FnMut(&EngineEvent)) -> Played {
        let began = Instant::now();
        let mut driver = self.driver();
        let mut events = Vec::new();
        let end = loop {
            match driver.next().await {
                TurnStep::NeedContext { .. } => {
                    driver.provide_context(vec![Message::user("go")].into());
                }
                // As if room had been made; the context comes next.
                TurnStep::NeedRoom(_) => {}
                TurnStep::NeedTools { error, .. } => driver.fail(error),
                TurnStep::NeedPermission { call, .. } => {
                    driver.provide_permission(self.permission(&call).await);
                }
                TurnStep::Event(event) => {
                    watch(&event);
                    events.push(event);
                }
                TurnStep::NeedSpending { .. } => driver.provide_spending(&self.spending),
                TurnStep::Suspended => driver = self.resumed(&events, began).await,
                TurnStep::NotReady(prerequisite) => prerequisite.ready.await,
                TurnStep::Parked => panic!("nothing parks the turn"),
                TurnStep::Finished(end) => break end,
            }
        };
        if self.pending.is_empty() {
            rules::check(self.progress.steps, &events, &end);
        }
        assert_eq!(
            self.model.open.load(Ordering::SeqCst),
            0,
            "a model call outlived its turn"
        );
        let took = began.elapsed();
        Played { events, end, took }
    }
}

impl Played {
    /// The events as short texts.
    pub(crate) fn story(&self) -> Vec<String> {
        self.events.iter().map(short).collect()
    }

    pub(crate) fn messages(&self) -> Vec<&AssistantMessage> {
        let events = self.events.iter();
        events
            .filter_map(|event| match event {
                EngineEvent::MessageEnd { message } => Some(message),
                _ => None,
            })
            .collect()
    }

    pub(crate) fn results(&self) -> Vec<&ToolResultMessage> {
        let events = self.events.iter();
        events
            .filter_map(|event| match event {
                EngineEvent::ToolResult { message, .. } => Some(message),
                _ => None,
            })
            .collect()
    }

    /// The results: the ids of the calls and what the model gets.
    pub(crate) fn answers(&self) -> Vec<(&str, &str)> {
        self.results()
            .into_iter()
            .map(|message| {
                let result = message.result();
                (result.tool_use_id.as_str(), text(&result.content))
            })
            .collect()
    }

    pub(crate) fn has(&self, wanted: impl Fn(&EngineEvent) -> bool) -> bool {
        self.events.iter().any(wanted)
    }

    /// How the turn ended, and the code of its error.
    pub(crate) fn outcome(&self) -> (OutcomeReason, Option<&str>) {
        let code = self.end.error.as_ref().map(|error| error.code.as_str());
        (self.end.reason, code)
    }
}

/// The text of the first block; empty if there is none.
pub(crate) fn text(content: &[Block]) -> &str {
    match content.first() {
        Some(Block::Text { text, .. }) => text,
        _ => "",
    }
}

fn short(event: &EngineEvent) -> String {
    use EngineEvent as E;
    match event {
        E::TurnStart { index } => format!("turn {index}"),
        E::MessageStart { .. } => "message".to_owned(),
        E::TextDelta { block, delta } => format!("text {block} {delta}"),
        E::ThinkingDelta { block, delta } => format!("thinking {block} {delta}"),
        E::ToolCallDelta {
            block,
            call_id,
            name: Some(name),
            ..
        } => format!("call {block} {call_id} {name}"),
        E::ToolCallDelta { block, delta, .. } => format!("arguments {block} {delta}"),
        E::MessageEnd { message } => format!("message end {:?}", message.stop_reason),
        E::MessageCancelled { reason } => format!("message cancelled {reason:?}"),
        E::ToolExecutionStart { call, .. } => format!("tool {}", call.id),
        E::ToolExecutionUpdate { call_id, partial } => format!("update {call_id} {partial}"),
        E::ToolExecutionEnd { call_id, .. } => format!("tool end {call_id}"),
        E::ToolResult { message, .. } => format!("result {}", message.result().tool_use_id),
        E::TurnEnd { index, .. } => format!("turn end {index}"),
        E::Retrying { attempt, .. } => format!("retry {attempt}"),
        E::Waiting { wait, .. } => format!("waiting {wait}"),
        E::CallCharged { usage, .. } => format!("charged {}", usage.total()),
    }
}

/// How long an event announces to wait.
pub(crate) fn wait_of(event: &EngineEvent) -> Duration {
    match event {
        EngineEvent::Waiting { duration, .. } => *duration,
        _ => Duration::ZERO,
    }
}
