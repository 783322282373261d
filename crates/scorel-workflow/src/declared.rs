use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::edge::Edge;
use crate::findings::Findings;
use crate::format;
use crate::graph::Graph;
use crate::limits::{MAX_EDGES, MAX_NODES};
use crate::node::{Node, NodeKind};
use crate::problem::ProblemCode;
use crate::shape::{Shape, ShapeCheck};

/// A graph as its file declares it: what can be read of it, also beside mistakes.
#[derive(Debug)]
pub(crate) struct DeclaredGraph {
    pub(crate) file: String,
    /// With their indices in the file.
    pub(crate) nodes: Vec<(usize, Node)>,
    edges: Vec<(usize, Edge)>,
    entry: Option<String>,
    /// Ids of all nodes, also of those that could not be read.
    ids: HashSet<String>,
    is_whole: bool,
}

impl DeclaredGraph {
    /// Reads a graph, and reports where it is not of the format.
    pub(crate) fn read(file: &str, value: &Value, findings: &mut Findings) -> Self {
        let before = findings.len();
        check_shape(file, value, &format::GRAPH, findings);
        for (field, limit) in [("nodes", MAX_NODES), ("edges", MAX_EDGES)] {
            if value[field].as_array().is_some_and(|it| it.len() > limit) {
                let message = format!("there are more than {limit}");
                findings.add(file, format!("/{field}"), ProblemCode::TooLarge, message);
            }
        }
        let items = |field: &str| value[field].as_array().into_iter().flatten().enumerate();
        let nodes = items("nodes").take(MAX_NODES);
        let edges = items("edges").take(MAX_EDGES);
        let ids = items("nodes").filter_map(|(_, node)| node["id"].as_str());
        Self {
            file: file.to_owned(),
            ids: ids.map(str::to_owned).collect(),
            nodes: nodes.filter_map(decoded).collect(),
            edges: edges.filter_map(decoded).collect(),
            entry: value["entryNodeId"].as_str().map(str::to_owned),
            is_whole: findings.len() == before,
        }
    }

    pub(crate) fn has(&self, id: &str) -> bool {
        self.ids.contains(id)
    }

    /// The targets and labels of the edges that leave a node.
    pub(crate) fn ways_from<'a>(&'a self, id: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        let edges = self.edges.iter().map(|(_, edge)| edge);
        edges
            .filter(move |edge| edge.from == id)
            .map(|edge| (edge.to.as_str(), edge.label.as_str()))
    }

    /// The graph, if a run can go through it.
    pub(crate) fn checked(&self, findings: &mut Findings) -> Option<Graph> {
        let before = findings.len();
        self.check_nodes(findings);
        self.check_edges(findings);
        if !self.is_whole || findings.len() != before {
            return None;
        }
        let nodes = self.nodes.iter().map(|(_, node)| node.clone()).collect();
        let edges = self.edges.iter().map(|(_, edge)| edge.clone()).collect();
        let graph = Graph::new(nodes, edges, self.entry.as_ref()?)?;
        self.check_ways(&graph, findings);
        Some(graph)
    }

    fn check_nodes(&self, findings: &mut Findings) {
        let mut seen = HashMap::new();
        for (index, node) in &self.nodes {
            let pointer = format!("/nodes/{index}");
            if let Some(first) = seen.insert(&node.id, index) {
                let message = format!("`{}` is the id of /nodes/{first} too", node.id);
                findings.add(
                    &self.file,
                    format!("{pointer}/id"),
                    ProblemCode::DuplicateNode,
                    message,
                );
            }
            if node.kind == NodeKind::Subworkflow {
                let message = "nodes of the type `subworkflow` are not run";
                findings.add(
                    &self.file,
                    format!("{pointer}/type"),
                    ProblemCode::UnsupportedNode,
                    message,
                );
            }
        }
        if let Some(entry) = self.entry.as_deref().filter(|it| !self.has(it)) {
            self.missing_node(entry, "/entryNodeId".to_owned(), findings);
        }
        let has_end = self
            .nodes
            .iter()
            .any(|(_, node)| node.kind == NodeKind::End);
        if !has_end && !self.nodes.is_empty() {
            findings.add(
                &self.file,
                "/nodes",
                ProblemCode::NoEnd,
                "there is no node of the type `end`",
            );
        }
    }

    fn check_edges(&self, findings: &mut Findings) {
        let mut labels = HashMap::new();
        for (index, edge) in &self.edges {
            for (field, id) in [("from", &edge.from), ("to", &edge.to)] {
                if !self.has(id) {
                    self.missing_node(id, format!("/edges/{index}/{field}"), findings);
                }
            }
            if let Some(first) = labels.insert((&edge.from, &edge.label), index) {
                let message = format!(
                    "`{}` has the label `{}` at /edges/{first} already",
                    edge.from, edge.label
                );
                let pointer = format!("/edges/{index}/label");
                findings.add(&self.file, pointer, ProblemCode::DuplicateLabel, message);
            }
        }
    }

    fn check_ways(&self, graph: &Graph, findings: &mut Findings) {
        for index in graph.dead_ends() {
            let message = format!("no end can be reached from `{}`", graph.nodes()[index].id);
            findings.add(
                &self.file,
                format!("/nodes/{index}"),
                ProblemCode::DeadEnd,
                message,
            );
        }
        for index in graph.unreachable() {
            let message = format!("no way leads to `{}`", graph.nodes()[index].id);
            findings.add(
                &self.file,
                format!("/nodes/{index}"),
                ProblemCode::Unreachable,
                message,
            );
        }
    }

    fn missing_node(&self, id: &str, pointer: String, findings: &mut Findings) {
        let message = format!("there is no node `{id}`");
        findings.add(&self.file, pointer, ProblemCode::MissingNode, message);
    }
}

pub(crate) fn check_shape(file: &str, value: &Value, shape: &Shape, findings: &mut Findings) {
    let report =
        |pointer: &str, mistake: String| findings.add(file, pointer, ProblemCode::Schema, mistake);
    ShapeCheck { report }.check(value, shape, "");
}

fn decoded<T: serde::de::DeserializeOwned>((index, value): (usize, &Value)) -> Option<(usize, T)> {
    // A value that does not decode is not of the format, which is reported.
    T::deserialize(value).ok().map(|item| (index, item))
}
