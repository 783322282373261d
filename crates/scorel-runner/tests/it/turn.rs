//! Running a turn to its end, and checking that it is well formed.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use scorel_engine::{
    EngineEvent, HookChain, Permission, Runner, RunnerAccess, RunnerDriver, RunnerExit, RunnerFact,
    RunnerInput, RunnerLink, RunnerOrder, RunnerPorts, RunnerStep, StopSignal, ToolCall, TurnEnd,
    TurnLimits, TurnStep,
};
use scorel_proto::{Block, OutcomeReason};

use crate::clock::RealClock;
use crate::gate::AskingGate;

/// A runner in a directory, with the turns that were run.
pub(crate) struct Bench {
    pub(crate) runner: Arc<dyn Runner>,
    pub(crate) gate: AskingGate,
    pub(crate) hooks: HookChain,
    pub(crate) signal: StopSignal,
    pub(crate) idle: Duration,
    pub(crate) cancel: Duration,
    pub(crate) order: RunnerOrder,
    link: Option<Box<dyn RunnerLink>>,
}

/// What a turn led to.
#[derive(Debug)]
pub(crate) struct Turn {
    pub(crate) steps: Vec<RunnerStep>,
    pub(crate) end: TurnEnd,
}

impl Bench {
    pub(crate) fn new(runner: impl Runner + 'static, directory: &Path) -> Self {
        Self {
            runner: Arc::new(runner),
            gate: AskingGate::default(),
            hooks: HookChain::default(),
            signal: StopSignal::new(),
            idle: Duration::from_secs(120),
            cancel: Duration::from_secs(5),
            order: RunnerOrder {
                directory: directory.to_owned(),
                context: None,
                access: RunnerAccess::Workspace,
                instructions: None,
                tools: None,
            },
            link: None,
        }
    }

    /// The driver of the next turn, on the link of the one before if that was kept.
    pub(crate) fn driver(&mut self) -> RunnerDriver {
        let ports = RunnerPorts {
            runner: Arc::clone(&self.runner),
            gate: Arc::new(self.gate.clone()),
            hooks: self.hooks.clone(),
            effects: Arc::new(self.gate.clone()),
            services: Arc::new(self.gate.clone()),
            own_calls: None,
            clock: Arc::new(RealClock::new()),
            limits: TurnLimits::default(),
            idle: self.idle,
            cancel: self.cancel,
            renew_lost: true,
        };
        let (signal, order) = (self.signal.clone(), self.order.clone());
        match self.link.take() {
            Some(link) => RunnerDriver::on(ports, signal, order, link),
            None => RunnerDriver::new(ports, signal, order),
        }
    }

    /// Runs a turn in which every question gets this answer.
    pub(crate) async fn turn(&mut self, prompt: &str, answer: Permission) -> Turn {
        let ask = |_: &ToolCall| Some(answer.clone());
        self.turn_with(prompt, ask, |_, _| {}).await
    }

    /// Runs a turn: `ask` answers questions, `look` sees each step and may act on the driver.
    pub(crate) async fn turn_with(
        &mut self,
        prompt: &str,
        mut ask: impl FnMut(&ToolCall) -> Option<Permission>,
        mut look: impl FnMut(&RunnerStep, &mut RunnerDriver),
    ) -> Turn {
        let mut driver = self.driver();
        let mut steps = Vec::new();
        let end = loop {
            let step = driver.next().await;
            look(&step, &mut driver);
            match &step {
                RunnerStep::NeedPrompt => {
                    driver.provide_prompt(vec![RunnerInput::Text(prompt.to_owned())]);
                }
                RunnerStep::Turn(TurnStep::NeedPermission { call, .. }) => {
                    if let Some(permission) = ask(&call.call) {
                        driver.provide_permission(permission);
                    }
                }
                RunnerStep::Turn(TurnStep::Finished(end)) => break end.clone(),
                _ => {}
            }
            steps.push(step);
        };
        self.link = driver.take_link();
        let turn = Turn { steps, end };
        turn.check();
        turn
    }

