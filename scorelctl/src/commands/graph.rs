//! Draws a session and its runtimes as a tree.

use std::collections::HashSet;
use std::path::PathBuf;

use clap::Args;
use scorel_client::ClientError;
use scorel_proto::{AgentTaskGraph, GetGraph, GetGraphParams, GraphNode, GraphNodeKind, HostEvent};

use super::runtimes::{SHOWN_CHARS, TITLE_CHARS, shortened};
use super::spawn::host_feed::HostFeed;
use crate::aligned::aligned;
use crate::cli::Cli;
use crate::daemon::no_daemon;
use crate::failure::Failure;
use crate::question::child_question;
use crate::selector::SessionSelector;
use crate::target;
use scorel_screen::escape::one_line;

#[derive(Debug, Args)]
pub(crate) struct GraphArgs {
    /// Go on with each line that changes, until interrupted
    #[arg(long, short)]
    pub(crate) follow: bool,
    /// The session at the root: an id, or its beginning or end [default: the project's
    /// orchestrator, else its latest session]
    #[arg(value_name = "SESSION")]
    pub(crate) session: Option<SessionSelector>,
    /// Project directory [default: the working directory]
    #[arg(long, short, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
}

pub(super) async fn run(args: &GraphArgs, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let directory = args.project.as_deref();
    let params = GetGraphParams {
        session_id: target::giver(&mut cli.daemon, args.session.as_ref(), directory).await?,
        ended: None,
    };
    let graph = cli.call::<GetGraph>(&params).await?;
    let rows = GraphDrawing::of(&graph);
    cli.result(&graph, |output| output.lines(aligned(HEAD, &rows)))?;
    if graph.nodes.len() <= 1 {
        cli.note("the session has given no tasks to agents")?;
    }
    if args.follow {
        follow(&params, rows, cli).await?;
    }
    Ok(())
}

/// Prints the rows that change. Returns only with a failure: the user ends it.
async fn follow(
    params: &GetGraphParams,
    mut shown: Vec<GraphRow>,
    cli: &mut Cli<'_>,
) -> Result<(), Failure> {
    cli.daemon.never_start();
    let mut feed = HostFeed::new(cli.daemon.link().clone());
    let (mut is_lost, mut is_news) = (false, false);
    loop {
        cli.output.flush()?;
        let change = feed.next_or_lost().await;
        let change = change.map_err(|error| no_daemon(cli.daemon.link().start, error))?;
        let Some((_, event)) = change else {
            cli.note("the connection was lost; waiting for the daemon")?;
            is_lost = true;
            continue;
        };
        is_news |= match &event {
            HostEvent::SessionChanged { session, .. } => session.session_id == params.session_id,
            HostEvent::Snapshot { .. } | HostEvent::AgentTaskChanged { .. } => true,
            _ => false,
        };
        // Something that is ready after the news may be none.
        if feed.is_ready() || !std::mem::take(&mut is_news) {
            continue;
        }
        let graph = match is_lost {
            true => cli.call::<GetGraph>(params).await,
            false => cli.daemon.call_once::<GetGraph>(params).await,
        };
        is_lost = graph.as_ref().is_err_and(ClientError::is_lost_connection);
        if is_lost {
            // The feed is lost as well. It says so, and starts with a snapshot when the daemon is back.
            continue;
        }
        let graph = graph.map_err(|error| no_daemon(cli.daemon.link().start, error))?;
        let rows = GraphDrawing::of(&graph);
        if rows == shown {
            continue;
        }
        cli.result(&graph, |output| {
            let mut both = rows.iter().zip(aligned(HEAD, &rows).into_iter().skip(1));
            both.try_for_each(|(row, line)| match shown.contains(row) {
                true => Ok(()),
                false => output.line(&line),
            })
        })?;
        shown = rows;
    }
}

const HEAD: [&str; 5] = ["ID", "AGENT", "STATUS", "TITLE", "SUMMARY"];

/// The cells of a row, as those of [`HEAD`]. A question has the first one only.
type GraphRow = [String; 5];

struct GraphDrawing<'a> {
    graph: &'a AgentTaskGraph,
    /// The tree. A node has one place, whatever the edges say.
    drawn: HashSet<&'a str>,
    rows: Vec<GraphRow>,
}

impl<'a> GraphDrawing<'a> {
    fn of(graph: &'a AgentTaskGraph) -> Vec<GraphRow> {
        let mut drawing = Self {
            graph,
            drawn: HashSet::new(),
            rows: Vec::new(),
        };
        // The first is the root. What no edge reaches from there is drawn as well, as a root of its own.
        for node in &graph.nodes {
            drawing.node(node, ("", ""));
        }
        drawing.rows
    }

