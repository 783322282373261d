//! A file system that cannot be written, from the start or from some moment on.

use std::sync::Arc;

use nix::errno::Errno;
use scorel_journal::{AppendError, ContinueAt, Durability, Journal};

use crate::disk::{Disk, Fault, Op};
use crate::log::{Log, append};

const READ_ONLY: Fault = Fault::Error(Errno::EROFS);

#[test]
fn a_log_is_read_as_it_is_and_written_once_that_is_possible() {
    let log = Log::of(&["one", "two"]);
    let torn = [&log.bytes()[..], b"{\"half"].concat();
    log.write(&torn);
    let disk = Disk::default();
    disk.fail(Op::Open, 0, READ_ONLY);
    let mut records = 0;
    let visit = &mut |_: scorel_journal::RecordRef<'_>| records += 1;
    let opened = Journal::open(disk.storage(), &log.dir(), None, visit).expect("served");
    let tail = opened.report().torn.clone().expect("reported");
    assert_eq!((records, tail.moved_to), (2, None));
    let reader = opened.reader();
    let mut journal = opened.into_journal(ContinueAt::LastRecord, Durability::Sync);
    for _ in 0..2 {
        disk.fail(Op::Open, 0, READ_ONLY);
        let refused = append(&mut journal, "three").expect_err("read-only");
        assert!(matches!(refused, AppendError::Write(_)), "{refused}");
        assert!(refused.is_retryable());
        assert_eq!(log.bytes(), torn, "nothing was changed");
        assert!(log.other_files().is_empty());
    }
    let three = append(&mut journal, "three").expect("writable by now");
    assert_eq!(log.texts(), ["one", "two", "three"]);
    let aside = format!("events.jsonl.torn-{}", torn.len() - 6);
    assert_eq!(log.other_files(), [aside], "the torn line was moved");
    assert!(three.seq().get() > 3, "the torn line may have had number 3");
    assert!(reader.read(three.place()).is_ok(), "readers follow");
}

#[test]
fn a_log_that_cannot_be_written_any_more_goes_on_later() {
    let log = Log::of(&["one"]);
    let disk = Disk::default();
    let storage: Arc<_> = disk.storage();
    let opened = Journal::open(storage, &log.dir(), None, &mut |_| {}).expect("opened");
    let mut journal = opened.into_journal(ContinueAt::LastRecord, Durability::Sync);
    let before = log.bytes();
    disk.fail(Op::Append, 0, READ_ONLY);
    disk.fail(Op::SetLen, 0, READ_ONLY);
    let refused = append(&mut journal, "two").expect_err("read-only");
    assert!(refused.is_retryable(), "{refused}");
    assert!(journal.failure().is_none());
    assert_eq!(log.bytes(), before);
    assert!(append(&mut journal, "two").is_ok());
    assert_eq!(log.texts(), ["one", "two"]);
}

#[test]
fn a_torn_line_stays_until_a_full_disk_has_room_for_it() {
    let full = Fault::Error(Errno::ENOSPC);
    let log = Log::of(&["one", "two"]);
    let torn = [&log.bytes()[..], b"{\"half"].concat();
    log.write(&torn);
    let disk = Disk::default();
    disk.fail(Op::Append, 0, full);
    let opened = Journal::open(disk.storage(), &log.dir(), None, &mut |_| {}).expect("served");
    let tail = opened.report().torn.clone().expect("reported");
    assert_eq!(tail.moved_to, None);
    let mut journal = opened.into_journal(ContinueAt::LastRecord, Durability::Sync);
    disk.fail(Op::Append, 0, full);
    let refused = append(&mut journal, "three").expect_err("still full");
    assert!(matches!(refused, AppendError::NoSpace(_)), "{refused}");
    assert_eq!(log.bytes(), torn, "nothing was changed");
    let three = append(&mut journal, "three").expect("there is room by now");
    assert_eq!(log.texts(), ["one", "two", "three"]);
    let aside = format!("events.jsonl.torn-{}", torn.len() - 6);
    assert_eq!(log.other_files(), [aside], "the torn line was moved");
    assert!(three.seq().get() > 3, "the torn line may have had number 3");
}
