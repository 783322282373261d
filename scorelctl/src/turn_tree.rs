//! The turns of a session as a tree: which places `rewind`, `branch`, `clone` and `resend` can name.

use std::collections::HashMap;

use scorel_proto::{EventId, GetTree, GetTreeParams, SessionId, TreeEntry, counted};

use crate::daemon::DaemonClient;
use crate::failure::Failure;
use crate::id_part::{IdPart, ambiguous};
use crate::turn_selector::TurnSelector;

/// A session's tree, with previews of its turns.
#[derive(Debug)]
pub(crate) struct TurnTree {
    pub(crate) nodes: Vec<TreeEntry>,
    pub(crate) leaf: Option<EventId>,
    by_id: HashMap<EventId, usize>,
}

impl TurnTree {
    pub(crate) async fn read(
        control: &mut DaemonClient,
        session_id: SessionId,
    ) -> Result<Self, Failure> {
        let (nodes, leaf) = read_nodes(control, session_id, 1000, Some(true)).await?;
        Ok(Self::new(nodes, leaf))
    }

    fn new(nodes: Vec<TreeEntry>, leaf: Option<EventId>) -> Self {
        let ids = nodes.iter().enumerate();
        Self {
            by_id: ids.map(|(index, node)| (node.id, index)).collect(),
            nodes,
            leaf,
        }
    }

    pub(crate) fn node(&self, id: EventId) -> Option<&TreeEntry> {
        self.by_id.get(&id).map(|index| &self.nodes[*index])
    }

    /// The ends of turns from the leaf up to the root. The first is the leaf, unless a turn runs.
    pub(crate) fn active_ends(&self) -> Vec<&TreeEntry> {
        let ends = self.up_from(self.leaf).filter(|node| node.turn_end);
        ends.collect()
    }

    /// The end of the turn before `node`.
    pub(crate) fn end_before(&self, node: &TreeEntry) -> Option<&TreeEntry> {
        self.up_from(node.parent_id).find(|above| above.turn_end)
    }

    /// The end of a turn that the user names; `None` for the empty conversation.
    pub(crate) fn choose(&self, wanted: &TurnSelector) -> Result<Option<&TreeEntry>, Failure> {
        match wanted {
            TurnSelector::Root => Ok(None),
            TurnSelector::Back(count) => self.back(*count),
            TurnSelector::Event(text) => self.end_named(text).map(Some),
        }
    }

    fn back(&self, count: usize) -> Result<Option<&TreeEntry>, Failure> {
        let ends = self.active_ends();
        if count > ends.len() {
            let turns = counted(ends.len(), "turn");
            let message = format!("the conversation has only {turns}");
            return Err(no_event(message));
        }
        Ok(ends.get(count).copied())
    }

    fn end_named(&self, text: &str) -> Result<&TreeEntry, Failure> {
        let node = self.named(text)?;
        if node.turn_end {
            return Ok(node);
        }
        let message = format!("{} is in the middle of a turn", node.id);
        let end = self.end_of(node);
        Err(no_event(message).hint(match end {
            Some(end) => format!(
                "that turn ends at {}; `scorelctl tree` lists all ends",
                end.id
            ),
            None => "that turn has not ended yet; `scorelctl tree` lists all ends".to_owned(),
        }))
    }

    /// The end of the turn that `node` is part of. A node precedes those below it.
    fn end_of(&self, node: &TreeEntry) -> Option<&TreeEntry> {
        let mut ends = self.nodes.iter().filter(|end| end.turn_end);
        ends.find(|end| {
            let mut turn = self.up_from(end.parent_id);
            turn.by_ref()
                .take_while(|above| !above.turn_end)
                .any(|above| above.id == node.id)
        })
    }

    fn named(&self, text: &str) -> Result<&TreeEntry, Failure> {
        let wanted = IdPart::new(text, EventId::PREFIX);
        let nodes = self.nodes.iter().filter(|node| wanted.is_of(&node.id));
        let found: Vec<&TreeEntry> = nodes.collect();
        match found[..] {
            [node] => Ok(node),
            [] => {
                let message = format!("no event id begins or ends with `{text}`");
                Err(no_event(message).hint("`scorelctl tree` lists where turns end"))
            }
            _ => {
                let ids: Vec<EventId> = found.iter().map(|node| node.id).collect();
                Err(ambiguous(text, &ids))
            }
        }
    }

