use serde::Deserialize;

/// A prompt as its server describes it.
#[derive(Debug, Clone, Deserialize)]
pub struct ListedPrompt {
    pub name: String,
    #[serde(default)]
    pub description: String,
    #[serde(default)]
    pub arguments: Vec<PromptArgument>,
}

/// An argument of a prompt.
#[derive(Debug, Clone, Deserialize)]
pub struct PromptArgument {
    pub name: String,
    #[serde(default)]
    pub description: String,
    /// The prompt cannot be had without it.
    #[serde(default)]
    pub required: bool,
}
