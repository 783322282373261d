//! Failing system calls.

use nix::errno::Errno;
use scorel_journal::{AppendError, ContinueAt, Durability, FailedStep, Journal, Opened};

use crate::disk::{Disk, Fault, OPS, Op};
use crate::log::{Log, append, create_on, open_on, seqs, text};

/// A journal with one record on a disk without faults yet.
fn on_disk() -> (Log, Disk, Journal) {
    let (log, disk) = (Log::of(&["one"]), Disk::default());
    let opened = open_on(disk.storage(), &log.dir(), None).expect("opened").0;
    let journal = opened.into_journal(ContinueAt::LastRecord, Durability::Sync);
    disk.trace();
    (log, disk, journal)
}

#[test]
fn a_short_write_of_any_length_is_truncated() {
    let (log, disk, mut journal) = on_disk();
    let whole = log.bytes();
    let len = append(&mut log.journal(), "two")
        .expect("appended")
        .line()
        .len()
        + 1;
    log.write(&whole);
    for count in 0..len {
        for fault in [Fault::Short(count), Fault::Part(count, Errno::ENOSPC)] {
            disk.fail(Op::Append, 0, fault);
            let result = append(&mut journal, "two");
            assert!(
                matches!(result, Err(AppendError::NoSpace(_))),
                "{fault:?}: {result:?}"
            );
            assert_eq!(log.bytes(), whole, "{fault:?}");
        }
    }
    let next = append(&mut journal, "two").expect("appended");
    let (opened, records) = log.open();
    assert!(opened.report().damage.is_empty());
    assert_eq!(records.iter().map(text).collect::<Vec<_>>(), ["one", "two"]);
    assert_eq!(records[1].place, next.place());
}

#[test]
fn a_failed_append_uses_up_its_number_and_can_be_retried() {
    let (log, disk, mut journal) = on_disk();
    for (errno, full) in [
        (Errno::ENOSPC, true),
        (Errno::EDQUOT, true),
        (Errno::EFBIG, true),
        (Errno::EIO, false),
        (Errno::EINTR, false),
    ] {
        disk.fail(Op::Append, 0, Fault::Error(errno));
        let error = append(&mut journal, "lost").expect_err("no space");
        assert_eq!(matches!(error, AppendError::NoSpace(_)), full, "{error}");
        assert!(error.is_retryable());
    }
    assert_eq!(
        append(&mut journal, "two").expect("appended").seq().get(),
        7
    );
    assert_eq!(seqs(&log.open().1), [1, 7]);
}

#[test]
fn a_partial_line_that_cannot_be_truncated_fails_the_journal() {
    let (log, disk, mut journal) = on_disk();
    disk.fail(Op::Append, 0, Fault::Part(20, Errno::EIO));
    disk.fail(Op::SetLen, 0, Fault::Error(Errno::EIO));
    let error = append(&mut journal, "lost").expect_err("failed");
    assert!(matches!(error, AppendError::Failed(failure) if failure.step == FailedStep::CutBack));
    disk.trace();
    assert!(matches!(
        append(&mut journal, "two"),
        Err(AppendError::Failed(_))
    ));
    assert_eq!(disk.trace(), [], "a failed file was touched");
    let (opened, records) = log.open();
    assert_eq!(seqs(&records), [1]);
    assert_eq!(opened.report().torn.as_ref().map(|torn| torn.len), Some(20));
}

#[test]
fn a_failed_sync_is_never_retried_on_the_same_file() {
    let (_log, disk, mut journal) = on_disk();
    disk.fail(Op::SyncData, 0, Fault::Error(Errno::EIO));
    let error = append(&mut journal, "lost").expect_err("failed");
    assert!(matches!(error, AppendError::Failed(failure) if failure.step == FailedStep::Sync));
    disk.trace();
    for _ in 0..3 {
        let error = append(&mut journal, "two").expect_err("failed");
        assert!(!error.is_retryable());
    }
    assert_eq!(disk.trace(), []);
}

