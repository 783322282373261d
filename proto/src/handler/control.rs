//! Handlers of the control events: they record what the daemon did. The model reads none of them; some
//! change what it reads of others.

use super::{ContextEdit, DisplayPart, DisplayStyle, EventHandler, LlmAction};
use crate::{
    AuxiliaryUsageBody, CompactionBody, CompactionState, ContextTrimBody, DamageAcceptedBody,
    EventId, FilesRestoreBody, FilesRestoredBody, InstructionSnapshotBody, NoticeBody,
    OutcomeReason, PermissionDecisionBody, PermissionRequestBody, PersistentEvent, QueueOp,
    QueueUpdateBody, SeqReserveBody, ToolStartedBody, TurnOutcomeBody, TurnResumedBody,
    TurnWaitingBody,
};

macro_rules! control {
    ($($body:ty => |$this:ident| $display:expr;)*) => {
        $(impl EventHandler for $body {
            fn convert_to_llm(&self, _: &PersistentEvent) -> LlmAction {
                LlmAction::Skip
            }

            fn convert_to_display(&self) -> Vec<DisplayPart> {
                let $this = self;
                $display
            }
        })*
    };
}

control! {
    InstructionSnapshotBody => |_this| Vec::new();
    TurnOutcomeBody => |this| outcome(this);
    QueueUpdateBody => |this| this.ops.iter().flat_map(queue_op).collect();
    ToolStartedBody => |_this| Vec::new();
    PermissionRequestBody => |this| DisplayPart::note(format!(
        "{} waits for permission {}: {}", this.tool_name, this.request_id, this.reason
    ));
    PermissionDecisionBody => |this| DisplayPart::note(format!(
        "permission {}: {:?}", this.request_id, this.decision
    ));
    TurnWaitingBody => |this| DisplayPart::note(match this.attempt {
        Some(attempt) => format!("waiting (wait {attempt} of the turn): {}", this.reason),
        None => format!("waiting: {}", this.reason),
    });
    TurnResumedBody => |_this| DisplayPart::note("going on");
    AuxiliaryUsageBody => |_this| Vec::new();
    CompactionBody => |this| compaction(this);
    FilesRestoreBody => |this| DisplayPart::note(format!(
        "restoring {} files as they were before {}", this.files.len(), this.before_event_id
    ));
    FilesRestoredBody => |this| restored(this);
    DamageAcceptedBody => |this| DisplayPart::note(format!(
        "{} damaged bytes at offset {} were accepted", this.length, this.offset
    ));
    NoticeBody => |this| DisplayPart::note(this.text.as_str());
    SeqReserveBody => |_this| Vec::new();
}

impl EventHandler for ContextTrimBody {
    fn convert_to_llm(&self, _: &PersistentEvent) -> LlmAction {
        let trim = |event_id: &EventId| ContextEdit::Trim {
            event_id: *event_id,
            keep_chars: self.keep_chars,
        };
        LlmAction::Edit(self.event_ids.iter().map(trim).collect())
    }

    fn convert_to_display(&self) -> Vec<DisplayPart> {
        let count = self.event_ids.len();
        DisplayPart::note(format!("{count} old tool results shortened for the model"))
    }
}

fn outcome(body: &TurnOutcomeBody) -> Vec<DisplayPart> {
    let text = match body.reason {
        OutcomeReason::Completed => return Vec::new(),
        OutcomeReason::Cancelled => "cancelled",
        OutcomeReason::Interrupted => "interrupted: the daemon stopped in the middle of the turn",
        OutcomeReason::Error => "the turn failed",
        OutcomeReason::Limit => "the turn reached a limit",
    };
    match &body.error {
        Some(error) => {
            let failure = format!("{text}: {}", error.message);
            let mut parts = vec![DisplayPart::new(DisplayStyle::Error, failure)];
            if let Some(hint) = &error.hint {
                parts.extend(DisplayPart::note(format!("hint: {hint}")));
            }
            parts
        }
        None => DisplayPart::note(text),
    }
}

fn compaction(body: &CompactionBody) -> Vec<DisplayPart> {
    let text = match body.state {
        CompactionState::Started => "the conversation is being summarised",
        CompactionState::Failed => "the conversation could not be summarised",
        CompactionState::Cancelled => "the summary was cancelled",
        CompactionState::Interrupted => "the summary was interrupted: the daemon stopped",
    };
    match &body.error {
        Some(error) => vec![DisplayPart::new(
            DisplayStyle::Error,
            error.message.as_str(),
        )],
        None => DisplayPart::note(text),
    }
}

fn restored(body: &FilesRestoredBody) -> Vec<DisplayPart> {
    let mut parts = DisplayPart::note("files restored");
    parts.extend(body.failed.iter().map(|file| {
        let text = format!("{} was not restored: {}", file.path, file.error);
        DisplayPart::new(DisplayStyle::Error, text)
    }));
    parts
}

fn queue_op(op: &QueueOp) -> Vec<DisplayPart> {
    match op {
        QueueOp::Add { .. } => DisplayPart::note("a message was queued"),
        QueueOp::Remove { .. } => DisplayPart::note("a queued message was removed"),
        QueueOp::Pause => DisplayPart::note("the queue was paused"),
        QueueOp::Resume => DisplayPart::note("the queue goes on"),
        QueueOp::Edit { .. } | QueueOp::Move { .. } | QueueOp::Convert { .. } => Vec::new(),
    }
}
