use std::collections::HashMap;

use scorel_client::{Caller, ClientError, Connect};
use scorel_proto::{EventId, GetTree, GetTreeParams, Seq, SessionId, TreeEntry};

/// A message on the active path, to before which the conversation can go back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RewindMessage {
    /// The beginning of its text.
    pub(crate) preview: String,
    /// The number of the message, if its turn tells which one it is.
    pub(crate) seq: Option<Seq>,
    /// The end of the turn before; `None`: the empty conversation.
    pub(crate) target: Option<EventId>,
    /// The leaf of the path.
    pub(crate) leaf: Option<EventId>,
    /// The files that the turns from here on have left in another state.
    pub(crate) files: u64,
}

/// The messages of the active path, the last one first.
pub(crate) async fn rewind_messages<C: Connect>(
    caller: &Caller<C>,
    session_id: SessionId,
) -> Result<Vec<RewindMessage>, ClientError> {
    let mut nodes: Vec<TreeEntry> = Vec::new();
    loop {
        let params = GetTreeParams {
            session_id,
            after_seq: nodes.last().map(|node| node.seq),
            limit: Some(1000),
            previews: Some(true),
        };
        let page = caller.call::<GetTree>(&params).await?;
        let is_last = !page.more || page.nodes.is_empty();
        nodes.extend(page.nodes);
        if is_last {
            return Ok(messages(&nodes, page.active_leaf_id));
        }
    }
}

fn messages(nodes: &[TreeEntry], leaf: Option<EventId>) -> Vec<RewindMessage> {
    let by_id: HashMap<EventId, &TreeEntry> = nodes.iter().map(|node| (node.id, node)).collect();
    let mut ends = Vec::new();
    let mut next = leaf;
    while let Some(node) = next.and_then(|id| by_id.get(&id)) {
        if node.turn_end {
            ends.push(*node);
        }
        next = node.parent_id;
    }
    let mut files = 0;
    let mut found = Vec::new();
    for (at, end) in ends.iter().enumerate() {
        files += end.file_changes.unwrap_or(0);
        let Some(preview) = end.preview.clone().filter(|_| end.turn_id.is_some()) else {
            continue;
        };
        found.push(RewindMessage {
            preview,
            seq: end
                .user_event_id
                .and_then(|id| by_id.get(&id))
                .map(|node| node.seq),
            target: ends.get(at + 1).map(|before| before.id),
            leaf,
            files,
        });
    }
    found
}
