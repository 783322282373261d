use std::sync::Arc;

use futures_util::future::{BoxFuture, ready};
use scorel_engine::{
    AfterCall, BeforeCall, CallOpinion, Hooks, Moment, MomentAnswer, MomentVerdict, Permit,
    ToolCall, ToolList, ToolOutcome,
};
use scorel_proto::{Block, HookPoint};
use serde_json::{Map, Value, json};

use super::extension_program::ExtensionProgram;
use super::hook_reply::{AfterReply, BeforeReply, MomentReply};
use super::manifest_parts::ManifestHook;
use crate::hook::{HookEvent, OnFailure, own_words};

/// The hooks of an extension, for the turns of a session.
#[derive(Debug)]
pub struct ExtensionHook {
    name: String,
    hooks: Vec<ManifestHook>,
    program: Arc<ExtensionProgram>,
    place: Map<String, Value>,
    tools: ToolList,
}

impl ExtensionHook {
    /// The hooks of the extension with this id. `place` says of which session the calls are, and `tools` know other
    /// spellings of them.
    pub fn new(
        id: &str,
        hooks: Vec<ManifestHook>,
        program: Arc<ExtensionProgram>,
        place: Map<String, Value>,
        tools: ToolList,
    ) -> Self {
        Self {
            name: format!("extension:{id}"),
            hooks,
            program,
            place,
            tools,
        }
    }

    /// The question to the program about a call; `None` if it does not look at such calls.
    fn question_about(&self, event: HookEvent, call: &ToolCall) -> Option<HookQuestion> {
        let call = self.tools.canonical(call);
        let mut hooks = self.hooks.iter().filter(|hook| hook.event == event);
        let hook = hooks.find(|hook| hook.matcher.matches_tool(&call.name))?;
        let told = json!({ "callId": call.id, "tool": call.name, "input": call.input });
        Some(self.question(hook, told.as_object().cloned().unwrap_or_default()))
    }

    fn question(&self, hook: &ManifestHook, mut params: Map<String, Value>) -> HookQuestion {
        params.insert("hook".to_owned(), hook.event.word().into());
        params.extend(self.place.clone());
        HookQuestion {
            hook: hook.clone(),
            name: self.name.clone(),
            program: Arc::clone(&self.program),
            params: params.into(),
        }
    }

    fn asked_at(&self, point: HookPoint) -> Option<&ManifestHook> {
        let is_asked = |hook: &&ManifestHook| hook.event.is_asked_at(&hook.points, point);
        self.hooks.iter().find(is_asked)
    }
}

impl Hooks for ExtensionHook {
    fn name(&self) -> &str {
        &self.name
    }

    fn before(&self, call: &ToolCall) -> BoxFuture<'static, BeforeCall> {
        let Some(question) = self.question_about(HookEvent::BeforeToolCall, call) else {
            return Box::pin(ready(BeforeCall::default()));
        };
        Box::pin(async move {
            let answer = question.ask().await.and_then(BeforeReply::read);
            question.or_failed(answer, |reason| BeforeCall {
                opinion: CallOpinion::Failed(reason),
                ..BeforeCall::default()
            })
        })
    }

    fn after(
        &self,
        call: &ToolCall,
        _: &Permit,
        outcome: &ToolOutcome,
    ) -> BoxFuture<'static, AfterCall> {
        let Some(mut question) = self.question_about(HookEvent::AfterToolCall, call) else {
            return Box::pin(ready(AfterCall::default()));
        };
        question.params["content"] = Block::plain_text_of(&outcome.content).into();
        question.params["isError"] = outcome.is_error.into();
        Box::pin(async move {
            let answer = question.ask().await.and_then(AfterReply::read);
            // The text that it would have taken out must not reach the model.
            question.or_failed(answer, |reason| AfterCall {
                content: Some(vec![Block::text(reason)]),
                is_error: Some(true),
                ..AfterCall::default()
            })
        })
    }

    fn attends(&self, point: HookPoint) -> bool {
        self.asked_at(point).is_some()
    }

    fn at(&self, moment: &Moment) -> BoxFuture<'static, MomentAnswer> {
        let point = moment.occasion.point();
        let Some(hook) = self.asked_at(point) else {
            return Box::pin(ready(MomentAnswer::default()));
        };
        let question = self.question(hook, own_words(moment));
        Box::pin(async move {
            let answer = question.ask().await;
            let answer = answer.and_then(|reply| MomentReply::read(point, reply));
            question.or_failed(answer, |reason| MomentAnswer {
                verdict: MomentVerdict::Fail(reason),
                ..MomentAnswer::default()
            })
        })
    }
}

struct HookQuestion {
    hook: ManifestHook,
    name: String,
    program: Arc<ExtensionProgram>,
    params: Value,
}

impl HookQuestion {
    async fn ask(&self) -> Result<Value, String> {
        let answer = self
            .program
            .call("hook.run", &self.params, self.hook.timeout);
        answer.await.map_err(|error| error.to_string())
    }

    /// The answer, or the consequence of its failure.
    fn or_failed<T: Default>(
        &self,
        answer: Result<T, String>,
        failed: impl FnOnce(String) -> T,
    ) -> T {
        answer.unwrap_or_else(|reason| match self.hook.on_failure {
            OnFailure::Ignore => {
                tracing::warn!(hook = self.name, reason, "a hook has failed");
                T::default()
            }
            OnFailure::Fail => failed(format!("the hook of {} has no answer: {reason}", self.name)),
        })
    }
}
