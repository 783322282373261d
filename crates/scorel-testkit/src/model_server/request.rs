use serde_json::Value;

/// A request as the server got it.
#[derive(Debug, Clone)]
pub struct RecordedRequest {
    /// The number of the connection it came on, from zero.
    pub connection: usize,
    /// The method, such as `POST`.
    pub method: String,
    /// The path with its query, such as `/v1/chat/completions`.
    pub path: String,
    /// The headers in their order, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body's bytes.
    pub body: Vec<u8>,
}

impl RecordedRequest {
    /// The first header of that name, which is given in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(header, _)| header == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The body as JSON; `null` if it is none.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or(Value::Null)
    }
}
