use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::agent::{Agent, AgentPolicy};
use crate::node::NodeKind;
use crate::package::{Package, Workflow};
use crate::package_files::hexadecimal;
use crate::step::{StepSettings, StepTools};

/// A run of a workflow as it would be, for the person who starts it.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    pub(crate) name: String,
    pub(crate) version: String,
    /// Absent if the package has one workflow only, without an id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) workflow: Option<String>,
    pub(crate) title: String,
    pub(crate) entry: String,
    pub(crate) nodes: Vec<PlannedNode>,
    pub(crate) agents: Vec<PlannedAgent>,
    /// The nodes that wait for a person.
    pub(crate) stops: Vec<String>,
    /// Servers of the Model Context Protocol that an agent may use.
    pub(crate) servers: Vec<String>,
    /// The digest of all files of the package.
    pub(crate) package_digest: String,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PlannedNode {
    pub(crate) id: String,
    #[serde(rename = "type")]
    pub(crate) kind: NodeKind,
    pub(crate) title: String,
    pub(crate) agent: String,
    pub(crate) waits_for_person: bool,
    pub(crate) required_outputs: Vec<String>,
    pub(crate) tools: StepTools,
    pub(crate) max_visits: u64,
    pub(crate) next: Vec<PlannedWay>,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct PlannedWay {
    pub(crate) to: String,
    pub(crate) label: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) condition: Option<String>,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct PlannedAgent {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) tools: AgentPolicy,
}

impl Plan {
    pub fn of(package: &Package, workflow: &Workflow) -> Self {
        let first = package.agents.first().map_or("", |agent| agent.id.as_str());
        let nodes: Vec<PlannedNode> = planned_nodes(workflow, first).collect();
        let is_used = |agent: &&Agent| nodes.iter().any(|node| node.agent == agent.id);
        let agents: Vec<&Agent> = package.agents.iter().filter(is_used).collect();
        let servers = agents
            .iter()
            .map(|it| &it.tools.mcp)
            .filter(|it| it.enabled);
        let mut servers: Vec<String> = servers.flat_map(|it| it.allowed_servers.clone()).collect();
        servers.sort();
        servers.dedup();
        let stops = nodes.iter().filter(|node| node.waits_for_person);
        Self {
            name: package.manifest.name.clone(),
            version: package.manifest.version.clone(),
            workflow: workflow.id.clone(),
            title: match workflow.title.is_empty() {
                true => package.manifest.description.clone(),
                false => workflow.title.clone(),
            },
            entry: workflow.graph.entry().id.clone(),
            stops: stops.map(|node| node.id.clone()).collect(),
            nodes,
            agents: agents.into_iter().map(planned_agent).collect(),
            servers,
            package_digest: package.digest.clone(),
        }
    }

    /// Stands for what was shown: another plan, or another file of the package, has another digest.
    pub fn digest(&self) -> String {
        let text = serde_json::to_vec(self).expect("a plan has texts, numbers and lists only");
        hexadecimal(&Sha256::digest(text))
    }
}

fn planned_nodes<'a>(
    workflow: &'a Workflow,
    first: &'a str,
) -> impl Iterator<Item = PlannedNode> + 'a {
    workflow.nodes().map(move |(node, step)| {
        let StepSettings {
            required_outputs,
            tools,
            max_visits,
            ..
        } = step.clone();
        PlannedNode {
            id: node.id.clone(),
            kind: node.kind,
            title: node.title.clone().unwrap_or_default(),
            agent: node.agent_id.as_deref().unwrap_or(first).to_owned(),
            waits_for_person: step.waits_for_person(),
            required_outputs,
            tools,
            max_visits,
            next: ways(workflow, &node.id),
        }
    })
}

fn ways(workflow: &Workflow, id: &str) -> Vec<PlannedWay> {
    let edges = workflow.graph.outgoing(id);
    let ways = edges.map(|edge| PlannedWay {
        to: edge.to.clone(),
        label: edge.label.clone(),
        condition: edge.condition_text.clone(),
    });
    ways.collect()
}

fn planned_agent(agent: &Agent) -> PlannedAgent {
    PlannedAgent {
        id: agent.id.clone(),
        name: format!("{}, {}", agent.metadata.name, agent.metadata.title),
        tools: agent.tools.clone(),
    }
}
