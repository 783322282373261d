//! One handler for each type of persistent event: what the model reads of it, and what a user sees.
//!
//! In: events of the active path. Out: [`LlmAction`]s for the context and [`DisplayPart`]s for
//! programs that show a session. The walk that builds the context and those programs know no event
//! types, so a new type is a new handler and nothing else.

mod agent_task;
mod control;
mod conversation;
mod display;
mod edit;
mod excerpt;
mod runner_message;
mod window;

pub use display::{DisplayPart, DisplayStyle};
pub use edit::{ContextEdit, trimmed_content};
pub use excerpt::excerpt;
pub use window::{ContextWindow, MeasuredCall, OffPath, WindowItem, build_context, covered_by};

use crate::{Block, EventId, Message, OutcomeReason, PersistentBody, PersistentEvent, Seq};

/// Converts one type of persistent event.
pub trait EventHandler {
    /// The change that the event makes to the model's context.
    fn convert_to_llm(&self, event: &PersistentEvent) -> LlmAction;

    /// The event as it is rendered in a transcript; empty if it is not shown.
    fn convert_to_display(&self) -> Vec<DisplayPart>;
}

/// The change that an event makes to a model's context.
#[derive(Debug, Clone, PartialEq)]
pub enum LlmAction {
    /// Appends a message.
    Include(Message),
    /// Adds a `<system-reminder>` to the tool result directly before it, if that belongs to the same
    /// turn. It never goes further back: that would change what an earlier request has sent, and the
    /// endpoint's prompt cache would miss.
    MergePrev {
        /// The text of the reminder.
        reminder: String,
        /// The blocks that follow it: images and attached files.
        beside: Vec<Block>,
        /// Appended where there is no tool result to merge into.
        otherwise: Message,
    },
    /// Changes nothing.
    Skip,
    /// Replaces everything through an event by a summary.
    Barrier {
        /// Takes the place of what it covers.
        summary: Message,
        /// The last event that the summary covers.
        through: EventId,
        /// Covered messages that stay in the context.
        keep: Vec<EventId>,
    },
    /// Says how the event's turn ended, after the last message of that turn. The event is on no path: it
    /// counts where the path, up to then, ends with that turn.
    Ended {
        /// The text of the reminder.
        reminder: String,
    },
    /// Changes messages that were included before. Counts for every path that they are on, in log
    /// order, so a move of the leaf does not bring back what a request has lost.
    Edit(Vec<ContextEdit>),
}

impl PersistentEvent {
    /// Its seq, if it [edits contexts](PersistentBody::edits_context).
    pub(crate) fn context_edit(&self) -> Option<Seq> {
        self.body.edits_context().then_some(self.seq)
    }
}

impl PersistentBody {
    /// Returns whether the event counts in the contexts of paths that it is not on.
    #[must_use]
    pub fn edits_context(&self) -> bool {
        match self {
            Self::ContextTrim(_) => true,
            Self::TurnOutcome(body) => body.reason != OutcomeReason::Completed,
            _ => false,
        }
    }

    /// The handler for the event's type.
    #[must_use]
    pub fn handler(&self) -> &dyn EventHandler {
        match self {
            Self::Message(body) => body,
            Self::Compact(body) => body,
            Self::CustomMessage(body) => body,
            Self::Rewind(body) => body,
            Self::Branch(body) => body,
            Self::ChannelInject(body) => body,
            Self::SessionInfo(body) => body,
            Self::Custom(body) => body,
            Self::InstructionSnapshot(body) => body,
            Self::TurnOutcome(body) => body,
            Self::QueueUpdate(body) => body,
            Self::ToolStarted(body) => body,
            Self::PermissionRequest(body) => body,
            Self::PermissionDecision(body) => body,
            Self::TurnWaiting(body) => body,
            Self::TurnResumed(body) => body,
            Self::Compaction(body) => body,
            Self::ContextTrim(body) => body,
            Self::AuxiliaryUsage(body) => body,
            Self::FilesRestore(body) => body,
            Self::FilesRestored(body) => body,
            Self::RunnerStart(body) => body,
            Self::RunnerContext(body) => body,
            Self::RunnerExit(body) => body,
            Self::RuntimeSpawned(body) => body,
            Self::RuntimeBoundSession(body) => body,
            Self::RuntimeStatusChanged(body) => body,
            Self::RuntimeQueueChanged(body) => body,
            Self::RuntimeSummaryUpdated(body) => body,
            Self::RuntimeFinished(body) => body,
            Self::RuntimeResultDelivered(body) => body,
            Self::DamageAccepted(body) => body,
            Self::Notice(body) => body,
            Self::SeqReserve(body) => body,
        }
    }
}
