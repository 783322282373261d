//! Agents that work for a session: who may run, what runs, and what becomes of results.
//!
//! In: records of sessions, as they are published ([`AgentTaskFeature`] follows them), the configuration through
//! the port [`AgentHost`], and calls of clients and tools. Out: sessions for agents, messages to them, and
//! `runtime_*` records and results in the session that gave the task.
//!
//! The log of that session, the parent, is the source of truth. All state here is rebuilt from the
//! parents' folds: a step reads the fold, does what is missing, and may be repeated. After a crash at
//! any point the next daemon starts with the same reconciliation and continues.
//!
//! ```text
//! record ─→ committed() ─→ a parent is due ─→ reconcile: its runtimes, one after the other
//!                                                │  ↑
//!                                                ↓  └── Schedule: which may begin
//!                                     parent's lane, child's lane; never one while the other is held
//! ```

mod admission;
mod agent_task_step;
mod agents;
mod child_state;
mod claims;
mod deletion;
mod due;
mod error;
mod feature;
mod graph;
mod history;
#[cfg(test)]
mod model_test;
mod open_counts;
mod orchestrator;
mod outcome;
mod reconcile;
mod records;
mod result_text;
mod run_report;
mod run_spending;
mod run_use;
mod schedule;
mod spawn;
mod spawn_text;
mod step;
mod summaries;
mod task_lane;
#[cfg(test)]
mod test_home;
mod tools;
mod worktree_look;

pub use agents::{AgentCounts, AgentHost, AgentPolicy, OrchestratorLimits, ProjectAgents};
pub use error::OrchestratorError;
pub use feature::AgentTaskFeature;
pub use orchestrator::Orchestrator;
pub use records::SpawnOrder;
pub use run_use::RunUse;
pub use tools::agent_tools;
