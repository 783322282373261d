//! The tools by which a model gives tasks to agents.
//!
//! All act for one session, and on its own runtimes only. None answers a question: that is for people.

mod send;
mod session_tools;
mod spawn;
mod status;
mod stop;

use std::sync::Arc;

use scorel_engine::Tool;
use scorel_proto::SessionId;

pub(crate) use self::spawn::{NAME as SPAWN, SpawnArguments, spawn_arguments};
use crate::agents::ProjectAgents;
use crate::orchestrator::Orchestrator;
use session_tools::AgentTools;

/// The tools for the model of a session. The description of `AgentSpawn` lists the agents.
pub fn agent_tools(
    orchestrator: &Arc<Orchestrator>,
    session_id: SessionId,
    agents: &ProjectAgents,
) -> Vec<Arc<dyn Tool>> {
    let tools = AgentTools {
        orchestrator: Arc::clone(orchestrator),
        session_id,
    };
    vec![
        tools.tool(spawn::spec(agents), spawn::plan),
        tools.tool(status::spec(), status::plan),
        tools.tool(send::spec(), send::plan),
        tools.tool(stop::spec(), stop::plan),
    ]
}
