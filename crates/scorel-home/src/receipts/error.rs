use std::io;

use scorel_proto::CommandId;

/// The reason why a command got no receipt.
#[derive(Debug, thiserror::Error)]
pub enum ReceiptError {
    #[error("command {0} was already used with another method or parameters")]
    Reused(CommandId),
    #[error("the limit of {max} remembered commands is reached; the oldest expire after 7 days")]
    Full { max: usize },
    #[error("cannot record the command: {0}")]
    Write(#[from] io::Error),
    /// The digest covers the method, so only a file that was edited by hand leads here.
    #[error("the command's receipt belongs to another method")]
    OtherKind,
    #[error("cannot record the command: {0}")]
    Internal(String),
}
