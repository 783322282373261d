use std::collections::{HashMap, HashSet};

use scorel_client::Connect;
use scorel_proto::{
    EventId, GetTree, GetTreeParams, PersistentEvent, Seq, SessionId, TreePlacement,
};

use crate::daemon::Daemon;
use crate::failure::Failure;

/// Of one call.
const NODES: u32 = 10_000;

/// The conversation as it is at one time: a replay leaves other branches out.
#[derive(Debug)]
pub(crate) struct ActivePath {
    events: HashSet<EventId>,
    through: Seq,
}

impl ActivePath {
    /// Reads the structure of the tree.
    pub(crate) async fn read<C: Connect + Clone>(
        daemon: &Daemon<C>,
        session_id: SessionId,
    ) -> Result<Self, Failure> {
        let mut parents = HashMap::new();
        let mut through = Seq::ZERO;
        let mut leaf = loop {
            let params = GetTreeParams {
                session_id,
                after_seq: Some(through),
                limit: Some(NODES),
                previews: None,
            };
            let page = daemon.call::<GetTree>(&params).await?;
            for node in page.nodes {
                through = through.max(node.seq);
                parents.insert(node.id, node.parent_id);
            }
            if !page.more {
                break page.active_leaf_id;
            }
        };
        let mut events = HashSet::new();
        while let Some(event) = leaf
            && events.insert(event)
        {
            leaf = parents.get(&event).copied().flatten();
        }
        Ok(Self { events, through })
    }

    /// Returns whether a record is part of another branch.
    pub(crate) fn leaves_out(&self, event: &PersistentEvent) -> bool {
        let place = event.body.place();
        let is_part = matches!(place, TreePlacement::Leaf | TreePlacement::Move);
        let is_off = place == TreePlacement::Move || !self.events.contains(&event.id);
        is_part && event.seq <= self.through && is_off
    }
}
