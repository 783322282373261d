use std::fmt::Display;

use scorel_proto::{ErrorCode, RpcError};

pub(super) fn parse_error(error: impl Display) -> RpcError {
    RpcError::new(
        ErrorCode::ParseError,
        format!("not readable as JSON: {error}"),
    )
}

pub fn invalid_request(message: impl Into<String>) -> RpcError {
    RpcError::new(ErrorCode::InvalidRequest, message)
}
