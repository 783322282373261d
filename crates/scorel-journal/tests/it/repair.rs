//! Repairing a damaged log.

use std::fs;
use std::path::PathBuf;

use nix::errno::Errno;
use scorel_journal::{AppendError, ContinueAt, Durability, Journal, Opened, Record, RepairError};
use serde_json::Value;

use crate::disk::{Disk, Fault, OPS};
use crate::log::{Log, append, open_on, seqs, text};

fn five() -> Vec<Vec<u8>> {
    Log::of(&["one", "two", "three", "four", "five"]).lines()
}

fn mark(journal: &mut Journal) -> Result<(), AppendError> {
    append(journal, "repaired").map(|_| ())
}

/// A record without its position.
fn content(record: &Record) -> Value {
    let mut json: Value = serde_json::from_slice(&record.line).expect("json");
    for field in ["prev", "crc"] {
        json.as_object_mut().expect("an object").remove(field);
    }
    json
}

/// The next sequence number of a log that is opened for writing.
fn next_number(opened: Opened) -> u64 {
    let journal = opened.into_journal(ContinueAt::Reserve, Durability::Flush);
    journal.last_seq().get() + 1
}

/// Repairs a log of these lines. Checks that all served records are there, that no damage is left, that
/// no number is issued twice, and that the original is kept.
fn check(lines: &[&[u8]]) -> (Log, PathBuf) {
    let bytes = lines.concat();
    let log = Log::with_bytes(&bytes);
    let (opened, before) = log.open();
    let whole = log.bytes();
    let expected = next_number(log.open().0);
    let kept = opened.repair(mark).expect("repaired");
    assert_eq!(fs::read(&kept).expect("kept"), whole);
    let name = kept.file_name().and_then(|name| name.to_str());
    assert_eq!(
        name,
        Some(format!("events.jsonl.before-repair-{expected}").as_str())
    );
    let (opened, after) = log.open();
    assert!(opened.report().damage.is_empty() && opened.report().torn.is_none());
    let (last, rest) = after.split_last().expect("a record");
    assert_eq!(
        (text(last).as_str(), last.place.seq.get()),
        ("repaired", expected)
    );
    let contents = |records: &[Record]| records.iter().map(content).collect::<Vec<_>>();
    assert_eq!(contents(rest), contents(&before));
    assert_eq!(
        opened.report().header.text().as_bytes(),
        &lines[0][..lines[0].len() - 1]
    );
    (log, kept)
}

#[test]
fn intact_records_stay_and_the_original_is_kept() {
    let l = five();
    let mut bad = l[2].clone();
    bad[10] ^= 4;
    let nul = [0; 700];
    let cases: &[&[&[u8]]] = &[
        &[&l[0], &l[1], &bad, &l[3]],
        &[&l[0], &l[1], &l[2][..25], &l[2], &l[3]],
        &[&l[0], &l[1], &nul, b"\n", &l[2]],
        &[&l[0], &l[1], &nul, &l[4], &l[5]],
        &[&l[0], &l[3], &l[5]],
        &[&l[0], &l[1], &l[1], &l[2]],
        &[&l[0], &l[2], &l[1], &l[3]],
        &[&l[0], &l[1][..l[1].len() - 1], b"\r\n", &l[2]],
        &[&l[0], &l[1], b"\n\n", &l[2]],
        &[&l[0], &l[1], &l[2], &bad],
        &[&l[0], &bad, &bad, &bad],
        &[&l[0], &bad],
        &[&l[0], &l[1], &bad, &l[3][..20]],
    ];
    for lines in cases {
        check(lines);
    }
}

#[test]
fn records_without_a_new_prev_keep_their_bytes() {
    let l = five();
    let (log, _) = check(&[&l[0], &l[1], b"garbage\n", &l[2], &l[3]]);
    assert_eq!(log.lines()[..4].concat(), l[..4].concat());
}

