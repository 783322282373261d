use std::io;

use scorel_proto::{CommandId, ErrorCode, RpcError};

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
    /// A defect.
    #[error("the command cannot be noted: {0}")]
    Internal(String),
}

impl From<ReceiptError> for RpcError {
    fn from(error: ReceiptError) -> Self {
        let code = match error {
            ReceiptError::Reused(_) => ErrorCode::Conflict,
            ReceiptError::Full { .. } => ErrorCode::Overloaded,
            ReceiptError::Write(_) => ErrorCode::StorageStalled,
            ReceiptError::Internal(_) => ErrorCode::InternalError,
        };
        Self::new(code, error.to_string())
    }
}
