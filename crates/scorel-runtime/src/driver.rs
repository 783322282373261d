mod state;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use scorel_proto::{
    AssistantMessage, Block, Context, OutcomeReason, StopReason, ThinkingLevel, TurnError, Usage,
};

use self::state::{After, CallEnd, State};
use crate::model_call::{Early, EarlyCause, ModelCall, Progress};
use crate::retry::Retry;
use crate::stop::{Stop, StopCause, StopSignal};
use crate::tool_run::{ToolRun, ToolStep};
use crate::{
    Clock, Gatekeeper, ModelRequest, Permission, Provider, ProviderError, Question,
    RawRuntimeEvent, RetryPolicy, ToolCall, Toolbox, TurnEnd, TurnLimits,
};

/// Everything that one turn reaches the world through, and its bounds.
#[derive(Debug, Clone)]
pub struct TurnPorts {
    /// The model.
    pub provider: Arc<dyn Provider>,
    /// The tools.
    pub tools: Arc<dyn Toolbox>,
    /// Who decides which calls of the tools may run.
    pub gate: Arc<dyn Gatekeeper>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// How far the turn may go.
    pub limits: TurnLimits,
    /// When failed model calls are made again.
    pub retry: RetryPolicy,
    /// The system prompt.
    pub system: String,
    /// How much the model should think.
    pub thinking: ThinkingLevel,
}

/// What a turn has done before its driver was made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TurnProgress {
    /// What its model calls have used.
    pub usage: Usage,
    /// How many model calls it has made.
    pub steps: u32,
    /// How long it has run, waiting not counted.
    pub elapsed: Duration,
}

/// What the driver wants or has done.
#[derive(Debug)]
pub enum Step {
    /// It wants the context of the next model call: answer with [`TurnDriver::provide_context`].
    NeedContext,
    /// Somebody must say whether a call may run: answer with [`TurnDriver::provide_permission`]. How
    /// long that takes does not count for the turn's limit of time.
    NeedPermission {
        /// The call.
        call: ToolCall,
        /// What is asked.
        question: Question,
    },
    /// Something happened.
    Event(RawRuntimeEvent),
    /// The turn is over. If it completed and somebody has said something in the meantime,
    /// [`TurnDriver::go_on`] extends it.
    Finished(TurnEnd),
}

/// Runs one turn, step by step.
///
/// A turn alternates between model calls and the tools that they ask for, until the model has
/// nothing more to do, somebody cancels, a limit is reached or something fails. However it ends,
/// every tool call has had its result and every message that began has had its end.
pub struct TurnDriver {
    ports: TurnPorts,
    stop: Stop,
    state: State,
    usage: Usage,
    steps: u32,
    /// How often the model call that is due has been made.
    attempts: u32,
    /// Since when an answer is waited for.
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
    /// A turn that begins with a model call. `signal` ends it early.
    #[must_use]
    pub fn new(ports: TurnPorts, signal: StopSignal) -> Self {
        Self::after(ports, signal, TurnProgress::default())
    }

    /// A turn that goes on with a model call after what it has done before. Its limits hold for the
    /// whole.
    #[must_use]
    pub fn after(ports: TurnPorts, signal: StopSignal, progress: TurnProgress) -> Self {
        let remaining = ports.limits.max_duration.saturating_sub(progress.elapsed);
        let stop = Stop::new(signal, ports.clock.clone(), remaining);
        Self {
            ports,
            stop,
            state: State::NeedContext,
            usage: progress.usage,
            steps: progress.steps,
            attempts: 0,
            asked_at: None,
        }
    }

    /// A turn that goes on with tool calls of its last answer: `calls`, none of which has started.
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

    /// Takes the turn one step further.
    ///
    /// The future must not be dropped before it completes, except together with the driver.
    pub async fn next(&mut self) -> Step {
        loop {
            // A state that is taken out is always put back or replaced by the arm that took it.
            let step = match std::mem::replace(&mut self.state, State::NeedContext) {
                State::NeedContext => self.before_call(),
                State::Ready(messages) => Some(self.announce_call(messages)),
                State::Due(messages) => {
                    self.make_call(messages);
                    None
                }
                State::Calling { call, messages } => self.read_call(call, messages).await,
                State::CallEnded {
                    stop_reason,
                    usage,
                    then,
                } => {
                    self.state = *then;
                    Some(self.turn_end(stop_reason, usage))
                }
                State::Retrying {
                    delay,
                    announced,
                    messages,
                } => self.retry(delay, announced, messages).await,
                State::Answered(message) => self.after_answer(&message),
                State::Tools {
                    run,
                    message_end,
                    then,
                } => self.run_tools(run, message_end, then).await,
                State::Finished(reason, error) => {
                    self.state = State::Finished(reason, error.clone());
                    Some(self.finished(reason, error))
                }
            };
            if let Some(step) = step {
                return step;
            }
        }
    }

