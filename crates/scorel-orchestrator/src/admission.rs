//! The one point that every task for an agent passes, from a model or a client.
//!
//! A task that a model gives is a call of `AgentSpawn`, which its turn has shown to the hooks. Any other is shown
//! to them here, as that call.

use std::sync::Arc;

use scorel_engine::{ToolCall, ToolList, spawn_blocking};
use scorel_session::Lane;
use serde_json::{Map, Value};

use crate::error::OrchestratorError;
use crate::orchestrator::Orchestrator;
use crate::records::SpawnOrder;
use crate::tools::{SPAWN, SpawnArguments, agent_tools, spawn_arguments};

/// Shows an order to the hooks of the session that is to get the runtime, and returns what they have left of it.
pub(crate) async fn admitted(
    orchestrator: &Orchestrator,
    lane: &Lane,
    order: SpawnOrder,
) -> Result<SpawnOrder, OrchestratorError> {
    if order.tool_call_id.is_some() {
        return Ok(order);
    }
    let (host, header) = (Arc::clone(orchestrator.host()), lane.header().clone());
    let me = orchestrator.itself();
    let unknown = |reason: String| {
        OrchestratorError::Hook(format!("the hooks of the session are unknown: {reason}"))
    };
    let look = move || {
        // Gone only while the daemon stops.
        let me = me.upgrade().ok_or("the daemon stops")?;
        let agents = host.agents(Some(header.project_id));
        let tools = agent_tools(&me, header.session_id, &agents);
        let tools = ToolList::new(tools).map_err(|error| error.to_string())?;
        host.hooks(&header, &tools)
    };
    let found = spawn_blocking(look).await;
    let hooks = found
        .map_err(|error| unknown(error.to_string()))?
        .map_err(unknown)?;
    let mut call = call(&order);
    if !hooks
        .admit(&mut call)
        .await
        .map_err(OrchestratorError::Hook)?
    {
        return Ok(order);
    }
    let misfit = |error: scorel_engine::ArgumentError| {
        OrchestratorError::Hook(format!(
            "hooks have changed the task so that it does not fit: {error}"
        ))
    };
    let SpawnArguments {
        agent_type,
        prompt,
        title,
        ..
    } = spawn_arguments(call.input).map_err(misfit)?;
    Ok(SpawnOrder {
        agent_type,
        prompt,
        title,
        ..order
    })
}

/// The order as the call that a model would make.
fn call(order: &SpawnOrder) -> ToolCall {
    let text = |name: &str, value: &str| (name.to_owned(), Value::from(value));
    let mut input = Map::from_iter([
        text("agentType", &order.agent_type),
        text("prompt", &order.prompt),
    ]);
    input.extend(order.title.as_deref().map(|title| text("title", title)));
    ToolCall {
        id: String::new(),
        name: SPAWN.to_owned(),
        input: Value::Object(input),
        invalid_input: None,
    }
}
