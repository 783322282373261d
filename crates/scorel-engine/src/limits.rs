use std::time::Duration;

use scorel_proto::{TurnError, Usage};

use crate::CostLimits;
use crate::limit_error::limit;

/// The limits of one turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnLimits {
    /// Model calls.
    pub max_steps: u32,
    /// Wall time, without announced waiting and open questions.
    pub max_duration: Duration,
    /// Input and output tokens of all model calls.
    pub max_tokens: u64,
    /// What the turn, its session and the day may cost.
    pub cost: CostLimits,
    /// Bytes of one answer: text, thinking and arguments. It is kept in memory, in the log and in
    /// every later request; no model's output limit comes near.
    pub max_answer_bytes: usize,
    /// Tool calls of one answer that run; the rest get error results.
    pub max_calls_per_answer: usize,
    /// Read-only tools that run at the same time.
    pub max_parallel_tools: usize,
}

impl Default for TurnLimits {
    fn default() -> Self {
        Self {
            max_steps: 200,
            max_duration: Duration::from_secs(4 * 60 * 60),
            max_tokens: 50_000_000,
            cost: CostLimits::default(),
            max_answer_bytes: 16 * 1024 * 1024,
            max_calls_per_answer: 64,
            max_parallel_tools: 8,
        }
    }
}

impl TurnLimits {
    /// The limit that forbids another model call, if one was reached.
    pub(crate) fn reached(&self, steps: u32, usage: &Usage) -> Option<TurnError> {
        if steps >= self.max_steps {
            let message = format!("the turn made {steps} model calls, its limit");
            return Some(limit("steps", message));
        }
        let (used, max) = (usage.total(), self.max_tokens);
        if used >= max {
            let message = format!("the turn used {used} of {max} tokens");
            return Some(limit("tokens", message));
        }
        None
    }

    pub(crate) fn answer_is_too_long(&self) -> TurnError {
        let bytes = self.max_answer_bytes;
        let message = format!("the answer was longer than {bytes} bytes, its limit");
        limit("answer", message)
    }

    pub(crate) fn time_is_up(&self) -> TurnError {
        let seconds = self.max_duration.as_secs();
        let message = format!("the turn ran for {seconds} seconds, its limit");
        limit("time", message)
    }
}
