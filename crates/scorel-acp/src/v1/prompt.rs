use std::sync::Arc;

use agent_client_protocol_schema::v1::{ContentBlock, PromptResponse, StopReason as AcpStop};
use scorel_client::{Connect, new_command_id};
use scorel_peer::IdKey;
use scorel_proto::{
    CommandId, Content, ErrorCode, OutcomeReason, RpcError, RunCommandResult, SendMessage,
    SendMessageParams, StopReason, TurnError, TurnOutcomeBody,
};
use serde_json::json;
use tokio::sync::oneshot;

use super::commands;
use super::content::Draft;
use super::note::note;
use super::open_session::OpenSession;
use super::prompts::PromptEnd;
use crate::daemon::Daemon;
use crate::editor::Editor;
use crate::failure::Failure;
use crate::room::Taken;

/// A prompt of the editor, until its turn has ended. It is known to its session as soon as it is read, so that a cancel
/// which comes next finds it.
#[derive(Debug)]
pub(crate) struct Prompt {
    session: Arc<OpenSession>,
    command_id: CommandId,
    ended: oneshot::Receiver<PromptEnd>,
}

impl Prompt {
    pub(crate) fn new(session: Arc<OpenSession>, request: IdKey) -> Self {
        let command_id = new_command_id();
        let ended = session.prompts().begin(command_id.clone(), request);
        Self {
            session,
            command_id,
            ended,
        }
    }

    /// Sends it, and waits for the end of its turn, if it leads to one. `room` is given back once the daemon has it.
    pub(crate) async fn run<C: Connect + Clone>(
        mut self,
        daemon: &Daemon<C>,
        editor: &Editor,
        blocks: Vec<ContentBlock>,
        room: Taken,
    ) -> Result<PromptResponse, Failure> {
        let sent = self.send(daemon, blocks).await;
        drop(room);
        let sent = sent?;
        if let Some(reply) = sent.as_ref().and_then(|it| it.reply.as_deref()) {
            let told = editor.update(self.session.id, note(reply)).await;
            told.map_err(|_| left())?;
        }
        match sent {
            None => return Ok(PromptResponse::new(AcpStop::Cancelled)),
            Some(RunCommandResult { message: None, .. }) => {
                return Ok(PromptResponse::new(AcpStop::EndTurn));
            }
            Some(_) => {}
        }
        let end = (&mut self.ended).await;
        let stop = match end {
            Ok(PromptEnd::Turn(outcome, stop)) => stop_reason(*outcome, stop)?,
            Ok(PromptEnd::Removed) => AcpStop::Cancelled,
            Ok(PromptEnd::Lost(failure)) => return Err(failure),
            Err(_) => return Err(left()),
        };
        Ok(PromptResponse::new(stop))
    }

    /// Returns `None` if it was cancelled before it was sent.
    async fn send<C: Connect + Clone>(
        &self,
        daemon: &Daemon<C>,
        blocks: Vec<ContentBlock>,
    ) -> Result<Option<RunCommandResult>, Failure> {
        let servers = self.session.servers.lock().await;
        if !servers.is_empty() {
            // The daemon has them in memory only, and may have unloaded the session.
            servers.offer(daemon, self.session.id).await?;
        }
        drop(servers);
        let draft = Draft::of(daemon, &self.session, blocks).await?;
        if draft.attachments.is_empty()
            && !self.session.prompts().is_cancelled(&self.command_id)
            && let Some(ran) =
                commands::run(daemon, &self.session, &draft.blocks, &self.command_id).await?
        {
            return Ok(Some(ran));
        }
        let mut message = SendMessageParams {
            session_id: self.session.id,
            content: Content(draft.blocks),
            attachments: draft.attachments,
            while_running: None,
            parent_event_id: None,
            expected_leaf_id: None,
            model: None,
            runner: None,
            mode: None,
            channel: None,
            command_id: Some(self.command_id.clone()),
        };
        loop {
            if self.session.prompts().is_cancelled(&self.command_id) {
                return Ok(None);
            }
            let failure = match daemon.call::<SendMessage>(&message).await {
                Ok(answer) => {
                    return Ok(Some(RunCommandResult {
                        message: Some(answer),
                        reply: None,
                    }));
                }
                Err(failure) => failure,
            };
            let before = message.attachments.len();
            // A file that is not attached is still named in the text.
            if let Some(path) = failure.refused_attachment() {
                message.attachments.retain(|it| it.path != path);
            }
            if message.attachments.len() == before {
                return Err(failure);
            }
        }
    }
}

impl Drop for Prompt {
    fn drop(&mut self) {
        self.session.prompts().forget(&self.command_id);
    }
}

/// The session is not followed any more.
pub(crate) fn left() -> Failure {
    let message = "the session was deleted or left before the turn ended";
    RpcError::new(ErrorCode::SessionNotFound, message).into()
}

fn stop_reason(outcome: TurnOutcomeBody, stop: Option<StopReason>) -> Result<AcpStop, Failure> {
    let code = outcome.error.as_ref().map(|error| error.code.as_str());
    Ok(match outcome.reason {
        OutcomeReason::Completed => match stop {
            Some(StopReason::MaxTokens) => AcpStop::MaxTokens,
            Some(StopReason::Refusal | StopReason::ContentFilter) => AcpStop::Refusal,
            _ => AcpStop::EndTurn,
        },
        OutcomeReason::Cancelled => AcpStop::Cancelled,
        OutcomeReason::Limit if matches!(code, Some("answer" | "max_tokens")) => AcpStop::MaxTokens,
        OutcomeReason::Limit => AcpStop::MaxTurnRequests,
        OutcomeReason::Interrupted => {
            let message = OutcomeReason::Interrupted.text().to_owned();
            return Err(failed(message, "interrupted", None));
        }
        OutcomeReason::Error => {
            let error = outcome.error;
            let message = error.as_ref().map(|error| error.message.clone());
            let message = message.unwrap_or_else(|| OutcomeReason::Error.text().to_owned());
            let code = error
                .as_ref()
                .map_or("error", |error| &error.code)
                .to_owned();
            return Err(failed(message, &code, error));
        }
    })
}

/// The number says which part failed, `data.code` what exactly, as in the outcome of the turn.
fn failed(message: String, code: &str, error: Option<TurnError>) -> Failure {
    let number = match code {
        "interrupted" => ErrorCode::ShuttingDown,
        "internal_error" => ErrorCode::InternalError,
        code if code.starts_with("runner_") => ErrorCode::RunnerError,
        _ => ErrorCode::ProviderError,
    };
    let hint = error.as_ref().and_then(|error| error.hint.as_deref());
    let message = match hint {
        Some(hint) => format!("{message}: {hint}"),
        None => message,
    };
    let retryable = error.is_some_and(|error| error.retryable);
    Failure {
        data: json!({ "code": code, "retryable": retryable }),
        ..Failure::new(number, message)
    }
}
