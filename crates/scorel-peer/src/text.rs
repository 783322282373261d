use bytes::{BufMut, Bytes, BytesMut};

/// A JSON text to be written. It has three parts, so that subscribers share the encoded event and
/// differ in the head, which holds the subscription's id.
#[derive(Debug, Clone)]
pub struct JsonText {
    head: Bytes,
    body: Bytes,
    tail: &'static str,
}

impl JsonText {
    pub const fn new(head: Bytes, body: Bytes, tail: &'static str) -> Self {
        Self { head, body, tail }
    }

    /// In bytes.
    pub fn len(&self) -> usize {
        self.head.len() + self.body.len() + self.tail.len()
    }

    /// Never true for what the driver produces.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn put(&self, buffer: &mut BytesMut) {
        buffer.reserve(self.len());
        buffer.put_slice(&self.head);
        buffer.put_slice(&self.body);
        buffer.put_slice(self.tail.as_bytes());
    }
}

impl From<String> for JsonText {
    fn from(text: String) -> Self {
        Self::new(Bytes::new(), text.into(), "")
    }
}
