use bytes::{BufMut, Bytes, BytesMut};

/// One JSON text to be written, in up to three parts so that an event that goes to many
/// subscribers is encoded once and shared.
#[derive(Debug, Clone)]
pub struct Text {
    head: Bytes,
    body: Bytes,
    tail: &'static str,
}

impl Text {
    pub(crate) fn new(head: Bytes, body: Bytes, tail: &'static str) -> Self {
        Self { head, body, tail }
    }

    /// The length in bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.head.len() + self.body.len() + self.tail.len()
    }

    /// Whether there is nothing in it, which the driver never produces.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends the text to a buffer.
    pub fn put(&self, buffer: &mut BytesMut) {
        buffer.reserve(self.len());
        buffer.put_slice(&self.head);
        buffer.put_slice(&self.body);
        buffer.put_slice(self.tail.as_bytes());
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self::new(Bytes::new(), text.into(), "")
    }
}
