use scorel_client::ClientError;
use scorel_peer::beginning;
use scorel_proto::{ErrorCode, RpcError};
use serde_json::{Value, json};

/// Of a message, in bytes: it may quote what the client sent.
const MAX_MESSAGE: usize = 2048;

/// Of the details, in bytes of their JSON. Longer ones are left out.
const MAX_DETAILS: usize = 2048;

/// A call that failed, as the client's model is told.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Failure {
    /// The daemon's name of the error, such as `session_not_found`.
    pub(crate) code: String,
    pub(crate) message: String,
    /// The advice that goes with it.
    pub(crate) help: Option<String>,
    pub(crate) details: Option<Box<Value>>,
}

impl Failure {
    pub(crate) fn new(code: &str, message: impl Into<String>) -> Self {
        Self {
            code: code.to_owned(),
            message: beginning(&message.into(), MAX_MESSAGE),
            help: None,
            details: None,
        }
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::InvalidParams.name(), message)
    }

    pub(crate) fn help(self, help: impl Into<String>) -> Self {
        Self {
            help: Some(help.into()),
            ..self
        }
    }

    pub(crate) fn to_json(&self) -> Value {
        let mut json = json!({"code": self.code, "message": self.message});
        if let Some(help) = &self.help {
            json["help"] = help.as_str().into();
        }
        let details = self.details.as_ref();
        if let Some(details) = details.filter(|it| it.to_string().len() <= MAX_DETAILS) {
            json["details"] = (**details).clone();
        }
        json
    }
}

/// The advice that the tools have for an error of the daemon.
const fn help(code: ErrorCode) -> Option<&'static str> {
    Some(match code {
        ErrorCode::SessionNotFound => "list_sessions has the ids of sessions",
        ErrorCode::ProjectNotFound => "list_projects has the ids of projects",
        ErrorCode::AgentTaskBusy => "wait_turn tells when the turn is over",
        ErrorCode::Overloaded | ErrorCode::StorageStalled => "try again later",
        _ => return None,
    })
}

impl From<RpcError> for Failure {
    fn from(error: RpcError) -> Self {
        Self {
            help: help(error.code).map(str::to_owned),
            details: (!error.details.is_null()).then(|| Box::new(error.details)),
            ..Self::new(error.code.name(), error.message)
        }
    }
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        let (message, hint) = (error.to_string(), error.hint());
        match error {
            ClientError::Rpc(error) => error.into(),
            ClientError::TooLong { limit, .. } => Self {
                details: Some(Box::new(json!({"limit": limit}))),
                ..Self::new(ErrorCode::PayloadTooLarge.name(), message)
            },
            _ => Self {
                help: hint,
                ..Self::new("unreachable", message)
            },
        }
    }
}
