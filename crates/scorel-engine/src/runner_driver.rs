mod call_end;
mod calls;
mod draft;
mod ending;
mod hooking;
mod limits;
mod ports;
mod questions;
mod services;
mod state;
mod step;
mod waiting;

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use scorel_proto::{CostTotal, OutcomeReason, Usage};

use self::calls::OpenCalls;
use self::draft::MessageDraft;
use self::hooking::{Aftermath, JudgedQuestion, judge};
pub use self::ports::{QuestionEffects, RunnerPorts};
use self::questions::Questions;
use self::services::OpenServices;
use self::state::{LinkState, Waited};
use self::step::EarlyEnd;
pub use self::step::{RunnerFact, RunnerStep};
use crate::ports::{
    Permission, RunnerAnswer, RunnerError, RunnerErrorKind, RunnerEvent, RunnerInput, RunnerLink,
    RunnerOrder, RunnerQuestion, RunnerStart,
};
use crate::stop::{Stop, StopSignal};
use crate::{EngineEvent, PendingCall, Spending, TurnEnd, TurnStep};

/// Runs one turn of a runner, step by step, as [`TurnDriver`](crate::TurnDriver) does for a model.
///
/// However the turn ends, every call has a result, every message that was started has an end or was
/// cancelled, and there is one [`RunnerFact::Exited`] for each [`RunnerFact::Started`].
pub struct RunnerDriver {
    ports: RunnerPorts,
    stop: Stop,
    order: RunnerOrder,
    link: LinkState,
    due: VecDeque<RunnerStep>,
    draft: MessageDraft,
    calls: OpenCalls,
    questions: Questions,
    services: OpenServices,
    /// The call that has ended last, while hooks look at it.
    aftermath: Option<Aftermath>,
    usage: Usage,
    cost: CostTotal,
    /// Before this turn.
    spent: Spending,
    /// Messages that the answer had.
    steps: u32,
    /// When the runner was heard of last.
    heard_at: Duration,
    /// Why and when it was asked to end.
    ending: Option<(EarlyEnd, Duration)>,
    /// True if a context was lost before.
    has_lost: bool,
    finished: Option<TurnEnd>,
}

impl fmt::Debug for RunnerDriver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunnerDriver")
            .field("runner", &self.ports.runner.name())
            .field("steps", &self.steps)
            .finish_non_exhaustive()
    }
}

impl RunnerDriver {
    /// A turn that starts the runner.
    pub fn new(ports: RunnerPorts, signal: StopSignal, order: RunnerOrder) -> Self {
        let now = ports.clock.now();
        let stop = Stop::new(signal, ports.clock.clone(), ports.limits.max_duration);
        Self {
            draft: MessageDraft::new(ports.runner.name(), ports.limits.max_answer_bytes),
            calls: OpenCalls::new(ports.runner.name()),
            services: OpenServices::new(Arc::clone(&ports.services), ports.hooks.clone()),
            ports,
            stop,
            order,
            link: LinkState::Closed,
            due: VecDeque::new(),
            questions: Questions::default(),
            aftermath: None,
            usage: Usage::default(),
            cost: CostTotal::default(),
            spent: Spending::default(),
            steps: 0,
            heard_at: now,
            ending: None,
            has_lost: false,
            finished: None,
        }
    }

    /// A turn on a link that was kept from the turn before.
    pub fn on(
        ports: RunnerPorts,
        signal: StopSignal,
        order: RunnerOrder,
        link: Box<dyn RunnerLink>,
    ) -> Self {
        let mut start = link.start().clone();
        start.resumed = true;
        let mut driver = Self::new(ports, signal, order);
        driver.begin(link, start);
        driver
    }

    /// Runs to the next step. Cancel-safe: while a question is open, wait for its answer and for the
    /// next step at the same time, since the runner goes on and may end.
    pub async fn next(&mut self) -> RunnerStep {
        loop {
            if let Some(step) = self.due.pop_front() {
                return step;
            }
            if let Some(end) = self.finished.as_ref().filter(|_| !self.is_releasing()) {
                return RunnerStep::Turn(TurnStep::Finished(end.clone()));
            }
            match self.wait().await {
                Waited::Opened(Ok(link)) => {
                    let start = link.start().clone();
                    self.begin(link, start);
                }
                Waited::Opened(Err(error)) => self.not_opened(&error),
                Waited::Event(Ok(event)) => self.take(event),
                Waited::Event(Err(error)) => self.failed(&error),
                Waited::Judged(judged) => self.judged(judged.0, judged.1),
                Waited::CallSeen(seen) => self.call_seen(seen),
                Waited::Served((id, reply)) => {
                    self.heard_at = self.ports.clock.now();
                    self.send(|link| link.served(&id, reply));
                }
                Waited::Stop(cause) => self.end_early(EarlyEnd::Stopped(cause)),
                Waited::Overdue => self.overdue(),
                Waited::Released(exit) => self.released(exit),
            }
        }
    }

