use scorel_proto::{AgentTaskId, ListRuntimes, ListRuntimesParams};

use crate::agent_task_selector::AgentTaskSelector;
use crate::daemon::DaemonClient;
use crate::failure::Failure;

/// The number of runtimes that are searched, the last spawned first: the daemon's limit for a list.
const SEARCHED: u32 = 1000;

impl AgentTaskSelector {
    /// The selected runtime. A whole id is not looked up.
    pub(crate) async fn find(&self, control: &mut DaemonClient) -> Result<AgentTaskId, Failure> {
        if let Self::Id(id) = self {
            return Ok(*id);
        }
        let params = ListRuntimesParams {
            limit: Some(SEARCHED),
            ..ListRuntimesParams::default()
        };
        let found = control.call::<ListRuntimes>(&params).await?.runtimes;
        self.choose(found.iter().map(|runtime| runtime.runtime_id))
    }
}
