use std::collections::HashMap;

use crate::edge::Edge;
use crate::node::{Node, NodeKind};

/// The nodes of a workflow, and the ways between them. Ways in a circle are legal: review, fix, review.
#[derive(Debug, Clone)]
pub struct Graph {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    entry: usize,
    by_id: HashMap<String, usize>,
    /// The edges that leave each node, in their order.
    outgoing: Vec<Vec<usize>>,
}

impl Graph {
    /// `None` if an id is there twice, or an edge or the entry names a node that there is not.
    pub(crate) fn new(nodes: Vec<Node>, edges: Vec<Edge>, entry: &str) -> Option<Self> {
        let ids = nodes.iter().map(|node| node.id.clone());
        let by_id: HashMap<String, usize> = ids.zip(0..).collect();
        let mut outgoing = vec![Vec::new(); nodes.len()];
        for (edge, index) in edges.iter().zip(0..) {
            by_id.get(&edge.to)?;
            outgoing[*by_id.get(&edge.from)?].push(index);
        }
        let entry = *by_id.get(entry)?;
        (by_id.len() == nodes.len()).then_some(Self {
            nodes,
            edges,
            entry,
            by_id,
            outgoing,
        })
    }

    /// The node that a run begins with.
    pub fn entry(&self) -> &Node {
        &self.nodes[self.entry]
    }

    /// All nodes, in the order of the file.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    pub fn node(&self, id: &str) -> Option<&Node> {
        self.index(id).map(|index| &self.nodes[index])
    }

    /// The place of a node among all.
    pub(crate) fn index(&self, id: &str) -> Option<usize> {
        self.by_id.get(id).copied()
    }

    /// The edges that leave a node.
    pub fn outgoing(&self, id: &str) -> impl Iterator<Item = &Edge> {
        let edges = self.by_id.get(id).map(|index| &self.outgoing[*index]);
        edges.into_iter().flatten().map(|index| &self.edges[*index])
    }

    /// The nodes to which no way leads from the entry.
    pub(crate) fn unreachable(&self) -> Vec<usize> {
        self.missed_from(&[self.entry], &self.neighbours(|from, to| (from, to)))
    }

    /// The nodes from which no end can be reached.
    pub(crate) fn dead_ends(&self) -> Vec<usize> {
        let is_end = |index: &usize| self.nodes[*index].kind == NodeKind::End;
        let ends: Vec<usize> = (0..self.nodes.len()).filter(is_end).collect();
        self.missed_from(&ends, &self.neighbours(|from, to| (to, from)))
    }

    fn neighbours(&self, direction: fn(usize, usize) -> (usize, usize)) -> Vec<Vec<usize>> {
        let mut neighbours = vec![Vec::new(); self.nodes.len()];
        for (edges, from) in self.outgoing.iter().zip(0..) {
            for edge in edges {
                let to = self.by_id[&self.edges[*edge].to];
                let (at, next) = direction(from, to);
                neighbours[at].push(next);
            }
        }
        neighbours
    }

    fn missed_from(&self, starts: &[usize], neighbours: &[Vec<usize>]) -> Vec<usize> {
        let mut seen = vec![false; self.nodes.len()];
        let mut open = starts.to_vec();
        while let Some(index) = open.pop() {
            if !std::mem::replace(&mut seen[index], true) {
                open.extend(&neighbours[index]);
            }
        }
        (0..seen.len()).filter(|index| !seen[*index]).collect()
    }
}
