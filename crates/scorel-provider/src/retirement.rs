use jiff::civil::Date;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

/// When a provider switches a model off, and which one it recommends instead.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Retirement {
    #[serde(serialize_with = "write_day", deserialize_with = "read_day")]
    pub on: Date,
    /// Its id; `None` if the provider names none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub successor: Option<String>,
}

fn write_day<S: Serializer>(day: &Date, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(day)
}

fn read_day<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Date, D::Error> {
    let text = String::deserialize(deserializer)?;
    text.parse().map_err(D::Error::custom)
}
