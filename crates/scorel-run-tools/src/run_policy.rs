use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use scorel_engine::{CallScreen, ToolOutcome, ToolSpec};
use scorel_proto::RunMode;
use scorel_workflow::{AgentPolicy, RunDocument, ShownPolicy, StepTools};

use crate::answer::not_allowed;
use crate::bound_run::BoundRun;
use crate::node_policy::NodePolicy;

/// Which tools a session of a run may use where the run is.
#[derive(Debug)]
pub struct RunPolicy {
    run: Arc<BoundRun>,
    standing: Mutex<RunStanding>,
}

/// Where a run is, as its document said when it was last read or written here.
#[derive(Debug, Clone, Default)]
struct RunStanding {
    /// Absent without a document that can be read.
    node: Option<String>,
    /// The agent of nodes that name none.
    agent: Option<String>,
}

impl RunPolicy {
    /// The policy of a run where its document says that it is, as far as that can be read.
    pub fn new(run: Arc<BoundRun>, document: Option<&RunDocument>) -> Self {
        let policy = Self {
            standing: Mutex::default(),
            run,
        };
        if let Some(document) = document {
            policy.follow(document);
        }
        policy
    }

    /// The node that the run is at; `None` without a document that can be read.
    pub fn node(&self) -> Option<String> {
        self.standing().node.clone()
    }

    /// The names of the tools that a node allows, of those that are offered.
    pub fn allowed<'a>(
        &self,
        node: &str,
        offered: impl IntoIterator<Item = &'a ToolSpec>,
    ) -> Vec<String> {
        let agent = self.standing().agent.clone();
        let policy = self.at(Some(node), agent.as_deref());
        let allowed = offered.into_iter().filter(|tool| policy.allows(tool));
        allowed.map(|tool| tool.name.clone()).collect()
    }

    /// Bytes of a file that may be read where the run is.
    pub fn max_read_bytes(&self) -> u64 {
        let RunStanding { node, agent } = self.standing().clone();
        self.at(node.as_deref(), agent.as_deref()).max_read_bytes()
    }

    /// Bytes that may be written at once where the run is.
    pub fn max_write_bytes(&self) -> u64 {
        let RunStanding { node, agent } = self.standing().clone();
        self.at(node.as_deref(), agent.as_deref()).max_write_bytes()
    }

    /// The tools and limits as the model is told them. The same at every node.
    pub fn shown<'a>(&self, offered: impl IntoIterator<Item = &'a ToolSpec>) -> ShownPolicy {
        let agent = self.standing().agent.clone();
        let policies: Vec<NodePolicy<'_>> = self.of_nodes(agent.as_deref()).collect();
        let read = policies.iter().map(NodePolicy::max_read_bytes);
        let written = policies.iter().map(NodePolicy::max_write_bytes);
        let servers = policies.iter().flat_map(NodePolicy::servers);
        let servers: BTreeSet<&String> = servers.collect();
        ShownPolicy {
            tools: offered.into_iter().map(|it| it.name.clone()).collect(),
            max_read_bytes: read.max().unwrap_or_default(),
            max_write_bytes: written.max().unwrap_or_default(),
            servers: servers.into_iter().cloned().collect(),
        }
    }

    /// The run is where this document says.
    pub(crate) fn follow(&self, document: &RunDocument) {
        let state = document.state();
        let workflow = self.run.workflow();
        *self.standing() = RunStanding {
            node: workflow.map(|it| state.node_id(&it.graph).to_owned()),
            agent: state.active_agent_id.clone(),
        };
    }

    /// The policies of all nodes, with the agent of those that name none.
    fn of_nodes<'a>(&'a self, agent: Option<&'a str>) -> impl Iterator<Item = NodePolicy<'a>> {
        let workflow = self.run.workflow();
        let nodes = workflow.into_iter().flat_map(|it| it.graph.nodes());
        nodes.map(move |node| self.at(Some(&node.id), agent))
    }

    fn at(&self, node: Option<&str>, agent: Option<&str>) -> NodePolicy<'_> {
        let workflow = self.run.workflow();
        let found = node.zip(workflow).and_then(|(id, workflow)| {
            let node = workflow.graph.node(id)?;
            Some((node, workflow.step(id)?))
        });
        let of_node = found.and_then(|(node, _)| node.agent_id.as_deref());
        let agent = || Some(&self.run.agent(of_node, agent)?.tools);
        let (agent, step): (Option<&AgentPolicy>, Option<&StepTools>) = match self.run.mode {
            RunMode::Run => (agent(), found.map(|(_, step)| &step.tools)),
            RunMode::Agent => (agent(), None),
            RunMode::Chat => (None, None),
        };
        NodePolicy {
            limits: &self.run.limits,
            agent,
            step,
        }
    }

    fn standing(&self) -> MutexGuard<'_, RunStanding> {
        // It is replaced as a whole.
        self.standing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CallScreen for RunPolicy {
    fn offers(&self, tool: &ToolSpec) -> bool {
        let agent = self.standing().agent.clone();
        let mut policies = self.of_nodes(agent.as_deref());
        policies.any(|policy| policy.allows(tool))
    }

    fn refusal(&self, tool: &ToolSpec, offered: &[&ToolSpec]) -> Option<ToolOutcome> {
        let RunStanding { node, agent } = self.standing().clone();
        let policy = self.at(node.as_deref(), agent.as_deref());
        if policy.allows(tool) {
            return None;
        }
        let allowed = offered.iter().filter(|it| policy.allows(it));
        let allowed: Vec<&str> = allowed.map(|it| it.name.as_str()).collect();
        Some(not_allowed(&tool.name, node.as_deref(), &allowed))
    }
}
