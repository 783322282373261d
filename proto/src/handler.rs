//! What each type of persistent event means to the model and to a person.
//!
//! Every type has one handler. The walk that builds a model's context and the programs that show a
//! session know no types: they do what the handlers say.

mod control;
mod conversation;
mod display;
mod window;

pub use display::{DisplayPart, DisplayStyle};
pub use window::{ContextWindow, OffPath, build_context};

use crate::{EventId, Message, PersistentBody, PersistentEvent};

/// The meaning of one type of persistent event.
pub trait EventHandler {
    /// What the event adds to the model's context.
    fn convert_to_llm(&self, event: &PersistentEvent) -> LlmAction;

    /// What a person sees of the event; nothing if it is not worth showing.
    fn convert_to_display(&self) -> Vec<DisplayPart>;
}

/// What an event adds to a model's context.
#[derive(Debug, Clone, PartialEq)]
pub enum LlmAction {
    /// One message.
    Include(Message),
    /// A reminder inside the tool result directly before it, if that belongs to the same turn;
    /// a message of its own otherwise.
    MergePrev {
        /// What to remind the model of.
        reminder: String,
        /// The message to use where nothing can be merged into.
        otherwise: Message,
    },
    /// Nothing.
    Skip,
    /// Everything up to an event is replaced by a summary.
    Barrier {
        /// The summary.
        summary: Message,
        /// The last event that it covers.
        through: EventId,
        /// Covered messages that the model still reads.
        keep: Vec<EventId>,
    },
}

impl PersistentBody {
    /// The handler of the event's type.
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
            Self::ContextTrim(body) => body,
            Self::DamageAccepted(body) => body,
            Self::SeqReserve(body) => body,
        }
    }
}
