use std::sync::Arc;

use scorel_proto::HookPoint;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::{BeforeCall, CallOpinion, HookMarks, Hooks, Permit, ToolCall, ToolOutcome};

/// The error code of a call that a hook denied.
const DENIED: &str = "E_HOOK_DENIED";

/// The hooks of a turn in their order: each sees what the one before has left. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct HookChain {
    hooks: Arc<[Arc<dyn Hooks>]>,
}

impl HookChain {
    /// A chain of hooks, in their order.
    pub fn new(hooks: Vec<Arc<dyn Hooks>>) -> Self {
        Self {
            hooks: hooks.into(),
        }
    }

    /// Shows a call to the hooks, up to the first that denies it. The error is that call's outcome.
    pub(crate) async fn before(&self, call: &mut ToolCall) -> Result<HookMarks, ToolOutcome> {
        let mut marks = HookMarks::default();
        for hook in self.hooks.iter() {
            let BeforeCall { input, opinion } = hook.before(call).await;
            if let Some(input) = input {
                call.input = input;
                call.invalid_input = None;
                marks.changed_by.push(hook.name().to_owned());
            }
            match opinion {
                CallOpinion::None => {}
                CallOpinion::Ask(reason) => {
                    let before = marks.reason.take().map(|before| before + "; ");
                    let reason = format!("{}: {reason}", hook.name());
                    marks.reason = Some(before.unwrap_or_default() + &reason);
                }
                CallOpinion::Deny(reason) => return Err(denied(hook.name(), &reason)),
            }
        }
        Ok(marks)
    }

    /// Shows an outcome to the hooks. When `cancel` fires, the changes so far stand.
    pub(crate) async fn after(
        &self,
        call: &ToolCall,
        permit: &Permit,
        mut outcome: ToolOutcome,
        cancel: &CancellationToken,
    ) -> ToolOutcome {
        for hook in self.hooks.iter() {
            let found = tokio::select! {
                biased;
                found = hook.after(call, permit, &outcome) => found,
                () = cancel.cancelled() => break,
            };
            if let Some(content) = found.content {
                outcome.content = content;
            }
            outcome.content.extend(found.added);
            outcome.is_error = found.is_error.unwrap_or(outcome.is_error);
        }
        outcome
    }

    /// The hooks that look at a point of a turn, in their order.
    pub fn attending(&self, point: HookPoint) -> impl Iterator<Item = &Arc<dyn Hooks>> {
        self.hooks.iter().filter(move |hook| hook.attends(point))
    }
}

fn denied(hook: &str, reason: &str) -> ToolOutcome {
    let facts = Map::from_iter([("hook".to_owned(), Value::from(hook))]);
    ToolOutcome::failure(DENIED, &format!("not run: {hook}: {reason}"), facts)
}
