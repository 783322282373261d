//! Truncated logs.

use std::fs;

use scorel_journal::{ContinueAt, Durability, OpenError};

use crate::disk::{Disk, Op};
use crate::log::{Log, append, open_on, seqs, text};

fn sample() -> Log {
    let texts: Vec<String> = (0..40).map(|n| "é\n".repeat(n)).collect();
    Log::of(&texts.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Truncates the journal to `len` bytes and checks the result of a crash at that point.
fn check_cut(full: &[u8], len: usize) {
    let log = Log::with_bytes(&full[..len]);
    let complete = full[..len].iter().filter(|byte| **byte == b'\n').count();
    let boundary = full[..len]
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |at| at + 1);
    if complete == 0 {
        assert!(matches!(log.try_open(), Err(OpenError::HeaderMissing)));
        assert_eq!(log.bytes(), &full[..len]);
        return;
    }
    let (opened, records) = log.open();
    let expected: Vec<u64> = (1..complete as u64).collect();
    assert_eq!(seqs(&records), expected);
    assert!(opened.report().damage.is_empty());
    let torn = opened.report().torn.clone();
    assert_eq!(torn.is_some(), boundary < len);
    if let Some(torn) = torn {
        assert_eq!(
            (torn.offset, torn.len),
            (boundary as u64, (len - boundary) as u64)
        );
        let moved_to = torn.moved_to.expect("moved");
        assert_eq!(fs::read(moved_to).expect("readable"), &full[boundary..len]);
    }
    assert_eq!(log.bytes(), &full[..boundary]);
    let mut journal = opened.into_journal(ContinueAt::LastRecord, Durability::Flush);
    let next = append(&mut journal, "next").expect("appended");
    let (again, records) = log.open();
    assert_eq!(records.len(), complete);
    assert_eq!(
        records.last().map(|record| record.place),
        Some(next.place())
    );
    assert!(again.report().torn.is_none(), "reported twice");
}

#[test]
fn a_truncated_journal_keeps_its_complete_records_and_continues() {
    let full = sample().bytes();
    assert!((4096..8192).contains(&full.len()), "{}", full.len());
    for len in 0..=full.len() {
        check_cut(&full, len);
    }
}

#[test]
fn a_torn_line_is_kept_with_mode_0600() {
    use std::os::unix::fs::PermissionsExt;
    let log = Log::of(&["one", "two"]);
    let bytes = log.bytes();
    log.write(&bytes[..bytes.len() - 1]);
    let (opened, _) = log.open();
    let torn = opened.report().torn.clone().expect("torn");
    assert_eq!(
        log.other_files(),
        [format!("events.jsonl.torn-{}", torn.offset)]
    );
    let mode = fs::metadata(torn.moved_to.expect("moved"))
        .expect("there")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_torn_line_is_synced_in_its_new_file_before_it_is_truncated() {
    let log = Log::of(&["one", "two"]);
    let bytes = log.bytes();
    log.write(&bytes[..bytes.len() - 1]);
    let disk = Disk::default();
    let _ = open_on(disk.storage(), &log.dir(), None).expect("opened");
    let mut writes = disk.trace();
    writes.retain(|op| {
        [
            Op::Append,
            Op::SyncData,
            Op::Rename,
            Op::SyncDir,
            Op::SetLen,
        ]
        .contains(op)
    });
    let moved = [Op::Append, Op::SyncData, Op::Rename, Op::SyncDir];
    assert_eq!(writes, [&moved[..], &[Op::SetLen, Op::SyncData]].concat());
}

#[test]
fn torn_lines_at_the_same_place_are_all_kept() {
    let log = Log::of(&["one"]);
    let whole = log.bytes();
    for stub in ["{\"a", "{\"b", "{\"a", "{\"c"] {
        log.write(&[&whole, stub.as_bytes()].concat());
        assert_eq!(log.texts(), ["one"]);
    }
    let name = format!("events.jsonl.torn-{}", whole.len());
    assert_eq!(
        log.other_files(),
        [name.clone(), format!("{name}.2"), format!("{name}.3")]
    );
}

#[test]
fn the_number_of_a_torn_line_is_not_issued_again() {
    let log = Log::of(&["one", "two"]);
    let bytes = log.bytes();
    // The second record was complete and published; the disk lost its newline.
    log.write(&bytes[..bytes.len() - 1]);
    assert_eq!(log.texts(), ["one"]);
    // Opening again without an append in between must still count it.
    let mut journal = log.journal();
    let next = append(&mut journal, "three").expect("appended").seq().get();
    assert!(next > 2, "{next}");
    assert_eq!(
        log.open().1.iter().map(text).collect::<Vec<_>>(),
        ["one", "three"]
    );
}

#[test]
fn zeros_at_the_end_of_the_file_cost_only_the_records_in_them() {
    let log = sample();
    let full = log.bytes();
    let header = log.lines()[0].len();
    for from in (header..full.len()).step_by(7) {
        let mut bytes = full.clone();
        bytes[from..].fill(0);
        let log = Log::with_bytes(&bytes);
        let (opened, records) = log.open();
        let complete = full[..from].iter().filter(|byte| **byte == b'\n').count();
        assert_eq!(records.len(), complete - 1);
        assert!(opened.report().torn.is_some());
    }
}

#[test]
fn a_block_of_zeros_costs_only_the_records_in_it() {
    let log = sample();
    let full = log.bytes();
    let header = log.lines()[0].len();
    let (_, whole) = log.open();
    for from in (header..full.len() - 512).step_by(61) {
        let mut bytes = full.clone();
        bytes[from..from + 512].fill(0);
        let (opened, records) = Log::with_bytes(&bytes).open();
        let block = from as u64..from as u64 + 512;
        let outside = whole
            .iter()
            .filter(|record| record.place.end() < block.start || record.place.offset >= block.end);
        assert!(
            outside.clone().all(|record| records.contains(record)),
            "{block:?}"
        );
        assert!(
            records.iter().all(|record| whole.contains(record)),
            "{block:?}"
        );
        assert!(!opened.report().damage.is_empty() || opened.report().torn.is_some());
    }
}
