//! The test's side of a script.

use std::time::Duration;

use scorel_engine::{
    ModelRequest, ProviderError, ProviderEvent, ToolCall, ToolOutcome, ToolUpdates,
};
use scorel_proto::{Block, ErrorCategory, StopReason, Usage};
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::follower::within;

/// What every scripted answer says that it has used.
pub(crate) const USAGE: Usage = Usage {
    input_tokens: 10,
    output_tokens: 5,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
    reasoning_tokens: 0,
};

/// A call of the model, which the test answers.
#[derive(Debug)]
pub(crate) struct ModelCall {
    pub(crate) request: ModelRequest,
    pub(crate) events: mpsc::Sender<Result<ProviderEvent, ProviderError>>,
}

impl ModelCall {
    pub(crate) async fn event(&self, event: ProviderEvent) {
        self.events.send(Ok(event)).await.expect("the call is read");
    }

    pub(crate) async fn text(&self, delta: &str) {
        self.text_in(0, delta).await;
    }

    pub(crate) async fn text_in(&self, block: usize, delta: &str) {
        let delta = delta.to_owned();
        self.event(ProviderEvent::Text { block, delta }).await;
    }

    pub(crate) async fn thinking(&self, delta: &str) {
        let delta = delta.to_owned();
        self.event(ProviderEvent::Thinking { block: 0, delta })
            .await;
    }

    /// Begins a call of a tool.
    pub(crate) async fn tool_begins(&self, block: usize, id: &str, name: &str, delta: &str) {
        let start = ProviderEvent::ToolCallStart {
            block,
            id: id.to_owned(),
            name: name.to_owned(),
            provider: None,
        };
        self.event(start).await;
        let delta = delta.to_owned();
        self.event(ProviderEvent::ToolCallDelta { block, delta })
            .await;
    }

    pub(crate) async fn done(self, stop_reason: StopReason) {
        self.done_with(stop_reason, Some(USAGE)).await;
    }

    async fn done_with(self, stop_reason: StopReason, usage: Option<Usage>) {
        let done = ProviderEvent::Done {
            stop_reason,
            usage,
            charged: None,
            provider: None,
        };
        self.event(done).await;
    }

    /// Answers with a text and ends.
    pub(crate) async fn answer(self, text: &str) {
        self.text(text).await;
        self.done(StopReason::EndTurn).await;
    }

    /// Asks for tools, by id and name, and ends.
    pub(crate) async fn tools(self, calls: &[(&str, &str)]) {
        self.tools_with(calls, Some(USAGE)).await;
    }

    /// Answers with a text, and says what the call has used.
    pub(crate) async fn answer_counted(self, text: &str, usage: Usage) {
        self.text(text).await;
        self.done_with(StopReason::EndTurn, Some(usage)).await;
    }

    /// The same for an endpoint that does not say it.
    pub(crate) async fn answer_uncounted(self, text: &str) {
        self.text(text).await;
        self.done_with(StopReason::EndTurn, None).await;
    }

    /// Asks for tools, by id and name; the endpoint does not say what the call has used.
    pub(crate) async fn tools_uncounted(self, calls: &[(&str, &str)]) {
        self.tools_with(calls, None).await;
    }

    /// The same for an endpoint that says it.
    pub(crate) async fn tools_counted(self, calls: &[(&str, &str)], usage: Usage) {
        self.tools_with(calls, Some(usage)).await;
    }

    async fn tools_with(self, calls: &[(&str, &str)], usage: Option<Usage>) {
        for (block, (id, name)) in calls.iter().enumerate() {
            self.tool_begins(block, id, name, "{\"a\":1}").await;
        }
        self.done_with(StopReason::ToolUse, usage).await;
    }

    pub(crate) async fn fail(self, error: ProviderError) {
        self.events
            .send(Err(error))
            .await
            .expect("the call is read");
    }

    /// Completes when the reader of the call is gone.
    pub(crate) async fn ended(&self) {
        within(self.events.closed()).await;
    }
}

/// An error of the model.
pub(crate) fn provider_error(retryable: bool) -> ProviderError {
    ProviderError {
        category: ErrorCategory::Overloaded,
        retryable,
        retry_after: None,
        status: Some(529),
        message: "too many people".to_owned(),
        hint: None,
        usage: None,
    }
}

/// The error of an endpoint that wants no request for so long.
pub(crate) fn limited(wait: Duration) -> ProviderError {
    ProviderError {
        category: ErrorCategory::RateLimit,
        retry_after: Some(wait),
        status: Some(429),
        ..provider_error(true)
    }
}

/// The error of an endpoint whose model's window is too small for the request.
pub(crate) fn overflow() -> ProviderError {
    ProviderError {
        category: ErrorCategory::ContextOverflow,
        ..provider_error(false)
    }
}

/// A running tool, which the test ends.
#[derive(Debug)]
pub(crate) struct ToolRun {
    pub(crate) call: ToolCall,
    pub(crate) updates: ToolUpdates,
    pub(crate) cancel: CancellationToken,
    pub(crate) reply: oneshot::Sender<ToolOutcome>,
}

impl ToolRun {
    pub(crate) fn end(self, text: &str) {
        let outcome = ToolOutcome {
            content: vec![Block::text(text)],
            is_error: false,
            details: None,
            recorded: Box::default(),
        };
        self.reply.send(outcome).expect("the tool runs");
    }

    /// Completes when the tool is asked to end.
    pub(crate) async fn interrupted(&self) {
        within(self.cancel.cancelled()).await;
    }

    pub(crate) fn show(&self, partial: Value) {
        self.updates.send_replace(Some(partial));
    }
}
