mod cost;
mod parking;
mod retrying;
mod state;
mod step;

use std::fmt;
use std::time::Duration;

use scorel_proto::{
    AssistantMessage, Context, CostTotal, OutcomeReason, StopReason, TurnError, Usage,
};

use self::state::{CallEnd, TurnState};
pub use self::step::TurnStep;
use crate::model_call::{CallProgress, EarlyCause, EarlyEnd, ModelCall};
use crate::stop::{Stop, StopCause, StopSignal};
use crate::tool_calls::tool_calls;
use crate::tool_run::{ToolRun, ToolStep};
use crate::{
    EngineEvent, ModelRequest, PendingCall, Permission, ProviderError, Spent, ToolList, TurnEnd,
    TurnPorts, TurnProgress,
};

/// Runs one turn, step by step.
///
/// A turn alternates between model calls and tool calls until the model makes no more calls, the turn is
/// cancelled, a limit is reached or an error ends it. However it ends, every tool call has a result and
/// every message that was started has an end or was cancelled.
pub struct TurnDriver {
    ports: TurnPorts,
    stop: Stop,
    state: TurnState,
    usage: Usage,
    cost: CostTotal,
    /// The last answer was not charged as far as is known, because the endpoint said nothing of it.
    has_gap: bool,
    steps: u32,
    waits: u32,
    /// Attempts at the current model call.
    attempts: u32,
    /// True if the current model call was refused as too large before.
    overflowed: bool,
    /// The times that the endpoint has refused tools.
    tool_refusals: u32,
    /// When the open question was asked.
    asked_at: Option<Duration>,
    /// Why a hook has ended the turn, if one has.
    ended_by_hook: Option<String>,
}

impl fmt::Debug for TurnDriver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TurnDriver")
            .field("steps", &self.steps)
            .field("usage", &self.usage)
            .finish_non_exhaustive()
    }
}

impl TurnDriver {
    /// A new turn, which begins with a model call. `signal` ends it early.
    pub fn new(ports: TurnPorts, signal: StopSignal) -> Self {
        Self::after(ports, signal, TurnProgress::default())
    }

    /// A resumed turn, which goes on with a model call. `progress` counts against its limits.
    pub fn after(ports: TurnPorts, signal: StopSignal, progress: TurnProgress) -> Self {
        let remaining = ports.limits.max_duration.saturating_sub(progress.elapsed);
        let stop = Stop::new(signal, ports.clock.clone(), remaining);
        Self {
            ports,
            stop,
            state: TurnState::NeedContext,
            usage: progress.usage,
            cost: progress.cost,
            has_gap: false,
            steps: progress.steps,
            waits: progress.waits,
            attempts: 0,
            overflowed: false,
            tool_refusals: 0,
            asked_at: None,
            ended_by_hook: None,
        }
    }

    /// A resumed turn, which goes on with `calls` of its last answer, none of which was started.
    pub fn with_calls(
        ports: TurnPorts,
        signal: StopSignal,
        progress: TurnProgress,
        calls: Vec<PendingCall>,
    ) -> Self {
        let mut driver = Self::after(ports, signal, progress);
        let end = CallEnd {
            stop_reason: StopReason::ToolUse,
            usage: None,
        };
        let tools = &driver.ports.tools;
        let unwrapped = calls.into_iter().map(|pending| PendingCall {
            call: tools.unwrapped(pending.call),
            ..pending
        });
        let calls = unwrapped.collect();
        driver.state = driver.plan_tools(calls, end);
        driver
    }

    /// Runs to the next step.
    ///
    /// Not cancel-safe: a dropped future may only be followed by dropping the driver.
    pub async fn next(&mut self) -> TurnStep {
        loop {
            self.park_if_due();
            // Every arm sets the next state, or puts the state it took back.
            let step = match std::mem::replace(&mut self.state, TurnState::NeedContext) {
                TurnState::NeedContext => self.before_call(),
                TurnState::NeedContextAgain => self.before_repeated_call(),
                TurnState::Affordable => Some(self.next_call()),
                TurnState::Ready(messages) => Some(self.announce_call(messages)),
                TurnState::Due(messages) => {
                    self.make_call(messages);
                    None
                }
                TurnState::Calling(call) => self.read_call(call).await,
                TurnState::CallEnded { end, then } => {
                    self.state = *then;
                    Some(self.turn_end(end))
                }
                TurnState::Retrying { delay } => {
                    self.retry(delay).await;
                    None
                }
                TurnState::Suspending { delay, reason } => Some(self.suspend(delay, reason)),
                TurnState::Suspended => {
                    self.state = TurnState::Suspended;
                    Some(TurnStep::Suspended)
                }
                TurnState::Parked => {
                    self.state = TurnState::Parked;
                    Some(TurnStep::Parked)
                }
                TurnState::NeedRoom(error) => Some(TurnStep::NeedRoom(error)),
                TurnState::NeedTools(refused, error) => {
                    Some(TurnStep::NeedTools { refused, error })
                }
                TurnState::Answered(message) => self.after_answer(&message),
                TurnState::Tools { run, end, then } => self.run_tools(run, end, then).await,
                TurnState::Finished(reason, error) => {
                    self.state = TurnState::Finished(reason, error.clone());
                    Some(self.finished(reason, error))
                }
            };
            if let Some(step) = step {
                return step;
            }
        }
    }

