use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use futures_util::future::BoxFuture;
use scorel_engine::{
    Effect, Gatekeeper, OpenGate, PendingCall, Permission, Permit, Question, ToolCall, Verdict,
};
use serde_json::Value;
use tokio::time::sleep;

/// A gatekeeper with a scripted verdict for some calls, which lets all others pass.
#[derive(Debug, Default)]
pub(crate) struct ScriptedGate {
    verdicts: Mutex<HashMap<String, Verdict>>,
    answers: Mutex<HashMap<String, (Duration, Permission)>>,
    /// The calls that were judged.
    judged: Mutex<Vec<String>>,
    /// The arguments that were judged.
    inputs: Mutex<Vec<Value>>,
    /// The questions that left the engine, as calls.
    asked: Mutex<Vec<PendingCall>>,
    /// Why hooks wanted calls asked about.
    wanted: Mutex<Vec<String>>,
}

impl ScriptedGate {
    pub(crate) fn refuses(&self, call: &str, text: &str) {
        let verdict = Verdict::Refuse(text.to_owned());
        self.verdicts
            .lock()
            .unwrap()
            .insert(call.to_owned(), verdict);
    }

    /// Asks about a call each time; the answer comes after that time.
    pub(crate) fn asks(&self, call: &str, after: Duration, answer: Permission) {
        self.asks_by(call, &[], after, answer);
    }

    /// Asks about a call that these rules would allow.
    pub(crate) fn asks_by(&self, call: &str, rules: &[&str], after: Duration, answer: Permission) {
        let question = Question {
            reason: "it writes".to_owned(),
            rules: rules.iter().map(|&rule| rule.to_owned()).collect(),
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

    pub(crate) fn asked(&self) -> Vec<PendingCall> {
        self.asked.lock().unwrap().clone()
    }

    pub(crate) fn note(&self, asked: &PendingCall) {
        self.asked.lock().unwrap().push(asked.clone());
    }

    pub(crate) fn inputs(&self) -> Vec<Value> {
        self.inputs.lock().unwrap().clone()
    }

    /// The answer to each question that hooks want asked.
    pub(crate) fn answers(&self, call: &str, after: Duration, answer: Permission) {
        let mut answers = self.answers.lock().unwrap();
        answers.insert(call.to_owned(), (after, answer));
    }

    pub(crate) fn wanted(&self) -> Vec<String> {
        self.wanted.lock().unwrap().clone()
    }

    pub(crate) fn judged(&self) -> Vec<String> {
        self.judged.lock().unwrap().clone()
    }
}

impl Gatekeeper for ScriptedGate {
    fn judge(&self, effects: &[Effect], hook_reason: Option<&str>) -> BoxFuture<'static, Verdict> {
        let verdict = match effects {
            [
                Effect::CallOutside {
                    tool: call, input, ..
                },
            ] => {
                self.judged.lock().unwrap().push(call.clone());
                self.inputs.lock().unwrap().push(input.clone());
                self.verdicts.lock().unwrap().get(call).cloned()
            }
            effects => {
                assert_eq!(effects, [], "the tools here have one effect");
                None
            }
        };
        let wanted = hook_reason.map(str::to_owned);
        self.wanted.lock().unwrap().extend(wanted);
        match verdict {
            Some(verdict) => Box::pin(std::future::ready(verdict)),
            None => OpenGate.judge(effects, hook_reason),
        }
    }

    fn allow(&self, _: &[String]) {}
}
