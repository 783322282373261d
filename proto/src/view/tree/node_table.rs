use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

use hashbrown::HashTable;

use crate::EventId;

/// Event id → index of the node.
///
/// The table stores the indexes alone and reads ids from the nodes: about 8 bytes an event, where a
/// map of ids takes more than 30. A daemon holds one entry for every message of every loaded
/// session.
#[derive(Debug, Clone, Default)]
pub(super) struct NodeTable {
    indexes: HashTable<u32>,
    hasher: RandomState,
}

impl NodeTable {
    /// The newest node with this id. `id_of` gives the id of an index that is in the table.
    pub(super) fn get(&self, id: EventId, id_of: impl Fn(u32) -> EventId) -> Option<u32> {
        let hash = self.hasher.hash_one(id);
        let found = self.indexes.find(hash, |index| id_of(*index) == id);
        found.copied()
    }

    /// Adds a node. A node with the same id is no longer found: ids are unique unless a log was
    /// tampered with.
    pub(super) fn insert(&mut self, index: u32, id_of: impl Fn(u32) -> EventId) {
        let id = id_of(index);
        let hash = self.hasher.hash_one(id);
        match self.indexes.find_mut(hash, |known| id_of(*known) == id) {
            Some(known) => *known = index,
            None => {
                let rehash = |known: &u32| self.hasher.hash_one(id_of(*known));
                self.indexes.insert_unique(hash, index, rehash);
            }
        }
    }

    /// Gives back what growing has reserved.
    pub(super) fn shrink(&mut self, id_of: impl Fn(u32) -> EventId) {
        let rehash = |known: &u32| self.hasher.hash_one(id_of(*known));
        self.indexes.shrink_to_fit(rehash);
    }
}
