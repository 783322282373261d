//! Asking a model for a summary, and judging it.

use std::sync::Arc;
use std::time::Duration;

use scorel_engine::{
    Completion, CompletionError, CompletionPorts, ModelInfo, ModelRequest, Provider, ProviderError,
    Spent, StopCause, StopSignal, ThinkingLevel, TurnPorts,
};
use scorel_proto::{
    Context, ContextWindow, ErrorCategory, Message, ModelRetry, StopReason, TokenEstimate,
    TransientBody, TurnId,
};

use super::cut::Cut;
use super::prompt::{QUOTING_SYSTEM, quoted_prompt, summary_prompt};
use crate::context_size::{Calibration, FixedParts};
use crate::lane::{Lane, PublishedWait};
use crate::transcript::{parts, quoted};
use crate::{CompactionSettings, SessionError, blocking};

/// Bytes after which an answer is no summary: a multiple of any that was asked for.
const BYTES_PER_TOKEN: usize = 16;

/// The part of a window that one part of a quoted conversation may fill. The estimate is not
/// calibrated for text that the model has not seen.
const QUOTED_SHARE: f64 = 0.6;

/// The reason why an attempt gave no summary.
#[derive(Debug, thiserror::Error)]
pub(super) enum SummaryError {
    #[error("it was stopped")]
    Stopped(StopCause),
    /// The model's answer is no summary.
    #[error("{0}")]
    Refused(&'static str),
    #[error("{}", .0.message)]
    Failed(ProviderError),
    /// The session itself failed.
    #[error(transparent)]
    Session(#[from] SessionError),
}

/// One attempt at a summary.
#[derive(Debug)]
pub(super) struct Summarizer<'a> {
    pub(super) ports: &'a TurnPorts,
    pub(super) settings: &'a CompactionSettings,
    pub(super) stop: &'a StopSignal,
    pub(super) lane: &'a Arc<Lane>,
    /// The turn that the summary makes room for.
    pub(super) turn_id: Option<TurnId>,
    pub(super) calibration: &'a Calibration,
    pub(super) instructions: Option<&'a str>,
    /// The conversation, and where it is cut.
    pub(super) conversation: &'a ContextWindow,
    pub(super) cut: &'a Cut,
}

impl Summarizer<'_> {
    /// Asks a model with the request that it knows already and one more message: its endpoint has the rest
    /// in its cache.
    pub(super) async fn of_known(
        &self,
        provider: &dyn Provider,
        spent: &mut Spent,
    ) -> Result<String, SummaryError> {
        let mut messages = self.conversation.context().up_to(self.cut.end);
        messages.push(Message::user(self.prompt(self.cut.answered)));
        let request = ModelRequest {
            system: self.ports.system.clone(),
            messages,
            tools: self.ports.tools.specs().cloned().collect(),
            thinking: self.ports.thinking,
        };
        match self.ask(provider, &request, spent).await {
            Err(SummaryError::Failed(error))
                if error.category == ErrorCategory::ContextOverflow =>
            {
                // Its window is smaller than it is said to be.
                let parts = self.quote(provider.model().context_window / 2).await?;
                self.of_quotation(provider, &parts, spent).await
            }
            asked => asked,
        }
    }

    /// Set if a model that counts tokens so can be asked with the request that it knows.
    pub(super) fn fits(&self, model: &ModelInfo, calibration: &Calibration) -> bool {
        let messages = self.conversation.context().up_to(self.cut.end);
        let covered: TokenEstimate = messages.iter().map(TokenEstimate::of_message).sum();
        let prompt = TokenEstimate::of_text(&self.prompt(self.cut.answered));
        let request = calibration.tokens(FixedParts::of(self.ports).all() + covered + prompt);
        request + self.settings.summary_tokens <= model.context_window
    }

