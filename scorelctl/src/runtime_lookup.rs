use scorel_proto::{ListRuntimes, ListRuntimesParams, RuntimeId};

use crate::daemon::DaemonClient;
use crate::failure::Failure;
use crate::runtime_selector::RuntimeSelector;

/// How many runtimes are searched, the last spawned first: the daemon's limit for a list.
const SEARCHED: u32 = 1000;

impl RuntimeSelector {
    /// The selected runtime. A whole id is not looked up.
    pub(crate) async fn find(&self, control: &mut DaemonClient) -> Result<RuntimeId, Failure> {
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
