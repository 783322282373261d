//! The walk that turns a path through the tree into a model's context.

mod edits;
mod item;

use std::collections::HashMap;

use item::MergedReminder;
pub use item::{MeasuredCall, WindowItem};

use super::LlmAction;
use crate::{
    Block, Context, EventId, Message, PathNode, PersistentBody, PersistentEvent, Seq,
    TokenEstimate, ToolResultContent, ToolResultMessage, TreePlacement, TurnId, tags,
};

/// Builds the model's context from the events between the root and a leaf, both included, and from
/// the events of the log that edit them; see [`LlmAction::Edit`].
///
/// Equal paths and edits give equal contexts, and a path that grows without a barrier only adds to
/// its context, so an endpoint's prompt cache holds.
pub fn build_context(path: &[PersistentEvent], edits: &[PersistentEvent]) -> Context {
    ContextWindow::build(path, edits, path.last().map(|event| event.id)).context
}

/// The context of a session's active path, kept current one event at a time.
///
/// It always equals [`build_context`] of the path up to [`ContextWindow::leaf`]: both fold the same
/// events by the same rules. An event that ends or cuts the path is refused, and the window must be
/// built again.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ContextWindow {
    context: Context,
    /// One for each message of the context.
    items: Vec<WindowItem>,
    /// Where the message of an event is, also of one that was merged into another.
    places: HashMap<EventId, usize>,
    leaf: Option<EventId>,
    /// The turn of the newest message, if that is a tool result: reminders of this turn merge into
    /// it.
    merges_into: Option<TurnId>,
    /// The barrier that the window begins with. Requests before it had other messages.
    barrier: Option<Seq>,
    /// The messages that the barrier keeps of those that it covers.
    keeps: Vec<EventId>,
    /// The number of messages at the beginning that stand for what the barrier covers.
    covered: usize,
    tokens: TokenEstimate,
    measured: Option<MeasuredCall>,
}

/// A window cannot take an event in: it goes on somewhere else in the tree, or it is a barrier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OffPath;

impl ContextWindow {
    /// The window that begins with a barrier, or with nothing; [`ContextWindow::include`] adds what
    /// follows. For callers that read one event at a time.
    pub fn beginning_with(barrier: Option<&PersistentEvent>) -> Self {
        let mut window = Self::default();
        if let Some(event) = barrier
            && let LlmAction::Barrier { summary, keep, .. } = action(event)
        {
            window.barrier = Some(event.seq);
            window.push(event, summary);
            window.covered = 1;
            window.keeps = keep;
        }
        window
    }

    /// Adds the next event: one of the path that [`ContextWindow::needs`] names, or one that edits the
    /// context. To be called in log order.
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
    /// `path` must hold the events of that path in order; those that [`ContextWindow::needs`] does not
    /// name may be missing. `edits` are the events of the log that edit the context, in order; those before
    /// the first needed event may be missing. `leaf` is given apart because its event may be unreadable,
    /// or of a type that this version does not know.
    pub fn build(
        path: &[PersistentEvent],
        edits: &[PersistentEvent],
        leaf: Option<EventId>,
    ) -> Self {
        // The nearest barrier is found from the end. From there the context is built forward,
        // because a reminder merges into a message that the walk must have met before.
        let (mut window, mut events) = Self::begin_at_barrier(path);
        events.extend(edits);
        events.sort_by_key(|event| event.seq);
        for event in events {
            window.fold(event);
        }
        window.ending_at(leaf)
    }

    /// The events of `path` that the context is made of besides the summary, if `barrier` is the
    /// newest event of it with [`NodeKind::Compact`](crate::NodeKind::Compact): what the barrier
    /// leaves of the events before it, and all events after it.
    pub fn needs(path: &[PathNode], barrier: &PersistentEvent) -> Vec<PathNode> {
        let LlmAction::Barrier { through, keep, .. } = action(barrier) else {
            return path.to_vec();
        };
        let at = path.iter().position(|node| node.id == barrier.id);
        let before = &path[..at.unwrap_or(0)];
        let covered = covered_by(through, before.iter().map(|node| node.id));
        let (covered, rest) = path.split_at(covered);
        let kept = covered.iter().filter(|node| keep.contains(&node.id));
        let rest = rest.iter().filter(|node| node.id != barrier.id);
        kept.chain(rest).copied().collect()
    }

