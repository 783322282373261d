mod node_table;

use node_table::NodeTable;

use std::iter;

use crate::{EventId, PersistentBody, PersistentEvent, Seq, TreePlacement, UnknownEvent};

const NONE: u32 = u32::MAX;

/// Flags of an encoded node.
const TURN_END: u8 = 1;
const CHANGES_FILES: u8 = 2;
/// The bits above the flags hold the number of a runner.
const RUNNER_SHIFT: u32 = 2;
const RUNNER_MAX: u8 = u8::MAX >> RUNNER_SHIFT;

/// The skeleton of a session's tree: the parent of each event, and the active leaf.
///
/// It holds no content. The journal's index maps the seq of a node to its line in the log.
#[derive(Debug, Clone, Default)]
pub struct Tree {
    /// In log order, so a parent stands before its children.
    nodes: Vec<StoredNode>,
    /// Derived from `nodes`.
    by_id: NodeTable,
    leaf: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct StoredNode {
    id: EventId,
    seq: Seq,
    parent: u32,
    kind: NodeKind,
    turn_end: bool,
    changes_files: bool,
    /// The number of the runner that the message comes from; 0 for none.
    runner: u8,
}

/// The kind of a node, for the walk that builds a context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeKind {
    /// A message or a custom message. It becomes the leaf.
    Message,
    /// A `compact` event: the nearest one to the leaf is the barrier of the context.
    Compact,
    /// An event outside the conversation. It is on no path, unless its body could not be decoded.
    Aside,
}

/// One node of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PathNode {
    /// The event's id.
    pub id: EventId,
    /// The event's seq.
    pub seq: Seq,
    /// The node's kind.
    pub kind: NodeKind,
    /// See [`TreeNode::turn_end`].
    pub turn_end: bool,
    /// True if it is a message that records changes of files.
    pub changes_files: bool,
}

/// One node with its parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeNode {
    /// The event's id.
    pub id: EventId,
    /// `None` at a root.
    pub parent_id: Option<EventId>,
    /// The event's seq.
    pub seq: Seq,
    /// True if a finished turn ends here, or a `compact` or `custom_message` stands outside a turn: the targets
    /// of `rewind`, `branch`, `cloneSession` and `parentEventId`.
    pub turn_end: bool,
}

impl Tree {
    /// The event that the next message will have as its parent; `None` in an empty conversation.
    pub fn leaf(&self) -> Option<EventId> {
        self.leaf.map(|index| self.nodes[index as usize].id)
    }

    /// The number of nodes.
    pub const fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns whether the tree is empty.
    pub const fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns whether the tree has a node with this id.
    pub fn contains(&self, id: EventId) -> bool {
        self.index_of(id).is_some()
    }

    /// The seq of an event of the tree.
    pub fn seq_of(&self, id: EventId) -> Option<Seq> {
        let index = self.index_of(id)?;
        Some(self.nodes[index as usize].seq)
    }

    /// Returns whether a finished turn ends at `id`; see [`TreeNode::turn_end`].
    pub fn is_turn_end(&self, id: EventId) -> bool {
        self.index_of(id)
            .is_some_and(|index| self.nodes[index as usize].turn_end)
    }

    /// Returns whether the event is between a root and the leaf. Takes time by the length of the path.
    pub fn is_on_path(&self, id: EventId) -> bool {
        let (Some(wanted), mut next) = (self.index_of(id), self.leaf) else {
            return false;
        };
        while let Some(index) = next.filter(|index| *index > wanted) {
            let parent = self.nodes[index as usize].parent;
            next = (parent < index).then_some(parent);
        }
        next == Some(wanted)
    }

    fn index_of(&self, id: EventId) -> Option<u32> {
        self.by_id.get(id, |index| self.nodes[index as usize].id)
    }

    /// Gives back the memory that growing has reserved. An idle session keeps its tree for as long
    /// as it is loaded.
    pub fn shrink(&mut self) {
        self.nodes.shrink_to_fit();
        let nodes = &self.nodes;
        self.by_id.shrink(|index| nodes[index as usize].id);
    }

    /// The path from the root to `leaf`, both included; empty for `None`.
    pub fn path(&self, leaf: Option<EventId>) -> Vec<PathNode> {
        let mut path: Vec<PathNode> = self.up_from(leaf).collect();
        path.reverse();
        path
    }

