use jiff::civil::Date;
use serde::{Deserialize, Serialize};

/// When a provider switches a model off, and which one it recommends instead.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Retirement {
    pub on: Date,
    /// Its id; `None` if the provider names none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub successor: Option<String>,
}
