//! Hooks around what a runner does: what it asks about is shown to them first, what it has done afterwards.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::ports::RunnerPorts;
use crate::ports::{HookChain, RunnerAction, RunnerCallEnd, RunnerQuestion};
use crate::{Effect, HookMarks, Permit, ToolCall, ToolOutcome, Verdict};

/// A question that hooks and the gate have looked at.
pub(super) struct JudgedQuestion {
    pub(super) marks: HookMarks,
    pub(super) verdict: Verdict,
    /// A hook ends the turn. Such a question is refused.
    pub(super) ends_turn: bool,
}

/// A call that has ended, while hooks look at it.
pub(super) struct Aftermath {
    end: RunnerCallEnd,
    seen: BoxFuture<'static, CallSeen>,
    cancel: CancellationToken,
}

/// A call that has ended, as hooks have left it.
pub(super) struct CallSeen {
    pub(super) end: RunnerCallEnd,
    /// A hook ends the turn.
    pub(super) ends_turn: bool,
}

/// The reason why hooks refuse what a runner asks about, and whether they end the turn.
struct Refused {
    reason: String,
    ends_turn: bool,
}

/// Shows a question to the hooks, as what it is about, and has it judged.
pub(super) fn judge(
    question: RunnerQuestion,
    ports: &RunnerPorts,
) -> impl Future<Output = JudgedQuestion> + Send + use<> {
    let hooks = ports.hooks.clone();
    let (effects, gate) = (Arc::clone(&ports.effects), Arc::clone(&ports.gate));
    async move {
        let mut marks = match before(&hooks, &question.call, &question.action).await {
            Ok(marks) => marks,
            Err(refused) => return refused.judged(),
        };
        let asked = question.clone();
        // Looks at the file system.
        let looked = crate::spawn_blocking(move || effects.of(&asked)).await;
        let effects = looked.unwrap_or_else(|error| {
            let reason = error.to_string();
            vec![Effect::Unresolved { reason }]
        });
        let mut verdict = gate.judge(&effects, marks.reason.as_deref()).await;
        if let Verdict::Ask { question: ask, .. } = &verdict {
            let earlier = marks.allowed_by.take();
            let earlier = earlier.filter(|_| !ask.is_always_asked());
            match hooks.question(&question.call, ask).await {
                Ok(hook) => marks.allowed_by = hook.or(earlier),
                Err(denied) => verdict = Verdict::Refuse(denied.text()),
            }
        }
        JudgedQuestion {
            marks,
            verdict,
            ends_turn: false,
        }
    }
}

/// Shows an action to the hooks: each of its parts, all of which have to pass. The call runs elsewhere, so that
/// nothing of it can be changed.
async fn before(
    hooks: &HookChain,
    call: &ToolCall,
    action: &RunnerAction,
) -> Result<HookMarks, Refused> {
    let mut marks = Vec::new();
    for part in parts(call, action) {
        let mut shown = part;
        let looked = hooks.before(&mut shown).await;
        let ends_turn = looked.ends_turn.is_some();
        let refused = |reason| Refused { reason, ends_turn };
        let found = looked.fate.map_err(|outcome| refused(outcome.text()))?;
        if let Some(hook) = found.changed_by.first() {
            let reason = format!("not run: {hook} wants to change it, which is not possible here");
            return Err(refused(reason));
        }
        if let Some(reason) = looked.ends_turn {
            return Err(refused(format!("not run: {reason}")));
        }
        marks.push(found);
    }
    let reasons: Vec<String> = marks.iter().filter_map(|it| it.reason.clone()).collect();
    let allowed = marks.iter().map(|it| it.allowed_by.clone());
    // One part that no hook allows is asked about.
    let allowed: Option<Vec<String>> = allowed.collect();
    Ok(HookMarks {
        changed_by: Vec::new(),
        allowed_by: allowed
            .and_then(|mut hooks| hooks.pop())
            .filter(|_| reasons.is_empty()),
        reason: (!reasons.is_empty()).then(|| reasons.join("; ")),
    })
}

/// The refusal of hooks, of an action that a runner leaves to the daemon without having asked.
pub(super) async fn refusal(
    hooks: &HookChain,
    call: &ToolCall,
    action: &RunnerAction,
) -> Option<String> {
    match before(hooks, call, action).await {
        Err(refused) => Some(refused.reason),
        Ok(marks) => {
            let reason = marks.reason?;
            Some(format!("not run: a person has to be asked first: {reason}"))
        }
    }
}

/// An action as calls of the daemon's own tools, with what else is known of it.
fn parts(call: &ToolCall, action: &RunnerAction) -> Vec<ToolCall> {
    let part = |name: &str, fields: Vec<(&str, Value)>| {
        let mut input = call.input.clone();
        if let Value::Object(known) = &mut input {
            known.extend(
                fields
                    .into_iter()
                    .map(|(name, value)| (name.to_owned(), value)),
            );
        }
        ToolCall {
            name: name.to_owned(),
            input,
            ..call.clone()
        }
    };
    let files = |name: &str, paths: &[std::path::PathBuf]| -> Vec<ToolCall> {
        let paths = paths.iter().map(|path| Value::from(path.to_string_lossy()));
        paths.map(|path| part(name, vec![("path", path)])).collect()
    };
    match action {
        RunnerAction::Command { command, directory } => {
            let directory = Value::from(directory.to_string_lossy());
            vec![part(
                "Bash",
                vec![("command", command.as_str().into()), ("cwd", directory)],
            )]
        }
        RunnerAction::Write { paths } => files("Write", paths),
        RunnerAction::Read { paths } => files("Read", paths),
        RunnerAction::Fetch { url } => vec![part("WebFetch", vec![("url", url.as_str().into())])],
        RunnerAction::Other { tool }
        | RunnerAction::Untold { tool }
        | RunnerAction::Own { tool, .. } => {
            vec![part(tool, Vec::new())]
        }
    }
}

impl Refused {
    fn judged(self) -> JudgedQuestion {
        JudgedQuestion {
            marks: HookMarks::default(),
            verdict: Verdict::Refuse(self.reason),
            ends_turn: self.ends_turn,
        }
    }
}

impl Aftermath {
    /// Shows the hooks a call that has ended.
    pub(super) fn begin(hooks: HookChain, call: ToolCall, end: RunnerCallEnd) -> Self {
        let cancel = CancellationToken::new();
        let (told, cut_off) = (end.clone(), cancel.clone());
        let seen = async move {
            let outcome = ToolOutcome {
                content: told.content,
                is_error: told.is_error,
                details: told.details.map(|details| *details),
                recorded: Box::default(),
            };
            let permit = Permit::default();
            let (outcome, ends_turn) = hooks.after(&call, &permit, outcome, &cut_off).await;
            CallSeen {
                end: RunnerCallEnd {
                    call_id: told.call_id,
                    content: outcome.content,
                    is_error: outcome.is_error,
                    details: outcome.details.map(Box::new),
                },
                ends_turn: ends_turn.is_some(),
            }
        };
        Self {
            end,
            seen: Box::pin(seen),
            cancel,
        }
    }

    /// The call as hooks have left it. Cancel-safe.
    pub(super) async fn seen(aftermath: &mut Option<Self>) -> CallSeen {
        let Some(open) = aftermath else {
            return std::future::pending().await;
        };
        let seen = (&mut open.seen).await;
        *aftermath = None;
        seen
    }

    /// The hooks are not waited for any more.
    pub(super) fn cut_off(&self) {
        self.cancel.cancel();
    }

    /// The end of the call, as the runner told it.
    pub(super) fn into_end(self) -> RunnerCallEnd {
        self.end
    }
}