    /// Answers [`RunnerStep::NeedPrompt`].
    pub fn provide_prompt(&mut self, input: Vec<RunnerInput>) {
        match std::mem::replace(&mut self.link, LinkState::Closed) {
            LinkState::Opened(link) => self.link = LinkState::Running(link),
            // The turn has ended before its prompt, and the link with it.
            other => {
                self.link = other;
                return;
            }
        }
        self.heard_at = self.ports.clock.now();
        self.send(|link| link.prompt(input));
    }

    /// Answers [`TurnStep::NeedPermission`].
    pub fn provide_permission(&mut self, permission: Permission) {
        let Some((question, waited)) = self.questions.answered(self.ports.clock.now()) else {
            return;
        };
        let answer = match permission {
            Permission::Granted => {
                self.services.allow(question.action);
                RunnerAnswer::Once
            }
            Permission::Refused(reason) => RunnerAnswer::No(reason),
        };
        self.stop.extend(waited);
        self.heard_at = self.ports.clock.now();
        self.reply(&question.id, answer);
    }

    /// Returns whether the runner takes a message now.
    pub fn takes_steers(&self) -> bool {
        match &self.link {
            LinkState::Running(link) => self.ending.is_none() && link.takes_steers(),
            _ => false,
        }
    }

    /// Adds a message to the running turn. Returns whether the runner takes one now.
    pub fn steer(&mut self, input: Vec<RunnerInput>) -> bool {
        let mut taken = false;
        if self.ending.is_none() {
            self.send(|link| {
                taken = link.steer(input)?;
                Ok(())
            });
        }
        taken
    }

    /// Ends the turn although its signal has not fired: nothing more of it can be recorded.
    pub fn abort(&mut self) {
        self.stop.abort();
    }

    /// The link, after a turn that completed: it takes another prompt.
    pub fn take_link(&mut self) -> Option<Box<dyn RunnerLink>> {
        match std::mem::replace(&mut self.link, LinkState::Closed) {
            LinkState::Kept(link) => Some(link),
            other => {
                self.link = other;
                None
            }
        }
    }

    fn send(&mut self, send: impl FnOnce(&mut dyn RunnerLink) -> Result<(), RunnerError>) {
        if let LinkState::Running(link) = &mut self.link
            && let Err(error) = send(&mut **link)
        {
            self.failed(&error);
        }
    }

    /// Answers a question of the runner, or one about its call of a tool of ours.
    fn reply(&mut self, question: &str, answer: RunnerAnswer) {
        let calls = self.ports.own_calls.as_ref();
        if !calls.is_some_and(|calls| calls.answer(question, &answer)) {
            self.send(|link| link.answer(question, answer));
        }
    }

    fn begin(&mut self, link: Box<dyn RunnerLink>, start: RunnerStart) {
        self.link = LinkState::Opened(link);
        self.fact(RunnerFact::Started(Box::new(start)));
        self.due.push_back(RunnerStep::NeedPrompt);
    }

    fn not_opened(&mut self, error: &RunnerError) {
        self.link = LinkState::Closed;
        if self.may_renew(error) {
            self.lost(error);
        } else {
            self.finish(OutcomeReason::Error, Some(error.turn_error()));
        }
    }

    fn may_renew(&self, error: &RunnerError) -> bool {
        let is_lost = error.kind == RunnerErrorKind::ContextLost;
        // A turn that is to end does not begin again.
        is_lost && self.ports.renew_lost && !self.has_lost && self.ending.is_none()
    }

    /// Begins again, with a new context. Nothing was delivered to the old one.
    fn lost(&mut self, error: &RunnerError) {
        self.has_lost = true;
        self.order.context = None;
        let reason = error.message.clone();
        self.fact(RunnerFact::ContextLost { reason });
    }

