use std::sync::Arc;

use scorel_engine::Spending;

use super::task::TurnTask;
use crate::SessionError;

impl TurnTask {
    /// The spending before a model call. The day's cost is looked up only for a limit of it: the
    /// first look reads the logs of all sessions.
    pub(super) async fn spending(
        &self,
        day: bool,
        input_tokens: u64,
    ) -> Result<Spending, SessionError> {
        let lane = Arc::clone(&self.lane);
        let day_micro_usd = if day { lane.day_micro_usd().await? } else { 0 };
        Ok(Spending {
            session_micro_usd: self.lane.view(|view| view.state.cost.micro_usd),
            day_micro_usd,
            input_tokens,
        })
    }
}
