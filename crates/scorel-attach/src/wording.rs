//! Failures in words that help.

use scorel_client::ClientError;
use scorel_proto::{ErrorCode, RpcError};

/// A failure, and the cure if one is known.
pub(crate) fn failure(error: &ClientError) -> String {
    let hint = error.hint().or_else(|| match error {
        ClientError::Rpc(rpc) => daemon_hint(rpc).or_else(|| own_hint(rpc).map(str::to_owned)),
        ClientError::TooLong { .. } => {
            Some("put the text into a file of the project and name it with @".to_owned())
        }
        _ => None,
    });
    match hint {
        Some(hint) => format!("{error}\nhint: {hint}"),
        None => error.to_string(),
    }
}

fn daemon_hint(error: &RpcError) -> Option<String> {
    error.details["hint"].as_str().map(str::to_owned)
}

fn own_hint(error: &RpcError) -> Option<&'static str> {
    Some(match error.code {
        ErrorCode::SessionNotFound => "Ctrl+X lists the sessions; /new starts one",
        ErrorCode::AgentTaskBusy => "Esc Esc cancels the running turn",
        ErrorCode::Conflict => "another client was faster; look again",
        ErrorCode::StorageStalled => "make room on the disk; then try again",
        ErrorCode::ShuttingDown | ErrorCode::Overloaded => "try again in a moment",
        ErrorCode::ProviderError => {
            "`scorelctl init` sets up a model; /model lists those that work"
        }
        ErrorCode::InvalidParams if error.details["field"] == "model" => "/model lists the models",
        ErrorCode::AttachmentRefused => {
            "a backslash before the @ names a file without attaching it"
        }
        ErrorCode::UnknownName => "its extension has changed; /help lists the commands",
        ErrorCode::CannotRewindPastCompact => "that part of the conversation is summarised",
        ErrorCode::SessionFailed => {
            "/new starts a new session; `scorelctl fsck` looks for the damage"
        }
        ErrorCode::MethodNotFound => "the daemon is older than this program: `scorelctl restart`",
        _ => return None,
    })
}
