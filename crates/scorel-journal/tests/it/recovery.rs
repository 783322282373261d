//! Recovery by copy after a failed sync.

use nix::errno::Errno;
use scorel_journal::{ContinueAt, CopyError, Durability, Journal};

use crate::disk::{Disk, Fault, Op};
use crate::log::{Log, append, open_on, seqs};

/// A journal with records 1 and 2, in which the sync of record 3 has failed.
fn failed() -> (Log, Disk, Journal) {
    let (log, disk) = (Log::of(&["one", "two"]), Disk::default());
    let opened = open_on(disk.storage(), &log.dir(), None).expect("opened").0;
    let mut journal = opened.into_journal(ContinueAt::LastRecord, Durability::Sync);
    disk.fail(Op::SyncData, 0, Fault::Error(Errno::EIO));
    assert!(append(&mut journal, "never shown").is_err());
    (log, disk, journal)
}

#[test]
fn a_journal_continues_in_a_copy_of_the_published_records() {
    let (log, _disk, mut journal) = failed();
    let (reader, end) = (journal.reader(), journal.end());
    journal.recover_by_copy().expect("copied");
    assert!(journal.failure().is_none());
    let next = append(&mut journal, "three").expect("appended");
    assert_eq!(
        next.seq().get(),
        4,
        "the number of the record that was never shown is burned"
    );
    let (opened, records) = log.open();
    assert!(opened.report().damage.is_empty());
    assert_eq!(seqs(&records), [1, 2, 4]);
    assert!(log.other_files().is_empty());
    assert_eq!(reader.read(next.place()).expect("there"), next.line());
    assert_eq!(reader.records(records[0].place.offset..end).count(), 2);
}

#[test]
fn a_record_whose_sync_failed_does_not_stay_in_the_file() {
    let (log, _disk, journal) = failed();
    assert_eq!(log.bytes().len() as u64, journal.end());
    drop(journal);
    assert_eq!(log.texts(), ["one", "two"]);
}

#[test]
fn a_failed_copy_leaves_the_journal_failed_and_can_be_retried() {
    let ops = [
        Op::CreateNew,
        Op::Read,
        Op::Append,
        Op::SyncData,
        Op::FileStatus,
        Op::Rename,
    ];
    for op in ops.into_iter().chain([Op::SyncDir, Op::PathStatus]) {
        let (log, disk, mut journal) = failed();
        disk.fail(op, 0, Fault::Error(Errno::EIO));
        assert!(journal.recover_by_copy().is_err(), "{op:?}");
        assert!(journal.failure().is_some(), "{op:?}");
        assert!(append(&mut journal, "three").is_err(), "{op:?}");
        journal.recover_by_copy().expect("copied");
        let _ = append(&mut journal, "three").expect("appended");
        assert_eq!(seqs(&log.open().1), [1, 2, 4], "{op:?}");
        assert!(log.other_files().is_empty(), "{op:?}");
    }
}

#[test]
fn a_copy_without_all_published_records_is_not_used() {
    let (log, _disk, mut journal) = failed();
    let mut bytes = log.bytes();
    let damaged = log.lines()[0].len() + 9;
    bytes[damaged] ^= 1;
    log.write(&bytes);
    assert!(matches!(
        journal.recover_by_copy(),
        Err(CopyError::Incomplete)
    ));
    assert_eq!(log.bytes(), bytes);
    assert!(journal.failure().is_some());
}

#[test]
fn old_damage_is_copied_as_it_is() {
    let log = Log::of(&["one", "two"]);
    let lines = log.lines();
    let bytes = [&lines[0][..], &lines[1], b"garbage\n", &lines[2]].concat();
    log.write(&bytes);
    let disk = Disk::default();
    let opened = open_on(disk.storage(), &log.dir(), None).expect("opened").0;
    let mut journal = opened.into_journal(ContinueAt::LastRecord, Durability::Sync);
    disk.fail(Op::SyncData, 0, Fault::Error(Errno::EIO));
    assert!(append(&mut journal, "never shown").is_err());
    journal.recover_by_copy().expect("copied");
    assert_eq!(log.bytes(), bytes);
}

#[test]
fn a_file_that_another_process_put_there_is_not_replaced() {
    let (log, _disk, mut journal) = failed();
    std::fs::remove_file(log.path()).expect("removed");
    assert!(matches!(
        journal.recover_by_copy(),
        Err(CopyError::Foreign(_))
    ));
    log.write(b"mine");
    assert!(matches!(
        journal.recover_by_copy(),
        Err(CopyError::Foreign(_))
    ));
    assert_eq!(log.bytes(), b"mine");
}
