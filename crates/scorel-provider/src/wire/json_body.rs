use bytes::{BufMut, Bytes, BytesMut};
use serde::Serialize;
use serde_json::Value;

/// A request body, written field by field. Fields keep the order in which they are set: it is part
/// of the prefix by which providers cache.
///
/// Each value goes straight into the bytes that are sent. Conversations have megabytes, and a tree
/// of JSON values in between would cost more than all the rest of a request.
#[derive(Debug, Default)]
pub(crate) struct JsonBody(BytesMut);

impl JsonBody {
    /// Continues an earlier body after its first `len` bytes. Reuses its buffer, unless a request still
    /// sends it.
    pub(super) fn beginning_of(body: Bytes, len: usize) -> Self {
        match body.try_into_mut() {
            Ok(mut bytes) => {
                bytes.truncate(len);
                Self(bytes)
            }
            Err(shared) => Self(BytesMut::from(&shared[..len])),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// `name` must be a name that no field has yet.
    pub(crate) fn set(&mut self, name: &str, value: impl Serialize) {
        self.name(name);
        self.write(value);
    }

    /// Begins a field that is a list. [`JsonBody::item`]s follow, then its end.
    pub(crate) fn begin_list(&mut self, name: &str) {
        self.name(name);
        self.0.put_u8(b'[');
    }

    /// Writes the next item of the list that was begun. It must not be a list.
    pub(crate) fn item(&mut self, item: impl Serialize) {
        if self.0.last() != Some(&b'[') {
            self.0.put_u8(b',');
        }
        self.write(item);
    }

    pub(super) fn end_list(&mut self) {
        self.0.put_u8(b']');
    }

    /// Makes room for about that many bytes. Growing step by step would copy a long conversation
    /// several times.
    pub(super) fn reserve(&mut self, bytes: usize) {
        self.0.reserve(bytes);
    }

    pub(crate) fn set_some(&mut self, name: &str, value: Option<impl Serialize>) {
        if let Some(value) = value {
            self.set(name, value);
        }
    }

    pub(crate) fn extend(&mut self, fields: Vec<(&'static str, Value)>) {
        for (name, value) in fields {
            self.set(name, value);
        }
    }

    pub(super) fn into_bytes(mut self) -> Bytes {
        self.0.put_u8(b'}');
        self.0.freeze()
    }

    fn name(&mut self, name: &str) {
        self.0.put_u8(if self.0.is_empty() { b'{' } else { b',' });
        self.write(name);
        self.0.put_u8(b':');
    }

    fn write(&mut self, value: impl Serialize) {
        serde_json::to_writer((&mut self.0).writer(), &value)
            .expect("strings, numbers, lists and objects with text keys always have a JSON text");
    }
}