/// Creates a journal, writes to it, opens it with a torn end and writes again; stops at the first
/// error. Returns the records that were acknowledged.
fn scripted(log: &Log, disk: &Disk) -> Vec<(u64, String)> {
    let mut acknowledged = Vec::new();
    let mut write = |journal: &mut Journal, count: usize| {
        for _ in 0..count {
            let text = format!("text {}", acknowledged.len());
            match append(journal, &text) {
                Ok(appended) => acknowledged.push((appended.seq().get(), text)),
                Err(AppendError::Failed(_)) if journal.recover_by_copy().is_err() => return,
                Err(_) => {}
            }
        }
    };
    let Ok(mut journal) = create_on(disk.storage(), &log.dir()) else {
        return acknowledged;
    };
    write(&mut journal, 3);
    drop(journal);
    let torn = [log.bytes(), b"{\"seq\":".to_vec()].concat();
    log.write(&torn);
    let sync = |opened: Opened| opened.into_journal(ContinueAt::Reserve, Durability::Sync);
    if let Ok((opened, _)) = open_on(disk.storage(), &log.dir(), None) {
        write(&mut sync(opened), 3);
    }
    acknowledged
}

/// After any fault, the journal opens with all acknowledged records and takes new ones.
fn check_after_fault(log: &Log, acknowledged: &[(u64, String)], context: &str) {
    if !log.path().exists() {
        assert!(acknowledged.is_empty(), "{context}");
        drop(log.create());
    }
    let (opened, records) = log.open();
    assert!(
        opened.report().damage.is_empty(),
        "{context}: {:?}",
        opened.report()
    );
    for (seq, text) in acknowledged {
        let same = |record: &&scorel_journal::Record| record.place.seq.get() == *seq;
        let record = records.iter().find(same);
        assert_eq!(
            record.map(crate::log::text).as_ref(),
            Some(text),
            "{context}"
        );
    }
    let mut journal = opened.into_journal(ContinueAt::Reserve, Durability::Flush);
    let next = append(&mut journal, "next").expect("appended").seq().get();
    assert!(acknowledged.iter().all(|(seq, _)| *seq < next), "{context}");
}

#[test]
fn no_failing_access_loses_an_acknowledged_record() {
    let mut cases = 0;
    for op in OPS {
        for errno in [
            Errno::EIO,
            Errno::ENOSPC,
            Errno::EROFS,
            Errno::EACCES,
            Errno::EMFILE,
        ] {
            for passing in 0.. {
                let (log, disk) = (Log::nowhere(), Disk::volatile());
                disk.fail(op, passing, Fault::Error(errno));
                let acknowledged = scripted(&log, &disk);
                if disk.heal() {
                    break;
                }
                cases += 1;
                let context = format!("{errno} at {op:?} number {passing}");
                check_after_fault(&log, &acknowledged, &context);
            }
        }
    }
    assert!(cases > 150, "only {cases} accesses failed");
}

#[test]
fn two_faults_together_lose_no_acknowledged_record() {
    for first in [Op::Append, Op::SyncData] {
        for second in [
            Op::SetLen,
            Op::SyncData,
            Op::CreateNew,
            Op::Rename,
            Op::SyncDir,
            Op::Read,
        ] {
            for (a, b) in (0..4).flat_map(|a| (0..6).map(move |b| (a, b))) {
                let (log, disk) = (Log::nowhere(), Disk::volatile());
                let fault = match first {
                    Op::Append => Fault::Part(9, Errno::EIO),
                    _ => Fault::Error(Errno::EIO),
                };
                disk.fail(first, a, fault);
                disk.fail(second, b, Fault::Error(Errno::EIO));
                let acknowledged = scripted(&log, &disk);
                let context = format!("{first:?} number {a}, {second:?} number {b}");
                check_after_fault(&log, &acknowledged, &context);
            }
        }
    }
}
