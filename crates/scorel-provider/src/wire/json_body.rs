use serde_json::{Map, Value};

/// A request body under construction. Fields keep the order in which they are set: it is part of
/// the prefix by which providers cache.
#[derive(Debug, Default)]
pub(crate) struct JsonBody(Map<String, Value>);

impl JsonBody {
    pub(crate) fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.0.insert(name.to_owned(), value.into());
    }

    pub(crate) fn set_some(&mut self, name: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.set(name, value);
        }
    }

    pub(crate) fn extend(&mut self, fields: Vec<(&'static str, Value)>) {
        for (name, value) in fields {
            self.set(name, value);
        }
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        Value::Object(self.0).to_string().into_bytes()
    }
}
