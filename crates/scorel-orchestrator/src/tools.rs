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

use crate::agents::ProjectAgents;
use crate::orchestrator::Orchestrator;
use session_tools::AgentTools;

/// The tools for the model of a session. The description of `AgentSpawn` lists the agents.
#[must_use]
pub fn agent_tools(
    orchestrator: &Arc<Orchestrator>,
    session_id: SessionId,
    agents: &ProjectAgents,
) -> Vec<Arc<dyn Tool>> {
    let of = || AgentTools {
        orchestrator: Arc::clone(orchestrator),
        session_id,
    };
    vec![
        Arc::new(spawn::AgentSpawn::new(of(), agents)),
        Arc::new(status::AgentStatus::new(of())),
        Arc::new(send::AgentSend::new(of())),
        Arc::new(stop::AgentStop::new(of())),
    ]
}
