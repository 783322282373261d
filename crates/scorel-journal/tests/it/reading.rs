//! Reading, resuming, and reading while writing.

use std::fs;
use std::sync::{Arc, mpsc};
use std::thread;

use scorel_journal::{
    ContinueAt, Durability, FileStorage, Index, OpenError, ReadError, Reader, Resumed,
};

use crate::disk::{Disk, Op};
use crate::log::{Log, append, open_on, text};

#[test]
fn opening_a_healthy_journal_writes_nothing() {
    let log = Log::of(&["one", "two"]);
    let (bytes, modified) = (
        log.bytes(),
        fs::metadata(log.path()).expect("there").modified(),
    );
    let disk = Disk::default();
    let (opened, _) = open_on(disk.storage(), &log.dir(), None).expect("opened");
    drop(opened.into_journal(ContinueAt::Reserve, Durability::Sync));
    let reads = [Op::Open, Op::FileStatus, Op::PathStatus, Op::Read, Op::List];
    assert!(disk.trace().iter().all(|op| reads.contains(op)));
    assert_eq!(log.bytes(), bytes);
    let now = fs::metadata(log.path()).expect("there").modified();
    assert_eq!(now.expect("a time"), modified.expect("a time"));
    assert!(log.other_files().is_empty());
}

#[test]
fn resuming_after_any_record_equals_a_full_scan() {
    let log = Log::nowhere();
    let mut journal = log.create();
    let mut points = Vec::new();
    for n in 0..20 {
        let _ = append(&mut journal, &"x".repeat(n * 10)).expect("appended");
        points.push(journal.resume_point().expect("a record"));
    }
    let (whole, all) = log.open();
    let whole = whole.into_journal(ContinueAt::LastRecord, Durability::Flush);
    for (n, point) in points.iter().enumerate() {
        let point = serde_json::to_string(point).expect("json");
        let point = serde_json::from_str(&point).expect("read back");
        let storage = Arc::new(FileStorage);
        let (opened, rest) = open_on(storage, &log.dir(), Some(point)).expect("opened");
        assert_eq!(opened.report().resumed, Resumed::FromPoint);
        assert!(opened.report().damage.is_empty());
        assert_eq!(rest, all[n + 1..]);
        let journal = opened.into_journal(ContinueAt::LastRecord, Durability::Flush);
        assert_eq!(journal.resume_point(), whole.resume_point());
        assert_eq!(
            (journal.end(), journal.last_seq()),
            (whole.end(), whole.last_seq())
        );
    }
}

#[test]
fn a_resume_point_of_another_journal_or_of_damage_is_rejected() {
    let storage = || Arc::new(FileStorage);
    let log = Log::of(&["one", "two", "three"]);
    let other = Log::of(&["eins", "zwei", "drei"]).journal().resume_point();
    let own = log.journal().resume_point();
    let check = |point, records: usize| {
        let (opened, found) = open_on(storage(), &log.dir(), point).expect("opened");
        assert_eq!(opened.report().resumed, Resumed::PointRejected);
        assert_eq!(found.len(), records);
        opened.into_journal(ContinueAt::LastRecord, Durability::Flush)
    };
    drop(check(other, 3));
    let alike = Log::of(&["one", "two", "THREE"]).journal().resume_point();
    drop(check(alike, 3));
    let mut lines = log.lines();
    lines[3][9] ^= 1;
    log.write(&lines.concat());
    drop(check(own, 2));
    log.write(&lines[..3].concat());
    let mut journal = check(own, 2);
    let next = append(&mut journal, "four").expect("appended").seq().get();
    assert!(
        next > 3,
        "the number of a record that is known to have been there: {next}"
    );
}

#[test]
fn an_index_and_a_reader_return_every_record_and_range() {
    let log = Log::of(&["one", "two", "three", "four"]);
    let (opened, records) = log.open();
    let mut index = Index::new();
    records.iter().for_each(|record| index.push(record.place));
    let mut journal = opened.into_journal(ContinueAt::LastRecord, Durability::Flush);
    let reader = journal.reader();
    let fifth = append(&mut journal, "five").expect("appended");
    index.push(fifth.place());
    for record in &records {
        let place = index.get(record.place.seq).expect("indexed");
        assert_eq!(reader.read(place).expect("there"), record.line);
    }
    let wanted = index.after(records[1].place.seq);
    let range = wanted[0].offset..wanted[2].end();
    for range in [range.clone(), range.start..range.end + 1] {
        let found: Vec<_> = reader
            .records(range)
            .map(|record| record.expect("intact"))
            .collect();
        assert_eq!(
            found.iter().map(text).collect::<Vec<_>>(),
            ["three", "four", "five"]
        );
    }
    assert_eq!(reader.records(0..0).count(), 0);
}

