//! The meaning of the control events: they record what the daemon did. The model reads none of them; some
//! change what it reads of others.

use super::{ContextEdit, DisplayPart, DisplayStyle, LlmAction, excerpt};
use crate::{
    CompactionBody, CompactionState, ContextEditBody, ContextTrimBody, EventId, FilesRestoredBody,
    OutcomeReason, PermissionDecisionBody, QueueOp, RunnerContextBody, RunnerContextOrigin,
    RunnerExitBody, RunnerStartBody, ToolSetBody, TurnOutcomeBody, counted,
};

/// The rule for every turn that was not completed.
const ENDED_EARLY: &str = "Only what results above report was done; nothing else of it has run. Do not \
    go on with it unless the user asks for that.";

/// The part of an error's message that the model gets.
const ERROR_BYTES: usize = 512;

/// Tells the model how a turn ended that was not completed.
pub(super) fn ended(body: &TurnOutcomeBody) -> LlmAction {
    match fate(body) {
        Some(how) => LlmAction::Ended {
            reminder: format!("{how} {ENDED_EARLY}"),
        },
        None => LlmAction::Skip,
    }
}

pub(super) fn trimmed(body: &ContextTrimBody) -> LlmAction {
    let trim = |event_id: &EventId| ContextEdit::Trim {
        event_id: *event_id,
        keep_chars: body.keep_chars,
    };
    LlmAction::Edit(body.event_ids.iter().map(trim).collect())
}

pub(super) fn edited(body: &ContextEditBody) -> LlmAction {
    LlmAction::Edit(body.ops.iter().cloned().map(ContextEdit::Op).collect())
}

/// The fate of a turn that was not completed; `None` for one that was.
fn fate(body: &TurnOutcomeBody) -> Option<String> {
    let error = body.error.as_ref();
    let why = error.map_or_else(String::new, |error| {
        format!(": {}", excerpt(&error.message, ERROR_BYTES))
    });
    Some(match body.reason {
        OutcomeReason::Completed => return None,
        OutcomeReason::Cancelled => {
            "The user cancelled the work on the message above before it was finished.".to_owned()
        }
        OutcomeReason::Interrupted => {
            "The program that runs you stopped before the work on the message above was finished."
                .to_owned()
        }
        OutcomeReason::Error => {
            format!("The work on the message above ended early with an error{why}.")
        }
        OutcomeReason::Limit => {
            format!("The work on the message above was stopped at a limit{why}.")
        }
    })
}

pub(super) fn outcome(body: &TurnOutcomeBody) -> Vec<DisplayPart> {
    if body.reason == OutcomeReason::Completed {
        return Vec::new();
    }
    let text = body.reason.text();
    match &body.error {
        Some(error) => {
            let failure = format!("{text}: {}", error.message);
            let mut parts = DisplayPart::only(DisplayStyle::Error, failure);
            if let Some(hint) = &error.hint {
                parts.extend(DisplayPart::note(format!("hint: {hint}")));
            }
            parts
        }
        None => DisplayPart::note(text),
    }
}

pub(super) fn decision(body: &PermissionDecisionBody) -> String {
    let text = body.decision.text();
    match &body.reason {
        Some(reason) => format!("{text}: {reason}"),
        None => text.to_owned(),
    }
}

pub(super) fn tool_set(body: &ToolSetBody) -> String {
    let tools = counted(body.tools, "tool");
    match body.deferred {
        0 => format!("{tools} from outside"),
        deferred => format!("{tools} from outside, {deferred} of them to be searched for"),
    }
}

pub(super) fn runner_start(body: &RunnerStartBody) -> String {
    let name = match &body.version {
        Some(version) => format!("{} {version}", body.runner),
        None => body.runner.clone(),
    };
    let context = match body.context {
        RunnerContextOrigin::New => "new context",
        RunnerContextOrigin::Resumed => "resumed context",
    };
    match &body.handover {
        Some(handover) => format!(
            "runner {name} started ({context}, handed over {} of the conversation)",
            counted(handover.bytes, "byte")
        ),
        None => format!("runner {name} started ({context})"),
    }
}

/// That a runner has named its context says nothing to a reader.
pub(super) fn runner_context(body: &RunnerContextBody) -> Vec<DisplayPart> {
    let runner = &body.runner;
    let reason = body.reason.as_ref();
    let reason = reason.map_or_else(String::new, |reason| format!(": {reason}"));
    match &body.context_id {
        None => DisplayPart::note(format!("runner {runner} has no context any more{reason}")),
        Some(_) if reason.is_empty() => Vec::new(),
        Some(_) => DisplayPart::note(format!("runner {runner} has another context{reason}")),
    }
}

