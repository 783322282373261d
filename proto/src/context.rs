use std::ops::Index;
use std::slice;
use std::sync::Arc;

use crate::Message;

/// The messages of one model call, oldest first.
///
/// Cloning takes two pointers, not the messages: a session's window, the request that is rendered
/// and the copy that a retry needs share them. A change to one of them copies what is shared.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Context {
    messages: Arc<Vec<Arc<Message>>>,
}

/// The messages of a [`Context`], in order.
pub type ContextIter<'a> =
    std::iter::Map<slice::Iter<'a, Arc<Message>>, fn(&'a Arc<Message>) -> &'a Message>;

impl Context {
    /// The number of messages.
    #[must_use]
    pub fn len(&self) -> usize {
        self.messages.len()
    }

    /// Whether there are no messages.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// The messages, oldest first.
    pub fn iter(&self) -> ContextIter<'_> {
        self.messages.iter().map(AsRef::as_ref)
    }

    /// The newest message.
    #[must_use]
    pub fn last(&self) -> Option<&Message> {
        self.messages.last().map(Arc::as_ref)
    }

    /// Adds the newest message.
    pub fn push(&mut self, message: Message) {
        Arc::make_mut(&mut self.messages).push(Arc::new(message));
    }

    /// The messages up to `end`, which they do not include.
    #[must_use]
    pub fn up_to(&self, end: usize) -> Self {
        let end = end.min(self.messages.len());
        Self {
            messages: Arc::new(self.messages[..end].to_vec()),
        }
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
        let messages = messages.into_iter().map(Arc::new).collect();
        Self {
            messages: Arc::new(messages),
        }
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
}