    /// The context as it is now. Later changes of the window do not reach it.
    pub const fn context(&self) -> &Context {
        &self.context
    }

    /// The messages of the context with the events behind them, oldest first.
    pub fn items(&self) -> impl DoubleEndedIterator<Item = (&WindowItem, &Message)> {
        self.items.iter().zip(&self.context)
    }

    /// The seq of the `compact` event that the window begins with.
    pub const fn barrier(&self) -> Option<Seq> {
        self.barrier
    }

    /// The number of messages at the beginning that stand for what the barrier covers: its summary, and the
    /// messages that it keeps.
    pub const fn covered(&self) -> usize {
        self.covered
    }

    /// The estimated size of all messages.
    pub const fn tokens(&self) -> TokenEstimate {
        self.tokens
    }

    /// The newest answer that says how large its request was, unless a message that the request had
    /// was edited since: the request is no prefix of the next one then.
    pub const fn measured(&self) -> Option<&MeasuredCall> {
        self.measured.as_ref()
    }

    /// The event that the path ends with.
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
            TreePlacement::Aside => return Ok(()),
            TreePlacement::Control => {
                self.fold(event);
                return Ok(());
            }
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

    /// The window that starts with the nearest barrier's summary, and the events of the path that follow
    /// in it.
    fn begin_at_barrier(path: &[PersistentEvent]) -> (Self, Vec<&PersistentEvent>) {
        for (place, event) in path.iter().enumerate().rev() {
            if let LlmAction::Barrier { through, keep, .. } = action(event) {
                let before = &path[..place];
                let covered = covered_by(through, before.iter().map(|event| event.id));
                let (covered, tail) = before.split_at(covered);
                let kept = covered.iter().filter(|event| keep.contains(&event.id));
                let rest = tail.iter().chain(&path[place + 1..]);
                let window = Self::beginning_with(Some(event));
                return (window, kept.chain(rest).collect());
            }
        }
        (Self::default(), path.iter().collect())
    }

    fn fold(&mut self, event: &PersistentEvent) {
        match action(event) {
            LlmAction::Include(message) => self.push(event, message),
            LlmAction::MergePrev {
                reminder,
                beside,
                otherwise,
            } => {
                let same_turn = self.merges_into.is_some() && self.merges_into == event.turn_id;
                if !(same_turn && self.merge(event, &reminder, beside)) {
                    self.push(event, otherwise);
                }
            }
            LlmAction::Ended { reminder } => self.end_turn(event, &reminder),
            LlmAction::Edit(edits) => self.edit(&edits),
            // A barrier further up than the nearest one is covered by it.
            LlmAction::Skip | LlmAction::Barrier { .. } => {}
        }
    }

    /// Adds how a turn ended, if the newest message is one of that turn. It is a message of its own,
    /// because no message may change that a request has had, and goes with the one before it.
    fn end_turn(&mut self, event: &PersistentEvent, reminder: &str) {
        let is_of_turn = |last: &&WindowItem| last.turn_id == event.turn_id && last.seq < event.seq;
        let Some(last) = self.items.last().filter(is_of_turn) else {
            return;
        };
        let message = Message::user(tags::reminder(reminder));
        let item = WindowItem {
            event_id: last.last_event_id,
            last_event_id: last.last_event_id,
            seq: event.seq,
            turn_id: event.turn_id,
            tokens: TokenEstimate::of_message(&message),
            merged: Vec::new(),
            is_note: false,
        };
        self.add(item, message);
    }

