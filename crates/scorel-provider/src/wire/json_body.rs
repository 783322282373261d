use serde::Serialize;
use serde_json::Value;

/// A request body, written field by field. Fields keep the order in which they are set: it is part
/// of the prefix by which providers cache.
///
/// Each value goes straight into the bytes that are sent. Conversations have megabytes, and a tree
/// of JSON values in between would cost more than all the rest of a request.
#[derive(Debug, Default)]
pub(crate) struct JsonBody(Vec<u8>);

impl JsonBody {
    /// `name` must be a name that no field has yet.
    pub(crate) fn set(&mut self, name: &str, value: impl Serialize) {
        self.0.push(if self.0.is_empty() { b'{' } else { b',' });
        self.write(name);
        self.0.push(b':');
        self.write(value);
    }

    /// Makes room for a field of about that many bytes. Growing step by step would copy a long
    /// conversation several times.
    pub(crate) fn reserve(&mut self, bytes: usize) {
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

    pub(crate) fn into_bytes(mut self) -> Vec<u8> {
        if self.0.is_empty() {
            self.0.push(b'{');
        }
        self.0.push(b'}');
        self.0
    }

    fn write(&mut self, value: impl Serialize) {
        serde_json::to_writer(&mut self.0, &value)
            .expect("strings, numbers, lists and objects with text keys always have a JSON text");
    }
}
