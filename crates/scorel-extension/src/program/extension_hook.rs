use std::sync::Arc;

use futures_util::future::{BoxFuture, ready};
use scorel_engine::{AfterCall, BeforeCall, CallOpinion, Hooks, Permit, ToolCall, ToolOutcome};
use scorel_proto::Block;
use serde_json::{Map, Value, json};

use super::extension_program::ExtensionProgram;
use super::hook_reply::{AfterReply, BeforeReply};
use super::manifest_parts::{ManifestHook, NativeHook};
use crate::hook::OnFailure;

/// The hooks of an extension, for the turns of a session.
#[derive(Debug)]
pub struct ExtensionHook {
    name: String,
    hooks: Vec<ManifestHook>,
    program: Arc<ExtensionProgram>,
    place: Map<String, Value>,
}

impl ExtensionHook {
    /// The hooks of the extension with this id. `place` says of which session the calls are.
    pub fn new(
        id: &str,
        hooks: Vec<ManifestHook>,
        program: Arc<ExtensionProgram>,
        place: Map<String, Value>,
    ) -> Self {
        Self {
            name: format!("extension {id}"),
            hooks,
            program,
            place,
        }
    }

    /// The question to the program about a call; `None` if it does not look at such calls.
    fn question(&self, native: NativeHook, call: &ToolCall) -> Option<HookQuestion> {
        let hook = self.hooks.iter().find(|hook| hook.hook == native)?;
        if !hook.matcher.matches_tool(&call.name) {
            return None;
        }
        let mut params = json!({
            "hook": native.word(),
            "callId": call.id,
            "tool": call.name,
            "input": call.input,
        });
        if let Some(params) = params.as_object_mut() {
            params.extend(self.place.clone());
        }
        Some(HookQuestion {
            hook: hook.clone(),
            name: self.name.clone(),
            program: Arc::clone(&self.program),
            params,
        })
    }
}

impl Hooks for ExtensionHook {
    fn name(&self) -> &str {
        &self.name
    }

    fn before(&self, call: &ToolCall) -> BoxFuture<'static, BeforeCall> {
        let Some(question) = self.question(NativeHook::BeforeToolCall, call) else {
            return Box::pin(ready(BeforeCall::default()));
        };
        Box::pin(async move {
            let answer = question.ask().await.and_then(BeforeReply::read);
            answer.unwrap_or_else(|reason| match question.hook.on_failure {
                OnFailure::Ignore => BeforeCall::default(),
                OnFailure::Fail => BeforeCall {
                    opinion: CallOpinion::Failed(question.failed(&reason)),
                    ..BeforeCall::default()
                },
            })
        })
    }

    fn after(
        &self,
        call: &ToolCall,
        _: &Permit,
        outcome: &ToolOutcome,
    ) -> BoxFuture<'static, AfterCall> {
        let Some(mut question) = self.question(NativeHook::AfterToolCall, call) else {
            return Box::pin(ready(AfterCall::default()));
        };
        question.params["content"] = text(&outcome.content).into();
        question.params["isError"] = outcome.is_error.into();
        Box::pin(async move {
            let answer = question.ask().await.and_then(AfterReply::read);
            answer.unwrap_or_else(|reason| match question.hook.on_failure {
                OnFailure::Ignore => {
                    tracing::warn!(hook = question.name, reason, "a hook has failed");
                    AfterCall::default()
                }
                // What it would have taken out must not reach the model.
                OnFailure::Fail => AfterCall {
                    content: Some(vec![Block::text(question.failed(&reason))]),
                    is_error: Some(true),
                    ..AfterCall::default()
                },
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

    fn failed(&self, reason: &str) -> String {
        format!("the hook of {} has no answer: {reason}", self.name)
    }
}

/// The texts of a result.
fn text(content: &[Block]) -> String {
    let texts = content.iter().filter_map(|block| match block {
        Block::Text { text, .. } => Some(text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}