    /// Answers [`TurnStep::NeedContext`].
    pub fn provide_context(&mut self, messages: Context) {
        self.state = match self.state {
            // The call was announced when it was made first.
            TurnState::NeedContextAgain => TurnState::Due(messages),
            _ => TurnState::Ready(messages),
        };
    }

    /// Ends the turn with an error, in the place of the next model call.
    pub fn fail(&mut self, error: TurnError) {
        self.state = TurnState::Finished(OutcomeReason::Error, Some(error));
    }

    /// Changes the system prompt of the calls to come.
    pub fn set_system(&mut self, system: String) {
        self.ports.system = system;
    }

    /// Changes the tools of the calls to come.
    pub fn set_tools(&mut self, tools: ToolList) {
        self.ports.tools = tools;
    }

    /// Counts model calls that others made for the turn.
    pub fn add_spent(&mut self, spent: &Spent) {
        self.count(spent.usage(), spent.cost());
    }

    /// Answers [`TurnStep::NeedPermission`].
    pub fn provide_permission(&mut self, permission: Permission) {
        if let Some(asked_at) = self.asked_at.take() {
            let waited = self.ports.clock.now().saturating_sub(asked_at);
            self.stop.extend(waited);
        }
        if let TurnState::Tools { run, .. } = &mut self.state {
            run.answer(permission);
        }
    }

    /// Ends the turn although its signal has not fired: nothing more of it can be recorded. Tools
    /// that run come to their end; go on pulling steps until [`TurnStep::Finished`].
    pub fn abort(&mut self) {
        self.stop.abort();
    }

    /// Returns whether the turn's limits allow another model call.
    pub fn may_go_on(&self) -> bool {
        self.ports.limits.reached(self.steps, &self.usage).is_none()
    }

    /// The reason why a hook has ended a completed turn, if one has.
    pub fn ended_by_hook(&self) -> Option<&str> {
        self.ended_by_hook.as_deref()
    }

    /// Extends a completed turn by another model call.
    pub fn go_on(&mut self) {
        self.ended_by_hook = None;
        self.state = TurnState::NeedContext;
    }

    fn before_call(&mut self) -> Option<TurnStep> {
        if let Some(cause) = self.stop.now() {
            self.state = self.stopped(cause);
            None
        } else if let Some(error) = self.ports.limits.reached(self.steps, &self.usage) {
            self.state = TurnState::Finished(OutcomeReason::Limit, Some(error));
            None
        } else if self.ports.limits.cost.is_none() {
            Some(self.next_call())
        } else if let Some(error) = self.cost_unknown() {
            self.state = TurnState::Finished(OutcomeReason::Error, Some(error));
            None
        } else {
            let day = self.ports.limits.cost.day.is_some();
            Some(TurnStep::NeedSpending { day })
        }
    }

    const fn next_call(&mut self) -> TurnStep {
        self.attempts = 0;
        TurnStep::NeedContext { repeated: false }
    }

    /// The request is sent with the next step, after its announcement was published.
    fn announce_call(&mut self, messages: Context) -> TurnStep {
        let index = self.steps;
        self.steps += 1;
        self.state = TurnState::Due(messages);
        TurnStep::Event(EngineEvent::TurnStart { index })
    }

    fn make_call(&mut self, messages: Context) {
        if let Some(cause) = self.stop.now() {
            self.end_stopped_call(cause);
            return;
        }
        self.attempts += 1;
        let request = ModelRequest {
            system: self.ports.system.clone(),
            messages,
            tools: self.ports.tools.specs().cloned().collect(),
            thinking: self.ports.thinking,
        };
        let max_bytes = self.ports.limits.max_answer_bytes;
        let call = Box::new(ModelCall::new(&*self.ports.provider, request, max_bytes));
        self.state = TurnState::Calling(call);
    }

    async fn read_call(&mut self, mut call: Box<ModelCall>) -> Option<TurnStep> {
        match call.next(&self.stop).await {
            CallProgress::Event(event) => {
                self.state = TurnState::Calling(call);
                Some(TurnStep::Event(event))
            }
            CallProgress::Answered { message, announced } => {
                self.count(message.usage, message.cost);
                self.has_gap = message.usage.is_none() && message.cost.is_none();
                self.overflowed = false;
                let model = message.model.clone();
                self.state = TurnState::Answered(message);
                // `message_start` is published with the first content; here there was none.
                (!announced).then_some(TurnStep::Event(EngineEvent::MessageStart { model }))
            }
            CallProgress::Ended(early) => self.end_call_early(early),
            CallProgress::Dropped => {
                self.drop_call();
                None
            }
        }
    }