    /// The nodes from `leaf` up to its root, both included; none for `None`.
    pub fn up_from(&self, leaf: Option<EventId>) -> impl Iterator<Item = PathNode> + '_ {
        self.indices_from(leaf).map(|index| {
            let node = &self.nodes[index as usize];
            PathNode {
                id: node.id,
                seq: node.seq,
                kind: node.kind,
                turn_end: node.turn_end,
                changes_files: node.changes_files,
            }
        })
    }

    fn indices_from(&self, leaf: Option<EventId>) -> impl Iterator<Item = u32> + '_ {
        let first = leaf.and_then(|id| self.index_of(id));
        // A parent always stands before its child, so the walk ends whatever a log says.
        iter::successors(first, |index| {
            let parent = self.nodes[*index as usize].parent;
            (parent < *index).then_some(parent)
        })
    }

    /// All nodes in log order.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = TreeNode> + '_ {
        self.nodes.iter().map(|node| TreeNode {
            id: node.id,
            parent_id: self.nodes.get(node.parent as usize).map(|parent| parent.id),
            seq: node.seq,
            turn_end: node.turn_end,
        })
    }

    /// The nodes after `seq`, in log order.
    pub fn nodes_after(&self, seq: Seq) -> impl Iterator<Item = TreeNode> + '_ {
        self.nodes()
            .skip(self.nodes.partition_point(|node| node.seq <= seq))
    }

    /// The numbers of the runners with a message between a root and the leaf. Takes time by the length
    /// of the path.
    pub(super) fn runners_on_path(&self) -> impl Iterator<Item = u8> + use<> {
        let numbers = self
            .indices_from(self.leaf())
            .map(|index| self.nodes[index as usize].runner);
        let bits = numbers.fold(0_u64, |bits, number| bits | (1 << (number & RUNNER_MAX)));
        (1..=RUNNER_MAX).filter(move |number| bits & (1 << number) != 0)
    }

    /// `runner` is the number of the runner that the event is a message of; 0 for none.
    pub(super) fn apply(&mut self, event: &PersistentEvent, runner: u8) {
        let kind = match (event.body.place(), &event.body) {
            (TreePlacement::Control, _) => return,
            (TreePlacement::Move | TreePlacement::Aside, _) => NodeKind::Aside,
            (TreePlacement::Leaf, PersistentBody::Compact(_)) => NodeKind::Compact,
            (TreePlacement::Leaf, _) => NodeKind::Message,
        };
        let index = self.add(event.id, event.parent_id, event.seq, kind);
        let node = &mut self.nodes[index as usize];
        node.turn_end = stands_alone(event);
        node.runner = runner;
        node.changes_files =
            matches!(&event.body, PersistentBody::Message(body) if !body.files.is_empty());
        match &event.body {
            PersistentBody::Rewind(body) => {
                self.leaf = body.target_event_id.and_then(|id| self.rewound_to(id));
            }
            PersistentBody::Branch(body) => {
                self.leaf = self.index_of(body.leaf_event_id).or(self.leaf);
            }
            _ if kind != NodeKind::Aside => {
                self.leaf = Some(index);
                // Nothing follows it that belongs to it, so one can go back to it.
                let is_message = matches!(event.body, PersistentBody::Message(_));
                self.nodes[index as usize].turn_end = event.turn_id.is_none() && !is_message;
            }
            _ => {}
        }
    }

    /// An event of an unknown type attaches and never moves the leaf. One of a known type whose body
    /// cannot be decoded attaches as its type does, because its children name it as their parent.
    pub(super) fn apply_unknown(&mut self, event: &UnknownEvent) {
        let is_leaf = PersistentBody::place_of(&event.type_name) == Some(TreePlacement::Leaf);
        let Some(id) = event.id else { return };
        if is_leaf || event.parent_id.is_some() {
            let index = self.add(id, event.parent_id, event.seq, NodeKind::Aside);
            if is_leaf {
                self.leaf = Some(index);
            }
        }
    }

    /// Marks the leaf as the end of a finished turn.
    pub(super) fn end_turn(&mut self) {
        if let Some(index) = self.leaf {
            self.nodes[index as usize].turn_end = true;
        }
    }

    /// Where a rewind moves the leaf. If the target's record was lost, it is the last event of the path
    /// that was made before it.
    fn rewound_to(&self, target: EventId) -> Option<u32> {
        let made_before =
            |index: &u32| self.nodes[*index as usize].id.timestamp_ms() <= target.timestamp_ms();
        let nearest = || self.indices_from(self.leaf()).find(made_before);
        self.index_of(target).or_else(nearest)
    }

    /// An event whose parent's record was lost attaches to the leaf, which is the last intact event
    /// before it: what precedes the damage stays in the conversation.
    fn add(&mut self, id: EventId, parent: Option<EventId>, seq: Seq, kind: NodeKind) -> u32 {
        let parent = parent.and_then(|id| self.index_of(id).or(self.leaf));
        let parent = parent.unwrap_or(NONE);
        let index = u32::try_from(self.nodes.len()).unwrap_or(NONE);
        self.nodes.push(StoredNode {
            id,
            seq,
            parent,
            kind,
            turn_end: false,
            changes_files: false,
            runner: 0,
        });
        let nodes = &self.nodes;
        self.by_id.insert(index, |index| nodes[index as usize].id);
        index
    }

    /// Encodes the tree for a checkpoint: the leaf's index, then 30 bytes a node, little endian.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(4 + self.nodes.len() * Self::NODE_BYTES);
        bytes.extend_from_slice(&self.leaf.unwrap_or(NONE).to_le_bytes());
        for node in &self.nodes {
            bytes.extend_from_slice(&node.id.to_bytes());
            bytes.extend_from_slice(&node.seq.get().to_le_bytes());
            bytes.extend_from_slice(&node.parent.to_le_bytes());
            bytes.push(node.kind.code());
            bytes.push(node.flags());
        }
        bytes
    }

    const NODE_BYTES: usize = 16 + 8 + 4 + 1 + 1;

    /// Decodes what [`Tree::encode`] wrote; `None` if the bytes are not valid.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let (leaf, nodes) = bytes.split_at_checked(4)?;
        let leaf = u32::from_le_bytes(leaf.try_into().ok()?);
        let chunks = nodes.chunks_exact(Self::NODE_BYTES);
        if !chunks.remainder().is_empty() {
            return None;
        }
        let nodes: Vec<StoredNode> = chunks.map(StoredNode::decode).collect::<Option<_>>()?;
        let mut by_id = NodeTable::default();
        for index in 0..u32::try_from(nodes.len()).ok()? {
            by_id.insert(index, |index| nodes[index as usize].id);
        }
        let leaf = (leaf != NONE).then_some(leaf);
        let known = leaf.is_none_or(|index| (index as usize) < nodes.len());
        known.then_some(Self { nodes, by_id, leaf })
    }
}

