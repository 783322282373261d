//! Flipped bits.

use scorel_journal::{ContinueAt, Durability, OpenError};

use crate::log::{Log, append};

#[test]
fn every_flipped_bit_is_noticed_and_costs_at_most_one_record() {
    let log = Log::of(&[
        "a",
        "bb",
        "ü\u{2028}",
        "d",
        &"e".repeat(1000),
        "f",
        "g",
        "h",
        "i",
        "j",
    ]);
    let whole = log.bytes();
    let (_, records) = log.open();
    let header = log.lines()[0].len();
    let log = Log::with_bytes(&whole);
    assert!((1536..3072).contains(&whole.len()), "{}", whole.len());
    for bit in 0..whole.len() * 8 {
        let mut bytes = whole.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        log.write(&bytes);
        match log.try_open() {
            Err(OpenError::HeaderDamaged(_)) => assert!(bit / 8 < header),
            Err(error) => panic!("bit {bit}: {error}"),
            Ok((opened, found)) => {
                let report = opened.report();
                assert!(bit / 8 >= header, "bit {bit} of the header went unnoticed");
                let noticed = !report.damage.is_empty() || report.torn.is_some();
                assert!(noticed, "bit {bit} went unnoticed");
                assert!(
                    found.len() + 1 >= records.len(),
                    "bit {bit}: {} records",
                    found.len()
                );
                assert!(found.iter().all(|record| records.contains(record)));
                let torn = report.torn.is_some();
                let mut journal = opened.into_journal(ContinueAt::LastRecord, Durability::Flush);
                let next = append(&mut journal, "next").expect("appended").seq();
                assert!(
                    records.iter().all(|record| record.place.seq != next),
                    "bit {bit}"
                );
                assert_eq!(log.bytes().starts_with(&bytes), !torn);
            }
        }
        for name in log.other_files() {
            std::fs::remove_file(log.dir().join(name)).expect("removed");
        }
    }
}
