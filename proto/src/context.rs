use std::ops::Index;
use std::slice;
use std::sync::Arc;

use crate::{Message, RenderedSlot};

/// The messages of one model call, oldest first.
///
/// Cloning takes two pointers, not the messages: a session's window, the request that is rendered
/// and the copy that a retry needs share them. A change to one of them first copies the shared parts
/// that it touches.
#[derive(Debug, Clone, Default)]
pub struct Context {
    messages: Arc<Vec<Arc<Message>>>,
    /// Shared by all clones, also by those that have changed since: the messages of a window are
    /// those of the request before and more.
    rendered: Arc<RenderedSlot>,
}

/// Contexts with the same messages are equal.
impl PartialEq for Context {
    fn eq(&self, other: &Self) -> bool {
        self.messages == other.messages
    }
}

/// The messages of a [`Context`], in order.
pub type ContextIter<'a> =
    std::iter::Map<slice::Iter<'a, Arc<Message>>, fn(&'a Arc<Message>) -> &'a Message>;

impl Context {
    /// The number of messages.
    pub fn len(&self) -> usize {
        self.messages.len()
    }

    /// Returns whether there are no messages.
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// The messages, oldest first.
    pub fn iter(&self) -> ContextIter<'_> {
        self.messages.iter().map(AsRef::as_ref)
    }

    /// The newest message.
    pub fn last(&self) -> Option<&Message> {
        self.messages.last().map(Arc::as_ref)
    }

    /// Adds the newest message.
    pub fn push(&mut self, message: Message) {
        Arc::make_mut(&mut self.messages).push(Arc::new(message));
    }

    /// The messages up to `end`, which they do not include. They have a [`RenderedSlot`] of their own.
    pub fn up_to(&self, end: usize) -> Self {
        let end = end.min(self.messages.len());
        Self::of_shared(self.messages[..end].to_vec())
    }

    /// Where a renderer keeps what it has rendered of this conversation. Clones have the same one.
    pub fn rendered(&self) -> &RenderedSlot {
        &self.rendered
    }

    /// Returns whether this context begins with the very messages of `earlier`, none of them changed since.
    /// Compares pointers.
    pub fn continues(&self, earlier: &Self) -> bool {
        let beginning = self.messages.get(..earlier.len());
        beginning.is_some_and(|beginning| {
            let mut both = beginning.iter().zip(earlier.messages.iter());
            both.all(|(message, before)| Arc::ptr_eq(message, before))
        })
    }

    /// Shares the messages of `longer` that come after as many as are here.
    pub fn catch_up(&mut self, longer: &Self) {
        let newer = longer.messages.get(self.messages.len()..);
        Arc::make_mut(&mut self.messages).extend_from_slice(newer.unwrap_or_default());
    }

    fn of_shared(messages: Vec<Arc<Message>>) -> Self {
        Self {
            messages: Arc::new(messages),
            rendered: Arc::default(),
        }
    }

    /// Takes a message out, which other holders of this context still have.
    pub(crate) fn remove(&mut self, index: usize) {
        Arc::make_mut(&mut self.messages).remove(index);
    }

    /// A message, for a change that other holders of this context do not see.
    pub(crate) fn get_mut(&mut self, index: usize) -> Option<&mut Message> {
        let message = Arc::make_mut(&mut self.messages).get_mut(index);
        message.map(Arc::make_mut)
    }
}

impl<'a> IntoIterator for &'a Context {
    type Item = &'a Message;
    type IntoIter = ContextIter<'a>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl FromIterator<Message> for Context {
    fn from_iter<I: IntoIterator<Item = Message>>(messages: I) -> Self {
        Self::of_shared(messages.into_iter().map(Arc::new).collect())
    }
}

impl From<Vec<Message>> for Context {
    fn from(messages: Vec<Message>) -> Self {
        messages.into_iter().collect()
    }
}

impl Extend<Message> for Context {
    fn extend<I: IntoIterator<Item = Message>>(&mut self, messages: I) {
        Arc::make_mut(&mut self.messages).extend(messages.into_iter().map(Arc::new));
    }
}

impl Index<usize> for Context {
    type Output = Message;

    fn index(&self, index: usize) -> &Message {
        &self.messages[index]
    }
}

#[cfg(test)]
mod tests {
    use super::Context;
    use crate::Message;

    #[test]
    fn a_change_is_not_seen_by_other_holders() {
        let mut context = Context::from(vec![Message::user("a")]);
        let before = context.clone();
        context.push(Message::user("b"));
        assert_eq!(before, Context::from(vec![Message::user("a")]));
        let before = context.clone();
        *context.get_mut(1).expect("a message") = Message::user("c");
        assert_eq!(before[1], Message::user("b"));
        assert_eq!(context.last(), Some(&Message::user("c")));
    }

    #[test]
    fn a_context_continues_another_one_until_a_message_of_that_changes() {
        let mut context = Context::from(vec![Message::user("a")]);
        let mut earlier = Context::default();
        earlier.catch_up(&context);
        context.push(Message::user("b"));
        assert!(context.continues(&earlier));
        assert!(!earlier.continues(&context), "it is shorter");
        earlier.catch_up(&context);
        assert_eq!(earlier, context);
        *context.get_mut(0).expect("a message") = Message::user("a");
        assert!(!context.continues(&earlier), "equal, but not the same");
    }

    #[test]
    fn clones_share_what_is_rendered_and_a_part_does_not() {
        let context = Context::from(vec![Message::user("a")]);
        let clone = context.clone();
        clone.rendered().keep(1_u8);
        assert_eq!(context.up_to(1).rendered().take::<u8>(), None);
        assert_eq!(context.rendered().take::<u8>(), Some(1));
        assert_eq!(context.rendered().take::<u8>(), None);
        context.rendered().keep(1_u8);
        assert_eq!(context.rendered().take::<u16>(), None);
        assert_eq!(context.rendered().take::<u8>(), None, "dropped");
    }
}
