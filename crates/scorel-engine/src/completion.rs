use std::time::Duration;

use futures_util::StreamExt;
use scorel_proto::StopReason;

use crate::model_call::ended_without_an_end;
use crate::retry::Retry;
use crate::{
    Clock, ModelRequest, Provider, ProviderError, ProviderEvent, RetryPolicy, Spent, StopCause,
    StopSignal, call_cost,
};

/// One answer of a model outside the conversation, such as a summary. It is not shown while it is
/// generated, so a call that fails in the middle is made again like one that fails at once.
#[derive(Debug)]
pub struct Completion {
    /// The text of the answer.
    pub text: String,
    pub stop_reason: StopReason,
    /// True if the model called tools. None of them runs.
    pub calls_tools: bool,
}

/// The reason why there is no answer.
#[derive(Debug)]
pub enum CompletionError {
    Stopped(StopCause),
    /// The call failed for good.
    Failed(ProviderError),
    /// The call may succeed after `delay`.
    Passing {
        error: ProviderError,
        delay: Duration,
    },
}

/// What a completion needs.
#[derive(Debug, Clone, Copy)]
pub struct CompletionPorts<'a> {
    pub provider: &'a dyn Provider,
    pub clock: &'a dyn Clock,
    pub retry: &'a RetryPolicy,
    pub stop: &'a StopSignal,
    /// An answer longer than this is cut off there.
    pub max_bytes: usize,
}

impl CompletionPorts<'_> {
    /// Asks for an answer, for the `attempt`th time, from 1. `spent` grows by what the call used. The
    /// caller shows a failure that passes, waits ([`CompletionPorts::wait`]) and asks again.
    ///
    /// # Errors
    ///
    /// When the signal fires or asks to park, or when the call fails.
    pub async fn attempt(
        &self,
        attempt: u32,
        request: &ModelRequest,
        spent: &mut Spent,
    ) -> Result<Completion, CompletionError> {
        let asked = tokio::select! {
            biased;
            cause = self.stop.gives_up() => return Err(CompletionError::Stopped(cause)),
            asked = complete(self.provider, request.clone(), self.max_bytes, spent) => asked,
        };
        let error = match asked {
            Ok(answer) => return Ok(answer),
            Err(error) => error,
        };
        match self.retry.decide(attempt, 0, &error) {
            Retry::After(delay) => Err(CompletionError::Passing { error, delay }),
            // Too long for something that a turn waits for.
            Retry::Wait(_) | Retry::No => Err(CompletionError::Failed(error)),
        }
    }

    /// Waits before the next attempt.
    ///
    /// # Errors
    ///
    /// When the signal fires or asks to park.
    pub async fn wait(&self, delay: Duration) -> Result<(), CompletionError> {
        tokio::select! {
            biased;
            cause = self.stop.gives_up() => Err(CompletionError::Stopped(cause)),
            () = self.clock.sleep(delay) => Ok(()),
        }
    }
}

/// Asks for an answer once. `spent` grows by what the call used, also if it fails.
///
/// # Errors
///
/// When the call fails.
pub async fn complete(
    provider: &dyn Provider,
    request: ModelRequest,
    max_bytes: usize,
    spent: &mut Spent,
) -> Result<Completion, ProviderError> {
    let price = provider.model().price;
    let mut stream = provider.stream(request);
    let mut answer = Completion {
        text: String::new(),
        stop_reason: StopReason::MaxTokens,
        calls_tools: false,
    };
    while answer.text.len() <= max_bytes {
        let next = stream.next().await;
        match next.unwrap_or_else(|| Err(ended_without_an_end())) {
            Ok(ProviderEvent::Text { delta, .. }) => answer.text.push_str(&delta),
            Ok(ProviderEvent::ToolCallStart { .. }) => answer.calls_tools = true,
            Ok(ProviderEvent::Done {
                stop_reason,
                usage,
                charged,
                ..
            }) => {
                spent.add(usage, call_cost(price, usage, charged));
                answer.stop_reason = stop_reason;
                break;
            }
            Ok(_) => {}
            Err(error) => {
                spent.add(error.usage, call_cost(price, error.usage, None));
                return Err(error);
            }
        }
    }
    Ok(answer)
}