    /// Asks a model that does not know the conversation: part by part, each with the summary so far.
    pub(super) async fn of_quotation(
        &self,
        provider: &dyn Provider,
        parts: &[String],
        spent: &mut Spent,
    ) -> Result<String, SummaryError> {
        let mut summary: Option<String> = None;
        for (number, part) in (1..).zip(parts) {
            let place = (number, parts.len());
            // The next part shows what comes after any other.
            let prompt = self.prompt(self.cut.answered && number == parts.len());
            let text = quoted_prompt(part, place, summary.as_deref(), &prompt);
            let request = ModelRequest {
                system: QUOTING_SYSTEM.to_owned(),
                messages: Context::from(vec![Message::user(text)]),
                tools: Vec::new(),
                thinking: ThinkingLevel::Default,
            };
            summary = Some(self.ask(provider, &request, spent).await?);
        }
        summary.ok_or(SummaryError::Refused("there is nothing to summarise"))
    }

    fn prompt(&self, answered: bool) -> String {
        summary_prompt(self.settings.summary_tokens, answered, self.instructions)
    }

    /// The conversation as a quotation, in parts for a model with a window of so many tokens.
    pub(super) async fn quote(&self, window: u64) -> Result<Vec<String>, SessionError> {
        let prompt = TokenEstimate::of_text(&self.prompt(false)).tokens();
        let beside = prompt + 2 * self.settings.summary_tokens;
        let room = (window as f64 * QUOTED_SHARE) as u64;
        let room = room.saturating_sub(beside).max(1024);
        let (conversation, end) = (self.conversation.clone(), self.cut.end);
        let blobs = self.lane.blobs().clone();
        blocking(move || {
            let covered = conversation.items().take(end);
            parts(&quoted(covered, &blobs), room)
        })
        .await
    }

    async fn ask(
        &self,
        provider: &dyn Provider,
        request: &ModelRequest,
        spent: &mut Spent,
    ) -> Result<String, SummaryError> {
        let tokens = usize::try_from(self.settings.summary_tokens).unwrap_or(usize::MAX);
        let ports = CompletionPorts {
            provider,
            clock: &*self.ports.clock,
            retry: &self.ports.retry,
            stop: self.stop,
            max_bytes: tokens.saturating_mul(BYTES_PER_TOKEN),
        };
        for attempt in 1.. {
            let (error, delay) = match ports.attempt(attempt, request, spent).await {
                Ok(answer) => return judged(&answer),
                Err(CompletionError::Passing { error, delay }) => (error, delay),
                Err(ended) => return Err(ended.into()),
            };
            let shown = self.show_retry(attempt, &error, delay).await?;
            ports.wait(delay).await?;
            if let Some(wait) = shown {
                wait.end().await;
            }
        }
        unreachable!("the policy ends the attempts")
    }

    /// Shows that a call is made again. Outside of a turn there is no such event.
    async fn show_retry(
        &self,
        attempt: u32,
        error: &ProviderError,
        delay: Duration,
    ) -> Result<Option<PublishedWait>, SessionError> {
        let Some(turn_id) = self.turn_id else {
            let reason = format!(
                "attempt {attempt} at the summary failed and is repeated: {}",
                error.message
            );
            return Ok(Some(self.lane.publish_wait(reason).await));
        };
        let retry = TransientBody::ModelRetry(ModelRetry {
            attempt,
            error: error.turn_error(self.lane.now_ms()),
            until: self.lane.moment_after(delay),
        });
        self.lane.show(turn_id, retry).await?;
        Ok(None)
    }
}

impl From<CompletionError> for SummaryError {
    fn from(error: CompletionError) -> Self {
        match error {
            CompletionError::Stopped(cause) => Self::Stopped(cause),
            CompletionError::Failed(error) | CompletionError::Passing { error, .. } => {
                Self::Failed(error)
            }
        }
    }
}

/// The summary, unless the answer is something else.
fn judged(answer: &Completion) -> Result<String, SummaryError> {
    let refused = |reason| Err(SummaryError::Refused(reason));
    if answer.calls_tools {
        return refused("the model called a tool instead of summarising");
    }
    match answer.stop_reason {
        StopReason::EndTurn => {}
        StopReason::MaxTokens => return refused("the summary was cut off"),
        _ => return refused("the model did not finish the summary"),
    }
    let text = answer.text.trim();
    if text.is_empty() {
        return refused("the summary is empty");
    }
    Ok(text.to_owned())
}
