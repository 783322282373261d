use std::io;

use scorel_proto::CommandId;

/// Why a command has no receipt.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReceiptError {
    /// Its id is taken.
    #[error("command {0} was used before for something else")]
    Reused(CommandId),
    /// Too many commands have to be remembered.
    #[error("{max} commands of the last days are remembered, and no more can be")]
    Full {
        /// How many there may be.
        max: usize,
    },
    /// The disk refuses.
    #[error("the command cannot be noted: {0}")]
    Write(#[from] io::Error),
    /// The digest covers the method, so only a file that was edited by hand leads here.
    #[error("the command's receipt belongs to another method")]
    OtherKind,
    /// A task of ours panicked.
    #[error("the command cannot be noted: {0}")]
    Internal(String),
}
