use std::collections::HashSet;

use scorel_proto::{
    CompactionState, Event, EventId, PersistentBody, Seq, SessionId, TreeEntry, TurnId,
};

use crate::daemon::DaemonClient;
use crate::failure::Failure;
use crate::turn_tree::read_nodes;

/// Selects the events of the active path.
pub(super) struct ActivePath {
    path: HashSet<EventId>,
    /// The last event before those that were asked for.
    before: Seq,
    /// The turns on the path. What ran them and how they ended is not part of the tree; it is shown with
    /// them.
    turns: HashSet<TurnId>,
}

impl ActivePath {
    /// The whole path, or its `last` turns. Reads the structure of the tree only: all events together may
    /// not fit into memory.
    pub(super) async fn of(
        control: &mut DaemonClient,
        session_id: SessionId,
        last: Option<u32>,
    ) -> Result<Self, Failure> {
        let (nodes, leaf) = read_nodes(control, session_id, 10_000, None).await?;
        let path = path(&nodes, leaf);
        let before = last.map_or(Seq::ZERO, |last| before_last(&nodes, &path, last));
        Ok(Self {
            path,
            before,
            turns: HashSet::new(),
        })
    }

    /// All that is on the path comes after this.
    pub(super) const fn before(&self) -> Seq {
        self.before
    }

    pub(super) fn has(&mut self, event: &Event) -> bool {
        let id = match event {
            Event::Persistent(event) => Some(event.id),
            Event::Unknown(event) => event.id,
            Event::Transient(_) => None,
        };
        if id.is_some_and(|id| self.path.contains(&id)) {
            self.turns.extend(event.turn_id());
            return true;
        }
        let of_path = |turn| self.turns.contains(&turn);
        is_about_turn(event) && event.turn_id().is_some_and(of_path)
    }
}

/// Returns whether the event says how a turn ended, a compaction in it that left no summary, or which runner
/// ran it.
fn is_about_turn(event: &Event) -> bool {
    match event {
        Event::Persistent(event) => match &event.body {
            PersistentBody::Compaction(body) => body.state != CompactionState::Started,
            body => matches!(
                body,
                PersistentBody::TurnOutcome(_)
                    | PersistentBody::RunnerStart(_)
                    | PersistentBody::RunnerContext(_)
                    | PersistentBody::RunnerExit(_)
            ),
        },
        other => other.type_name() == "turn_outcome",
    }
}

/// The end of the turn before the `last` ones on the path. A turn that runs is the first of these.
fn before_last(nodes: &[TreeEntry], path: &HashSet<EventId>, last: u32) -> Seq {
    let on_path = || nodes.iter().rev().filter(|node| path.contains(&node.id));
    let runs = on_path().next().is_some_and(|leaf| !leaf.turn_end);
    let mut ends = on_path().filter(|node| node.turn_end);
    let skipped = last as usize - usize::from(runs);
    ends.nth(skipped).map_or(Seq::ZERO, |end| end.seq)
}

/// The leaf and its ancestors. A parent precedes its children, so one backward pass finds them all.
fn path(nodes: &[TreeEntry], leaf: Option<EventId>) -> HashSet<EventId> {
    let mut path = HashSet::new();
    let mut next = leaf;
    for node in nodes.iter().rev() {
        if next == Some(node.id) {
            path.insert(node.id);
            next = node.parent_id;
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nodes with the numbers from 1, by the index of their parents; those named end a turn.
    fn tree(parents: &[Option<usize>], ends: &[usize]) -> (Vec<EventId>, Vec<TreeEntry>) {
        let ids: Vec<EventId> = parents.iter().map(|_| EventId::generate()).collect();
        let nodes = parents.iter().enumerate().map(|(index, parent)| TreeEntry {
            id: ids[index],
            parent_id: parent.map(|parent| ids[parent]),
            seq: Seq::new(index as u64 + 1).expect("a seq"),
            turn_end: ends.contains(&index),
            turn_id: None,
            user_event_id: None,
            preview: None,
            outcome: None,
            file_changes: None,
        });
        let nodes = nodes.collect();
        (ids, nodes)
    }

    #[test]
    fn the_last_turns_begin_after_the_end_of_the_one_before() {
        let parents = [None, Some(0), Some(1), Some(1), Some(3), Some(4), Some(5)];
        let (ids, nodes) = tree(&parents, &[1, 2, 4, 5]);
        let before =
            |leaf: usize, last| before_last(&nodes, &path(&nodes, Some(ids[leaf])), last).get();
        assert_eq!([before(5, 1), before(5, 2), before(5, 3)], [5, 2, 0]);
        assert_eq!([before(6, 1), before(6, 2)], [6, 5], "a turn runs");
        assert_eq!(before_last(&nodes, &path(&nodes, None), 1), Seq::ZERO);
    }

    #[test]
    fn the_path_leaves_other_branches_out() {
        let (ids, nodes) = tree(&[None, Some(0), Some(1), Some(0), Some(3)], &[]);
        assert_eq!(
            path(&nodes, Some(ids[4])),
            HashSet::from([ids[0], ids[3], ids[4]])
        );
        assert_eq!(path(&nodes, None), HashSet::new());
    }
}
