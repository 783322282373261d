//! Agents: the tasks that sessions give them, and the results.

mod agent_task_status;
mod history;
mod refusal;

pub use agent_task_status::AgentTaskStatus;
pub use history::{AgentEvent, AgentHistory, AgentTaskCounts};
pub use refusal::SpawnRefusal;