    /// Gives the context of the next model call, after [`Step::NeedContext`].
    pub fn provide_context(&mut self, messages: Context) {
        self.state = State::Ready(messages);
    }

    /// Says whether the call may run, after [`Step::NeedPermission`].
    pub fn provide_permission(&mut self, permission: Permission) {
        if let Some(asked_at) = self.asked_at.take() {
            let waited = self.ports.clock.now().saturating_sub(asked_at);
            self.stop.extend(waited);
        }
        if let State::Tools { run, .. } = &mut self.state {
            run.answer(permission);
        }
    }

    /// Ends the turn although its signal has not fired: nothing more of it can be recorded. Tools
    /// that run come to their end; go on pulling steps until [`Step::Finished`].
    pub fn abort(&mut self) {
        self.stop.abort();
    }

    /// Extends a turn that has completed by another model call.
    pub fn go_on(&mut self) {
        self.state = State::NeedContext;
    }

    fn before_call(&mut self) -> Option<Step> {
        if let Some(cause) = self.stop.now() {
            self.state = self.stopped(cause);
            None
        } else if let Some(error) = self.ports.limits.reached(self.steps, &self.usage) {
            self.state = State::Finished(OutcomeReason::Limit, Some(error));
            None
        } else {
            self.attempts = 0;
            Some(Step::NeedContext)
        }
    }

