//! Agents: the tasks that sessions give them, and the results.

mod agent_task_status;
mod binding;
mod refusal;

pub use agent_task_status::AgentTaskStatus;
pub use binding::{Binding, BoundContext};
pub use refusal::SpawnRefusal;