    /// Merges a reminder into the newest message, if that is a tool result.
    fn merge(&mut self, event: &PersistentEvent, reminder: &str, beside: Vec<Block>) -> bool {
        let Some(index) = self.items.len().checked_sub(1) else {
            return false;
        };
        let Some(Message::ToolResult(result)) = self.context.get_mut(index) else {
            return false;
        };
        let before = result.result().content.len();
        remind(result, reminder, beside);
        let added = result.result().content.len() - before;
        self.items[index].last_event_id = event.id;
        self.items[index].merged.push(MergedReminder {
            event_id: event.id,
            blocks: added,
        });
        self.places.insert(event.id, index);
        self.weigh(index);
        true
    }

    fn push(&mut self, event: &PersistentEvent, message: Message) {
        let is_result = matches!(message, Message::ToolResult(_));
        let tokens = TokenEstimate::of_message(&message);
        self.measure(event, tokens);
        if self.keeps.contains(&event.id) && self.covered == self.items.len() {
            self.covered += 1;
        }
        self.places.insert(event.id, self.items.len());
        let item = WindowItem {
            event_id: event.id,
            seq: event.seq,
            turn_id: event.turn_id,
            last_event_id: event.id,
            tokens,
            merged: Vec::new(),
            is_note: is_note(event),
        };
        self.add(item, message);
        self.merges_into = event.turn_id.filter(|_| is_result);
    }

    fn add(&mut self, item: WindowItem, message: Message) {
        self.tokens += item.tokens;
        self.merges_into = None;
        self.items.push(item);
        self.context.push(message);
    }

    /// Notes what the request of an answer of `size` has measured.
    fn measure(&mut self, event: &PersistentEvent, size: TokenEstimate) {
        let PersistentBody::Message(body) = &event.body else {
            return;
        };
        let Message::Assistant(answer) = &body.message else {
            return;
        };
        let after_barrier = self.barrier.is_none_or(|barrier| barrier < event.seq);
        if let Some(usage) = answer.usage
            && !answer.partial
            && after_barrier
            // It measured a request of the runner's own.
            && answer.meta.runner.is_none()
            && event.origin.is_none()
        {
            self.measured = Some(MeasuredCall {
                event_id: event.id,
                seq: event.seq,
                model: answer.model.clone(),
                usage,
                before: self.tokens,
                through: self.tokens + size,
                index: self.items.len(),
            });
        }
    }

    /// Estimates a message again that has changed.
    fn weigh(&mut self, index: usize) {
        let now = TokenEstimate::of_message(&self.context[index]);
        let before = std::mem::replace(&mut self.items[index].tokens, now);
        self.tokens = self.tokens + now - before;
        if let Some(measured) = &mut self.measured
            && index < measured.index
        {
            measured.before = measured.before + now - before;
            measured.through = measured.through + now - before;
        }
    }
}

/// The number of events of the path before a barrier that are covered by it, if `through` is the last that its
/// summary replaces. If that one's record was lost, those that were made before it are, by the time in their
/// ids; if there are none, all.
pub fn covered_by(through: EventId, before: impl Iterator<Item = EventId>) -> usize {
    let (mut all, mut made_before) = (0, None);
    for id in before {
        all += 1;
        if id == through {
            return all;
        }
        if id.timestamp_ms() <= through.timestamp_ms() {
            made_before = Some(all);
        }
    }
    made_before.unwrap_or(all)
}

fn action(event: &PersistentEvent) -> LlmAction {
    event.body.convert_to_llm()
}

/// Returns whether the message of an event is a note of the program to the model.
fn is_note(event: &PersistentEvent) -> bool {
    match &event.body {
        PersistentBody::Message(body) => matches!(body.message, Message::Internal(_)),
        PersistentBody::CustomMessage(body) => matches!(body.message, Message::Internal(_)),
        _ => false,
    }
}

fn remind(message: &mut ToolResultMessage, reminder: &str, beside: Vec<Block>) {
    let [ToolResultContent::ToolResult(result)] = &mut message.content;
    result.content.push(Block::text(tags::reminder(reminder)));
    result.content.extend(beside);
}

#[cfg(test)]
mod tests;
