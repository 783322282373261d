use std::sync::Arc;

use futures_util::future::{BoxFuture, ready};
use scorel_engine::{CallScreen, Tool, ToolList, TurnLimits};
use scorel_proto::TurnError;
use scorel_runs::Runs;

use super::{ToolPlace, ToolSource};

/// The tools of sessions that have runs of workflows. A run that cannot go on has no turn.
#[derive(Debug)]
pub(crate) struct RunToolSource(pub(crate) Arc<Runs>);

impl ToolSource for RunToolSource {
    fn name(&self) -> &str {
        "runs"
    }

    fn admits_runner(&self, place: &ToolPlace) -> Result<(), TurnError> {
        self.0.admits_runner(place.session_id)
    }

    fn tools(
        &self,
        place: &ToolPlace,
    ) -> BoxFuture<'static, Result<Vec<Arc<dyn Tool>>, TurnError>> {
        let tools = self.0.turn_tools(place.session_id, &place.project);
        Box::pin(ready(tools))
    }

    fn screen(&self, place: &ToolPlace) -> Option<Arc<dyn CallScreen>> {
        self.0.turn_screen(place.session_id)
    }

    fn limited(&self, place: &ToolPlace, limits: TurnLimits) -> TurnLimits {
        self.0.turn_limits(place.session_id, limits)
    }

    fn rules(&self, place: &ToolPlace, tools: &ToolList) -> Option<String> {
        self.0.turn_rules(place.session_id, tools)
    }
}
