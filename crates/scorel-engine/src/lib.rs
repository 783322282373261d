//! The turn engine: drives a model and tools, and nothing else.
//!
//! A [`TurnDriver`] runs one turn. Its caller pulls one [`TurnStep`] after the other, and persists or
//! publishes a step before it asks for the next, so the engine never runs ahead of what is durable. In
//! go the context, [`TurnPorts`] and answers to questions; out come [`EngineEvent`]s without ids,
//! numbers or time, which the session adds.
//!
//! The engine keeps no history, touches no file, opens no connection and has no clock of its own:
//! everything outside is behind the ports [`Provider`], [`Tool`], [`Gatekeeper`], [`Hooks`] and [`Clock`], so
//! that tests run turns on paused time and without a network.

mod assembly;
mod blocking_task;
mod completion;
mod cost_limits;
mod driver;
mod event;
mod foreign_json;
mod in_place;
mod limit_error;
mod limits;
mod model_call;
mod ports;
mod retry;
mod runner_driver;
mod spending;
mod spent;
mod stop;
mod tool_calls;
mod tool_run;
mod turn_ports;

pub use blocking_task::{BlockingTask, spawn_blocking};
pub use completion::{Completion, CompletionError, CompletionPorts, complete};
pub use cost_limits::CostLimits;
pub use driver::{TurnDriver, TurnStep};
pub use event::{EngineEvent, TurnEnd};
pub use foreign_json::{MAX_FOREIGN_NESTING, MAX_FOREIGN_VALUES, foreign_json};
pub use in_place::{WorkFailed, run_in_place};
pub use limits::TurnLimits;
pub use ports::*;
pub use retry::RetryPolicy;
pub use runner_driver::{QuestionEffects, RunnerDriver, RunnerFact, RunnerPorts, RunnerStep};
pub use spending::Spending;
pub use spent::Spent;
pub use stop::{StopCause, StopSignal};
pub use tool_calls::tool_calls;
pub use turn_ports::{TurnPorts, TurnProgress};
