//! Methods by which extensions and clients write into a session's log.

use std::sync::Arc;

use scorel_proto::{
    AppendCustom, AppendCustomMessage, AppendCustomMessageParams, AppendCustomMessageResult,
    AppendCustomParams, AppendResult, Block, CustomBody, CustomMessageBody, InternalMessage,
    Message, Meta, UserMessage,
};
use scorel_rpc::RpcCall;
use scorel_session::{AppendData, AppendMessage, MutationCommand, SessionError};
use serde_json::Value;

use super::caller::command;
use super::conversation::check_content;
use crate::host::Host;
use crate::rpc::call_error::{CallError, Reply};
use crate::rpc::message_pictures;

/// Bytes of `data` as JSON.
const MAX_DATA: usize = 256 * 1024;

/// Bytes of `kind`.
const MAX_KIND: usize = 64;

/// The kinds that the daemon writes itself.
const RESERVED: [&str; 3] = ["hook", "workflow", "scorel"];

pub(super) async fn custom(
    host: Arc<Host>,
    call: RpcCall,
    mut params: AppendCustomParams,
) -> Reply<AppendResult> {
    let command = command::<AppendCustom>(&call, params.command_id.take(), &params)?;
    write(&host, command, params).await
}

/// Records data by a command of a client, or of an extension.
pub(super) async fn write(
    host: &Host,
    command: MutationCommand,
    params: AppendCustomParams,
) -> Reply<AppendResult> {
    check_kind(&params.kind)?;
    check_data(&params.data)?;
    let lane = host.sessions.get(params.session_id).await?;
    let body = CustomBody {
        kind: params.kind,
        data: params.data,
    };
    Ok(lane.mutate(AppendData { command, body }).await?)
}

pub(super) async fn custom_message(
    host: Arc<Host>,
    call: RpcCall,
    mut params: AppendCustomMessageParams,
) -> Reply<AppendCustomMessageResult> {
    let command = command::<AppendCustomMessage>(&call, params.command_id.take(), &params)?;
    write_message(&host, command, params).await
}

/// Records a message by a command of a client, or of an extension.
pub(super) async fn write_message(
    host: &Host,
    command: MutationCommand,
    params: AppendCustomMessageParams,
) -> Reply<AppendCustomMessageResult> {
    check_kind(&params.kind)?;
    if let Some(data) = &params.data {
        check_data(data)?;
    }
    let mut message = accepted(params.message)?;
    let lane = host.sessions.get(params.session_id).await?;
    if let Message::User(UserMessage { content, .. })
    | Message::Internal(InternalMessage { content, .. }) = &mut message
    {
        let given = std::mem::take(content);
        *content = message_pictures::checked(&lane, "message", given).await?;
    }
    let body = CustomMessageBody {
        kind: params.kind,
        message,
        data: params.data,
        queue_item_id: None,
    };
    Ok(lane.mutate(AppendMessage { command, body }).await?)
}

/// The message without what only the daemon writes into one.
fn accepted(message: Message) -> Result<Message, CallError> {
    let meta = Meta::default();
    match message {
        Message::User(UserMessage { content, .. }) => {
            let content = Block::typed(content);
            check_content("message", &content)?;
            Ok(Message::User(UserMessage { content, meta }))
        }
        Message::Internal(InternalMessage { content, .. }) => {
            let content = Block::typed(content);
            check_content("message", &content)?;
            Ok(Message::Internal(InternalMessage { content, meta }))
        }
        Message::Assistant(_) | Message::ToolResult(_) => {
            let text =
                "`message` has role `user` or `internal`: answers and results come from turns";
            Err(CallError::invalid_field("message", text))
        }
    }
}

fn check_kind(kind: &str) -> Result<(), CallError> {
    let invalid = |text: &str| Err(CallError::invalid_field("kind", text));
    let is_usable = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    if kind.is_empty() || kind.len() > MAX_KIND || !kind.bytes().all(is_usable) {
        return invalid("`kind` consists of at most 64 letters, digits, `.`, `_` and `-`");
    }
    let owner = kind.split('.').next().unwrap_or_default();
    if RESERVED.contains(&owner) {
        return invalid("kinds of `hook`, `workflow` and `scorel` are reserved for the daemon");
    }
    Ok(())
}

fn check_data(data: &Value) -> Result<(), CallError> {
    let bytes = serde_json::to_vec(data).map_or(usize::MAX, |json| json.len());
    if bytes > MAX_DATA {
        let limit = MAX_DATA as u64;
        return Err(SessionError::TooLarge { limit }.into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_the_daemon_are_reserved() {
        for kind in ["board.card", "a", "scorelish.x", "My-Kind_1"] {
            assert!(check_kind(kind).is_ok(), "{kind}");
        }
        let long = "x".repeat(65);
        for kind in ["", "a b", "scorel", "hook.x", "workflow.y", "é", &long] {
            assert!(check_kind(kind).is_err(), "{kind}");
        }
    }

    #[test]
    fn clients_write_neither_answers_nor_results() {
        let assistant = serde_json::json!({
            "role": "assistant", "content": [], "model": "m", "stopReason": "end_turn",
        });
        let assistant: Message = serde_json::from_value(assistant).expect("a message");
        assert!(accepted(assistant).is_err());
        assert!(accepted(Message::user(" ")).is_err());
        assert!(accepted(Message::user("x")).is_ok());
    }

    #[test]
    fn data_is_bounded() {
        assert!(check_data(&Value::from("x".repeat(MAX_DATA - 2))).is_ok());
        assert!(check_data(&Value::from("x".repeat(MAX_DATA - 1))).is_err());
    }
}
