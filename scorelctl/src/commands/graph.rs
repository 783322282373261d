//! Draws a session and its runtimes as a tree.

use std::collections::HashSet;

use scorel_proto::{GetGraph, GetGraphParams, GraphNode, GraphNodeKind, RuntimeGraph};

use crate::args::GraphArgs;
use crate::daemon::DaemonClient;
use crate::escape::one_line;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Output, result};
use crate::question::child_question;
use crate::target;

pub(super) async fn run(
    args: &GraphArgs,
    control: &mut DaemonClient,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let directory = args.project.as_deref();
    let params = GetGraphParams {
        session_id: target::existing(control, &args.session, directory).await?,
    };
    let graph = control.call::<GetGraph>(&params).await?;
    result(output, &graph, |output| {
        let mut lines = GraphDrawing::of(&graph).into_iter();
        lines.try_for_each(|line| output.line(&line))
    })?;
    if graph.nodes.len() <= 1 {
        output.note("the session has given no tasks to agents")?;
    }
    Ok(Exit::Success)
}

/// A graph as lines of text, the children of a node below it.
struct GraphDrawing<'a> {
    graph: &'a RuntimeGraph,
    /// The tree. A node has one place, whatever the edges say.
    drawn: HashSet<&'a str>,
    lines: Vec<String>,
}

impl<'a> GraphDrawing<'a> {
    fn of(graph: &'a RuntimeGraph) -> Vec<String> {
        let mut drawing = Self {
            graph,
            drawn: HashSet::new(),
            lines: Vec::new(),
        };
        // The first is the root. What no edge reaches from there is drawn as well, as a root of its own.
        for node in &graph.nodes {
            drawing.node(node, ("", ""));
        }
        drawing.lines
    }

    /// Draws a node and its descendants. `first` is the prefix of the first line, `rest` that of all others.
    fn node(&mut self, node: &'a GraphNode, (first, rest): (&str, &str)) {
        if !self.drawn.insert(&node.id) {
            return;
        }
        self.lines.push(format!("{first}{}", description(node)));
        let children: Vec<&GraphNode> = self.children(node);
        if let Some(question) = &node.waiting_for {
            let bar = if children.is_empty() { "  " } else { "│ " };
            self.lines
                .push(format!("{rest}{bar}{}", child_question(question)));
        }
        let count = children.len();
        for (index, child) in children.into_iter().enumerate() {
            let (branch, bar) = if index + 1 == count {
                ("└─ ", "   ")
            } else {
                ("├─ ", "│  ")
            };
            self.node(child, (&format!("{rest}{branch}"), &format!("{rest}{bar}")));
        }
    }

    /// The nodes below a node that are not drawn yet, in the order of the graph.
    fn children(&self, node: &GraphNode) -> Vec<&'a GraphNode> {
        let edges = self.graph.edges.iter();
        let edges = edges.filter(|edge| edge.from == node.id);
        let below: HashSet<&str> = edges.map(|edge| edge.to.as_str()).collect();
        let nodes = self.graph.nodes.iter();
        nodes
            .filter(|node| {
                below.contains(node.id.as_str()) && !self.drawn.contains(node.id.as_str())
            })
            .collect()
    }
}

fn description(node: &GraphNode) -> String {
    let mut text = one_line(&node.id);
    if let Some(agent) = &node.agent_type {
        text.push_str(&format!("  {}", one_line(agent)));
    }
    // The root's status is that of a session: one that has ended its turn is idle, not done.
    let status = match (node.kind, node.status.is_final()) {
        (GraphNodeKind::Orchestrator, true) => "idle",
        _ => node.status.name(),
    };
    text.push_str(&format!("  {status}"));
    if let Some(place) = node.queue_position {
        text.push_str(&format!(" {place}"));
    }
    let summary = one_line(&node.summary);
    if !summary.is_empty() {
        text.push_str(&format!("  {summary}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use scorel_proto::{GraphEdge, GraphEdgeKind, RuntimeQuestion, RuntimeStatus};

    use super::*;

    fn node(id: &str, status: RuntimeStatus, summary: &str) -> GraphNode {
        let is_root = id == "ses_1";
        GraphNode {
            id: id.to_owned(),
            kind: if is_root {
                GraphNodeKind::Orchestrator
            } else {
                GraphNodeKind::Runtime
            },
            session_id: None,
            agent_type: (!is_root).then(|| "reviewer".to_owned()),
            status,
            queue_position: (status == RuntimeStatus::Queued).then_some(2),
            summary: summary.to_owned(),
            started_at: 1,
            ended_at: None,
            usage: None,
            waiting_for: None,
        }
    }

    fn edge(from: &str, to: &str) -> GraphEdge {
        GraphEdge {
            from: from.to_owned(),
            to: to.to_owned(),
            kind: GraphEdgeKind::SpawnedBy,
            task_id: Some(to.to_owned()),
            workflow_id: None,
        }
    }

    #[test]
    fn children_are_below_their_parents() {
        let mut asking = node("rti_2", RuntimeStatus::WaitingInput, "runs\nthe tests");
        asking.waiting_for = Some(RuntimeQuestion {
            session_id: "ses_01ARZ3NDEKTSV4RRFFQ69G5FAV".parse().unwrap(),
            request_id: "prm_01ARZ3NDEKTSV4RRFFQ69G5FAW".parse().unwrap(),
            tool_name: "Bash".to_owned(),
        });
        let graph = RuntimeGraph {
            version: 1,
            nodes: vec![
                node("ses_1", RuntimeStatus::Completed, "Plan"),
                asking,
                node("rti_3", RuntimeStatus::Queued, "waits"),
                node("rti_4", RuntimeStatus::Running, "looks"),
                node("rti_5", RuntimeStatus::Failed, ""),
            ],
            edges: vec![
                edge("ses_1", "rti_2"),
                edge("ses_1", "rti_3"),
                edge("rti_2", "rti_4"),
                edge("ses_1", "rti_5"),
            ],
        };
        let lines = GraphDrawing::of(&graph);
        assert!(
            lines[2].starts_with("│  │ Bash asks for permission in ses_"),
            "{lines:?}"
        );
        let others: Vec<&str> = lines
            .iter()
            .enumerate()
            .filter(|(index, _)| *index != 2)
            .map(|(_, line)| line.as_str())
            .collect();
        let expected = [
            "ses_1  idle  Plan",
            "├─ rti_2  reviewer  waiting_input  runs the tests",
            "│  └─ rti_4  reviewer  running  looks",
            "├─ rti_3  reviewer  queued 2  waits",
            "└─ rti_5  reviewer  failed",
        ];
        assert_eq!(others, expected);
    }

    #[test]
    fn a_circle_and_a_node_without_a_way_to_it_are_drawn_once() {
        let graph = RuntimeGraph {
            version: 1,
            nodes: vec![
                node("ses_1", RuntimeStatus::Running, "Plan"),
                node("rti_2", RuntimeStatus::Running, "a"),
                node("rti_3", RuntimeStatus::Running, "alone"),
            ],
            edges: vec![
                edge("ses_1", "rti_2"),
                edge("rti_2", "ses_1"),
                edge("rti_2", "rti_2"),
            ],
        };
        let expected = [
            "ses_1  running  Plan",
            "└─ rti_2  reviewer  running  a",
            "rti_3  reviewer  running  alone",
        ];
        assert_eq!(GraphDrawing::of(&graph), expected);
    }
}
