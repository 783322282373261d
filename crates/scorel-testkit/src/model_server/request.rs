use serde_json::Value;

/// A request as it was received.
#[derive(Debug, Clone)]
pub struct RecordedRequest {
    /// The number of its connection, from zero; equal for requests that shared one.
    pub connection: usize,
    /// Such as `POST`.
    pub method: String,
    /// With its query, such as `/v1/chat/completions`.
    pub path: String,
    /// In their order, names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl RecordedRequest {
    /// The first header with a name, given in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(header, _)| header == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The body as JSON; `null` if it is not JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or(Value::Null)
    }
}
