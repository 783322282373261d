/// The role of a piece of text, from which a [`Theme`](crate::Theme) makes its looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Style {
    /// A message of a user.
    User,
    /// An answer of the model.
    Text,
    /// A heading of an answer.
    Heading,
    /// Strong text of an answer.
    Strong,
    /// Emphasised text of an answer.
    Emphasis,
    /// Text of an answer that is struck through.
    Struck,
    /// Code of an answer, in a line or as lines of its own.
    Code,
    /// The text of a link of an answer.
    Link,
    /// A sign or rule that this program draws in an answer, such as the dot of a list item.
    Mark,
    /// Reasoning of the model.
    Thinking,
    /// A tool call.
    Tool,
    /// The output of a tool.
    Output,
    /// A line that a change adds.
    Added,
    /// A line that a change removes.
    Removed,
    /// Something that is not part of the conversation.
    Note,
    /// Something of this program that stands out, such as the chosen row of a list.
    Chosen,
    /// A failure.
    Error,
    /// Something that matters less than what is beside it.
    Dim,
}

impl Style {
    /// Returns whether the text belongs to the model's answer. All else goes with it.
    pub const fn is_answer(self) -> bool {
        matches!(
            self,
            Self::Text
                | Self::Heading
                | Self::Strong
                | Self::Emphasis
                | Self::Struck
                | Self::Code
                | Self::Link
                | Self::Mark
        )
    }

    /// The parameters of its SGR sequence; `None` for plain text.
    pub(crate) const fn sgr(self) -> Option<&'static str> {
        match self {
            Self::Text => None,
            Self::User | Self::Strong | Self::Heading | Self::Chosen => Some("1"),
            Self::Emphasis => Some("3"),
            Self::Struck => Some("9"),
            Self::Code => Some("36"),
            Self::Link => Some("4"),
            Self::Thinking | Self::Output | Self::Note | Self::Mark | Self::Dim => Some("2"),
            Self::Tool => Some("36"),
            Self::Added => Some("32"),
            Self::Removed | Self::Error => Some("31"),
        }
    }
}
