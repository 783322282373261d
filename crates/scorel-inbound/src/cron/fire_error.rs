use scorel_extension::nearest;
use scorel_home::StateError;
use scorel_proto::{ErrorCode, RpcError};
use serde_json::json;

/// Why a schedule has not sent its message.
#[derive(Debug, thiserror::Error)]
pub enum FireError {
    #[error("there is no schedule `{name}`")]
    Unknown {
        name: String,
        /// The names that there are.
        known: Vec<String>,
    },
    #[error("`[channels] enabled` does not name `cron`")]
    Disabled,
    #[error("`fireId` has 1 to 64 letters, digits, `.`, `_`, `:` and `-`")]
    InvalidId,
    #[error("{}", .0.message)]
    Refused(RpcError),
    #[error(transparent)]
    File(#[from] StateError),
    #[error("the work was lost: {0}")]
    Lost(String),
}

impl From<FireError> for RpcError {
    fn from(error: FireError) -> Self {
        let text = error.to_string();
        match error {
            FireError::Unknown { name, known } => {
                let suggestion = nearest(&name, known.iter().map(String::as_str));
                let details = json!({ "kind": "schedule", "name": name, "suggestion": suggestion });
                Self::new(ErrorCode::UnknownName, text).with_details(details)
            }
            FireError::Disabled => Self::new(ErrorCode::Forbidden, text),
            FireError::InvalidId => {
                Self::new(ErrorCode::InvalidParams, text).with_details(json!({ "field": "fireId" }))
            }
            FireError::Refused(error) => error,
            FireError::File(_) => Self::new(ErrorCode::FilesystemError, text),
            FireError::Lost(_) => Self::new(ErrorCode::InternalError, text),
        }
    }
}
