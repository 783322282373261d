//! Kinds of damage that were found in logs of similar programs.

use std::sync::Arc;

use scorel_journal::{
    ContinueAt, Damage, DamageReason, Durability, FileStorage, Journal, MAX_RECORD, OpenError,
    RESERVE, RecordRef, Resumed,
};

use crate::log::{Log, append, seq, seqs};

/// Opens a journal with these lines and checks the records served, the damage reported, that opening
/// changed nothing, and that the next record is readable.
fn check(lines: &[&[u8]], served: &[u64], reasons: &[DamageReason]) -> Vec<Damage> {
    let bytes = lines.concat();
    let log = Log::with_bytes(&bytes);
    let (opened, records) = log.open();
    assert_eq!(seqs(&records), served);
    let damage = opened.report().damage.clone();
    let found: Vec<DamageReason> = damage.iter().map(|damage| damage.reason).collect();
    assert_eq!(found, reasons);
    assert_eq!(log.bytes(), bytes, "opening changed the log");
    assert!(log.other_files().is_empty());
    let mut journal = opened.into_journal(ContinueAt::LastRecord, Durability::Flush);
    let next = append(&mut journal, "next").expect("appended").seq();
    let (again, records) = log.open();
    assert_eq!(records.len(), served.len() + 1);
    assert_eq!(records.last().map(|record| record.place.seq), Some(next));
    assert_eq!(again.report().damage, damage);
    damage
}

fn five() -> Vec<Vec<u8>> {
    Log::of(&["one", "two", "three", "four", "five"]).lines()
}

const MALFORMED: DamageReason = DamageReason::Malformed;
const CHECKSUM: DamageReason = DamageReason::Checksum;

fn gap(last: u64, expected: u64) -> DamageReason {
    DamageReason::Gap {
        last: seq(last),
        expected: seq(expected),
    }
}

fn order(last: u64, found: u64) -> DamageReason {
    DamageReason::Order {
        last: seq(last),
        found: seq(found),
    }
}

#[test]
fn a_healthy_journal_has_no_damage() {
    let l = five();
    let lines: Vec<&[u8]> = l.iter().map(Vec::as_slice).collect();
    check(&lines, &[1, 2, 3, 4, 5], &[]);
    check(&lines[..1], &[], &[]);
}

#[test]
fn a_record_after_a_partial_line_without_newline_is_served() {
    let l = five();
    let stub = &l[3][..25];
    let damage = check(
        &[&l[0], &l[1], &l[2], stub, &l[3], &l[4]],
        &[1, 2, 3, 4],
        &[CHECKSUM],
    );
    let offset = (l[0].len() + l[1].len() + l[2].len()) as u64;
    assert_eq!((damage[0].offset, damage[0].len), (offset, 25));
}

#[test]
fn a_partial_line_with_a_newline_costs_nothing_else() {
    let l = five();
    check(
        &[&l[0], &l[1], &l[2][..25], b"\n", &l[2], &l[3]],
        &[1, 2, 3],
        &[MALFORMED],
    );
}

#[test]
fn a_run_of_nul_bytes_costs_only_the_records_that_it_covers() {
    let l = five();
    let nul = [0; 700];
    check(&[&l[0], &l[1], &nul, &l[2], &l[3]], &[1, 2, 3], &[CHECKSUM]);
    check(
        &[&l[0], &l[1], &nul, b"\n", &l[2], &l[3]],
        &[1, 2, 3],
        &[MALFORMED],
    );
    let eaten = [&nul[..], &l[3]].concat();
    check(
        &[&l[0], &l[1], &eaten, &l[4]],
        &[1, 3, 4],
        &[CHECKSUM, gap(1, 2)],
    );
}

#[test]
fn a_run_of_nul_bytes_longer_than_a_record_is_skipped() {
    let l = five();
    let nul = vec![0; 3 * MAX_RECORD];
    let damage = check(
        &[&l[0], &l[1], &nul, &l[2], &l[3]],
        &[1, 2, 3],
        &[DamageReason::Oversize],
    );
    let offset = (l[0].len() + l[1].len()) as u64;
    assert_eq!(
        (damage[0].offset, damage[0].len),
        (offset, nul.len() as u64)
    );
}

#[test]
fn a_damaged_line_does_not_hide_later_lines() {
    let l = five();
    let mut bad = l[2].clone();
    bad[10] ^= 4;
    let damage = check(
        &[&l[0], &l[1], &bad, &l[3], &l[4]],
        &[1, 3, 4],
        &[CHECKSUM, gap(1, 2)],
    );
    let offset = (l[0].len() + l[1].len()) as u64;
    assert_eq!(
        (damage[0].offset, damage[0].len),
        (offset, bad.len() as u64 - 1)
    );
    check(
        &[&l[0], b"garbage\n", &l[1], b"\n\n", &l[2]],
        &[1, 2],
        &[MALFORMED; 3],
    );
}

#[test]
fn a_removed_line_is_noticed() {
    let l = five();
    check(&[&l[0], &l[2], &l[3]], &[2, 3], &[gap(0, 1)]);
    check(&[&l[0], &l[1], &l[4], &l[5]], &[1, 4, 5], &[gap(1, 3)]);
}

#[test]
fn a_duplicated_or_moved_line_is_not_served_again() {
    let l = five();
    check(&[&l[0], &l[1], &l[1], &l[2]], &[1, 2], &[order(1, 1)]);
    let swapped: [&[u8]; 4] = [&l[0], &l[2], &l[1], &l[3]];
    check(&swapped, &[2, 3], &[gap(0, 1), order(2, 1)]);
    check(&[&l[0], &l[1], &l[0], &l[2]], &[1, 2], &[MALFORMED]);
}

