use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use scorel_engine::{
    Permit, RunnerAction, RunnerAnswer, RunnerCallEnd, RunnerEvent, RunnerQuestion, ToolCall,
    ToolContext, ToolList, ToolOutcome, ToolPlan,
};
use scorel_proto::EventId;
use serde_json::Value;
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;

/// Calls that may be open at a time.
const MAX_OPEN: usize = 32;

/// Events of one call: it is asked about, withdrawn, and ends.
const EVENTS_OF_CALL: usize = 3;

/// Events that wait at a time. Calls that were withdrawn have left theirs, so this is more than open calls need.
const MAX_EVENTS: usize = 1024;

/// The calls of a turn that have no result yet.
#[derive(Debug)]
pub(crate) struct OpenCalls {
    tools: ToolList,
    stages: Mutex<HashMap<String, CallStage>>,
    /// Never full: a call begins only with room for the events of all that can be open.
    events: mpsc::Sender<RunnerEvent>,
}

/// How far a call is.
#[derive(Debug)]
enum CallStage {
    /// Hooks, rules and people decide.
    Asked(ToolPlan, oneshot::Sender<ToolOutcome>),
    /// It runs, until this is cancelled at the latest.
    Runs(CancellationToken),
}

/// The caller of a call. Dropped before the result, it withdraws the call.
struct WaitingCaller<'a> {
    calls: &'a OpenCalls,
    id: String,
}

impl Drop for WaitingCaller<'_> {
    fn drop(&mut self) {
        self.calls.withdraw(&self.id);
    }
}

impl OpenCalls {
    pub(crate) fn new(tools: ToolList) -> (Arc<Self>, mpsc::Receiver<RunnerEvent>) {
        let (events, receiver) = mpsc::channel(MAX_EVENTS);
        let calls = Self {
            tools,
            stages: Mutex::default(),
            events,
        };
        (Arc::new(calls), receiver)
    }

    pub(crate) const fn tools(&self) -> &ToolList {
        &self.tools
    }

    /// Makes a call and waits for its outcome. Dropping the future withdraws the call. `None` if the turn is over
    /// before.
    pub(crate) async fn call(&self, name: String, input: Value) -> Option<ToolOutcome> {
        let call = self.tools.canonical(&ToolCall {
            id: EventId::generate()
                .to_string()
                .replacen(EventId::PREFIX, "own_", 1),
            name,
            input,
            invalid_input: None,
        });
        let plan = self.tools.plan(call.clone()).await;
        // What is not offered is not asked about.
        if self.tools.get(&call.name).is_none() {
            return Some(run(plan, CancellationToken::new()).await);
        }
        let (sender, outcome) = oneshot::channel();
        let effects = plan.effects().to_vec();
        if !self.begin(&call.id, CallStage::Asked(plan, sender)) {
            let text = "too many calls are open";
            return Some(ToolOutcome::error(text));
        }
        let caller = WaitingCaller {
            calls: self,
            id: call.id.clone(),
        };
        let is_told = self.tell(RunnerEvent::Ask(RunnerQuestion {
            id: call.id.clone(),
            action: RunnerAction::Own {
                tool: call.name.clone(),
                effects,
            },
            call,
            reason: None,
        }));
        let outcome = match is_told {
            true => outcome.await.ok(),
            false => None,
        };
        drop(caller);
        outcome
    }

    /// Returns whether the question is about one of these calls.
    pub(crate) fn answer(self: &Arc<Self>, question: &str, answer: &RunnerAnswer) -> bool {
        let mut stages = self.lock();
        let asked = match stages.remove(question) {
            Some(CallStage::Asked(plan, reply)) => (plan, reply),
            Some(other) => {
                stages.insert(question.to_owned(), other);
                return true;
            }
            // Withdrawn calls are told of before.
            None => return question.starts_with("own_"),
        };
        let (plan, reply) = asked;
        match answer {
            RunnerAnswer::Once => {
                let stop = CancellationToken::new();
                stages.insert(question.to_owned(), CallStage::Runs(stop.clone()));
                drop(stages);
                let (calls, id) = (Arc::clone(self), question.to_owned());
                // A task of its own: a call that has begun must not be dropped.
                tokio::spawn(async move {
                    let outcome = run(plan, stop).await;
                    calls.lock().remove(&id);
                    calls.ended(id, outcome, reply);
                });
            }
            RunnerAnswer::No(reason) => {
                drop(stages);
                let refused = ToolOutcome::error(reason.clone());
                self.ended(question.to_owned(), refused, reply);
            }
        }
        true
    }

    pub(crate) fn is_busy(&self) -> bool {
        !self.lock().is_empty()
    }

    /// Cancels those that run. The others get no outcome.
    pub(crate) fn end(&self) {
        for (_, stage) in self.lock().drain() {
            if let CallStage::Runs(stop) = stage {
                stop.cancel();
            }
        }
    }

    fn begin(&self, id: &str, stage: CallStage) -> bool {
        let mut stages = self.lock();
        let has_room =
            stages.len() < MAX_OPEN && self.events.capacity() >= MAX_OPEN * EVENTS_OF_CALL;
        if has_room {
            stages.insert(id.to_owned(), stage);
        }
        has_room
    }

    fn withdraw(&self, id: &str) {
        let mut stages = self.lock();
        match stages.get(id) {
            Some(CallStage::Runs(stop)) => stop.cancel(),
            Some(CallStage::Asked(..)) => {
                stages.remove(id);
                drop(stages);
                self.tell(RunnerEvent::AskWithdrawn { id: id.to_owned() });
                self.tell_end(
                    id.to_owned(),
                    &ToolOutcome::error("the runner has withdrawn it"),
                );
            }
            None => {}
        }
    }

    fn ended(&self, id: String, outcome: ToolOutcome, reply: oneshot::Sender<ToolOutcome>) {
        self.tell_end(id, &outcome);
        // Fails if the caller is gone.
        let _: Result<(), ToolOutcome> = reply.send(outcome);
    }

    fn tell_end(&self, call_id: String, outcome: &ToolOutcome) {
        self.tell(RunnerEvent::CallEnd(RunnerCallEnd {
            call_id,
            is_error: outcome.is_error,
            content: outcome.content.clone(),
            details: outcome.details.clone().map(Box::new),
        }));
    }

    /// Returns whether the turn goes on.
    fn tell(&self, event: RunnerEvent) -> bool {
        self.events.try_send(event).is_ok()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, CallStage>> {
        self.stages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn run(plan: ToolPlan, cancel: CancellationToken) -> ToolOutcome {
    let context = ToolContext {
        updates: watch::Sender::new(None),
        cancel,
    };
    plan.run(Permit::default(), context).await
}