#[test]
fn the_numbers_of_lines_lost_at_the_end_are_not_issued_again() {
    let l = five();
    let mut bad = l[3].clone();
    bad[8] ^= 1;
    for lost in 1..4_u64 {
        let mut lines: Vec<&[u8]> = l[..3].iter().map(Vec::as_slice).collect();
        lines.extend((0..lost).map(|_| bad.as_slice()));
        let (log, _) = check(&lines);
        let last = log.open().1.last().expect("a record").place.seq.get();
        assert!(last > 2 + 65_536 * (lost + 1), "{last}");
    }
}

#[test]
fn numbers_known_from_a_checkpoint_are_not_issued_again() {
    let log = Log::of(&["one", "two", "three"]);
    let lines = log.lines();
    let point = log.journal().resume_point();
    log.write(&lines[..2].concat());
    let (opened, _) = open_on(Disk::volatile().storage(), &log.dir(), point).expect("opened");
    opened.repair(mark).expect("repaired");
    let records = log.open().1;
    assert_eq!(records.len(), 2);
    assert!(records[1].place.seq.get() > 3 + 65_536);
}

#[test]
fn a_second_repair_keeps_a_second_copy() {
    let l = five();
    let (log, first) = check(&[&l[0], &l[1], b"garbage\n", &l[2]]);
    let damaged = [log.bytes(), b"garbage\n".to_vec()].concat();
    log.write(&damaged);
    let second = log.open().0.repair(mark).expect("repaired");
    assert_ne!(first, second);
    assert_eq!(fs::read(second).expect("kept"), damaged);
    assert!(first.exists());
}

#[test]
fn a_repair_without_a_record_changes_nothing() {
    let l = five();
    let bytes = [&l[0][..], b"garbage\n", &l[1]].concat();
    let log = Log::with_bytes(&bytes);
    let result = log.open().0.repair(|_| Ok(()));
    assert!(matches!(result, Err(RepairError::NoRecord)), "{result:?}");
    assert_eq!(log.bytes(), bytes);
    assert!(log.other_files().is_empty(), "{:?}", log.other_files());
}

#[test]
fn a_log_that_changed_meanwhile_is_not_repaired() {
    let l = five();
    let log = Log::with_bytes(&[&l[0][..], b"garbage\n", &l[1]].concat());
    let opened = log.open().0;
    let changed = [log.bytes(), l[2].clone()].concat();
    log.write(&changed);
    let result = opened.repair(mark);
    assert!(matches!(result, Err(RepairError::Foreign(_))), "{result:?}");
    assert_eq!(log.bytes(), changed);
}

#[test]
fn after_any_failure_the_log_is_the_old_or_the_new_one() {
    let l = five();
    let bytes = [&l[0][..], &l[1], b"garbage\n", &l[3]].concat();
    let (mut failures, mut kept) = (0, 0);
    for op in OPS {
        for passing in 0.. {
            let log = Log::with_bytes(&bytes);
            let disk = Disk::volatile();
            let opened = open_on(disk.storage(), &log.dir(), None).expect("opened").0;
            disk.fail(op, passing, Fault::Error(Errno::EIO));
            let result = opened.repair(mark);
            if disk.heal() {
                assert!(result.is_ok(), "{op:?}: {result:?}");
                break;
            }
            failures += 1;
            if log.bytes() == bytes {
                assert!(result.is_err(), "{op:?}");
            } else {
                let names = log.other_files();
                assert_eq!(names.len(), 1, "{op:?}: {names:?}");
                assert_eq!(fs::read(log.dir().join(&names[0])).expect("kept"), bytes);
                kept += 1;
            }
            // A retry succeeds.
            if log.bytes() == bytes {
                log.open().0.repair(mark).expect("repaired");
            }
            let (again, records) = log.open();
            assert!(again.report().damage.is_empty());
            assert_eq!(seqs(&records)[..2], [1, 3]);
        }
    }
    assert!(failures > 15 && kept > 0, "{failures} {kept}");
}
