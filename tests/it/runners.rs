//! Turns of foreign agents, over real processes and sockets: plain commands, and Codex, Claude Code and
//! Gemini CLI with a scripted model and no account.

mod agents;
mod archived;
mod cancels;
mod cli;
mod command_lines;
mod commands;
mod concurrent;
mod contended;
mod contexts;
mod cut_secrets;
mod disk;
mod double;
mod endpoints;
mod errors;
mod files;
mod floods;
mod full_disk;
mod hooked;
mod hostile;
mod kills;
mod late_answers;
mod pipes;
mod processes;
mod scene;
mod secrets;
mod services;
mod started;
mod switching;
mod turn_message;
mod turns;
mod withdrawn;

use scorel_client::Connection;
use scorel_proto::{
    Cancel, CancelParams, SendMessage, SendMessageParams, SendMessageResult, SessionId,
};
use serde_json::Value;

use crate::under_test::{message, types};

/// Sends a message whose turn the named runner runs.
async fn send_to(client: &Connection, id: SessionId, runner: &str, text: &str) {
    let params = SendMessageParams {
        runner: Some(runner.to_owned()),
        ..message(id, text)
    };
    let sent = client.call::<SendMessage>(&params).await.unwrap();
    assert!(
        matches!(sent, SendMessageResult::Accepted { .. }),
        "{sent:?}"
    );
}

/// Cancels the running turn.
async fn cancel(client: &Connection, id: SessionId) {
    let params = CancelParams {
        children: None,
        session_id: id,
        expected_turn_id: None,
        clear_queue: None,
        command_id: None,
    };
    client.call::<Cancel>(&params).await.unwrap();
}

/// The one event of a type.
fn only<'a>(events: &'a [Value], type_name: &str) -> &'a Value {
    let mut found = events.iter().filter(|event| event["type"] == type_name);
    let first = found.next();
    assert!(found.next().is_none(), "{type_name} twice: {events:?}");
    first.unwrap_or_else(|| panic!("no {type_name} in {:?}", types(events)))
}

/// The first message of the agent.
fn answer_of(events: &[Value]) -> &Value {
    let is_answer =
        |event: &&Value| event["type"] == "message" && event["message"]["role"] == "assistant";
    events.iter().find(is_answer).expect("an answer")
}
