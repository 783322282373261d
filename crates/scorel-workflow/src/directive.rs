use crate::current_run::CurrentRun;
use crate::inline::{DIRECTIVE, inline};
use crate::run_intent::RunIntent;

/// The part `RUN_DIRECTIVE`: where a run stands. `None` if its document names a node that there is not.
pub fn directive(run: &CurrentRun<'_>, intent: RunIntent) -> Option<String> {
    let (node, _) = run.node()?;
    let agent = run.agent(node).map_or("", |agent| agent.id.as_str());
    let (name, graph, node) = (
        inline(run.name),
        inline(&format!("@pkg/{}", run.workflow.graph_file)),
        inline(&node.id),
    );
    Some(format!(
        "{DIRECTIVE}\n- runType: bmad-micro\n- intent: {intent}\n- workflow: {name}\n- state: @state/workflow.md\n\
         - graph: {graph}\n- artifactsRoot: @project/artifacts/\n- currentNodeId: {node}\n\
         - effectiveAgentId: {}\n- autopilot: {}\n",
        inline(agent),
        run.state.autopilot
    ))
}
