use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use futures_util::future::BoxFuture;
use scorel_engine::{Effect, Gatekeeper, Permission, Permit, Question, ToolCall, Verdict};
use tokio::time::sleep;

/// A gatekeeper with a scripted verdict for some calls, which lets all others pass.
#[derive(Debug, Default)]
pub(crate) struct ScriptedGate {
    verdicts: Mutex<HashMap<String, Verdict>>,
    answers: Mutex<HashMap<String, (Duration, Permission)>>,
    /// The calls that were judged.
    judged: Mutex<Vec<String>>,
}

impl ScriptedGate {
    pub(crate) fn refuses(&self, call: &str, text: &str) {
        let verdict = Verdict::Refuse(text.to_owned());
        self.verdicts
            .lock()
            .unwrap()
            .insert(call.to_owned(), verdict);
    }

    /// Asks about a call; the answer comes after that time.
    pub(crate) fn asks(&self, call: &str, after: Duration, answer: Permission) {
        let question = Question {
            reason: "it writes".to_owned(),
            rules: Vec::new(),
            session_only: false,
            timeout: None,
            allow_at_timeout: false,
        };
        let mut verdicts = self.verdicts.lock().unwrap();
        verdicts.insert(
            call.to_owned(),
            Verdict::Ask {
                question,
                permit: Permit::default(),
            },
        );
        let mut answers = self.answers.lock().unwrap();
        answers.insert(call.to_owned(), (after, answer));
    }

    pub(crate) async fn answer(&self, call: &ToolCall) -> Permission {
        let (after, answer) = self.answers.lock().unwrap()[&call.id].clone();
        sleep(after).await;
        answer
    }

    pub(crate) fn judged(&self) -> Vec<String> {
        self.judged.lock().unwrap().clone()
    }
}

impl Gatekeeper for ScriptedGate {
    fn judge(&self, effects: &[Effect]) -> BoxFuture<'static, Verdict> {
        let verdict = match effects {
            [Effect::CallOutside { tool: call, .. }] => {
                self.judged.lock().unwrap().push(call.clone());
                self.verdicts.lock().unwrap().get(call).cloned()
            }
            effects => {
                assert_eq!(effects, [], "the tools here have one effect");
                None
            }
        };
        let allow = || Verdict::Allow(Permit::default());
        Box::pin(std::future::ready(verdict.unwrap_or_else(allow)))
    }

    fn allow(&self, _: &[String]) {}
}
