//! The merge of several hooks' answers about one call.

use serde_json::{Map, Value};

use super::{BeforeCall, CallOpinion, HookMarks, Hooks, ToolCall, ToolOutcome, ToolPlan};

/// The error code of a call that a hook denied.
const DENIED: &str = "E_HOOK_DENIED";

/// The error code of a call that a hook could not look at.
const FAILED: &str = "E_HOOK_FAILED";

/// A call as hooks have left it, before it is planned.
#[derive(Debug)]
pub(crate) struct Shown {
    /// Their marks, or the outcome of a call that they have stopped.
    pub(crate) fate: Result<HookMarks, ToolOutcome>,
    /// Why the turn ends after this call, if it does.
    pub(crate) ends_turn: Option<String>,
}

impl Default for Shown {
    /// A call that no hook has looked at.
    fn default() -> Self {
        Self {
            fate: Ok(HookMarks::default()),
            ends_turn: None,
        }
    }
}

/// The answers so far.
#[derive(Debug, Default)]
pub(super) struct HookMerge {
    marks: HookMarks,
    ends_turn: Option<String>,
}

impl HookMerge {
    /// Adds the answer of the next hook, and changes the call as it says. The error is the outcome of a call
    /// that does not run.
    pub(super) fn take(
        &mut self,
        hook: &dyn Hooks,
        answer: BeforeCall,
        call: &mut ToolCall,
    ) -> Result<(), ToolOutcome> {
        let BeforeCall {
            input,
            opinion,
            ends_turn,
        } = answer;
        let (name, marks) = (hook.name(), &mut self.marks);
        self.ends_turn = self
            .ends_turn
            .take()
            .or_else(|| ended(name, ends_turn.as_deref()));
        // First: a hook that changes a call and denies it has denied it.
        match &opinion {
            CallOpinion::Deny(reason) => return Err(denied(name, reason)),
            CallOpinion::Failed(reason) => return Err(failed(name, reason)),
            CallOpinion::None | CallOpinion::Allow | CallOpinion::Ask(_) => {}
        }
        if let Some(input) =
            input.filter(|input| call.invalid_input.is_some() || *input != call.input)
        {
            if hook.only_reads() {
                return Err(failed(
                    name,
                    "it may only read, and wants to change the call",
                ));
            }
            if !input.is_object() {
                return Err(failed(
                    name,
                    "its arguments for the call are not a JSON object",
                ));
            }
            call.input = input;
            call.invalid_input = None;
            marks.changed_by.push(name.to_owned());
            // It was another call that was allowed.
            marks.allowed_by = None;
        }
        match opinion {
            CallOpinion::Allow if hook.may_allow() => marks.allowed_by = Some(name.to_owned()),
            CallOpinion::Ask(reason) => {
                let before = marks.reason.take().map(|before| before + "; ");
                marks.reason = Some(before.unwrap_or_default() + &format!("{name}: {reason}"));
            }
            _ => {}
        }
        Ok(())
    }

    /// The end of a chain that has let the call pass.
    pub(super) fn passed(mut self) -> Shown {
        if self.marks.reason.is_some() {
            self.marks.allowed_by = None;
        }
        Shown {
            fate: Ok(self.marks),
            ends_turn: self.ends_turn,
        }
    }

    /// The end of a chain that has stopped the call.
    pub(super) fn stopped(self, outcome: ToolOutcome) -> Shown {
        Shown {
            fate: Err(outcome),
            ends_turn: self.ends_turn,
        }
    }
}

impl HookMarks {
    /// The outcome of a call whose arguments do not fit since hooks have changed them.
    pub(crate) fn misfit(&self, plan: &ToolPlan) -> Option<ToolOutcome> {
        let (hook, misfit) = self.changed_by.last().zip(plan.misfit())?;
        let reason = format!("its arguments for the call do not fit: {misfit}");
        Some(failed(hook, &reason))
    }
}

/// The outcome of a call that a hook denied.
pub(super) fn denied(hook: &str, reason: &str) -> ToolOutcome {
    stopped(DENIED, hook, reason)
}

fn failed(hook: &str, reason: &str) -> ToolOutcome {
    stopped(FAILED, hook, reason)
}

fn stopped(code: &str, hook: &str, reason: &str) -> ToolOutcome {
    let facts = Map::from_iter([("hook".to_owned(), Value::from(hook))]);
    ToolOutcome::failure(code, &format!("not run: {hook}: {reason}"), facts)
}

/// Why the turn ends, if a hook wants it to.
pub(super) fn ended(hook: &str, reason: Option<&str>) -> Option<String> {
    reason.map(|reason| match reason {
        "" => format!("{hook} has ended the turn"),
        reason => format!("{hook} has ended the turn: {reason}"),
    })
}
