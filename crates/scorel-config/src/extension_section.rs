//! `[extensions]`: keys of its own, and a table for each extension.

use std::collections::BTreeMap;
use std::fmt;

use scorel_extension::{ExtensionId, Problem};
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use toml::Table;

/// `[extensions]`, effective.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExtensionsConfig {
    /// They do nothing.
    pub disabled: Vec<ExtensionId>,
    /// They come first, in this order.
    pub order: Vec<ExtensionId>,
    /// The settings that programs are given.
    pub config: BTreeMap<ExtensionId, Value>,
}

/// `[extensions.ID]`
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct ExtensionSection {
    config: Table,
}

/// Takes a table only: a list would be taken for the fields in their order.
struct ExtensionVisitor;

impl<'de> Visitor<'de> for ExtensionVisitor {
    type Value = ExtensionSection;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table with `config`; the only other keys are `disabled` and `order`")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<ExtensionSection, A::Error> {
        ExtensionSection::deserialize(MapAccessDeserializer::new(map))
    }
}

impl<'de> DeserializeSeed<'de> for ExtensionVisitor {
    type Value = ExtensionSection;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<ExtensionSection, D::Error> {
        from.deserialize_map(self)
    }
}

#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
enum SectionKey {
    Disabled,
    Order,
    Extension(ExtensionId),
}

impl TryFrom<String> for SectionKey {
    type Error = Problem;

    fn try_from(key: String) -> Result<Self, Problem> {
        Ok(match key.as_str() {
            "disabled" => Self::Disabled,
            "order" => Self::Order,
            _ => Self::Extension(key.try_into()?),
        })
    }
}

impl<'de> Deserialize<'de> for ExtensionsConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(SectionVisitor)
    }
}

struct SectionVisitor;

impl<'de> Visitor<'de> for SectionVisitor {
    type Value = ExtensionsConfig;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ExtensionsConfig, A::Error> {
        let mut found = ExtensionsConfig::default();
        while let Some(key) = map.next_key()? {
            match key {
                SectionKey::Disabled => found.disabled = map.next_value()?,
                SectionKey::Order => found.order = map.next_value()?,
                SectionKey::Extension(id) => {
                    let section = map.next_value_seed(ExtensionVisitor)?;
                    found.config.insert(id, json(section.config.into()));
                }
            }
        }
        Ok(found)
    }
}

/// JSON has no times: they are texts.
fn json(value: toml::Value) -> Value {
    match value {
        toml::Value::Table(table) => table.into_iter().map(|(key, it)| (key, json(it))).collect(),
        toml::Value::Array(array) => array.into_iter().map(json).collect(),
        toml::Value::Datetime(time) => time.to_string().into(),
        toml::Value::String(text) => text.into(),
        toml::Value::Integer(number) => number.into(),
        toml::Value::Float(number) => number.into(),
        toml::Value::Boolean(flag) => flag.into(),
    }
}
