use crate::agent::Agent;
use crate::node::{Node, NodeKind};
use crate::package::Workflow;
use crate::run_state::RunState;
use crate::step::StepSettings;

/// A run as its document and its package say it is now.
#[derive(Debug, Clone, Copy)]
pub struct CurrentRun<'a> {
    /// The name that it was started by: `ID`, or `ID/WORKFLOW`.
    pub name: &'a str,
    pub workflow: &'a Workflow,
    /// The agents of the package.
    pub agents: &'a [Agent],
    pub state: &'a RunState,
}

impl<'a> CurrentRun<'a> {
    /// The node that is worked at, with the settings of its step: the entry before the first. `None` if the document
    /// names a node that there is not.
    pub fn node(&self) -> Option<(&'a Node, &'a StepSettings)> {
        let id = self.state.node_id(&self.workflow.graph);
        self.workflow.nodes().find(|(node, _)| node.id == id)
    }

    /// The agent that works at a node: its own, else the run's, else the first of the package.
    pub fn agent(&self, node: &Node) -> Option<&'a Agent> {
        let named = node
            .agent_id
            .as_ref()
            .or(self.state.active_agent_id.as_ref());
        let named = named.and_then(|id| self.agents.iter().find(|it| it.id == *id));
        named.or_else(|| self.agents.first())
    }

    /// The completions of a node so far.
    pub fn visits(&self, node: &str) -> usize {
        let completed = self.state.steps_completed.iter();
        completed.filter(|id| *id == node).count()
    }

    /// True if an end was completed.
    pub fn has_ended(&self) -> bool {
        let completed = self.state.steps_completed.iter();
        completed
            .filter_map(|id| self.workflow.graph.node(id))
            .any(|node| node.kind == NodeKind::End)
    }
}
