//! The smallest of many paths.

use std::collections::BinaryHeap;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

/// Keeps the first `n` of all offered paths in component order, in a bounded heap.
#[derive(Debug, Default)]
pub(super) struct First {
    wanted: u64,
    /// The [keys](key) of the kept paths. A max-heap: the last of them is on top.
    kept: BinaryHeap<Vec<u8>>,
    offered: u64,
}

impl First {
    pub(super) fn new(wanted: u64) -> Self {
        Self {
            wanted,
            ..Self::default()
        }
    }

    pub(super) fn offer(&mut self, path: &Path) {
        self.offered += 1;
        if self.kept.len() as u64 >= self.wanted {
            let last = self.kept.peek();
            if last.is_none_or(|last| key(path).ge(last.iter().copied())) {
                return;
            }
            self.kept.pop();
        }
        self.kept.push(key(path).collect());
    }

    /// The kept paths in order, and how many others were offered.
    pub(super) fn into_parts(self) -> (impl Iterator<Item = PathBuf>, u64) {
        let others = self.offered - self.kept.len() as u64;
        let kept = self.kept.into_sorted_vec().into_iter();
        (kept.map(path_of), others)
    }
}

/// Keys compare as their paths do component by component: the slash is a NUL, which no path has, and so sorts
/// before any other byte.
fn key(path: &Path) -> impl Iterator<Item = u8> {
    let bytes = path.as_os_str().as_bytes().iter();
    bytes.map(|byte| if *byte == b'/' { 0 } else { *byte })
}

fn path_of(mut key: Vec<u8>) -> PathBuf {
    for byte in key.iter_mut().filter(|byte| **byte == 0) {
        *byte = b'/';
    }
    OsString::from_vec(key).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(wanted: u64, paths: &[&str]) -> (Vec<String>, u64) {
        let mut first = First::new(wanted);
        for path in paths {
            first.offer(Path::new(path));
        }
        let (kept, others) = first.into_parts();
        let kept = kept.map(|found| found.to_str().unwrap().to_owned());
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
