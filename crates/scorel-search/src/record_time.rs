//! The ids of records in the index: in the order of time, so that the newest are found first.

/// Bits of an id that tell records of one millisecond apart. Few: the index has the distances of ids, for
/// each word of each record, and small numbers are short in it.
const BITS: u32 = 2;

/// The latest time that has an id, in the year 2109.
const MAX_TS: u64 = (1 << 42) - 1;

/// The first id that a record of this time (milliseconds since 1970) can have.
pub(crate) fn first_id_at(ts: u64) -> i64 {
    i64::try_from(ts.min(MAX_TS) << BITS).unwrap_or(i64::MAX)
}

/// The id that a record gets if it is free; otherwise it gets one a little later.
pub(crate) fn preferred_id(ts: u64, seq: u64) -> i64 {
    let within = seq & ((1 << BITS) - 1);
    first_id_at(ts) | i64::try_from(within).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_in_the_order_of_time_then_of_the_log() {
        let ids = [
            preferred_id(0, 1),
            preferred_id(0, 2),
            first_id_at(1),
            preferred_id(1, 1),
            preferred_id(1_785_542_400_000, 7),
            first_id_at(1_785_542_400_001),
            first_id_at(MAX_TS),
        ];
        assert!(ids.is_sorted(), "{ids:?}");
        assert!(ids.iter().all(|id| *id >= 0));
        assert_eq!(first_id_at(u64::MAX), first_id_at(MAX_TS));
    }
}
