use scorel_runtime::ModelInfo;
use serde_json::{Map, Value, json};

/// The model that an answer came from, as kept with its blocks.
///
/// What only its maker understands, such as reasoning, goes back to the same model only.
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

    /// What to keep: the origin and one fact.
    pub(crate) fn tag(&self, name: &str, fact: Value) -> Value {
        let mut tag = Map::new();
        tag.insert("api".to_owned(), json!(self.api));
        tag.insert("provider".to_owned(), json!(self.provider));
        tag.insert("model".to_owned(), json!(self.model));
        tag.insert(name.to_owned(), fact);
        Value::Object(tag)
    }

    /// The fact that was kept, if it came from this model.
    pub(crate) fn fact<'a>(&self, tag: Option<&'a Value>, name: &str) -> Option<&'a Value> {
        let tag = tag?;
        let same = tag["api"] == self.api
            && tag["provider"] == self.provider.as_str()
            && tag["model"] == self.model.as_str();
        tag.get(name).filter(|_| same)
    }
}
