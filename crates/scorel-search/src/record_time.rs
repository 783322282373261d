//! The ids of records in the index: in the order of time, so that the newest are found first.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// The low bits of an id, which distinguish records of one millisecond. Few of them: FTS5 stores the
/// differences between ids, for each word of each record, and small numbers take fewer bytes.
const BITS: u32 = 2;

/// The number of times that the range is doubled.
const MAX_GROWTH: u32 = 30;

/// The latest time that has an id, in the year 2109.
const MAX_TS: u64 = (1 << 42) - 1;

/// The first id that a record of this time (milliseconds since 1970) can have.
pub(crate) fn first_id_at(ts: u64) -> i64 {
    i64::try_from(ts.min(MAX_TS) << BITS).unwrap_or(i64::MAX)
}

/// An id near the time of a record, to be tried until one is free. The range grows: all records of a session
/// may have one time, and clones have the times of each other.
pub(crate) fn id_to_try(ts: u64, session: i64, seq: u64, attempt: u32) -> i64 {
    let spread = if attempt == 0 {
        seq
    } else {
        let mut hasher = DefaultHasher::new();
        (session, seq, attempt).hash(&mut hasher);
        hasher.finish()
    };
    let range = 1_u64 << (BITS + attempt.min(MAX_GROWTH));
    first_id_at(ts) + i64::try_from(spread % range).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn ids_are_in_the_order_of_time_then_of_the_log() {
        let ids = [
            id_to_try(0, 1, 1, 0),
            id_to_try(0, 1, 2, 0),
            first_id_at(1),
            id_to_try(1, 1, 1, 0),
            id_to_try(1_785_542_400_000, 1, 7, 0),
            first_id_at(1_785_542_400_001),
            first_id_at(MAX_TS),
        ];
        assert!(ids.is_sorted(), "{ids:?}");
        assert!(ids.iter().all(|id| *id >= 0));
        assert_eq!(first_id_at(u64::MAX), first_id_at(MAX_TS));
    }

    #[test]
    fn ten_thousand_records_of_one_time_find_their_ids_soon() {
        let mut taken = HashSet::new();
        for seq in 0..10_000 {
            let free = (0..40).find(|attempt| taken.insert(id_to_try(9, 1, seq, *attempt)));
            assert!(free.is_some(), "{seq}");
        }
        let last = taken.iter().max().expect("there are some");
        // Some seven times the ids that 10,000 need: a hash that meets a taken one doubles the range.
        assert!(*last < first_id_at(1 << 16), "{last}");
    }
}
