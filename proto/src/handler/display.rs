/// One piece of what a person sees of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DisplayPart {
    /// How to show it.
    pub style: DisplayStyle,
    /// What to show.
    pub text: String,
}

/// How to show a piece of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DisplayStyle {
    /// What a person said.
    User,
    /// What the model said.
    Assistant,
    /// What the model thought.
    Thinking,
    /// What the model wants a tool to do.
    ToolCall,
    /// What a tool answered.
    ToolResult,
    /// Something failed.
    Error,
    /// A remark about the session.
    Note,
}

impl DisplayPart {
    pub(super) fn new(style: DisplayStyle, text: impl Into<String>) -> Self {
        Self {
            style,
            text: text.into(),
        }
    }

    /// One remark.
    pub(super) fn note(text: impl Into<String>) -> Vec<Self> {
        vec![Self::new(DisplayStyle::Note, text)]
    }
}
