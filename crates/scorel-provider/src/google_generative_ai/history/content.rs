use serde::Serialize;
use serde_json::Value;

/// One of the `contents` of a request.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Content {
    pub(super) role: ContentRole,
    /// Never empty.
    pub(super) parts: Vec<Value>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ContentRole {
    User,
    Model,
}
