use crate::ports::Shown;
use crate::{PendingCall, ToolOutcome, ToolPlan, TurnPorts, Verdict};

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
    // A person was asked about it: the hooks have seen it, and this is what the question said.
    let is_reopened = marks.is_some();
    let shown = match marks {
        Some(marks) => Shown {
            fate: Ok(marks),
            ends_turn: None,
        },
        None => ports.hooks.before(&mut call).await,
    };
    let fate = async {
        let mut marks = shown.fate?;
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
            marks.allowed_by = ports.hooks.question(&call, question).await?.or(earlier);
        }
        let marks = Some(marks);
        Ok((PendingCall { call, marks }, plan, verdict))
    };
    Looked {
        fate: fate.await,
        ends_turn: shown.ends_turn,
    }
}
