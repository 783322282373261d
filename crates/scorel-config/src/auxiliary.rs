use serde::Deserialize;

use super::model_name::model_name;

/// `[auxiliary]`: a model for work beside the conversation, such as summaries.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct AuxiliaryConfig {
    /// `provider:id`, or an id at the configured provider. `None`: the session's model does it.
    #[serde(deserialize_with = "model_name")]
    pub model: Option<String>,
}
