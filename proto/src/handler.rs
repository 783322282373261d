//! The meaning of each type of persistent event, to the model and to a user who reads a transcript.
//!
//! In: events of the active path. Out: [`LlmAction`]s for the context and [`DisplayPart`]s for
//! programs that show a session. The walk that builds the context and those programs know no event
//! types, so a new type is a new row here and nothing else.

mod agent_task;
mod control;
mod conversation;
mod display;
mod edit;
mod excerpt;
mod llm_action;
mod runner_message;
mod window;

pub use display::{DisplayPart, DisplayStyle};
pub use edit::{ContextEdit, trimmed_content};
pub use excerpt::excerpt;
pub use llm_action::LlmAction;
pub use window::{ContextWindow, MeasuredCall, OffPath, WindowItem, build_context, covered_by};

use crate::{OutcomeReason, PersistentBody, PersistentEvent, Seq, counted};

impl PersistentEvent {
    /// Its seq, if it [edits contexts](PersistentBody::edits_context).
    pub(crate) fn context_edit(&self) -> Option<Seq> {
        self.body.edits_context().then_some(self.seq)
    }
}

impl PersistentBody {
    /// Returns whether the event counts in the contexts of paths that it is not on.
    pub fn edits_context(&self) -> bool {
        match self {
            Self::ContextTrim(_) | Self::ContextEdit(_) => true,
            Self::TurnOutcome(body) => body.reason != OutcomeReason::Completed,
            _ => false,
        }
    }

    /// The change that the event makes to the model's context. Most tell the model nothing.
    pub fn convert_to_llm(&self) -> LlmAction {
        match self {
            Self::Message(body) => conversation::said(&body.message),
            Self::CustomMessage(body) => conversation::message_to_llm(&body.message),
            Self::Compact(body) => conversation::summarised(body),
            Self::TurnOutcome(body) => control::ended(body),
            Self::ContextTrim(body) => control::trimmed(body),
            Self::ContextEdit(body) => control::edited(body),
            _ => LlmAction::Skip,
        }
    }

    /// The event as it is rendered in a transcript; empty if it is not shown.
    pub fn convert_to_display(&self) -> Vec<DisplayPart> {
        let note = |text: String| DisplayPart::note(text);
        match self {
            Self::Message(body) => conversation::message_to_display(&body.message),
            Self::CustomMessage(body) => note(conversation::told(body)),
            Self::Compact(body) => note(format!(
                "context compacted: {} tokens became {}",
                body.tokens_before, body.tokens_after
            )),
            Self::Rewind(body) => note(match body.target_event_id {
                Some(target) => format!("went back to {target}"),
                None => "went back to the beginning".to_owned(),
            }),
            Self::Branch(body) => note(format!(
                "switched to the branch that ends at {}",
                body.leaf_event_id
            )),
            Self::SessionInfo(body) => conversation::changed(&body.changes),
            Self::TurnOutcome(body) => control::outcome(body),
            Self::QueueUpdate(body) => body.ops.iter().flat_map(control::queue_op).collect(),
            Self::PermissionRequest(body) => note(format!(
                "{} asks for permission: {}",
                body.tool_name, body.reason
            )),
            Self::PermissionDecision(body) => note(control::decision(body)),
            Self::TurnWaiting(body) => note(match body.attempt {
                Some(attempt) => format!("waiting (wait {attempt} of the turn): {}", body.reason),
                None => format!("waiting: {}", body.reason),
            }),
            Self::TurnResumed(_) => DisplayPart::note("going on"),
            Self::Compaction(body) => control::compaction(body),
            Self::ContextTrim(body) => {
                let count = counted(body.event_ids.len(), "old tool result");
                note(format!("{count} shortened for the model"))
            }
            Self::ContextEdit(body) => {
                let count = counted(body.ops.len(), "message");
                note(format!("{} changed {count} for the model", body.by))
            }
            Self::ToolSet(body) => note(control::tool_set(body)),
            Self::FilesRestore(body) => note(format!(
                "restoring {} as they were before {}",
                counted(body.files.len(), "file"),
                body.before_event_id
            )),
            Self::FilesRestored(body) => control::restored(body),
            Self::RunnerStart(body) => note(control::runner_start(body)),
            Self::RunnerContext(body) => control::runner_context(body),
            Self::RunnerExit(body) => control::runner_exit(body),
            Self::RuntimeSpawned(body) => note(agent_task::spawned(body)),
            Self::RuntimeStatusChanged(body) => note(agent_task::status(body)),
            Self::RuntimeQueueChanged(body) => note(agent_task::queue(body)),
            Self::RuntimeSummaryUpdated(body) => {
                note(format!("{}: {}", body.stamp.runtime_id, body.summary))
            }
            Self::RuntimeFinished(body) => agent_task::finished(body),
            Self::RuntimeResultDelivered(body) => agent_task::delivered(body),
            Self::DamageAccepted(body) => note(format!(
                "{} at offset {} accepted",
                counted(body.length, "damaged byte"),
                body.offset
            )),
            Self::Notice(body) => note(body.text.clone()),
            // Its message says where it comes from.
            Self::ChannelInject(_)
            | Self::Custom(_)
            | Self::InstructionSnapshot(_)
            | Self::ToolStarted(_)
            | Self::AuxiliaryUsage(_)
            | Self::RuntimeBoundSession(_)
            | Self::SeqReserve(_) => Vec::new(),
        }
    }
}
