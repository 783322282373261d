use std::sync::{Arc, Weak};

use futures_util::future::BoxFuture;
use scorel_engine::{CallScreen, Tool, ToolList, TurnLimits};
use scorel_orchestrator::Orchestrator;
use scorel_proto::TurnError;
use scorel_runs::Runs;

use super::turn_error::turn_error;
use super::{ToolPlace, ToolSource};

/// The tools of sessions that have runs of workflows, and the limits of these and of their agents' sessions. A run that
/// cannot go on has no turn.
#[derive(Debug)]
pub(crate) struct RunToolSource {
    pub(crate) runs: Arc<Runs>,
    pub(crate) orchestrator: Weak<Orchestrator>,
}

impl ToolSource for RunToolSource {
    fn name(&self) -> &str {
        "runs"
    }

    fn admits_runner(&self, place: &ToolPlace) -> Result<(), TurnError> {
        self.runs.admits_runner(place.session_id)
    }

    fn tools(
        &self,
        place: &ToolPlace,
    ) -> BoxFuture<'static, Result<Vec<Arc<dyn Tool>>, TurnError>> {
        let tools = self.runs.turn_tools(place.session_id, &place.project);
        let (runs, session) = (Arc::clone(&self.runs), place.session_id);
        // Gone only while the daemon stops.
        let orchestrator = self.orchestrator.upgrade();
        Box::pin(async move {
            let Some(orchestrator) = orchestrator else {
                return tools;
            };
            let used = orchestrator.run_use(session).await;
            let used = used.map_err(|error| turn_error("limits_unknown", error.to_string()))?;
            let of = used.map(|used| (used.run_id, used.session_id, used.spent));
            runs.note_budget(session, of);
            tools
        })
    }

    fn screen(&self, place: &ToolPlace) -> Option<Arc<dyn CallScreen>> {
        self.runs.turn_screen(place.session_id)
    }

    fn limited(&self, place: &ToolPlace, limits: TurnLimits) -> TurnLimits {
        self.runs.turn_limits(place.session_id, limits)
    }

    fn rules(&self, place: &ToolPlace, tools: &ToolList) -> Option<String> {
        self.runs.turn_rules(place.session_id, tools)
    }
}
