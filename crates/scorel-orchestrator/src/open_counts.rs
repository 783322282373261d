use std::collections::HashMap;
use std::hash::Hash;

/// The number of things that are open, by what they are open for.
#[derive(Debug)]
pub(crate) struct OpenCounts<K>(HashMap<K, usize>);

impl<K> Default for OpenCounts<K> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<K: Eq + Hash> OpenCounts<K> {
    pub(crate) fn of(&self, key: &K) -> usize {
        self.0.get(key).copied().unwrap_or_default()
    }

    pub(crate) fn begin(&mut self, key: K) {
        *self.0.entry(key).or_default() += 1;
    }

    pub(crate) fn end(&mut self, key: &K) {
        if let Some(count) = self.0.get_mut(key) {
            *count -= 1;
            if *count == 0 {
                self.0.remove(key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_open_until_the_last_of_its_things_has_ended() {
        let mut open = OpenCounts::default();
        open.begin("a");
        open.begin("a");
        open.end(&"a");
        assert_eq!((open.of(&"a"), open.of(&"b")), (1, 0));
        open.end(&"a");
        assert_eq!(open.of(&"a"), 0);
        open.end(&"a");
        assert_eq!(open.of(&"a"), 0);
    }
}