    fn end_call_early(&mut self, early: EarlyEnd) -> Option<TurnStep> {
        self.count(early.usage, early.cost);
        match early.cause {
            EarlyCause::Stopped(cause) => self.end_stopped_call(cause),
            EarlyCause::NoRoom => {
                let next = TurnState::after_last_answer(StopReason::MaxTokens);
                self.end_call(StopReason::MaxTokens, early.usage, next);
            }
            EarlyCause::FailedUnseen(error) => return self.failed_unseen(&error),
            EarlyCause::TooLong => {
                let error = self.ports.limits.answer_is_too_long();
                let next = TurnState::Finished(OutcomeReason::Limit, Some(error));
                self.end_call(StopReason::MaxTokens, early.usage, next);
            }
            EarlyCause::Failed(error) => self.end_failed_call(&error),
        }
        early.remains.map(TurnStep::Event)
    }

    fn end_failed_call(&mut self, error: &ProviderError) {
        let failure = self.turn_error(error);
        let next = TurnState::Finished(OutcomeReason::Error, Some(failure));
        self.end_call(StopReason::Error, error.usage, next);
    }

    fn end_stopped_call(&mut self, cause: StopCause) {
        self.end_call(cause.stop_reason(), None, self.stopped(cause));
    }

    /// The `turn_end` of a model call is due, then `next`.
    fn end_call(&mut self, stop_reason: StopReason, usage: Option<Usage>, next: TurnState) {
        self.state = TurnState::CallEnded {
            end: CallEnd { stop_reason, usage },
            then: Box::new(next),
        };
    }

    /// Tools are planned in the step after this one, when the answer is durable.
    fn after_answer(&mut self, message: &AssistantMessage) -> Option<TurnStep> {
        let (stop_reason, usage) = (message.stop_reason, message.usage);
        let calls = tool_calls(message);
        if calls.is_empty() {
            self.end_call(
                stop_reason,
                usage,
                TurnState::after_last_answer(stop_reason),
            );
        } else {
            let unwrapped = calls.into_iter().map(|it| self.ports.tools.unwrapped(it));
            let calls = unwrapped.map(PendingCall::from).collect();
            self.state = self.plan_tools(calls, CallEnd { stop_reason, usage });
        }
        Some(TurnStep::Event(EngineEvent::MessageEnd {
            message: message.clone(),
        }))
    }

    fn plan_tools(&self, calls: Vec<PendingCall>, end: CallEnd) -> TurnState {
        let limits = &self.ports.limits;
        // At the step limit the calls of the last answer still run, since their effects may be what the
        // user wants, although the model will not see the results. With no tokens left they do not:
        // hence `reached(0, …)`.
        let (run, then) = match limits.reached(0, &self.usage) {
            Some(error) => {
                let text = format!("not run: {}", error.message);
                let then = TurnState::Finished(OutcomeReason::Limit, Some(error));
                (ToolRun::refused(&calls, &text), then)
            }
            None => {
                let run = ToolRun::new(calls, &self.ports.tools, limits);
                (run, TurnState::NeedContext)
            }
        };
        TurnState::Tools {
            run: Box::new(run),
            end,
            then: Box::new(then),
        }
    }

    async fn run_tools(
        &mut self,
        mut run: Box<ToolRun>,
        end: CallEnd,
        then: Box<TurnState>,
    ) -> Option<TurnStep> {
        let step = match run.next(&self.ports, &self.stop).await {
            // No `turn_end`: the tools of this answer go on in the next daemon.
            Some(ToolStep::Parked) => {
                self.state = TurnState::Parked;
                return Some(TurnStep::Parked);
            }
            Some(ToolStep::Event(event)) => TurnStep::Event(event),
            Some(ToolStep::Ask(call, question)) => {
                self.asked_at = Some(self.ports.clock.now());
                TurnStep::NeedPermission { call, question }
            }
            Some(ToolStep::Wait(prerequisite)) => TurnStep::NotReady(prerequisite),
            None => {
                self.state = self.after_tools(&run, *then);
                return Some(self.turn_end(end));
            }
        };
        self.state = TurnState::Tools { run, end, then };
        Some(step)
    }

    /// The state after the tools of an answer. A hook may end the turn that would go on.
    fn after_tools(&mut self, run: &ToolRun, then: TurnState) -> TurnState {
        let would_go_on = matches!(then, TurnState::NeedContext) && self.stop.now().is_none();
        match run.ends_turn() {
            Some(reason) if would_go_on => {
                self.ended_by_hook = Some(reason.to_owned());
                TurnState::Finished(OutcomeReason::Completed, None)
            }
            _ => then,
        }
    }

    fn turn_end(&self, end: CallEnd) -> TurnStep {
        TurnStep::Event(EngineEvent::TurnEnd {
            index: self.steps.saturating_sub(1),
            usage: end.usage,
            stop_reason: Some(end.stop_reason),
        })
    }

    fn stopped(&self, cause: StopCause) -> TurnState {
        let error = match cause {
            StopCause::Cancelled | StopCause::Interrupted => None,
            StopCause::TimeUp => Some(self.ports.limits.time_is_up()),
        };
        TurnState::Finished(cause.outcome(), error)
    }

    fn finished(&self, reason: OutcomeReason, error: Option<TurnError>) -> TurnStep {
        TurnStep::Finished(TurnEnd {
            reason,
            error,
            usage: self.usage,
            cost: self.cost,
            steps: self.steps,
        })
    }
}
