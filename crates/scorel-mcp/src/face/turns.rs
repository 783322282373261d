//! Beginning a turn, and ending one early.

use schemars::JsonSchema;
use scorel_client::{Connect, new_command_id};
use scorel_proto::{
    Cancel, CancelParams, CommandId, SendMessage, SendMessageParams, SendMessageResult, SessionId,
    TurnId, WhileRunning,
};
use serde::Deserialize;
use serde_json::json;

use super::sessions::with_command;
use crate::daemon::Daemon;
use crate::failure::Failure;
use crate::outcome::Outcome;

pub(super) const SEND: &str = "\
Sends a message to a session and returns at once. An idle session begins a turn with it; else it waits in the queue, or \
joins the turn that runs. wait_turn waits for the answer.";

pub(super) const CANCEL: &str = "\
Cancels the turn that runs. Returns at once; wait_turn tells how it ended.";

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct SendArguments {
    /// The session.
    session_id: SessionId,
    /// The message.
    text: String,
    /// Its way while a turn runs: `followUp` waits for its end, `steer` joins it. Absent: `followUp`.
    while_running: Option<WhileRunning>,
    /// Names the message. Sent again with the same one, it is delivered once. Absent: one is made, and returned.
    command_id: Option<CommandId>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct CancelArguments {
    /// The session.
    session_id: SessionId,
    /// The turn. Nothing happens if another one runs. Absent: whichever runs.
    turn_id: Option<TurnId>,
}

pub(super) async fn send<C: Connect + Clone>(
    daemon: &Daemon<C>,
    arguments: SendArguments,
) -> Outcome {
    if arguments.text.trim().is_empty() {
        return Err(Failure::invalid("`text` is empty"));
    }
    let command_id = arguments.command_id.unwrap_or_else(new_command_id);
    let params = SendMessageParams {
        session_id: arguments.session_id,
        content: arguments.text.as_str().into(),
        attachments: Vec::new(),
        while_running: arguments.while_running,
        parent_event_id: None,
        expected_leaf_id: None,
        model: None,
        runner: None,
        mode: None,
        channel: None,
        command_id: Some(command_id.clone()),
    };
    let sent = daemon.call::<SendMessage>(&params).await;
    match sent.map_err(|failure| with_command(failure, &command_id))? {
        SendMessageResult::Accepted { turn_id, .. } => Ok(json!({
            "state": "started", "turnId": turn_id, "commandId": command_id,
        })
        .into()),
        SendMessageResult::Queued { position, .. } => Ok(json!({
            "state": "queued", "position": position, "commandId": command_id,
        })
        .into()),
    }
}

pub(super) async fn cancel<C: Connect + Clone>(
    daemon: &Daemon<C>,
    arguments: CancelArguments,
) -> Outcome {
    let params = CancelParams {
        session_id: arguments.session_id,
        expected_turn_id: arguments.turn_id,
        clear_queue: None,
        children: None,
        command_id: None,
    };
    let cancelled = daemon.call::<Cancel>(&params).await?;
    Ok(json!({"cancelled": cancelled.cancelled}).into())
}