    /// Ends a link that was kept.
    pub(crate) async fn release(&mut self) -> Option<RunnerExit> {
        Some(self.link.take()?.release().await)
    }
}

impl Turn {
    pub(crate) fn facts(&self) -> impl Iterator<Item = &RunnerFact> {
        self.steps.iter().filter_map(|step| match step {
            RunnerStep::Fact(fact) => Some(fact),
            _ => None,
        })
    }

    pub(crate) fn events(&self) -> impl Iterator<Item = &EngineEvent> {
        self.steps.iter().filter_map(|step| match step {
            RunnerStep::Turn(TurnStep::Event(event)) => Some(event),
            _ => None,
        })
    }

    /// The text of all messages.
    pub(crate) fn text(&self) -> String {
        let messages = self.events().filter_map(|event| match event {
            EngineEvent::MessageEnd { message } => Some(message),
            _ => None,
        });
        let blocks = messages.flat_map(|message| &message.content);
        let texts = blocks.filter_map(|block| match block {
            Block::Text { text, .. } => Some(text.as_str()),
            _ => None,
        });
        texts.collect::<Vec<_>>().join("|")
    }

    /// The calls, as name, whether they failed, and their text.
    pub(crate) fn results(&self) -> Vec<(String, bool, String)> {
        let results = self.events().filter_map(|event| match event {
            EngineEvent::ToolResult { message, .. } => Some(message),
            _ => None,
        });
        let parts = results.map(|message| {
            let result = message.result();
            let text = Block::plain_text_of(&result.content);
            (message.tool_name.clone(), result.is_error, text)
        });
        parts.collect()
    }

    pub(crate) fn context(&self) -> Option<String> {
        let ids = self.facts().filter_map(|fact| match fact {
            RunnerFact::Context { id } => Some(id.clone()),
            _ => None,
        });
        ids.last()
    }

    pub(crate) fn logs(&self) -> String {
        let texts = self.facts().filter_map(|fact| match fact {
            RunnerFact::Log { text, .. } => Some(text.as_str()),
            _ => None,
        });
        texts.collect()
    }

    /// The code of the error, or what else the turn ended with.
    pub(crate) fn outcome(&self) -> String {
        match (&self.end.error, self.end.reason) {
            (Some(error), _) => error.code.clone(),
            (None, OutcomeReason::Completed) => "completed".to_owned(),
            (None, reason) => format!("{reason:?}").to_lowercase(),
        }
    }

    /// Nothing dangles.
    fn check(&self) {
        let (mut in_message, mut open) = (false, HashSet::new());
        for event in self.events() {
            match event {
                EngineEvent::MessageStart { .. } => {
                    assert!(!std::mem::replace(&mut in_message, true), "two messages");
                }
                EngineEvent::TextDelta { .. } | EngineEvent::ThinkingDelta { .. } => {
                    assert!(in_message, "a delta outside of a message");
                }
                EngineEvent::MessageEnd { .. } | EngineEvent::MessageCancelled { .. } => {
                    assert!(std::mem::take(&mut in_message), "an end of no message");
                }
                EngineEvent::ToolExecutionStart { call, .. } => {
                    assert!(!in_message && open.insert(call.id.clone()), "{call:?}");
                }
                EngineEvent::ToolResult { message, .. } => {
                    let id = &message.result().tool_use_id;
                    assert!(open.remove(id), "a result of no call: {id}");
                }
                _ => {}
            }
        }
        assert!(!in_message && open.is_empty(), "{open:?} at the end");
        let is_start = |fact: &&RunnerFact| matches!(fact, RunnerFact::Started(_));
        let is_exit = |fact: &&RunnerFact| matches!(fact, RunnerFact::Exited { .. });
        let started = self.facts().filter(is_start).count();
        assert_eq!(started, self.facts().filter(is_exit).count());
    }
}
