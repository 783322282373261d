/// A piece of an event as it is rendered in a transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DisplayPart {
    /// The kind of the text.
    pub style: DisplayStyle,
    /// May have several lines. Not escaped: it may contain terminal control sequences.
    pub text: String,
}

/// The kind of a piece, so that renderers can tell the kinds apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DisplayStyle {
    /// Text of a user message.
    User,
    /// Text of an assistant message.
    Assistant,
    /// Reasoning of the model.
    Thinking,
    /// A tool's name and the arguments as JSON.
    ToolCall,
    /// The result of a tool call.
    ToolResult,
    /// A failed tool call or turn.
    Error,
    /// An event that is not part of the conversation, such as a new title.
    Note,
}

impl DisplayPart {
    pub(super) fn new(style: DisplayStyle, text: impl Into<String>) -> Self {
        Self {
            style,
            text: text.into(),
        }
    }

    /// The only part of its event.
    pub(super) fn only(style: DisplayStyle, text: impl Into<String>) -> Vec<Self> {
        vec![Self::new(style, text)]
    }

    pub(super) fn note(text: impl Into<String>) -> Vec<Self> {
        Self::only(DisplayStyle::Note, text)
    }
}