    fn up_from(&self, from: Option<EventId>) -> impl Iterator<Item = &TreeEntry> {
        let first = from.and_then(|id| self.node(id));
        std::iter::successors(first, |node| node.parent_id.and_then(|id| self.node(id)))
    }
}

/// The nodes of a session's tree, a parent before its children, and the active leaf. Reads pages of `limit`.
pub(crate) async fn read_nodes(
    control: &mut DaemonClient,
    session_id: SessionId,
    limit: u32,
    previews: Option<bool>,
) -> Result<(Vec<TreeEntry>, Option<EventId>), Failure> {
    let mut nodes: Vec<TreeEntry> = Vec::new();
    loop {
        let params = GetTreeParams {
            session_id,
            after_seq: nodes.last().map(|node| node.seq),
            limit: Some(limit),
            previews,
        };
        let page = control.call::<GetTree>(&params).await?;
        let done = !page.more || page.nodes.is_empty();
        nodes.extend(page.nodes);
        if done {
            return Ok((nodes, page.active_leaf_id));
        }
    }
}

fn no_event(message: String) -> Failure {
    Failure::refused("invalid_event_id", message)
}

#[cfg(test)]
mod tests {
    use scorel_proto::Seq;

    use super::*;

    /// Two turns of two events each, and one more turn beside the second; the leaf ends the second.
    fn tree() -> TurnTree {
        let ids: Vec<EventId> = (0..6).map(|_| EventId::generate()).collect();
        let parents = [None, Some(0), Some(1), Some(2), Some(1), Some(4)];
        let nodes = (1..).zip(&ids).zip(parents);
        let nodes = nodes.map(|((seq, id), parent): ((u64, _), Option<usize>)| TreeEntry {
            id: *id,
            parent_id: parent.map(|parent| ids[parent]),
            seq: Seq::new(seq).expect("a seq"),
            turn_end: seq % 2 == 0,
            turn_id: None,
            user_event_id: None,
            preview: None,
            outcome: None,
            file_changes: None,
        });
        TurnTree::new(nodes.collect(), Some(ids[3]))
    }

    fn refused(tree: &TurnTree, wanted: &str) -> (String, String) {
        let Err(Failure::Report(report)) = tree.choose(&wanted.parse().unwrap()) else {
            panic!("{wanted} was accepted")
        };
        (report.message, report.hint.unwrap_or_default())
    }

    #[test]
    fn turns_are_counted_back_from_the_leaf() {
        let tree = tree();
        let chosen = |wanted: &str| {
            let end = tree.choose(&wanted.parse().unwrap()).expect(wanted);
            end.map(|node| node.seq.get())
        };
        assert_eq!(chosen("0"), Some(4));
        assert_eq!(chosen("-1"), Some(2));
        assert_eq!(chosen("-2"), None);
        assert_eq!(chosen("root"), None);
        let (message, _) = refused(&tree, "-3");
        assert_eq!(message, "the conversation has only 2 turns");
    }

    #[test]
    fn an_event_is_named_by_either_end_of_its_id() {
        let tree = tree();
        let end = tree.nodes[5].id.to_string();
        for wanted in [
            end.as_str(),
            &end[4..],
            &end[20..],
            &end[20..].to_lowercase(),
        ] {
            let found = tree.choose(&wanted.parse().unwrap()).expect(wanted);
            assert_eq!(found.map(|node| node.id), Some(tree.nodes[5].id));
        }
        let (message, hint) = refused(&tree, &tree.nodes[4].id.to_string());
        assert!(message.ends_with("is in the middle of a turn"), "{message}");
        assert!(hint.contains(&end), "{hint}");
        let (_, hint) = refused(&tree, "evt_0");
        assert!(hint.starts_with("it matches evt_"), "{hint}");
        let (message, _) = refused(&tree, "nothing");
        assert_eq!(message, "no event id begins or ends with `nothing`");
    }
}
