use scorel_client::ClientError;
use scorel_peer::beginning;
use scorel_proto::{ErrorCode, RpcError};
use serde_json::{Value, json};

/// Of a message, in bytes: it may quote what the editor sent.
const MAX_MESSAGE: usize = 4096;

/// A request that failed, as the editor is told.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Failure {
    /// Of JSON-RPC or of the protocol where they have one that fits, else the daemon's own number.
    pub(crate) code: i64,
    pub(crate) message: String,
    /// The daemon's name of the error in `code`, and its details.
    pub(crate) data: Value,
}

/// "Resource not found".
const NOT_FOUND: i64 = -32002;

impl Failure {
    pub(crate) fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        RpcError::new(code, message).into()
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::InvalidParams, message)
    }

    pub(crate) fn unknown_method(method: &str) -> Self {
        let message = format!("`{method}` is not a method that is offered here");
        Self::new(ErrorCode::MethodNotFound, beginning(&message, MAX_MESSAGE))
    }

    /// Returns whether the daemon refused to attach a file, and which.
    pub(crate) fn refused_attachment(&self) -> Option<&str> {
        let refused = self.data["code"] == ErrorCode::AttachmentRefused.name();
        let path = self.data["details"]["path"].as_str();
        path.filter(|_| refused)
    }

    pub(crate) fn is(&self, code: ErrorCode) -> bool {
        self.data["code"] == code.name()
    }
}

impl From<RpcError> for Failure {
    fn from(error: RpcError) -> Self {
        let code = match error.code {
            ErrorCode::SessionNotFound | ErrorCode::ProjectNotFound => NOT_FOUND,
            ErrorCode::InvalidParams
            | ErrorCode::InvalidEventId
            | ErrorCode::PayloadTooLarge
            | ErrorCode::AttachmentRefused
            | ErrorCode::UnknownName => ErrorCode::InvalidParams.number().into(),
            code => code.number().into(),
        };
        Self {
            code,
            data: json!(error.data()),
            message: beginning(&error.message, MAX_MESSAGE),
        }
    }
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        let message = match error.hint() {
            Some(hint) => format!("{error}: {hint}"),
            None => error.to_string(),
        };
        match error {
            ClientError::Rpc(error) => error.into(),
            ClientError::TooLong { limit, .. } => {
                RpcError::new(ErrorCode::PayloadTooLarge, message)
                    .with_details(json!({ "limit": limit }))
                    .into()
            }
            _ => Self {
                code: ErrorCode::InternalError.number().into(),
                message,
                data: json!({ "code": "unreachable" }),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_has_the_code_that_editors_know_and_the_daemons_name() {
        for (code, number) in [
            (ErrorCode::SessionNotFound, -32002),
            (ErrorCode::InvalidParams, -32602),
            (ErrorCode::PayloadTooLarge, -32602),
            (ErrorCode::MethodNotFound, -32601),
            (ErrorCode::AgentTaskBusy, 1004),
        ] {
            let failure = Failure::new(code, "no");
            assert_eq!(failure.code, number);
            assert!(failure.is(code));
        }
        let long = ClientError::TooLong { bytes: 9, limit: 8 };
        let failure = Failure::from(long);
        assert_eq!(
            (failure.code, &failure.data["details"]["limit"]),
            (-32602, &json!(8))
        );
    }
}
