use std::collections::HashSet;

use scorel_proto::{
    CompactionState, Event, EventId, GetTree, GetTreeParams, PersistentBody, SessionId, TreeEntry,
    TurnId,
};

use crate::daemon::DaemonClient;
use crate::failure::Failure;

/// Selects the events of the active path.
pub(super) struct ActivePath {
    path: HashSet<EventId>,
    /// The turns on the path. What ran them and how they ended is not part of the tree; it is shown with
    /// them.
    turns: HashSet<TurnId>,
}

impl ActivePath {
    /// Reads the structure of the tree only: all events together may not fit into memory.
    pub(super) async fn of(
        control: &mut DaemonClient,
        session_id: SessionId,
    ) -> Result<Self, Failure> {
        let mut nodes: Vec<TreeEntry> = Vec::new();
        let leaf = loop {
            let params = GetTreeParams {
                session_id,
                after_seq: nodes.last().map(|node| node.seq),
                limit: Some(10_000),
                previews: None,
            };
            let page = control.call::<GetTree>(&params).await?;
            let done = !page.more || page.nodes.is_empty();
            nodes.extend(page.nodes);
            if done {
                break page.active_leaf_id;
            }
        };
        Ok(Self {
            path: path(&nodes, leaf),
            turns: HashSet::new(),
        })
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

/// Whether the event says how a turn ended, a compaction in it that left no summary, or which runner ran it.
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
    use scorel_proto::Seq;

    use super::*;

    #[test]
    fn the_path_leaves_other_branches_out() {
        let ids: Vec<EventId> = (0..5).map(|_| EventId::generate()).collect();
        let parents = [None, Some(0), Some(1), Some(0), Some(3)];
        let nodes: Vec<TreeEntry> = (1..)
            .zip(&ids)
            .zip(parents)
            .map(|((seq, id), parent): ((u64, _), Option<usize>)| TreeEntry {
                id: *id,
                parent_id: parent.map(|parent| ids[parent]),
                seq: Seq::new(seq).expect("a seq"),
                turn_end: false,
                turn_id: None,
                user_event_id: None,
                preview: None,
                outcome: None,
                file_changes: None,
            })
            .collect();
        assert_eq!(
            path(&nodes, Some(ids[4])),
            HashSet::from([ids[0], ids[3], ids[4]])
        );
        assert_eq!(path(&nodes, None), HashSet::new());
    }
}