#[test]
fn changed_line_ends_and_added_blanks_are_reported() {
    let l = five();
    let body = |line: &[u8]| line[..line.len() - 1].to_vec();
    let crlf = [body(&l[1]), b"\r\n".to_vec()].concat();
    check(&[&l[0], &crlf, &l[2]], &[1, 2], &[MALFORMED]);
    let blanks = [body(&l[1]), b"  \n".to_vec()].concat();
    check(&[&l[0], &blanks, &l[2]], &[1, 2], &[MALFORMED]);
}

#[test]
fn a_lost_newline_is_reported_where_it_is_missing_and_costs_nothing() {
    const JOINED: DamageReason = DamageReason::Joined;
    let l = five();
    let cut = |line: &[u8]| line[..line.len() - 1].to_vec();
    let found = check(&[&l[0], &cut(&l[1]), &l[2], &l[3]], &[1, 2, 3], &[JOINED]);
    let second = (l[0].len() + l[1].len()) as u64 - 1;
    let len = l[2].len() as u64 - 1;
    assert_eq!((found[0].offset, found[0].len), (second, len));
    let three = [&l[0], &cut(&l[1])[..], &cut(&l[2]), &l[3]];
    let found = check(&three, &[1, 2, 3], &[JOINED, JOINED]);
    assert_eq!(found[1].offset, second + len);
    let lost_too = [&l[0], &cut(&l[1])[..], &l[3], &l[4]];
    check(&lost_too, &[1, 3, 4], &[gap(1, 2)]);
}

#[test]
fn a_newline_lost_behind_a_resume_point_is_reported_too() {
    let l = five();
    let point = Log::with_bytes(&l[..2].concat()).journal().resume_point();
    let log = Log::with_bytes(&[&l[0], &l[1][..l[1].len() - 1], &l[2], &l[3]].concat());
    let mut seqs = Vec::new();
    let visit = &mut |record: RecordRef<'_>| seqs.push(record.place.seq.get());
    let opened = Journal::open(Arc::new(FileStorage), &log.dir(), point, visit).expect("opened");
    let found = &opened.report().damage;
    assert_eq!(opened.report().resumed, Resumed::FromPoint);
    assert_eq!(found[0].reason, DamageReason::Joined);
    assert_eq!(found[0].offset, (l[0].len() + l[1].len()) as u64 - 1);
    assert_eq!((found.len(), seqs), (1, vec![2, 3]));
}

#[test]
fn an_oversize_line_is_reported_and_skipped() {
    let l = five();
    for len in [MAX_RECORD + 1, 3 * MAX_RECORD] {
        let long = [vec![b'x'; len], b"\n".to_vec()].concat();
        let damage = check(
            &[&l[0], &l[1], &long, &l[2]],
            &[1, 2],
            &[DamageReason::Oversize],
        );
        assert_eq!(damage[0].len, len as u64);
    }
    let long = [vec![b'x'; MAX_RECORD], b"\n".to_vec()].concat();
    check(&[&l[0], &l[1], &long, &l[2]], &[1, 2], &[MALFORMED]);
}

#[test]
fn deep_and_wide_records_are_opaque() {
    let log = Log::of(&[]);
    let mut journal = log.journal();
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let wide: Vec<String> = (0..100_000).map(|n| format!("\"{n}\":0")).collect();
    for value in [deep, format!("{{{}}}", wide.join(","))] {
        let record =
            |seq| Ok::<_, std::fmt::Error>(format!("{{\"seq\":{seq},\"v\":{value}}}").into());
        let _ = journal.append(record).expect("appended");
    }
    let (opened, records) = log.open();
    assert!(opened.report().damage.is_empty());
    assert_eq!(seqs(&records), [1, 2]);
}

#[test]
fn a_million_damaged_ranges_are_counted_and_not_all_listed() {
    let l = five();
    let log = Log::with_bytes(&[&l[0][..], &[b'\n'; 1_000_000], &l[1]].concat());
    let (opened, records) = log.open();
    assert_eq!(seqs(&records), [1]);
    let report = opened.report();
    assert_eq!(report.damage.len() as u64 + report.more_damage, 1_000_000);
    assert!(report.damage.len() <= 1024);
}

#[test]
fn a_file_without_an_intact_header_is_not_opened_and_not_changed() {
    let l = five();
    let missing = |bytes: &[u8]| {
        let log = Log::with_bytes(bytes);
        let result = log.try_open();
        assert!(
            matches!(result, Err(OpenError::HeaderMissing)),
            "{result:?}"
        );
        assert_eq!(log.bytes(), bytes);
    };
    missing(b"");
    missing(&l[0][..l[0].len() - 1]);
    missing(b"no newline");
    let damaged = |bytes: &[u8]| {
        let log = Log::with_bytes(bytes);
        let result = log.try_open();
        assert!(
            matches!(result, Err(OpenError::HeaderDamaged(_))),
            "{result:?}"
        );
        assert_eq!(log.bytes(), bytes);
    };
    damaged(b"\n");
    damaged(&[b"\xef\xbb\xbf", &l[0][..], &l[1]].concat());
    damaged(&l[1..].concat());
    damaged(b"{\"format\":1}\n");
}

#[test]
fn the_number_of_a_damaged_last_record_is_not_issued_again() {
    for bad_lines in 1..4 {
        let log = Log::of(&["one", "two", "three", "four", "five"]);
        let mut lines = log.lines();
        for line in lines.iter_mut().rev().take(bad_lines) {
            line[8] ^= 1;
        }
        log.write(&lines.concat());
        let mut journal = log.journal();
        assert!(journal.next_transient().is_err());
        let next = append(&mut journal, "next").expect("appended").seq().get();
        let last = 5 - bad_lines as u64;
        assert!(next > last + RESERVE * (bad_lines as u64 + 1), "{next}");
    }
}
