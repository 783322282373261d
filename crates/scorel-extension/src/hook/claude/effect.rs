use serde_json::{Map, Value};

/// The meaning of a command's answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HookEffect {
    pub opinion: HookOpinion,
    /// Arguments that change, in their words.
    pub updated_input: Option<Map<String, Value>>,
    /// Takes the place of a call's result.
    pub output: Option<Value>,
    /// Changes of what the model reads of messages, in our words.
    pub edits: Option<Value>,
    /// For the model.
    pub context: Option<String>,
    /// The turn ends, for this reason; an empty one if none is given.
    pub stop: Option<String>,
    /// For people.
    pub message: Option<String>,
}

/// A command's opinion of what it was asked about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum HookOpinion {
    #[default]
    None,
    Allow(String),
    Ask(String),
    /// A call does not run, a turn does not begin, or does not end: by the event. The text says why.
    Block(String),
}
