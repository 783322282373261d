use serde::Deserialize;

/// `[auxiliary]`: a model for work beside the conversation, such as summaries.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct AuxiliaryConfig {
    /// `provider:id`, or an id at the configured provider. `None`: the session's model does it.
    pub model: Option<String>,
}
