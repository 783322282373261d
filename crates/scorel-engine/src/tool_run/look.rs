use crate::ports::Shown;
use crate::{PendingCall, ToolCall, ToolOutcome, ToolPlan, TurnPorts, Verdict};

/// A call that was shown to the hooks, and what is to become of it and of the turn.
pub(super) struct Looked {
    /// The call as it would run, or the outcome of one that a hook has stopped.
    pub(super) fate: Result<(PendingCall, ToolPlan, Verdict), ToolOutcome>,
    /// Why a hook ends the turn after this call, if one does.
    pub(super) ends_turn: Option<String>,
}

/// Shows a call to the hooks, plans what they have left of it, and has that judged.
pub(super) async fn look(pending: PendingCall, ports: &TurnPorts) -> Looked {
    let PendingCall { mut call, marks } = pending;
    if let Some(refused) = ports.tools.refusal(&call) {
        return Looked {
            fate: Err(refused),
            ends_turn: None,
        };
    }
    // A person was asked about it: the hooks have seen it, and this is what the question said.
    let is_reopened = marks.is_some();
    let looked = match marks {
        Some(marks) => Shown {
            fate: Ok(marks),
            ends_turn: None,
        },
        None => shown(&mut call, ports).await,
    };
    let fate = async {
        let mut marks = looked.fate?;
        let plan = ports.tools.plan(call.clone()).await;
        if let Some(misfit) = marks.misfit(&plan) {
            return Err(misfit);
        }
        let reason = marks.reason.as_deref();
        let verdict = ports.gate.judge(plan.effects(), reason).await;
        if let Verdict::Ask { question, .. } = &verdict
            && !is_reopened
        {
            let earlier = marks.allowed_by.filter(|_| !question.is_always_asked());
            let asked = ports.tools.canonical(&call);
            marks.allowed_by = ports.hooks.question(&asked, question).await?.or(earlier);
        }
        let marks = Some(marks);
        Ok((PendingCall { call, marks }, plan, verdict))
    };
    Looked {
        fate: fate.await,
        ends_turn: looked.ends_turn,
    }
}

/// Shows the hooks a call as its tool takes it: a guard that knows `Bash` and `command` must not miss `bash` and `cmd`.
/// The record keeps what the model wrote, unless a hook has changed it.
async fn shown(call: &mut ToolCall, ports: &TurnPorts) -> Shown {
    if ports.hooks.is_empty() {
        return Shown::default();
    }
    let mut seen = ports.tools.canonical(call);
    let shown = ports.hooks.before(&mut seen).await;
    if matches!(&shown.fate, Ok(marks) if !marks.changed_by.is_empty()) {
        call.input = seen.input;
        call.invalid_input = seen.invalid_input;
    }
    shown
}
