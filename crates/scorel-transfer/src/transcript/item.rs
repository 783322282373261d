use scorel_proto::{
    AssistantMessage, BlobHash, Block, ImportReport, OutcomeReason, ToolResultMessage,
};

/// A step of an imported conversation. `ts` is in milliseconds since 1970.
#[derive(Debug, Clone, PartialEq)]
pub enum TranscriptItem {
    /// A message of the user, which begins a turn.
    User { ts: u64, content: Vec<Block> },
    /// An answer of the model.
    Assistant { ts: u64, message: AssistantMessage },
    /// The result of a call of the answer before it, in the order of the calls.
    ToolResult { ts: u64, message: ToolResultMessage },
    /// A summary that takes the place of everything before it. Between turns.
    Summary { ts: u64, text: String },
    /// The end of the turn.
    TurnEnd { ts: u64, reason: OutcomeReason },
}

/// The result of reading a transcript, besides its messages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadTranscript {
    /// The title that the tool gave it.
    pub title: Option<String>,
    pub report: ImportReport,
}

/// The receiver of a conversation.
pub trait TranscriptSink {
    type Error;

    fn item(&mut self, item: TranscriptItem) -> Result<(), Self::Error>;

    /// Stores an image that the next item shows, and returns its media type; `None` if no model reads it.
    fn image(&mut self, content: &[u8]) -> Result<Option<(&'static str, BlobHash)>, Self::Error>;
}
