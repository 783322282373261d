//! The active path, and what the model reads of it.

use scorel_proto::OutcomeReason;

use super::{Kind, Label, Node, Reference};

/// A message of a request: who speaks, and what it says.
pub(crate) type Said = (char, Vec<Label>);

impl Reference {
    /// The nodes from the root to the leaf.
    pub(super) fn path(&self) -> Vec<usize> {
        let mut path = Vec::new();
        let mut next = self.leaf;
        while let Some(at) = next {
            path.push(at);
            next = self.nodes[at].parent;
        }
        path.reverse();
        path
    }

    /// What the model reads: the newest summary and what it leaves.
    pub(crate) fn context(&self) -> Vec<Said> {
        let path = self.path();
        let is_summary = |at: &usize| matches!(self.nodes[*at].kind, Kind::Summary(_));
        let mut context = Vec::new();
        let mut from = 0;
        if let Some(&summary) = path.iter().rev().find(|at| is_summary(at)) {
            context.push(('u', self.nodes[summary].labels.clone()));
            let Kind::Summary(through) = self.nodes[summary].kind else {
                unreachable!("it is one")
            };
            let through = path.iter().position(|at| *at == through);
            from = through.expect("on the path") + 1;
        }
        // The turn whose results steers merge into.
        let mut result_of = None;
        for node in path[from..].iter().map(|at| &self.nodes[*at]) {
            match node.kind {
                Kind::Summary(_) => continue,
                Kind::Steer if result_of == Some(node.turn) => {
                    let merged: &mut Said = context.last_mut().expect("a result");
                    merged.1.extend(&node.labels);
                }
                _ => {
                    context.push((speaker(node), node.labels.clone()));
                    result_of = (node.kind == Kind::Result).then_some(node.turn);
                }
            }
            if self.is_named(node) {
                context.push(('u', Vec::new()));
                result_of = None;
            }
        }
        context
    }

    /// Returns whether the model is told how the turn that ends with a node has ended.
    fn is_named(&self, node: &Node) -> bool {
        let outcome = node
            .turn
            .checked_sub(1)
            .and_then(|at| self.outcomes.get(at));
        let is_completed = |reason: &OutcomeReason| *reason == OutcomeReason::Completed;
        node.ends_turn && !outcome.is_none_or(is_completed)
    }

    pub(super) fn is_on_path(&self, target: Option<usize>) -> bool {
        target.is_none_or(|target| self.path().contains(&target))
    }

    /// Returns whether the newest summary of the active path stands for `target`, which is on that path.
    pub(super) fn is_summarised(&self, target: Option<usize>) -> bool {
        let path = self.path();
        let place = |at: usize| path.iter().position(|node| *node == at);
        let target = target.and_then(place);
        let summaries = path.iter().enumerate().rev();
        let newest = summaries
            .filter(|(place, _)| target.is_none_or(|target| *place > target))
            .find_map(|(_, at)| match self.nodes[*at].kind {
                Kind::Summary(through) => place(through),
                _ => None,
            });
        newest.is_some_and(|through| target.is_none_or(|target| target <= through))
    }

    /// A cut leaves no result without its call, and no steer without the result that it is read with.
    pub(super) fn check_cut(&self, through: usize) {
        let path = self.path();
        let place = path.iter().position(|at| *at == through);
        let place = place.expect("a cut on the active path");
        let Some(next) = path.get(place + 1).map(|at| &self.nodes[*at]) else {
            return;
        };
        assert_ne!(next.kind, Kind::Result, "a result without its call");
        let last = &self.nodes[through];
        let merges = next.kind == Kind::Steer && last.turn == next.turn;
        let is_in_result = matches!(last.kind, Kind::Result);
        assert!(!(merges && is_in_result), "a steer without its result");
    }
}

pub(crate) const fn speaker(node: &Node) -> char {
    match node.kind {
        Kind::User | Kind::Steer | Kind::Note | Kind::Summary(_) => 'u',
        Kind::Answer => 'a',
        Kind::Result => 'r',
    }
}
