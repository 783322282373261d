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

/// The state of a call.
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
        // A tool that is not offered is not asked about.
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

#[cfg(test)]
mod tests {
    use std::future::ready;

    use futures_util::FutureExt as _;
    use futures_util::future::BoxFuture;
    use scorel_engine::{Tool, ToolClass, ToolSpec};
    use serde_json::json;

    use super::*;

    #[derive(Debug)]
    struct Echo(ToolSpec);

    impl Tool for Echo {
        fn spec(&self) -> &ToolSpec {
            &self.0
        }

        fn plan(self: Arc<Self>, call: ToolCall) -> BoxFuture<'static, ToolPlan> {
            let said = call.input.to_string();
            let run = |_, _| ready(ToolOutcome::success(said, &json!({})));
            Box::pin(ready(ToolPlan::new(Vec::new(), run)))
        }
    }

    fn calls() -> (Arc<OpenCalls>, mpsc::Receiver<RunnerEvent>) {
        let echo = Echo(ToolSpec {
            name: "Echo".to_owned(),
            description: String::new(),
            parameters: Arc::new(json!({"type": "object"})),
            read_only: true,
            class: ToolClass::Agents,
        });
        OpenCalls::new(ToolList::new(vec![Arc::new(echo)]).unwrap())
    }

    async fn asked(events: &mut mpsc::Receiver<RunnerEvent>) -> String {
        match events.recv().await {
            Some(RunnerEvent::Ask(question)) => question.id,
            other => panic!("{other:?}"),
        }
    }

    #[tokio::test]
    async fn a_call_runs_once_it_is_allowed() {
        let (calls, mut events) = calls();
        for answer in [RunnerAnswer::Once, RunnerAnswer::No("no".to_owned())] {
            let calling = calls.call("echo".to_owned(), json!({"a": 1}));
            let answering = async {
                let id = asked(&mut events).await;
                assert!(calls.is_busy());
                assert!(calls.answer(&id, &answer));
                assert!(!calls.answer("another", &answer));
            };
            let (outcome, ()) = tokio::join!(calling, answering);
            let outcome = outcome.unwrap();
            assert_eq!(outcome.is_error, answer != RunnerAnswer::Once);
            let end = events.recv().await;
            assert!(
                matches!(end, Some(RunnerEvent::CallEnd(end)) if end.content == outcome.content)
            );
            assert!(!calls.is_busy());
        }
    }

    #[tokio::test]
    async fn a_caller_that_goes_withdraws_its_call() {
        let (calls, mut events) = calls();
        let mut calling = Box::pin(calls.call("Echo".to_owned(), json!({})));
        assert!((&mut calling).now_or_never().is_none());
        let id = asked(&mut events).await;
        drop(calling);
        assert_eq!(
            events.recv().await,
            Some(RunnerEvent::AskWithdrawn { id: id.clone() })
        );
        assert!(matches!(events.recv().await, Some(RunnerEvent::CallEnd(end)) if end.is_error));
        assert!(
            calls.answer(&id, &RunnerAnswer::Once),
            "it was one of these"
        );
    }

    #[tokio::test]
    async fn only_what_is_offered_is_asked_about_and_nothing_after_the_turn() {
        let (calls, mut events) = calls();
        let other = calls.call("Bash".to_owned(), json!({})).await.unwrap();
        assert!(other.is_error);
        assert!(events.try_recv().is_err());
        events.close();
        assert_eq!(calls.call("Echo".to_owned(), json!({})).await, None);
    }
}
