mod state;

use std::fmt;
use std::time::Duration;

use scorel_proto::{AssistantMessage, Block, Context, OutcomeReason, StopReason, TurnError, Usage};

use self::state::{AfterTools, CallEnd, TurnState};
use crate::model_call::{CallProgress, EarlyCause, EarlyEnd, ModelCall};
use crate::retry::Retry;
use crate::stop::{Stop, StopCause, StopSignal};
use crate::tool_run::{ToolRun, ToolStep};
use crate::{
    ErrorCategory, ModelRequest, Permission, ProviderError, Question, RawRuntimeEvent, ToolCall,
    TurnEnd, TurnPorts, TurnProgress,
};

/// What the driver did, or needs to go on.
#[derive(Debug)]
pub enum TurnStep {
    /// The context of the next model call is due: answer with [`TurnDriver::provide_context`], with
    /// [`TurnDriver::fail`] if none is possible, or with neither if it took a while to make room: the
    /// turn then looks again whether it may go on.
    NeedContext,
    /// The endpoint refused a request as larger than the model's window. Answered as
    /// [`TurnStep::NeedContext`], once a call.
    NeedRoom(TurnError),
    /// A question must be answered, with [`TurnDriver::provide_permission`]. The time until then does
    /// not count against the turn's time limit.
    NeedPermission { call: ToolCall, question: Question },
    /// To be persisted or published before the next step.
    Event(RawRuntimeEvent),
    /// The turn is over. A completed turn is extended with [`TurnDriver::go_on`] if a message was queued
    /// in the meantime.
    Finished(TurnEnd),
}

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
    steps: u32,
    /// Attempts at the current model call.
    attempts: u32,
    /// Whether the current model call was refused as too large before.
    overflowed: bool,
    /// When the open question was asked.
    asked_at: Option<Duration>,
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
    #[must_use]
    pub fn new(ports: TurnPorts, signal: StopSignal) -> Self {
        Self::after(ports, signal, TurnProgress::default())
    }

    /// A resumed turn, which goes on with a model call. `progress` counts against its limits.
    #[must_use]
    pub fn after(ports: TurnPorts, signal: StopSignal, progress: TurnProgress) -> Self {
        let remaining = ports.limits.max_duration.saturating_sub(progress.elapsed);
        let stop = Stop::new(signal, ports.clock.clone(), remaining);
        Self {
            ports,
            stop,
            state: TurnState::NeedContext,
            usage: progress.usage,
            steps: progress.steps,
            attempts: 0,
            overflowed: false,
            asked_at: None,
        }
    }

    /// A resumed turn, which goes on with `calls` of its last answer, none of which was started.
    #[must_use]
    pub fn with_calls(
        ports: TurnPorts,
        signal: StopSignal,
        progress: TurnProgress,
        calls: Vec<ToolCall>,
    ) -> Self {
        let mut driver = Self::after(ports, signal, progress);
        let end = CallEnd {
            stop_reason: StopReason::ToolUse,
            usage: None,
        };
        driver.state = driver.plan_tools(calls, end);
        driver
    }

    /// Runs to the next step.
    ///
    /// Not cancel-safe: a dropped future may only be followed by dropping the driver.
    pub async fn next(&mut self) -> TurnStep {
        loop {
            // Every arm sets the next state, or puts the state it took back.
            let step = match std::mem::replace(&mut self.state, TurnState::NeedContext) {
                TurnState::NeedContext => self.before_call(),
                TurnState::Ready(messages) => Some(self.announce_call(messages)),
                TurnState::Due(messages) => {
                    self.make_call(messages);
                    None
                }
                TurnState::Calling { call, messages } => self.read_call(call, messages).await,
                TurnState::CallEnded {
                    stop_reason,
                    usage,
                    then,
                } => {
                    self.state = *then;
                    Some(self.turn_end(stop_reason, usage))
                }
                TurnState::Retrying {
                    delay,
                    announced,
                    messages,
                } => self.retry(delay, announced, messages).await,
                TurnState::NeedRoom(error) => Some(TurnStep::NeedRoom(error)),
                TurnState::Answered(message) => self.after_answer(&message),
                TurnState::Tools {
                    run,
                    message_end,
                    then,
                } => self.run_tools(run, message_end, then).await,
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
        self.state = TurnState::Ready(messages);
    }

    /// Ends the turn with an error, in the place of the next model call.
    pub fn fail(&mut self, error: TurnError) {
        self.state = TurnState::Finished(OutcomeReason::Error, Some(error));
    }

    /// Counts tokens that were used for the turn by others.
    pub fn add_usage(&mut self, usage: Usage) {
        self.usage += usage;
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

    /// Extends a completed turn by another model call.
    pub fn go_on(&mut self) {
        self.state = TurnState::NeedContext;
    }

    fn before_call(&mut self) -> Option<TurnStep> {
        if let Some(cause) = self.stop.now() {
            self.state = self.stopped(cause);
            None
        } else if let Some(error) = self.ports.limits.reached(self.steps, &self.usage) {
            self.state = TurnState::Finished(OutcomeReason::Limit, Some(error));
            None
        } else {
            self.attempts = 0;
            Some(TurnStep::NeedContext)
        }
    }

    /// The request is sent with the next step, after its announcement was published.
    fn announce_call(&mut self, messages: Context) -> TurnStep {
        let index = self.steps;
        self.steps += 1;
        self.state = TurnState::Due(messages);
        TurnStep::Event(RawRuntimeEvent::TurnStart { index })
    }

    fn make_call(&mut self, messages: Context) {
        if let Some(cause) = self.stop.now() {
            self.end_stopped_call(cause);
            return;
        }
        self.attempts += 1;
        let request = ModelRequest {
            system: self.ports.system.clone(),
            messages: messages.clone(),
            tools: self.ports.tools.specs().cloned().collect(),
            thinking: self.ports.thinking,
        };
        let max_bytes = self.ports.limits.max_answer_bytes;
        let call = Box::new(ModelCall::new(&*self.ports.provider, request, max_bytes));
        self.state = TurnState::Calling { call, messages };
    }

    async fn read_call(&mut self, mut call: Box<ModelCall>, messages: Context) -> Option<TurnStep> {
        match call.next(&self.stop).await {
            CallProgress::Event(event) => {
                self.state = TurnState::Calling { call, messages };
                Some(TurnStep::Event(event))
            }
            CallProgress::Answered { message, announced } => {
                self.usage += message.usage.unwrap_or_default();
                self.overflowed = false;
                let model = message.model.clone();
                self.state = TurnState::Answered(message);
                // `message_start` is published with the first content; here there was none.
                (!announced).then_some(TurnStep::Event(RawRuntimeEvent::MessageStart { model }))
            }
            CallProgress::NoRoom { usage, taken_back } => {
                self.usage += usage.unwrap_or_default();
                self.state = TurnState::CallEnded {
                    stop_reason: Some(StopReason::MaxTokens),
                    usage,
                    then: Box::new(TurnState::after_last_answer(StopReason::MaxTokens)),
                };
                taken_back.map(TurnStep::Event)
            }
            CallProgress::Ended(early) => self.end_call_early(early, messages),
        }
    }

    fn end_call_early(&mut self, early: EarlyEnd, messages: Context) -> Option<TurnStep> {
        self.usage += early.usage.unwrap_or_default();
        match early.cause {
            EarlyCause::Stopped(cause) => self.end_stopped_call(cause),
            EarlyCause::FailedUnseen(error) => return self.failed_unseen(&error, messages),
            EarlyCause::TooLong => {
                let error = self.ports.limits.answer_is_too_long();
                self.state = TurnState::CallEnded {
                    stop_reason: Some(StopReason::MaxTokens),
                    usage: early.usage,
                    then: Box::new(TurnState::Finished(OutcomeReason::Limit, Some(error))),
                };
            }
            EarlyCause::Failed(error) => self.end_failed_call(&error),
        }
        early.remains.map(TurnStep::Event)
    }

    fn failed_unseen(&mut self, error: &ProviderError, messages: Context) -> Option<TurnStep> {
        if error.category == ErrorCategory::ContextOverflow && !self.overflowed {
            self.overflowed = true;
            self.state = TurnState::CallEnded {
                stop_reason: Some(StopReason::Error),
                usage: error.usage,
                then: Box::new(TurnState::NeedRoom(turn_error(error))),
            };
            return None;
        }
        let (duration, announced) = match self.ports.retry.decide(self.attempts, error) {
            Retry::After(delay) => (delay, false),
            Retry::Wait(delay) => (delay, true),
            Retry::No => {
                self.end_failed_call(error);
                return None;
            }
        };
        self.state = TurnState::Retrying {
            delay: duration,
            announced,
            messages,
        };
        let attempt = self.attempts;
        Some(TurnStep::Event(if announced {
            RawRuntimeEvent::Waiting {
                attempt,
                duration,
                reason: error.message.clone(),
            }
        } else {
            RawRuntimeEvent::Retrying {
                attempt,
                error: turn_error(error),
                delay: duration,
            }
        }))
    }

    fn end_failed_call(&mut self, error: &ProviderError) {
        let finished = TurnState::Finished(OutcomeReason::Error, Some(turn_error(error)));
        self.state = TurnState::CallEnded {
            stop_reason: Some(StopReason::Error),
            usage: error.usage,
            then: Box::new(finished),
        };
    }

    fn end_stopped_call(&mut self, cause: StopCause) {
        self.state = TurnState::CallEnded {
            stop_reason: Some(cause.stop_reason()),
            usage: None,
            then: Box::new(self.stopped(cause)),
        };
    }

    async fn retry(
        &mut self,
        delay: Duration,
        announced: bool,
        messages: Context,
    ) -> Option<TurnStep> {
        if announced {
            self.stop.extend(delay);
        }
        if let Some(cause) = self.stop.sleep(delay).await {
            self.end_stopped_call(cause);
            return None;
        }
        self.state = TurnState::Due(messages);
        announced.then_some(TurnStep::Event(RawRuntimeEvent::Resumed))
    }

    /// Tools are planned in the step after this one, when the answer is durable.
    fn after_answer(&mut self, message: &AssistantMessage) -> Option<TurnStep> {
        let calls = tool_calls(message);
        let end = CallEnd {
            stop_reason: message.stop_reason,
            usage: message.usage,
        };
        self.state = if calls.is_empty() {
            TurnState::CallEnded {
                stop_reason: Some(end.stop_reason),
                usage: end.usage,
                then: Box::new(TurnState::after_last_answer(message.stop_reason)),
            }
        } else {
            self.plan_tools(calls, end)
        };
        Some(TurnStep::Event(RawRuntimeEvent::MessageEnd {
            message: message.clone(),
        }))
    }

    fn plan_tools(&self, calls: Vec<ToolCall>, message_end: CallEnd) -> TurnState {
        let limits = &self.ports.limits;
        // At the step limit the calls of the last answer still run, since their effects may be what the
        // user wants, although the model will not see the results. With no tokens left they do not:
        // hence `reached(0, …)`.
        let (run, then) = match limits.reached(0, &self.usage) {
            Some(error) => {
                let text = format!("not run: {}", error.message);
                let after = AfterTools::Finish(OutcomeReason::Limit, Some(error));
                (ToolRun::refused(calls, &text), after)
            }
            None => (
                ToolRun::new(calls, &self.ports.tools, limits),
                AfterTools::NextCall,
            ),
        };
        TurnState::Tools {
            run: Box::new(run),
            message_end,
            then,
        }
    }

    async fn run_tools(
        &mut self,
        mut run: Box<ToolRun>,
        message_end: CallEnd,
        then: AfterTools,
    ) -> Option<TurnStep> {
        match run.next(&self.ports, &self.stop).await {
            Some(step) => {
                self.state = TurnState::Tools {
                    run,
                    message_end,
                    then,
                };
                Some(match step {
                    ToolStep::Event(event) => TurnStep::Event(event),
                    ToolStep::Ask(call, question) => {
                        self.asked_at = Some(self.ports.clock.now());
                        TurnStep::NeedPermission { call, question }
                    }
                })
            }
            None => {
                let then = match then {
                    AfterTools::NextCall => TurnState::NeedContext,
                    AfterTools::Finish(reason, error) => TurnState::Finished(reason, error),
                };
                self.state = then;
                Some(self.turn_end(Some(message_end.stop_reason), message_end.usage))
            }
        }
    }

    fn turn_end(&self, stop_reason: Option<StopReason>, usage: Option<Usage>) -> TurnStep {
        let index = self.steps.saturating_sub(1);
        TurnStep::Event(RawRuntimeEvent::TurnEnd {
            index,
            usage,
            stop_reason,
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
            steps: self.steps,
        })
    }
}

/// The tool calls of an answer, in the order of its blocks.
#[must_use]
pub fn tool_calls(message: &AssistantMessage) -> Vec<ToolCall> {
    message.tool_uses().filter_map(tool_call).collect()
}

fn tool_call(block: &Block) -> Option<ToolCall> {
    match block {
        Block::ToolUse {
            id,
            name,
            input,
            invalid_input,
            ..
        } => Some(ToolCall {
            id: id.clone(),
            name: name.clone(),
            input: input.clone(),
            invalid_input: invalid_input.clone(),
        }),
        _ => None,
    }
}

fn turn_error(error: &ProviderError) -> TurnError {
    let code = serde_json::to_value(error.category).ok();
    let code = code
        .as_ref()
        .and_then(|value| value.as_str())
        .unwrap_or("provider_error");
    TurnError {
        code: code.to_owned(),
        message: error.message.clone(),
        retryable: error.retryable,
        hint: error.hint.clone(),
    }
}
