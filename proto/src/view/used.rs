use super::SessionState;
use crate::{RunSpent, Seq};

impl SessionState {
    /// The use of the session by now, with that of its tasks that have ended.
    pub fn used(&self) -> RunSpent {
        let tasks = self.runtimes.used_since(Seq::ZERO);
        RunSpent {
            tokens: self.usage.total().saturating_add(tasks.usage.total()),
            micro_usd: self.cost.micro_usd.saturating_add(tasks.cost.micro_usd),
            spawns: tasks.tasks.saturating_add(tasks.spawned),
        }
    }
}