    /// The call is made with the next step, so that nothing is asked before its announcement is
    /// dealt with.
    fn announce_call(&mut self, messages: Context) -> Step {
        let index = self.steps;
        self.steps += 1;
        self.state = State::Due(messages);
        Step::Event(RawRuntimeEvent::TurnStart { index })
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
            tools: self.ports.tools.specs().to_vec(),
            thinking: self.ports.thinking,
        };
        let call = Box::new(ModelCall::new(&*self.ports.provider, request));
        self.state = State::Calling { call, messages };
    }

    async fn read_call(&mut self, mut call: Box<ModelCall>, messages: Context) -> Option<Step> {
        match call.next(&self.stop).await {
            Progress::Event(event) => {
                self.state = State::Calling { call, messages };
                Some(Step::Event(event))
            }
            Progress::Answered { message, announced } => {
                self.usage += message.usage.unwrap_or_default();
                let model = message.model.clone();
                self.state = State::Answered(message);
                // An answer without content has not been announced yet.
                (!announced).then_some(Step::Event(RawRuntimeEvent::MessageStart { model }))
            }
            Progress::NoRoom { usage, taken_back } => {
                self.usage += usage.unwrap_or_default();
                self.state = State::CallEnded {
                    stop_reason: Some(StopReason::MaxTokens),
                    usage,
                    then: Box::new(State::after_last_answer(StopReason::MaxTokens)),
                };
                taken_back.map(Step::Event)
            }
            Progress::Ended(early) => self.end_call_early(early, messages),
        }
    }

    fn end_call_early(&mut self, early: Early, messages: Context) -> Option<Step> {
        self.usage += early.usage.unwrap_or_default();
        match early.cause {
            EarlyCause::Stopped(cause) => self.end_stopped_call(cause),
            EarlyCause::FailedUnseen(error) => return self.failed_unseen(&error, messages),
            EarlyCause::Failed(error) => self.end_failed_call(&error),
        }
        early.remains.map(Step::Event)
    }

    fn failed_unseen(&mut self, error: &ProviderError, messages: Context) -> Option<Step> {
        match self.ports.retry.decide(self.attempts, error) {
            Retry::After(delay) => {
                self.state = State::Retrying {
                    delay,
                    announced: false,
                    messages,
                };
                None
            }
            Retry::Wait(duration) => {
                self.state = State::Retrying {
                    delay: duration,
                    announced: true,
                    messages,
                };
                let reason = error.message.clone();
                Some(Step::Event(RawRuntimeEvent::Waiting { duration, reason }))
            }
            Retry::No => {
                self.end_failed_call(error);
                None
            }
        }
    }

    fn end_failed_call(&mut self, error: &ProviderError) {
        let finished = State::Finished(OutcomeReason::Error, Some(turn_error(error)));
        self.state = State::CallEnded {
            stop_reason: Some(StopReason::Error),
            usage: error.usage,
            then: Box::new(finished),
        };
    }

    fn end_stopped_call(&mut self, cause: StopCause) {
        self.state = State::CallEnded {
            stop_reason: Some(cause.stop_reason()),
            usage: None,
            then: Box::new(self.stopped(cause)),
        };
    }

    async fn retry(&mut self, delay: Duration, announced: bool, messages: Context) -> Option<Step> {
        if announced {
            self.stop.extend(delay);
        }
        if let Some(cause) = self.stop.sleep(delay).await {
            self.end_stopped_call(cause);
            return None;
        }
        self.state = State::Due(messages);
        announced.then_some(Step::Event(RawRuntimeEvent::Resumed))
    }

    /// The answer is out and durable with the step after this one; then its tools run.
    fn after_answer(&mut self, message: &AssistantMessage) -> Option<Step> {
        let calls = tool_calls(message);
        let end = CallEnd {
            stop_reason: message.stop_reason,
            usage: message.usage,
        };
        self.state = if calls.is_empty() {
            State::CallEnded {
                stop_reason: Some(end.stop_reason),
                usage: end.usage,
                then: Box::new(State::after_last_answer(message.stop_reason)),
            }
        } else {
            self.plan_tools(calls, end)
        };
        Some(Step::Event(RawRuntimeEvent::MessageEnd {
            message: message.clone(),
        }))
    }

    fn plan_tools(&self, calls: Vec<ToolCall>, message_end: CallEnd) -> State {
        let limits = &self.ports.limits;
        // Tools run although no further model call is due, unless the turn has no tokens left:
        // their effects may be what the user wants, but the model could not look at them.
        let (run, then) = match limits.reached(0, &self.usage) {
            Some(error) => {
                let text = format!("not run: {}", error.message);
                let after = After::Finish(OutcomeReason::Limit, Some(error));
                (ToolRun::refused(calls, &text), after)
            }
            None => (
                ToolRun::new(calls, &*self.ports.tools, limits),
                After::NextCall,
            ),
        };
        State::Tools {
            run: Box::new(run),
            message_end,
            then,
        }
    }

    async fn run_tools(
        &mut self,
        mut run: Box<ToolRun>,
        message_end: CallEnd,
        then: After,
    ) -> Option<Step> {
        match run.next(&self.ports, &self.stop).await {
            Some(step) => {
                self.state = State::Tools {
                    run,
                    message_end,
                    then,
                };
                Some(match step {
                    ToolStep::Event(event) => Step::Event(event),
                    ToolStep::Ask(call, question) => {
                        self.asked_at = Some(self.ports.clock.now());
                        Step::NeedPermission { call, question }
                    }
                })
            }
            None => {
                let then = match then {
                    After::NextCall => State::NeedContext,
                    After::Finish(reason, error) => State::Finished(reason, error),
                };
                self.state = then;
                Some(self.turn_end(Some(message_end.stop_reason), message_end.usage))
            }
        }
    }

    fn turn_end(&self, stop_reason: Option<StopReason>, usage: Option<Usage>) -> Step {
        let index = self.steps.saturating_sub(1);
        Step::Event(RawRuntimeEvent::TurnEnd {
            index,
            usage,
            stop_reason,
        })
    }

    fn stopped(&self, cause: StopCause) -> State {
        let error = match cause {
            StopCause::Cancelled | StopCause::Interrupted => None,
            StopCause::TimeUp => Some(self.ports.limits.time_is_up()),
        };
        State::Finished(cause.outcome(), error)
    }

    fn finished(&self, reason: OutcomeReason, error: Option<TurnError>) -> Step {
        Step::Finished(TurnEnd {
            reason,
            error,
            usage: self.usage,
            steps: self.steps,
        })
    }
}

/// The tool calls of an answer, in order.
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
    }
}