/// Returns whether an event is as good as the end of a turn: nothing of a turn is before it or follows it.
const fn stands_alone(event: &PersistentEvent) -> bool {
    let is_either = matches!(
        event.body,
        PersistentBody::Compact(_) | PersistentBody::CustomMessage(_)
    );
    is_either && event.turn_id.is_none()
}

impl PartialEq for Tree {
    fn eq(&self, other: &Self) -> bool {
        self.nodes == other.nodes && self.leaf == other.leaf
    }
}

impl StoredNode {
    fn decode(bytes: &[u8]) -> Option<Self> {
        Some(Self {
            id: EventId::from_bytes(bytes[..16].try_into().ok()?),
            seq: Seq::new(u64::from_le_bytes(bytes[16..24].try_into().ok()?))?,
            parent: u32::from_le_bytes(bytes[24..28].try_into().ok()?),
            kind: NodeKind::from_code(bytes[28])?,
            turn_end: bytes[29] & TURN_END != 0,
            changes_files: bytes[29] & CHANGES_FILES != 0,
            runner: bytes[29] >> RUNNER_SHIFT,
        })
    }

    fn flags(&self) -> u8 {
        let turn_end = u8::from(self.turn_end) * TURN_END;
        let changes_files = u8::from(self.changes_files) * CHANGES_FILES;
        turn_end | changes_files | (self.runner << RUNNER_SHIFT)
    }
}

impl NodeKind {
    const fn code(self) -> u8 {
        match self {
            Self::Message => 0,
            Self::Compact => 1,
            Self::Aside => 2,
        }
    }

    const fn from_code(code: u8) -> Option<Self> {
        match code {
            0 => Some(Self::Message),
            1 => Some(Self::Compact),
            2 => Some(Self::Aside),
            _ => None,
        }
    }
}
