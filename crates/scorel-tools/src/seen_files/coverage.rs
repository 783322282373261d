//! Sets of byte ranges.

use std::ops::Range;

/// The greatest number of ranges that are kept; the shortest are dropped first.
const MAX_PARTS: usize = 256;

/// A set of bytes of one content: sorted ranges that do not touch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Coverage {
    parts: Vec<Range<u64>>,
}

impl From<Range<u64>> for Coverage {
    fn from(range: Range<u64>) -> Self {
        let mut coverage = Self::default();
        coverage.add(range);
        coverage
    }
}

impl Coverage {
    pub(crate) fn add(&mut self, range: Range<u64>) {
        if range.is_empty() {
            return;
        }
        let from = self.parts.partition_point(|part| part.end < range.start);
        let to = self.parts.partition_point(|part| part.start <= range.end);
        let touched = &self.parts[from..to];
        let start = touched.first().map_or(range.start, |part| part.start);
        let end = touched.last().map_or(range.end, |part| part.end);
        let merged = start.min(range.start)..end.max(range.end);
        self.parts.splice(from..to, [merged]);
        if self.parts.len() > MAX_PARTS {
            self.drop_shortest();
        }
    }

    pub(crate) fn union(mut self, other: Self) -> Self {
        other.parts.into_iter().for_each(|part| self.add(part));
        self
    }

    /// Returns whether it contains the whole range.
    pub(crate) fn covers(&self, range: &Range<u64>) -> bool {
        let holds = |part: &Range<u64>| part.start <= range.start && range.end <= part.end;
        range.is_empty() || self.parts.iter().any(holds)
    }

    /// The coverage after `old` was replaced by `length` bytes, which count as seen.
    pub(crate) fn splice(&self, old: &Range<u64>, length: u64) -> Self {
        let after = |at: u64| at - old.end + old.start + length;
        let mut spliced = Self::default();
        for part in &self.parts {
            spliced.add(part.start..part.end.min(old.start));
            let rest = part.start.max(old.end)..part.end;
            if !rest.is_empty() {
                spliced.add(after(rest.start)..after(rest.end));
            }
        }
        spliced.add(old.start..old.start + length);
        spliced
    }

    fn drop_shortest(&mut self) {
        let lengths = self.parts.iter().map(|part| part.end - part.start);
        let shortest = lengths.enumerate().min_by_key(|(_, length)| *length);
        if let Some((place, _)) = shortest {
            self.parts.remove(place);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use rand::rngs::StdRng;
    use rand::{Rng as _, SeedableRng as _};

    use super::*;

    fn range(random: &mut StdRng) -> Range<u64> {
        let start = random.random_range(0..40);
        start..start + random.random_range(0..8)
    }

    fn assert_is(coverage: &Coverage, model: &BTreeSet<u64>) {
        for at in 0..120 {
            assert_eq!(coverage.covers(&(at..at + 1)), model.contains(&at));
        }
        let apart = |pair: &[Range<u64>]| pair[0].end < pair[1].start;
        assert!(coverage.parts.windows(2).all(apart), "{coverage:?}");
    }

    #[test]
    fn ranges_behave_as_a_set_of_bytes() {
        for seed in 0..300 {
            let mut random = StdRng::seed_from_u64(seed);
            let (mut coverage, mut model) = (Coverage::default(), BTreeSet::new());
            for _ in 0..6 {
                let added = range(&mut random);
                coverage.add(added.clone());
                model.extend(added);
                assert_is(&coverage, &model);
            }
            let (old, length) = (range(&mut random), random.random_range(0..9));
            let spliced = coverage.splice(&old, length);
            let shifted = model.iter().filter(|at| !old.contains(at)).map(|at| {
                if *at < old.start {
                    *at
                } else {
                    *at - old.end + old.start + length
                }
            });
            let model: BTreeSet<u64> = shifted.chain(old.start..old.start + length).collect();
            assert_is(&spliced, &model);
        }
    }

    #[test]
    fn the_number_of_parts_is_bounded() {
        let mut coverage = Coverage::from(0..3);
        (1..2_000).for_each(|n| coverage.add(n * 10..n * 10 + 2));
        assert_eq!(coverage.parts.len(), MAX_PARTS);
        assert!(coverage.covers(&(0..3)));
    }
}
