//! Random graphs and updates, judged by the guard and by a reference that is written for the test.

use proptest::collection::vec;
use proptest::prelude::*;
use scorel_workflow::{Guard, RunDocument, StateUpdate, Workflow};
use serde_json::json;

use crate::guarded::{NOW, Written};
use crate::sample::Sample;

const NODES: usize = 5;

/// A graph, a state and an update, by the numbers of nodes.
#[derive(Debug, Clone)]
struct Attempt {
    edges: Vec<(usize, usize)>,
    /// The last nodes are ends.
    ends: usize,
    max_visits: Vec<usize>,
    has_output: Vec<bool>,
    written: Vec<bool>,
    /// `NODES` stands for a state before the first node.
    current: usize,
    completed: Vec<usize>,
    appended: Vec<usize>,
    to: Option<usize>,
}

fn attempts() -> impl Strategy<Value = Attempt> {
    let node = 0..NODES;
    let graph = (vec((node.clone(), node.clone()), 0..12), 1..3_usize);
    let steps = (
        vec(1..4_usize, NODES),
        vec(any::<bool>(), NODES),
        vec(any::<bool>(), NODES),
    );
    let state = (0..=NODES, vec(node.clone(), 0..6));
    // Often the update that a run would make.
    let change = (
        prop::option::weighted(0.8, vec(node.clone(), 0..3)),
        prop::option::of(node),
    );
    (graph, steps, state, change).prop_map(
        |((edges, ends), (max_visits, has_output, written), (current, completed), (other, to))| {
            let from = current % NODES;
            let appended = other
                .filter(|it| it.len() != 1)
                .unwrap_or_else(|| vec![from]);
            Attempt {
                edges,
                ends,
                max_visits,
                has_output,
                written,
                current,
                completed,
                appended,
                to,
            }
        },
    )
}

impl Attempt {
    /// True if the update is legal.
    fn is_legal(&self) -> bool {
        let from = if self.current == NODES {
            0
        } else {
            self.current
        };
        let to = self.to.unwrap_or(from);
        if self.appended.is_empty() && from == to {
            return true;
        }
        if self.appended != [from] {
            return false;
        }
        if self.has_output[from] && !self.written[from] {
            return false;
        }
        if self.edges.contains(&(from, to)) {
            let mut all = self.completed.clone();
            all.extend(&self.appended);
            return all.iter().filter(|it| **it == to).count() < self.max_visits[to];
        }
        from == to && from >= NODES - self.ends && !self.completed.contains(&from)
    }

    fn workflow(&self) -> Workflow {
        let mut sample = Sample::new();
        let id = |node: usize| format!("n{node}");
        let kind = |node| {
            if node >= NODES - self.ends {
                "end"
            } else {
                "step"
            }
        };
        let nodes = (0..NODES).map(|node| json!({"id": id(node), "type": kind(node), "file": format!("steps/{}.md", id(node))}));
        // Every node leads to an end, by an edge that no update takes.
        let mut nodes: Vec<_> = nodes.collect();
        nodes.push(json!({"id": "last", "type": "end", "file": "steps/end-99.md"}));
        let mut edges = self.edges.clone();
        edges.sort_unstable();
        edges.dedup();
        let edges = edges.into_iter().enumerate();
        let edges = edges.map(|(index, (from, to))| json!({"from": id(from), "to": id(to), "label": format!("l{index}")}));
        let out = (0..NODES).map(|node| json!({"from": id(node), "to": "last", "label": "out"}));
        let edges: Vec<_> = edges.chain(out).collect();
        sample.json(
            "workflow.graph.json",
            &json!({"schemaVersion": "1.1", "entryNodeId": "n0", "nodes": nodes, "edges": edges}),
        );
        for node in 0..NODES {
            let outputs = match self.has_output[node] {
                true => format!("requiredOutputs: ['@state/{node}.md']\n"),
                false => String::new(),
            };
            sample.text(&format!("steps/{}.md", id(node)), &format!(
                "---\nschemaVersion: '1.1'\nnodeId: {}\ntype: {}\nmaxVisits: {}\n{outputs}---\n",
                id(node), kind(node), self.max_visits[node]
            ));
        }
        let package = sample.read().package;
        package
            .unwrap_or_else(|problems| panic!("{problems:?}"))
            .workflows
            .remove(0)
    }

    fn document(&self) -> RunDocument {
        let current = match self.current {
            NODES => String::new(),
            node => format!("n{node}"),
        };
        let completed: Vec<_> = self.completed.iter().map(|it| format!("n{it}")).collect();
        let text = format!(
            "---\nschemaVersion: '1.1'\nworkflowType: t\ncurrentNodeId: '{current}'\nstepsCompleted: [{}]\n---\n",
            completed.join(", ")
        );
        RunDocument::parse(text).unwrap()
    }

    fn update(&self) -> StateUpdate {
        let appended: Vec<_> = self.appended.iter().map(|it| format!("n{it}")).collect();
        let mut update = json!({"stepsCompleted": {"append": appended}});
        if let Some(to) = self.to {
            update["currentNodeId"] = json!({"set": format!("n{to}")});
        }
        serde_json::from_value(update).unwrap()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_guard_allows_what_the_reference_allows(attempt in attempts()) {
        let workflow = attempt.workflow();
        let written = (0..NODES).filter(|node| attempt.written[*node]);
        let written = Written(written.map(|node| format!("@state/{node}.md")).collect());
        let guard = Guard { workflow: &workflow, outputs: &written };
        let before = attempt.document();
        let judged = guard.update(&before, &attempt.update(), NOW);
        prop_assert_eq!(judged.is_ok(), attempt.is_legal(), "{:?}", judged.err());
        if let Ok(guarded) = judged {
            let again = guard.replace(&before, guarded.document.text(), NOW).unwrap();
            prop_assert_eq!(again.transition, guarded.transition, "a text is judged like an update");
        }
    }
}
