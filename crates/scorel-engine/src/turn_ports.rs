use std::sync::Arc;
use std::time::Duration;

use scorel_proto::{CostTotal, ThinkingLevel, Usage};

use crate::{Clock, Gatekeeper, HookChain, Provider, RetryPolicy, ToolList, TurnLimits};

/// What one turn needs: its ways out, and its limits.
#[derive(Debug, Clone)]
pub struct TurnPorts {
    /// The model.
    pub provider: Arc<dyn Provider>,
    /// The tools that the model is offered.
    pub tools: ToolList,
    /// Decides which calls run.
    pub gate: Arc<dyn Gatekeeper>,
    /// Look at calls and requests.
    pub hooks: HookChain,
    /// Time and sleeping.
    pub clock: Arc<dyn Clock>,
    /// When the turn ends by itself.
    pub limits: TurnLimits,
    /// When failed model calls are made again.
    pub retry: RetryPolicy,
    /// The system prompt.
    pub system: String,
    /// How much the model should think.
    pub thinking: ThinkingLevel,
}

/// What a turn did before its driver was made, by another daemon.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TurnProgress {
    /// The usage of its model calls.
    pub usage: Usage,
    /// What they cost.
    pub cost: CostTotal,
    /// How many model calls it has made.
    pub steps: u32,
    /// How often it has waited for a rate limit.
    pub waits: u32,
    /// How long it has run, without the time it waited.
    pub elapsed: Duration,
}
