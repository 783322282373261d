use std::io;

/// The reason why a transcript is not read.
#[derive(Debug, thiserror::Error)]
pub enum TranscriptProblem {
    #[error("the file is neither a bundle of Scorel nor a transcript of Claude Code or Codex")]
    UnknownFormat,
    #[error("the file has no messages of a conversation")]
    Empty,
    #[error("a line of the file is longer than {limit} bytes")]
    LineTooLong {
        /// The limit in bytes.
        limit: u64,
    },
    #[error("the file has more than {limit} lines")]
    TooManyLines { limit: u64 },
    #[error("the file cannot be read: {0}")]
    Io(#[from] io::Error),
}

/// The reason why a transcript was not taken over.
#[derive(Debug, thiserror::Error)]
pub enum TranscriptError<E> {
    #[error(transparent)]
    Problem(#[from] TranscriptProblem),
    /// The receiver refused a message.
    #[error("{0}")]
    Refused(E),
}
