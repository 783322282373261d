use std::sync::Arc;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesOrdered;
use scorel_proto::HookPoint;
use tokio_util::sync::CancellationToken;

use super::hook_merge::{HookMerge, Shown, denied, ended};
use super::{Hooks, Permit, Question, Reply, ToolCall, ToolOutcome};

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

    /// Returns whether there are no hooks.
    pub fn is_empty(&self) -> bool {
        self.hooks.is_empty()
    }

    /// Shows a call to the hooks, up to the first that stops it.
    pub(crate) async fn before(&self, call: &mut ToolCall) -> Shown {
        let mut merge = HookMerge::default();
        // Neighbours that change nothing get the same call, so that they need not wait for each other.
        let neighbours =
            |one: &Arc<dyn Hooks>, other: &Arc<dyn Hooks>| one.only_reads() && other.only_reads();
        for hooks in self.hooks.chunk_by(neighbours) {
            let looks = hooks.iter().map(|hook| hook.before(call));
            let mut looks: FuturesOrdered<_> = looks.collect();
            for hook in hooks {
                let Some(answer) = looks.next().await else {
                    break;
                };
                if let Err(stopped) = merge.take(&**hook, answer, call) {
                    return merge.stopped(stopped);
                }
            }
        }
        merge.passed()
    }

    /// Shows the hooks a call that is no tool's. Changes it as they say, and returns whether they did. A wish to ask
    /// is met: the caller is one that could answer.
    ///
    /// # Errors
    /// A hook has stopped the call. The text names it.
    pub async fn admit(&self, call: &mut ToolCall) -> Result<bool, String> {
        let marks = self.before(call).await.fate.map_err(|it| it.text())?;
        Ok(!marks.changed_by.is_empty())
    }

    /// Shows a question to the hooks, up to the first that denies the call. Returns the hook that has answered
    /// yes, if one may and has.
    pub(crate) async fn question(
        &self,
        call: &ToolCall,
        question: &Question,
    ) -> Result<Option<String>, ToolOutcome> {
        let mut allowed_by = None;
        for hook in self.hooks.iter() {
            match hook.question(call, question).await {
                Reply::Allow if hook.may_allow() && !question.is_always_asked() => {
                    allowed_by = Some(hook.name().to_owned());
                }
                Reply::Allow | Reply::None => {}
                Reply::Deny(reason) => return Err(denied(hook.name(), &reason)),
            }
        }
        Ok(allowed_by)
    }

    /// Shows an outcome to the hooks. When `cancel` fires, the changes so far stand. The text says why the turn
    /// ends after this call, if it does.
    pub(crate) async fn after(
        &self,
        call: &ToolCall,
        permit: &Permit,
        mut outcome: ToolOutcome,
        cancel: &CancellationToken,
    ) -> (ToolOutcome, Option<String>) {
        let mut ends_turn = None;
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
            ends_turn = ends_turn.or_else(|| ended(hook.name(), found.ends_turn.as_deref()));
        }
        (outcome, ends_turn)
    }

    /// The hooks that look at a point of a turn, in their order.
    pub fn attending(&self, point: HookPoint) -> impl Iterator<Item = &Arc<dyn Hooks>> {
        self.hooks.iter().filter(move |hook| hook.attends(point))
    }

    /// The hooks that look at beginnings of the conversation, in their order.
    pub fn attending_beginnings(&self) -> impl Iterator<Item = &Arc<dyn Hooks>> {
        self.hooks.iter().filter(|hook| hook.attends_beginnings())
    }
}
