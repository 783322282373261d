//! A gate that asks about everything, and remembers what it was asked.

use std::sync::{Arc, Mutex};

use futures_util::future::BoxFuture;
use scorel_engine::{
    Effect, Gatekeeper, Permit, Question, QuestionEffects, RunnerAction, RunnerQuestion,
    RunnerServices, ServiceReply, ServiceRequest, Verdict,
};

#[derive(Debug, Clone, Default)]
pub(crate) struct AskingGate {
    actions: Arc<Mutex<Vec<RunnerAction>>>,
}

impl AskingGate {
    pub(crate) fn actions(&self) -> Vec<RunnerAction> {
        self.actions.lock().unwrap().clone()
    }
}

impl Gatekeeper for AskingGate {
    fn judge(&self, effects: &[Effect], _: Option<&str>) -> BoxFuture<'static, Verdict> {
        assert!(!effects.is_empty());
        let question = Question {
            reason: "a runner asks".to_owned(),
            rules: Vec::new(),
            session_only: false,
            timeout: None,
            allow_at_timeout: false,
        };
        let permit = Permit::default();
        Box::pin(std::future::ready(Verdict::Ask { question, permit }))
    }

    fn allow(&self, _: &[String]) {}
}

impl QuestionEffects for AskingGate {
    fn of(&self, question: &RunnerQuestion) -> Vec<Effect> {
        let mut actions = self.actions.lock().unwrap();
        actions.push(question.action.clone());
        vec![Effect::CallOutside {
            tool: "runner".to_owned(),
            also: Vec::new(),
            input: question.call.input.clone(),
            digest: None,
            reads_only: false,
        }]
    }
}

/// Nothing is done for a runner.
impl RunnerServices for AskingGate {
    fn serve(
        &self,
        request: ServiceRequest,
        _: bool,
    ) -> BoxFuture<'static, Result<ServiceReply, String>> {
        Box::pin(std::future::ready(Err(format!("not served: {request:?}"))))
    }

    fn end(&self) {}
}