#[test]
fn damage_after_opening_is_an_error_in_its_place() {
    let log = Log::of(&["one", "two", "three"]);
    let (opened, records) = log.open();
    let mut lines = log.lines();
    lines[2][9] ^= 1;
    log.write(&lines.concat());
    let reader = opened.reader();
    let read = reader.read(records[1].place);
    assert!(
        matches!(read, Err(ReadError::Damaged(damage)) if damage.offset == records[1].place.offset)
    );
    let mut wrong = records[0].place;
    wrong.seq = records[2].place.seq;
    assert!(matches!(reader.read(wrong), Err(ReadError::Damaged(_))));
    let range = records[0].place.offset..records[2].place.end();
    let found: Vec<bool> = reader.records(range).map(|record| record.is_ok()).collect();
    // The damaged record, the gap it leaves, and the record after it.
    assert_eq!(found, [true, false, false, true]);
    log.write(&lines[..2].concat());
    assert!(matches!(
        reader.read(records[2].place),
        Err(ReadError::Io(_))
    ));
    let cut = reader
        .records(records[0].place.offset..records[2].place.end())
        .last();
    assert!(matches!(cut, Some(Err(ReadError::Io(_)))));
}

#[test]
fn readers_see_exactly_what_was_published_while_the_journal_is_written() {
    let log = Log::nowhere();
    let mut journal = log.create();
    let (start, reader) = (journal.end(), journal.reader());
    let (publish, published) = mpsc::sync_channel(4);
    let checker = thread::spawn(move || {
        for (n, end) in published.into_iter().enumerate() {
            let records = reader.records(start..end);
            let seqs: Vec<u64> = records
                .map(|r| r.expect("intact").place.seq.get())
                .collect();
            assert_eq!(seqs, (1..=n as u64 + 1).collect::<Vec<_>>());
        }
    });
    for n in 0..200 {
        let appended = append(&mut journal, &"x".repeat(n * 7)).expect("appended");
        publish
            .send(appended.place().end())
            .expect("the reader runs");
    }
    drop(publish);
    checker.join().expect("no record was missing");
}

#[test]
fn a_reader_reports_a_torn_line_and_leaves_it() {
    let log = Log::of(&["one", "two"]);
    let bytes = log.bytes();
    log.write(&bytes[..bytes.len() - 3]);
    let (reader, header) = Reader::open(&FileStorage, &log.dir()).expect("opened");
    assert_eq!(header.format(), 1);
    assert!(header.text().contains("sessionId"));
    let mut count = 0;
    let report = reader.scan(&mut |_| count += 1).expect("read");
    assert_eq!((count, report.records), (1, 1));
    assert!(report.torn.is_some_and(|torn| torn.moved_to.is_none()));
    assert_eq!(log.bytes(), &bytes[..bytes.len() - 3]);
    assert!(log.other_files().is_empty());
}

#[test]
fn a_newer_format_is_not_damage_and_can_be_read() {
    let log = Log::of(&["one"]);
    let covered = "{\"format\":2,\"more\":[]";
    let crc = crc32c::crc32c(covered.as_bytes());
    let header = format!("{covered},\"crc\":\"{crc:08x}\"}}\n");
    log.write(&[header.as_bytes(), &log.lines()[1]].concat());
    let before = log.bytes();
    assert!(matches!(
        log.try_open(),
        Err(OpenError::NewerFormat { found: 2 })
    ));
    let (reader, header) = Reader::open(&FileStorage, &log.dir()).expect("opened");
    assert_eq!(header.format(), 2);
    let mut seen = Vec::new();
    reader
        .scan(&mut |record| seen.push(record.place.seq.get()))
        .expect("read");
    assert_eq!(seen, [1]);
    assert_eq!(log.bytes(), before);
}
