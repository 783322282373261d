//! A log truncated at every byte.

use std::sync::Arc;

use scorel_journal::{ContinueAt, Durability, OpenError, Opened, TornTail};

use super::expected::torn_path;
use super::image::{Image, dir, log};
use super::{for_each, len};
use crate::log::{append, open_on};
use crate::ram::Ram;

#[test]
fn a_log_truncated_anywhere_keeps_its_complete_records_and_continues() {
    let image = Image::of_len(len(24, 64));
    for_each(image.bytes.len() + 1, |len| {
        let ram = Ram::with_file(&log(), image.bytes[..len].to_vec());
        if len < image.header {
            check_without_header(&image, len, &ram);
        } else {
            let complete = image.complete(len);
            let opened = check_opened(&image, len, complete, &ram);
            check_going_on(&image, complete, opened, &ram);
        }
    });
}

/// A log without a complete header is not opened and not changed.
fn check_without_header(image: &Image, len: usize, ram: &Arc<Ram>) {
    let result = open_on(ram.clone(), dir(), None);
    assert!(matches!(result, Err(OpenError::HeaderMissing)));
    assert_eq!(ram.paths(), [log()]);
    assert_eq!(ram.bytes(&log()), &image.bytes[..len]);
}

/// The complete records are served, and the rest, if any, is moved aside.
fn check_opened(image: &Image, len: usize, complete: usize, ram: &Arc<Ram>) -> Opened {
    let (opened, records) = open_on(ram.clone(), dir(), None).expect("opened");
    assert_eq!(records, image.records[..complete]);
    let boundary = image.boundary(complete);
    let torn = (boundary < len).then(|| TornTail {
        offset: boundary as u64,
        len: (len - boundary) as u64,
        moved_to: Some(torn_path(boundary)),
    });
    let report = opened.report();
    assert!(report.damage.is_empty());
    assert_eq!(report.torn, torn);
    assert_eq!(ram.bytes(&log()), &image.bytes[..boundary]);
    if torn.is_some() {
        assert_eq!(ram.paths(), [log(), torn_path(boundary)]);
        assert_eq!(ram.bytes(&torn_path(boundary)), &image.bytes[boundary..len]);
    } else {
        assert_eq!(ram.paths(), [log()]);
    }
    opened
}

/// One more record is appended, and found after the others when the log is opened again.
fn check_going_on(image: &Image, complete: usize, opened: Opened, ram: &Arc<Ram>) {
    let torn = opened.report().torn.is_some();
    let mut journal = opened.into_journal(ContinueAt::LastRecord, Durability::Sync);
    let next = append(&mut journal, "next").expect("appended");
    // The torn record may lack only its newline, so its number may have been published.
    let mut known = image.records[..complete + usize::from(torn)].iter();
    assert!(known.all(|record| record.place.seq < next.seq()));
    let (again, records) = open_on(ram.clone(), dir(), None).expect("opened again");
    let (last, rest) = records.split_last().expect("a record");
    assert_eq!((last.place, &last.line), (next.place(), next.line()));
    assert_eq!(rest, &image.records[..complete]);
    assert!(again.report().damage.is_empty());
    assert_eq!(again.report().torn, None);
}
