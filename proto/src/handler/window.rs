//! The walk that turns a path through the tree into a model's context.

use super::LlmAction;
use crate::{
    Block, Context, EventId, Message, PathNode, PersistentEvent, ToolResultContent,
    ToolResultMessage, TreePlacement, TurnId,
};

/// Builds the model's context from the events between the root and a leaf, both included.
///
/// Equal paths give equal contexts, and a path that grows without a barrier only adds to its
/// context, so an endpoint's prompt cache holds.
#[must_use]
pub fn build_context(path: &[PersistentEvent]) -> Context {
    ContextWindow::build(path, path.last().map(|event| event.id)).context
}

/// The context of a session's active path, kept current one event at a time.
///
/// It always equals [`build_context`] of the path up to [`ContextWindow::leaf`]: both fold the same
/// events by the same rules. An event that ends or cuts the path is refused, and the window must be
/// built again.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ContextWindow {
    context: Context,
    leaf: Option<EventId>,
    /// The turn of the newest message, if that is a tool result: reminders of this turn merge into
    /// it.
    merges_into: Option<TurnId>,
}

/// A window cannot take an event in: it goes on somewhere else in the tree, or it is a barrier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OffPath;

impl ContextWindow {
    /// The window that begins with a barrier, or with nothing; [`ContextWindow::include`] adds what
    /// follows. For callers that read one event at a time.
    #[must_use]
    pub fn beginning_with(barrier: Option<&PersistentEvent>) -> Self {
        let mut window = Self::default();
        if let Some(LlmAction::Barrier { summary, .. }) = barrier.map(action) {
            window.context.push(summary);
        }
        window
    }

    /// Adds the next event of the path, one of those that [`ContextWindow::needs`] names.
    pub fn include(&mut self, event: &PersistentEvent) {
        self.fold(event);
    }

    /// Names the event that the path ends with. It may be one that could not be included.
    #[must_use]
    pub fn ending_at(mut self, leaf: Option<EventId>) -> Self {
        self.leaf = leaf;
        self
    }

    /// Builds the window of the path that ends at `leaf`.
    ///
    /// `path` must hold the events of that path in order; those that [`ContextWindow::needs`] does
    /// not name may be missing. `leaf` is given apart because its event may be unreadable, or of a
    /// type that this version does not know.
    #[must_use]
    pub fn build(path: &[PersistentEvent], leaf: Option<EventId>) -> Self {
        let mut window = Self::default();
        // The nearest barrier is found from the end. From there the context is built forward,
        // because a reminder merges into a message that the walk must have met before.
        let rest = window.begin_at_barrier(path);
        for event in &path[rest..] {
            window.fold(event);
        }
        window.leaf = leaf;
        window
    }

    /// The events of `path` that the context is made of besides the summary, if `barrier` is the
    /// newest event of it with [`NodeKind::Compact`](crate::NodeKind::Compact): what the barrier
    /// leaves of the events before it, and all events after it.
    #[must_use]
    pub fn needs(path: &[PathNode], barrier: &PersistentEvent) -> Vec<PathNode> {
        let LlmAction::Barrier { through, keep, .. } = action(barrier) else {
            return path.to_vec();
        };
        let place = |id| path.iter().position(|node| node.id == id);
        let at = place(barrier.id).unwrap_or(0);
        let from = place(through).map_or(at, |covered| at.min(covered + 1));
        let (covered, rest) = path.split_at(from);
        let kept = covered.iter().filter(|node| keep.contains(&node.id));
        let rest = rest.iter().filter(|node| node.id != barrier.id);
        kept.chain(rest).copied().collect()
    }

    /// The context as it is now. Later changes of the window do not reach it.
    #[must_use]
    pub const fn context(&self) -> &Context {
        &self.context
    }

    /// The event that the path ends with.
    #[must_use]
    pub const fn leaf(&self) -> Option<EventId> {
        self.leaf
    }

    /// Folds the next event of the session's log, in time that depends on the event alone.
    ///
    /// # Errors
    ///
    /// [`OffPath`] if the event moves the leaf elsewhere or is a barrier. The window is then out of
    /// date and must be built again.
    pub fn apply(&mut self, event: &PersistentEvent) -> Result<(), OffPath> {
        match event.body.place() {
            // Neither becomes the leaf, so no path goes through it.
            TreePlacement::Control | TreePlacement::Aside => return Ok(()),
            TreePlacement::Move => return Err(OffPath),
            TreePlacement::Leaf if event.parent_id != self.leaf => return Err(OffPath),
            TreePlacement::Leaf => {}
        }
        if matches!(action(event), LlmAction::Barrier { .. }) {
            return Err(OffPath);
        }
        self.fold(event);
        self.leaf = Some(event.id);
        Ok(())
    }

    /// Starts with the nearest barrier's summary and what it leaves of the events before it.
    /// Returns the index in `path` where the rest begins.
    fn begin_at_barrier(&mut self, path: &[PersistentEvent]) -> usize {
        for (place, event) in path.iter().enumerate().rev() {
            if let LlmAction::Barrier {
                summary,
                through,
                keep,
            } = action(event)
            {
                self.context.push(summary);
                let last = path[..place].iter().position(|event| event.id == through);
                let (covered, tail) = path[..place].split_at(last.map_or(place, |last| last + 1));
                let kept = covered.iter().filter(|event| keep.contains(&event.id));
                for event in kept.chain(tail) {
                    self.fold(event);
                }
                return place + 1;
            }
        }
        0
    }

    fn fold(&mut self, event: &PersistentEvent) {
        match action(event) {
            LlmAction::Include(message) => self.push(event, message),
            LlmAction::MergePrev {
                reminder,
                otherwise,
            } => {
                let same_turn = self.merges_into.is_some() && self.merges_into == event.turn_id;
                if same_turn && let Some(Message::ToolResult(result)) = self.context.last_mut() {
                    remind(result, &reminder);
                } else {
                    self.push(event, otherwise);
                }
            }
            // A barrier further up than the nearest one is covered by it.
            LlmAction::Skip | LlmAction::Barrier { .. } => {}
        }
    }

    fn push(&mut self, event: &PersistentEvent, message: Message) {
        let is_result = matches!(message, Message::ToolResult(_));
        self.merges_into = if is_result { event.turn_id } else { None };
        self.context.push(message);
    }
}

fn action(event: &PersistentEvent) -> LlmAction {
    event.body.handler().convert_to_llm(event)
}

fn remind(message: &mut ToolResultMessage, reminder: &str) {
    let [ToolResultContent::ToolResult(result)] = &mut message.content;
    let text = format!("<system-reminder>\n{reminder}\n</system-reminder>");
    result.content.push(Block::text(text));
}

#[cfg(test)]
mod tests;