pub(super) fn runner_exit(body: &RunnerExitBody) -> Vec<DisplayPart> {
    match (body.code, &body.signal) {
        _ if body.kept => Vec::new(),
        (Some(0), None) => Vec::new(),
        (_, Some(signal)) => DisplayPart::note(format!("the runner was killed by {signal}")),
        (Some(code), None) => DisplayPart::note(format!("the runner ended with code {code}")),
        (None, None) => DisplayPart::note("the runner ended with the daemon"),
    }
}

pub(super) fn compaction(body: &CompactionBody) -> Vec<DisplayPart> {
    let text = match body.state {
        CompactionState::Started => "the conversation is being summarised",
        CompactionState::Failed => "the conversation could not be summarised",
        CompactionState::Cancelled => "the summary was cancelled",
        CompactionState::Interrupted => "the summary was interrupted: the daemon stopped",
    };
    match &body.error {
        Some(error) => DisplayPart::only(DisplayStyle::Error, error.message.as_str()),
        None => DisplayPart::note(text),
    }
}

pub(super) fn restored(body: &FilesRestoredBody) -> Vec<DisplayPart> {
    let mut parts = DisplayPart::note("files restored");
    parts.extend(body.failed.iter().map(|file| {
        let text = format!("{} was not restored: {}", file.path, file.error);
        DisplayPart::new(DisplayStyle::Error, text)
    }));
    parts
}

pub(super) fn queue_op(op: &QueueOp) -> Vec<DisplayPart> {
    match op {
        QueueOp::Add { .. } => DisplayPart::note("a message was queued"),
        QueueOp::Remove { .. } => DisplayPart::note("a queued message was removed"),
        QueueOp::Pause => DisplayPart::note("the queue was paused"),
        QueueOp::Resume => DisplayPart::note("queue resumed"),
        QueueOp::Edit { .. } | QueueOp::Move { .. } | QueueOp::Convert { .. } => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::PersistentBody;

    fn shown<T: serde::de::DeserializeOwned>(wrap: fn(T) -> PersistentBody, body: Value) -> String {
        let body = wrap(serde_json::from_value(body).expect("a body"));
        let texts = body.convert_to_display().into_iter().map(|part| part.text);
        texts.collect::<Vec<_>>().join("\n")
    }

    const TURN: &str = "trn_01K1H9Q8000000000000000001";

    #[test]
    fn a_start_says_which_runner_and_which_context() {
        let mut body = json!({
            "runner": "codex", "traceId": TURN, "command": ["codex"], "cwd": "/p", "context": "new",
        });
        assert_eq!(
            shown(PersistentBody::RunnerStart, body.clone()),
            "runner codex started (new context)"
        );
        body["version"] = json!("0.153.0");
        body["context"] = json!("resumed");
        body["handover"] = json!({
            "fromEventId": "evt_01K1H9Q8000000000000000001",
            "throughEventId": "evt_01K1H9Q8000000000000000001",
            "bytes": 412, "blob": "0".repeat(64),
        });
        assert_eq!(
            shown(PersistentBody::RunnerStart, body),
            "runner codex 0.153.0 started (resumed context, handed over 412 bytes of the conversation)"
        );
    }

    #[test]
    fn a_context_is_shown_when_it_is_gone() {
        let body = |id: Value| json!({"runner": "codex", "contextId": id, "cwd": "/p"});
        assert_eq!(shown(PersistentBody::RunnerContext, body(json!("c1"))), "");
        let mut lost = body(json!(null));
        lost["reason"] = json!("no such thread");
        assert_eq!(
            shown(PersistentBody::RunnerContext, lost),
            "runner codex has no context any more: no such thread"
        );
    }

    #[test]
    fn an_exit_is_shown_unless_it_is_as_it_should_be() {
        for (code, signal, kept, expected) in [
            (json!(0), json!(null), false, ""),
            (json!(null), json!(null), true, ""),
            (json!(3), json!(null), false, "the runner ended with code 3"),
            (
                json!(null),
                json!(9),
                false,
                "the runner was killed by SIGKILL",
            ),
            (
                json!(null),
                json!(null),
                false,
                "the runner ended with the daemon",
            ),
        ] {
            let body = json!({
                "traceId": TURN, "code": code, "signal": signal, "kept": kept, "durationMs": 1,
            });
            assert_eq!(shown(PersistentBody::RunnerExit, body), expected);
        }
    }
}
