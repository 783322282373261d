//! The sources of the daemon's own tools.

use std::sync::{Arc, Weak};

use futures_util::future::{BoxFuture, ready};
use scorel_engine::Tool;
use scorel_fetch::WebFetch;
use scorel_guidance::skills::{SkillProject, SkillTool, Skills};
use scorel_orchestrator::{Orchestrator, agent_tools};
use scorel_proto::TurnError;

use super::{ToolPlace, ToolSource};

/// A source whose tools are there at once.
struct OwnTools<F> {
    name: &'static str,
    find: F,
}

impl<F> std::fmt::Debug for OwnTools<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("OwnTools").field(&self.name).finish()
    }
}

impl<F> ToolSource for OwnTools<F>
where
    F: Fn(&ToolPlace) -> Vec<Arc<dyn Tool>> + Send + Sync,
{
    fn name(&self) -> &str {
        self.name
    }

    fn tools(
        &self,
        place: &ToolPlace,
    ) -> BoxFuture<'static, Result<Vec<Arc<dyn Tool>>, TurnError>> {
        Box::pin(ready(Ok((self.find)(place))))
    }
}

fn source(
    name: &'static str,
    find: impl Fn(&ToolPlace) -> Vec<Arc<dyn Tool>> + Send + Sync + 'static,
) -> Arc<dyn ToolSource> {
    Arc::new(OwnTools { name, find })
}

/// The sources that every turn has, in the order in which models are offered their tools.
pub(crate) fn own_sources(
    skills: Skills,
    orchestrator: Weak<Orchestrator>,
) -> [Arc<dyn ToolSource>; 4] {
    [
        source("project", |place| place.project.list()),
        source("skills", move |place| {
            let project = SkillProject {
                id: place.project_id,
                dir: place.directory.clone(),
            };
            let roots = place.project.files().skills();
            vec![SkillTool::shared(&skills, project, roots)]
        }),
        source("web", |place| {
            let blobs = Arc::clone(&place.blobs);
            vec![Arc::new(WebFetch::new(place.fetcher.clone(), blobs))]
        }),
        source("agents", move |place| {
            // Gone only while the daemon stops.
            let Some(orchestrator) = orchestrator.upgrade() else {
                return Vec::new();
            };
            let agents = orchestrator.host().agents(Some(place.project_id));
            agent_tools(&orchestrator, place.session_id, &agents)
        }),
    ]
}
