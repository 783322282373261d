use super::agent_task::AgentTask;
use crate::{CostTotal, Usage};

/// The use of some tasks of a session, as far as they have ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AgentTasksUse {
    /// The tokens of the model calls, with those of the tasks that these have given.
    pub usage: Usage,
    /// Their cost.
    pub cost: CostTotal,
    /// The number of the tasks, with those that have not ended.
    pub tasks: u64,
    /// The number of tasks that these have given.
    pub spawned: u64,
}

impl<'a> FromIterator<&'a AgentTask> for AgentTasksUse {
    fn from_iter<I: IntoIterator<Item = &'a AgentTask>>(tasks: I) -> Self {
        let mut used = Self::default();
        for task in tasks {
            used.usage += task.usage;
            used.cost += task.cost;
            used.tasks += 1;
            used.spawned = used.spawned.saturating_add(u64::from(task.spawned));
        }
        used
    }
}
