use std::fmt;

use serde::de::{Deserialize, DeserializeOwned, Deserializer, MapAccess, Visitor};
use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

/// The fields of a record in their order, each value as the text that it was written as.
#[derive(Debug, Clone)]
pub(crate) struct RecordFields(Vec<(String, Box<RawValue>)>);

impl RecordFields {
    /// Replaces a field in its place, or adds it at the end.
    pub(crate) fn set(&mut self, name: &str, value: &impl Serialize) -> serde_json::Result<()> {
        let value = to_raw_value(value)?;
        match self.0.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => *known = value,
            None => self.0.push((name.to_owned(), value)),
        }
        Ok(())
    }

    /// The value of a field; `None` if there is none that can be read.
    pub(crate) fn get<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        let (_, value) = self.0.iter().find(|(known, _)| known == name)?;
        serde_json::from_str(value.get()).ok()
    }

    pub(crate) fn remove(&mut self, name: &str) {
        self.0.retain(|(known, _)| known != name);
    }
}

impl Serialize for RecordFields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl<'de> Deserialize<'de> for RecordFields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FieldsVisitor;

        impl<'de> Visitor<'de> for FieldsVisitor {
            type Value = RecordFields;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(RecordFields(fields))
            }
        }

        deserializer.deserialize_map(FieldsVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_fields_keep_their_text_and_their_place() {
        let text =
            r#"{"id":"a","n":1.10,"big":12345678901234567890123,"crc":"x","deep":{"b":[1e3]}}"#;
        let mut fields: RecordFields = serde_json::from_str(text).unwrap();
        fields.set("id", &"b").unwrap();
        fields.set("seq", &7).unwrap();
        fields.remove("crc");
        let expected =
            r#"{"id":"b","n":1.10,"big":12345678901234567890123,"deep":{"b":[1e3]},"seq":7}"#;
        assert_eq!(serde_json::to_string(&fields).unwrap(), expected);
    }
}