    /// Draws a node and its descendants. `first` is the prefix of the first line, `rest` that of all others.
    fn node(&mut self, node: &'a GraphNode, (first, rest): (&str, &str)) {
        if !self.drawn.insert(&node.id) {
            return;
        }
        self.rows.push(row(node, first));
        let children: Vec<&GraphNode> = self.children(node);
        if let Some(question) = &node.waiting_for {
            let bar = if children.is_empty() { "  " } else { "│ " };
            let question = format!("{rest}{bar}{}", child_question(question));
            let mut row = GraphRow::default();
            row[0] = question;
            self.rows.push(row);
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

fn row(node: &GraphNode, prefix: &str) -> GraphRow {
    // The root's status is that of a session: one that has ended its turn is idle, not done.
    let status = match (node.kind, node.status.is_final()) {
        (GraphNodeKind::Orchestrator, true) => "idle",
        _ => node.status.name(),
    };
    let place = node.queue_position.map(|place| format!(" {place}"));
    // It is the title if there is nothing else to tell.
    let is_title = node.summary == node.title;
    [
        format!("{prefix}{}", one_line(&node.id)),
        node.agent_type.as_deref().map(one_line).unwrap_or_default(),
        format!("{status}{}", place.unwrap_or_default()),
        shortened(&node.title, TITLE_CHARS),
        if is_title {
            String::new()
        } else {
            shortened(&node.summary, SHOWN_CHARS)
        },
    ]
}

#[cfg(test)]
mod tests {
    use scorel_proto::{AgentTaskQuestion, AgentTaskStatus, GraphEdge, GraphEdgeKind};

    use super::*;

    fn node(id: &str, status: AgentTaskStatus, summary: &str) -> GraphNode {
        let is_root = id == "ses_1";
        GraphNode {
            id: id.to_owned(),
            version: 1,
            kind: if is_root {
                GraphNodeKind::Orchestrator
            } else {
                GraphNodeKind::Runtime
            },
            session_id: None,
            agent_type: (!is_root).then(|| "reviewer".to_owned()),
            status,
            queue_position: (status == AgentTaskStatus::Queued).then_some(2),
            title: "Task".to_owned(),
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
        let mut asking = node("rti_2", AgentTaskStatus::WaitingInput, "runs\nthe tests");
        asking.waiting_for = Some(AgentTaskQuestion {
            session_id: "ses_01ARZ3NDEKTSV4RRFFQ69G5FAV".parse().unwrap(),
            request_id: "prm_01ARZ3NDEKTSV4RRFFQ69G5FAW".parse().unwrap(),
            tool_name: "Bash".to_owned(),
        });
        let graph = AgentTaskGraph {
            nodes: vec![
                node("ses_1", AgentTaskStatus::Completed, "Plan"),
                asking,
                node("rti_3", AgentTaskStatus::Queued, "waits"),
                node("rti_4", AgentTaskStatus::Running, "looks"),
                node("rti_5", AgentTaskStatus::Failed, "Task"),
            ],
            edges: vec![
                edge("ses_1", "rti_2"),
                edge("ses_1", "rti_3"),
                edge("rti_2", "rti_4"),
                edge("ses_1", "rti_5"),
            ],
        };
        let lines = aligned(HEAD, &GraphDrawing::of(&graph));
        assert!(
            lines[3].starts_with("│  │ Bash asks for permission in ses_"),
            "{lines:?}"
        );
        let others: Vec<&str> = lines
            .iter()
            .enumerate()
            .filter(|(index, _)| *index != 3)
            .map(|(_, line)| line.as_str())
            .collect();
        let expected = [
            "ID           AGENT     STATUS         TITLE  SUMMARY",
            "ses_1                  idle           Task   Plan",
            "├─ rti_2     reviewer  waiting_input  Task   runs the tests",
            "│  └─ rti_4  reviewer  running        Task   looks",
            "├─ rti_3     reviewer  queued 2       Task   waits",
            "└─ rti_5     reviewer  failed         Task",
        ];
        assert_eq!(others, expected);
    }

    #[test]
    fn a_circle_and_a_node_without_a_way_to_it_are_drawn_once() {
        let graph = AgentTaskGraph {
            nodes: vec![
                node("ses_1", AgentTaskStatus::Running, "Plan"),
                node("rti_2", AgentTaskStatus::Running, "a"),
                node("rti_3", AgentTaskStatus::Running, "alone"),
            ],
            edges: vec![
                edge("ses_1", "rti_2"),
                edge("rti_2", "ses_1"),
                edge("rti_2", "rti_2"),
            ],
        };
        let expected = [
            "ID        AGENT     STATUS   TITLE  SUMMARY",
            "ses_1               running  Task   Plan",
            "└─ rti_2  reviewer  running  Task   a",
            "rti_3     reviewer  running  Task   alone",
        ];
        assert_eq!(aligned(HEAD, &GraphDrawing::of(&graph)), expected);
    }
}