    fn failed(&mut self, error: &RunnerError) {
        if self.may_renew(error) && self.order.context.is_some() && self.steps == 0 {
            self.lost(error);
            self.release(false);
            return;
        }
        match self.ending.take() {
            Some((early, _)) => self.close_early(&early),
            None => self.close_failed(error),
        }
    }

    fn take(&mut self, event: RunnerEvent) {
        if self.hears_only_noise(&event) {
            return self.overdue();
        }
        match event {
            RunnerEvent::Context { id } => self.fact(RunnerFact::Context { id }),
            RunnerEvent::Log { stream, text } => self.fact(RunnerFact::Log { stream, text }),
            RunnerEvent::Plan { entries } => self.fact(RunnerFact::Plan { entries }),
            RunnerEvent::Progress => {}
            RunnerEvent::Model { name } => self.draft.set_model(&name),
            RunnerEvent::Text { delta } => {
                let shown = self.draft.text(delta);
                self.show(shown);
            }
            RunnerEvent::Thinking { delta } => {
                let shown = self.draft.thinking(delta);
                self.show(shown);
            }
            RunnerEvent::PartEnd => self.draft.end_part(),
            RunnerEvent::Call(call) => self.begin_call(call),
            RunnerEvent::CallUpdate { call_id, partial } => {
                if self.calls.is_open(&call_id) {
                    self.event(EngineEvent::ToolExecutionUpdate { call_id, partial });
                }
            }
            RunnerEvent::CallEnd(end) => self.end_call(end),
            RunnerEvent::Ask(question) => self.ask(question),
            RunnerEvent::AskWithdrawn { id } => {
                if let Some(waited) = self.questions.withdraw(&id, self.ports.clock.now()) {
                    self.stop.extend(waited);
                    self.due.push_back(RunnerStep::QuestionWithdrawn);
                }
            }
            RunnerEvent::Serve { id, request } => self.services.begin(id, request),
            RunnerEvent::Spent(spent) => self.count(&spent),
            RunnerEvent::End(end) => self.ended(end),
        }
    }

    fn ask(&mut self, question: RunnerQuestion) {
        // Some agents name a call first when they ask about it.
        if !self.calls.is_open(&question.call.id) {
            self.begin_call(question.call.clone());
        }
        let judging = judge(question.clone(), &self.ports);
        self.questions.ask(question, Box::pin(judging));
    }

    fn begin_call(&mut self, call: crate::ToolCall) {
        if let Err(text) = self.calls.may_begin(&call) {
            let error = RunnerError::new(RunnerErrorKind::Protocol, text);
            self.failed(&error);
            return;
        }
        let ended = self.draft.end_with_call(&call);
        self.steps += 1;
        self.events(ended);
        let begun = self.calls.begin(call, self.ports.clock.now());
        self.event(begun);
    }

    fn judged(&mut self, question: RunnerQuestion, judged: JudgedQuestion) {
        use crate::Verdict::{Allow, Ask, Refuse};
        self.heard_at = self.ports.clock.now();
        let answer = match judged.verdict {
            Allow(_) => RunnerAnswer::Once,
            Refuse(reason) => RunnerAnswer::No(reason),
            Ask {
                question: asked, ..
            } => {
                let call = PendingCall {
                    call: question.call.clone(),
                    marks: Some(judged.marks),
                };
                self.questions.open(question, self.heard_at);
                let step = TurnStep::NeedPermission {
                    call,
                    question: asked,
                };
                self.due.push_back(RunnerStep::Turn(step));
                return;
            }
        };
        self.reply(&question.id, answer);
        if judged.ends_turn {
            self.end_early(EarlyEnd::Hook);
        }
    }

    fn show(&mut self, shown: Result<Vec<EngineEvent>, ()>) {
        match shown {
            Ok(events) => self.events(events),
            Err(()) => {
                let error = self.ports.limits.answer_is_too_long();
                self.end_early(EarlyEnd::Limit(error));
            }
        }
    }

    fn fact(&mut self, fact: RunnerFact) {
        self.due.push_back(RunnerStep::Fact(fact));
    }

    fn event(&mut self, event: EngineEvent) {
        let step = TurnStep::Event(event);
        self.due.push_back(RunnerStep::Turn(step));
    }

    fn events(&mut self, events: Vec<EngineEvent>) {
        events.into_iter().for_each(|event| self.event(event));
    }
}
