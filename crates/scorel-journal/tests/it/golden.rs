//! Journals of earlier versions stay readable.

use std::path::PathBuf;

use scorel_journal::{ContinueAt, Durability};

use crate::log::{Log, append, seqs};

fn golden(version: &str) -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(version);
    std::fs::read(path.join("events.jsonl")).expect("readable")
}

#[test]
fn format_1_is_read_and_written_byte_for_byte() {
    let bytes = golden("v1");
    let log = Log::with_bytes(&bytes);
    let (opened, records) = log.open();
    assert!(opened.report().damage.is_empty());
    assert_eq!(seqs(&records), [1, 2, 9, 65_546]);
    let again = Log::with_bytes(&log.lines()[0]);
    let mut journal = again.journal();
    for record in &records {
        while journal.last_seq() < record.place.seq.previous() {
            if journal.next_transient().is_err() {
                break;
            }
        }
        if record.place.seq.get() == 65_546 {
            drop(journal);
            journal = again
                .open()
                .0
                .into_journal(ContinueAt::Reserve, Durability::Flush);
        }
        let line = std::str::from_utf8(&record.line).expect("text");
        let at = line.rfind(",\"prev\":").expect("sealed");
        let json = format!("{}}}", &line[..at]);
        let appended = journal
            .append(|_| Ok::<_, std::fmt::Error>(json.into()))
            .expect("appended");
        assert_eq!(appended.line(), &record.line);
    }
    assert_eq!(again.bytes(), bytes);
    let _ = append(&mut log.journal(), "goes on").expect("appended");
}

#[test]
fn the_rule_for_checking_a_line_by_hand_holds() {
    let bytes = golden("v1");
    let text = String::from_utf8(bytes).expect("text");
    for line in text.lines() {
        let (covered, trailer) = line.split_at(line.len() - 18);
        let crc = crc32c::crc32c(covered.as_bytes());
        assert_eq!(trailer, format!(",\"crc\":\"{crc:08x}\"}}"));
        let json: serde_json::Value = serde_json::from_str(line).expect("json");
        assert!(json["format"].is_u64() != json["seq"].is_u64());
    }
}
