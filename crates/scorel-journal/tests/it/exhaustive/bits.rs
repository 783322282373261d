//! Every single flipped bit of a log.

use scorel_journal::{ContinueAt, Durability, OpenError, Opened};

use super::expected::{Expected, reason};
use super::image::{Image, dir, log};
use super::{for_each, len};
use crate::log::{append, open_on};
use crate::ram::Ram;

#[test]
fn every_flipped_bit_of_a_log_is_reported_correctly() {
    let image = Image::of_len(len(8, 16));
    for_each(image.bytes.len() * 8, |bit| {
        let at = bit / 8;
        let mut bytes = image.bytes.clone();
        bytes[at] ^= 1 << (bit % 8);
        let ram = Ram::with_file(&log(), bytes.clone());
        match open_on(ram.clone(), dir(), None) {
            Err(OpenError::HeaderDamaged(found)) => {
                assert!(at < image.header);
                let first = bytes.split(|byte| *byte == b'\n').next();
                assert_eq!(Some(found), first.map(reason));
                assert_eq!((ram.paths(), ram.bytes(&log())), (vec![log()], bytes));
            }
            Err(error) => panic!("{error}"),
            Ok((opened, records)) => {
                assert!(at >= image.header);
                assert!(records.len() + 2 >= image.records.len());
                let expected = Expected::after_flip(&image, &bytes, at);
                expected.check_report(&image, opened.report(), &records);
                expected.check_files(&bytes, &ram);
                check_going_on(&image, opened, &ram);
            }
        }
    });
}

/// No number is issued again, and no byte is overwritten.
fn check_going_on(image: &Image, opened: Opened, ram: &Ram) {
    let before = ram.bytes(&log());
    let mut journal = opened.into_journal(ContinueAt::LastRecord, Durability::Sync);
    let next = append(&mut journal, "next").expect("appended");
    assert!(image.records.last().map(|last| last.place.seq) < Some(next.seq()));
    let after = [&before, &next.line()[..], b"\n"].concat();
    assert_eq!(ram.bytes(&log()), after);
}
