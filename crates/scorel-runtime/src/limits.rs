use std::time::Duration;

use scorel_proto::{TurnError, Usage};

/// How far one turn may go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnLimits {
    /// How many model calls.
    pub max_steps: u32,
    /// How long, waiting for the provider not counted.
    pub max_duration: Duration,
    /// How many tokens, input and output of all calls together.
    pub max_tokens: u64,
    /// How many tool calls of one answer are run; the rest get an error as their result.
    pub max_calls_per_answer: usize,
    /// How many read-only tools run at the same time.
    pub max_parallel_tools: usize,
}

impl Default for TurnLimits {
    fn default() -> Self {
        Self {
            max_steps: 200,
            max_duration: Duration::from_secs(4 * 60 * 60),
            max_tokens: 50_000_000,
            max_calls_per_answer: 64,
            max_parallel_tools: 8,
        }
    }
}

impl TurnLimits {
    /// The limit that keeps the turn from another model call.
    pub(crate) fn reached(&self, steps: u32, usage: &Usage) -> Option<TurnError> {
        if steps >= self.max_steps {
            let message = format!("the turn made {steps} model calls, its limit");
            return Some(limit("steps", message));
        }
        if usage.total() >= self.max_tokens {
            let message = format!(
                "the turn used {} of {} tokens",
                usage.total(),
                self.max_tokens
            );
            return Some(limit("tokens", message));
        }
        None
    }

    /// The turn ran for as long as it may.
    pub(crate) fn time_is_up(&self) -> TurnError {
        let seconds = self.max_duration.as_secs();
        limit(
            "time",
            format!("the turn ran for {seconds} seconds, its limit"),
        )
    }
}

/// A limit that was reached, by its name.
pub(crate) fn limit(code: &str, message: impl Into<String>) -> TurnError {
    TurnError {
        code: code.to_owned(),
        message: message.into(),
        retryable: false,
    }
}
