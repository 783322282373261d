use std::sync::Arc;

use agent_client_protocol_schema::v1::{PromptResponse, StopReason};
use scorel_client::new_command_id;
use scorel_proto::{
    AttachmentPath, Block, CommandId, Content, ErrorCode, OutcomeReason, PutBlob, PutBlobParams,
    SendMessage, SendMessageParams, TurnError, TurnOutcomeBody, WhileRunning,
};
use serde_json::json;
use tokio::sync::oneshot;

use crate::daemon::{Connector, Daemon};
use crate::failure::Failure;
use crate::v1::content::PromptPart;
use crate::v1::prompts::PromptEnd;
use crate::v1::session::OpenSession;

/// A prompt whose place among the session's prompts is taken.
#[derive(Debug)]
pub(super) struct Prompt {
    session: Arc<OpenSession>,
    parts: Vec<PromptPart>,
    command_id: CommandId,
    ended: oneshot::Receiver<PromptEnd>,
}

impl Prompt {
    /// Takes a place before anything else that the editor sends is read, such as a request to cancel it.
    pub(super) fn new(session: Arc<OpenSession>, parts: Vec<PromptPart>) -> Result<Self, Failure> {
        let command_id = new_command_id();
        let Some(ended) = session.prompts.open(command_id.clone()) else {
            let message = "too many prompts of this session wait for their turns";
            return Err(Failure::new(ErrorCode::Overloaded, message));
        };
        Ok(Self {
            session,
            parts,
            command_id,
            ended,
        })
    }

    /// Sends it. A daemon that is lost meanwhile gets it again under the same command id.
    pub(super) async fn send<C: Connector>(
        mut self,
        daemon: &Daemon<C>,
    ) -> Result<SentPrompt, Failure> {
        match self.send_all(daemon).await {
            Ok(()) => Ok(SentPrompt(self.ended)),
            Err(failure) => {
                self.session.prompts.forget(&self.command_id);
                Err(failure)
            }
        }
    }

    async fn send_all<C: Connector>(&mut self, daemon: &Daemon<C>) -> Result<(), Failure> {
        self.store_images(daemon).await?;
        loop {
            let params = self.params();
            let failure = match daemon.call::<SendMessage>(&params).await {
                Ok(result) => {
                    self.session.prompts.placed(&self.command_id, &result);
                    return Ok(());
                }
                Err(failure) => failure,
            };
            // Each round takes at least one file away.
            if !self.mention_instead(&failure) {
                return Err(failure);
            }
            let renewed = new_command_id();
            self.session
                .prompts
                .rename(&self.command_id, renewed.clone());
            self.command_id = renewed;
        }
    }

    /// Makes text of a file that the daemon refused to attach. False if there is none.
    fn mention_instead(&mut self, failure: &Failure) -> bool {
        if !failure.is(ErrorCode::AttachmentRefused) {
            return false;
        }
        let named = failure.refused_attachment();
        let mut changed = false;
        for part in &mut self.parts {
            if let PromptPart::File { path, instead } = part
                && named.is_none_or(|named| named == path)
            {
                *part = PromptPart::Text(std::mem::take(instead));
                changed = true;
            }
        }
        changed
    }

    /// Stores the images one by one, so that each is a request of its own length.
    async fn store_images<C: Connector>(&mut self, daemon: &Daemon<C>) -> Result<(), Failure> {
        for part in &mut self.parts {
            if let PromptPart::Image { media_type, data } = part {
                let params = PutBlobParams {
                    session_id: self.session.id,
                    data: std::mem::take(data),
                    command_id: Some(new_command_id()),
                };
                let blob = daemon.call::<PutBlob>(&params).await?.sha256;
                let media_type = std::mem::take(media_type);
                *part = PromptPart::Stored(Block::Image { media_type, blob });
            }
        }
        Ok(())
    }

    fn params(&self) -> SendMessageParams {
        let content = self.parts.iter().filter_map(|part| match part {
            PromptPart::Text(text) => Some(Block::text(text)),
            PromptPart::Stored(block) => Some(block.clone()),
            PromptPart::Image { .. } | PromptPart::File { .. } => None,
        });
        let files = self.parts.iter().filter_map(|part| match part {
            PromptPart::File { path, .. } => Some(AttachmentPath { path: path.clone() }),
            _ => None,
        });
        SendMessageParams {
            session_id: self.session.id,
            content: Content(content.collect()),
            attachments: files.collect(),
            while_running: Some(WhileRunning::FollowUp),
            parent_event_id: None,
            expected_leaf_id: None,
            model: None,
            runner: None,
            command_id: Some(self.command_id.clone()),
        }
    }
}

/// A prompt that the daemon has.
#[derive(Debug)]
pub(super) struct SentPrompt(oneshot::Receiver<PromptEnd>);

impl SentPrompt {
    /// Waits for the end of its own turn.
    pub(super) async fn ended(self) -> Result<PromptResponse, Failure> {
        let reason = match self.0.await {
            Ok(PromptEnd::Outcome(outcome)) => stop_reason(&outcome)?,
            Ok(PromptEnd::Removed) => StopReason::Cancelled,
            Ok(PromptEnd::Lost(failure)) => return Err(failure),
            Err(_) => {
                let message = "the session is no longer followed";
                return Err(Failure::new(ErrorCode::InternalError, message));
            }
        };
        Ok(PromptResponse::new(reason))
    }
}

fn stop_reason(outcome: &TurnOutcomeBody) -> Result<StopReason, Failure> {
    let code = outcome.error.as_ref().map(|error| error.code.as_str());
    match (outcome.reason, code) {
        (OutcomeReason::Completed, _) => Ok(StopReason::EndTurn),
        (OutcomeReason::Cancelled, _) => Ok(StopReason::Cancelled),
        (OutcomeReason::Limit, Some("max_tokens" | "answer" | "tokens")) => {
            Ok(StopReason::MaxTokens)
        }
        (OutcomeReason::Limit, Some("steps")) => Ok(StopReason::MaxTurnRequests),
        (_, Some("refusal")) => Ok(StopReason::Refusal),
        (reason, _) => Err(turn_failure(reason, outcome.error.as_ref())),
    }
}

fn turn_failure(reason: OutcomeReason, error: Option<&TurnError>) -> Failure {
    let message = error.map(|error| match &error.hint {
        Some(hint) => format!("{}: {hint}", error.message),
        None => error.message.clone(),
    });
    let message = message.unwrap_or_else(|| reason.text().to_owned());
    let mut failure = Failure::new(ErrorCode::InternalError, message);
    failure.data = json!({
        "code": error.map_or("interrupted", |error| &error.code),
        "reason": reason.to_string(),
        "retryable": error.is_some_and(|error| error.retryable),
    });
    failure
}
