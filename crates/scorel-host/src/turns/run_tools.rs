use std::sync::Arc;

use futures_util::future::{BoxFuture, ready};
use scorel_engine::Tool;
use scorel_proto::TurnError;
use scorel_runs::Runs;

use super::{ToolPlace, ToolSource};

/// The tools of sessions that belong to runs of workflows. A run that cannot go on has no turn.
#[derive(Debug)]
pub(crate) struct RunToolSource(pub(crate) Arc<Runs>);

impl ToolSource for RunToolSource {
    fn name(&self) -> &str {
        "runs"
    }

    fn tools(
        &self,
        place: &ToolPlace,
    ) -> BoxFuture<'static, Result<Vec<Arc<dyn Tool>>, TurnError>> {
        let checked = self.0.check_turn(place.session_id);
        Box::pin(ready(checked.map(|()| Vec::new())))
    }
}
