//! The smallest of many paths.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use crate::walk::{WalkEntry, WalkEntryKind};

/// Keeps the first `n` of all offered paths in component order, in a bounded heap.
#[derive(Debug)]
pub(super) struct First {
    wanted: u64,
    /// A max-heap: the last of the kept paths is on top.
    kept: BinaryHeap<InOrder>,
    offered: u64,
}

impl First {
    pub(super) fn new(wanted: u64) -> Self {
        Self {
            wanted,
            kept: BinaryHeap::new(),
            offered: 0,
        }
    }

    pub(super) fn offer(&mut self, path: &Path, kind: WalkEntryKind) {
        self.offered += 1;
        let is_full = self.kept.len() as u64 >= self.wanted;
        if is_full
            && self
                .kept
                .peek()
                .is_none_or(|last| compare(path, &last.0.path).is_ge())
        {
            return;
        }
        if is_full {
            self.kept.pop();
        }
        let path = path.to_owned();
        self.kept.push(InOrder(WalkEntry { path, kind }));
    }

    /// The kept paths in order, and how many others were offered.
    pub(super) fn into_parts(self) -> (impl Iterator<Item = WalkEntry>, u64) {
        let others = self.offered - self.kept.len() as u64;
        let kept = self.kept.into_sorted_vec().into_iter();
        (kept.map(|found| found.0), others)
    }
}

#[derive(Debug)]
struct InOrder(WalkEntry);

impl Ord for InOrder {
    fn cmp(&self, other: &Self) -> Ordering {
        compare(&self.0.path, &other.0.path)
    }
}

impl PartialOrd for InOrder {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for InOrder {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for InOrder {}

/// Compares component by component: a slash sorts before any other byte.
fn compare(one: &Path, other: &Path) -> Ordering {
    let rank = |byte: u8| if byte == b'/' { 0 } else { byte };
    let (one, other) = (one.as_os_str().as_bytes(), other.as_os_str().as_bytes());
    let differ = one.iter().zip(other).position(|(one, other)| one != other);
    match differ {
        Some(at) => rank(one[at]).cmp(&rank(other[at])),
        None => one.len().cmp(&other.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roots::EntryKind;

    fn first(wanted: u64, paths: &[&str]) -> (Vec<String>, u64) {
        let mut first = First::new(wanted);
        for path in paths {
            first.offer(Path::new(path), WalkEntryKind::Entry(EntryKind::File));
        }
        let (kept, others) = first.into_parts();
        let kept = kept.map(|found| found.path.to_str().unwrap().to_owned());
        (kept.collect(), others)
    }

    #[test]
    fn the_first_paths_are_kept_in_the_order_of_components() {
        let paths = ["b", "a.c", "a/b", "a", "a/b/c", "a-b", "a!"];
        let all = ["a", "a/b", "a/b/c", "a!", "a-b", "a.c", "b"];
        for wanted in 0..=all.len() {
            let kept = all[..wanted].iter().map(|path| (*path).to_owned());
            let others = (all.len() - wanted) as u64;
            assert_eq!(first(wanted as u64, &paths), (kept.collect(), others));
        }
    }
}
