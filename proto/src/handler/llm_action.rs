use super::ContextEdit;
use crate::{Block, EventId, Message};

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
