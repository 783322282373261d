use scorel_engine::ModelInfo;
use serde_json::{Map, Value, json};

/// The API, provider and model that a message came from, stored with the metadata of its blocks.
///
/// Reasoning signatures, encrypted reasoning and item ids are only valid for the model that issued
/// them: another one answers with status 400. So metadata is replayed only to the same origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ModelOrigin {
    api: &'static str,
    provider: String,
    model: String,
}

impl ModelOrigin {
    pub(crate) fn new(api: &'static str, model: &ModelInfo) -> Self {
        Self {
            api,
            provider: model.provider.clone(),
            model: model.id.clone(),
        }
    }

    /// Metadata to store: the origin and one named value.
    pub(crate) fn tag(&self, name: &str, fact: Value) -> Value {
        let mut tag = self.names();
        tag.insert(name.to_owned(), fact);
        Value::Object(tag)
    }

    /// Metadata to store: the origin and named values; `None` without any.
    pub(crate) fn tag_all<'a>(
        &self,
        facts: impl Iterator<Item = (&'a str, Value)>,
    ) -> Option<Value> {
        let mut facts = facts.map(|(name, fact)| (name.to_owned(), fact)).peekable();
        facts.peek()?;
        let mut tag = self.names();
        tag.extend(facts);
        Some(Value::Object(tag))
    }

    fn names(&self) -> Map<String, Value> {
        let mut tag = Map::new();
        tag.insert("api".to_owned(), json!(self.api));
        tag.insert("provider".to_owned(), json!(self.provider));
        tag.insert("model".to_owned(), json!(self.model));
        tag
    }

    /// The named value of stored metadata, if it came from this origin.
    pub(crate) fn fact<'a>(&self, tag: Option<&'a Value>, name: &str) -> Option<&'a Value> {
        let tag = tag?;
        let same = tag["api"] == self.api
            && tag["provider"] == self.provider.as_str()
            && tag["model"] == self.model.as_str();
        tag.get(name).filter(|_| same)
    }
}
