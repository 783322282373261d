//! Logs in every state in which logs were found.

use std::fs;

use scorel_journal::MAX_RECORD;
use scorel_proto::{EventId, SessionId};
use serde_json::json;

use crate::crafted::Crafted;

type Places = Vec<(&'static str, u64, u64)>;

/// Checks a log that consists of these parts: the findings with their places, that a check changes
/// nothing, that a repair keeps the log as it was, and that nothing is found after it.
fn check(crafted: &Crafted, parts: &[&[u8]], expected: &Places) {
    let damaged = parts.concat();
    crafted.write(&damaged);
    let said = crafted.fsck(&[]);
    assert_eq!(said.places(), *expected);
    assert_eq!(said.code, Some(1));
    assert_eq!(crafted.bytes(), damaged);
    assert_eq!(said.findings[0]["file"], crafted.log().to_str().unwrap());
    assert_eq!(said.findings[0]["sessionId"], crafted.id.to_string());
    let repaired = crafted.fsck(&["--repair"]);
    assert_eq!(repaired.code, Some(0), "{:?}", repaired.findings);
    let copies = crafted.kept("events.jsonl.before-repair-");
    let torn = crafted.kept("events.jsonl.torn-");
    let mut kept = copies
        .first()
        .map_or_else(|| crafted.bytes(), |copy| fs::read(copy).unwrap());
    for part in &torn {
        kept.extend(fs::read(part).unwrap());
    }
    assert!(kept == damaged, "the log is not kept as it was");
    assert!(copies.len() + torn.len() >= 1);
    let again = crafted.fsck(&[]);
    assert!(again.is_clean(), "{:?}", again.findings);
    for path in copies.iter().chain(&torn) {
        fs::remove_file(path).unwrap();
    }
}

/// The length of these parts.
fn len(parts: &[&[u8]]) -> u64 {
    parts.iter().map(|part| part.len() as u64).sum()
}

fn body(line: &[u8]) -> u64 {
    line.len() as u64 - 1
}

#[test]
fn every_kind_of_damage_is_reported_with_its_place_and_repaired() {
    let crafted = Crafted::titled();
    let l = crafted.lines();
    let [h, a, b, c, d] = [&l[0][..], &l[1], &l[2], &l[3], &l[4]];
    let at = |parts: &[&[u8]]| len(parts);
    let mut bad = b.to_vec();
    bad[30] ^= 4;
    let nul = [0; 700];
    let long = [vec![b'x'; MAX_RECORD + 1], b"\n".to_vec()].concat();
    let no_crc = [&b[..b.len() - 19], b"}\n"].concat();
    let checksum = vec![
        ("checksum", at(&[h, a]), body(b)),
        ("gap", at(&[h, a, b]), body(c)),
    ];
    check(&crafted, &[h, a, &bad, c], &checksum);
    let cut = vec![
        ("malformed", at(&[h, a]), body(&no_crc)),
        ("gap", at(&[h, a, &no_crc]), body(c)),
    ];
    check(&crafted, &[h, a, &no_crc, c], &cut);
    let glued = vec![("checksum", at(&[h, a]), 25)];
    check(&crafted, &[h, a, &b[..25], b, c], &glued);
    let stub = vec![("malformed", at(&[h, a]), 25)];
    check(&crafted, &[h, a, &b[..25], b"\n", b, c], &stub);
    check(
        &crafted,
        &[h, a, &nul, b, c],
        &vec![("checksum", at(&[h, a]), 700)],
    );
    check(
        &crafted,
        &[h, a, &nul, b"\n", b],
        &vec![("malformed", at(&[h, a]), 700)],
    );
    let oversize = vec![("oversize", at(&[h, a]), body(&long))];
    check(&crafted, &[h, a, &long, b], &oversize);
    let crlf = vec![("malformed", at(&[h, a]) - 1, 1)];
    check(&crafted, &[h, &a[..a.len() - 1], b"\r\n", b], &crlf);
    let blanks = vec![("malformed", at(&[h, a]) - 1, 2)];
    check(&crafted, &[h, &a[..a.len() - 1], b"  \n", b], &blanks);
    check(
        &crafted,
        &[h, a, b"\n", b],
        &vec![("malformed", at(&[h, a]), 1)],
    );
    let twice = vec![("order", at(&[h, a]), body(a))];
    check(&crafted, &[h, a, a, b], &twice);
    let swapped = vec![("gap", at(&[h]), body(b)), ("order", at(&[h, b]), body(a))];
    check(&crafted, &[h, b, a, c], &swapped);
    check(
        &crafted,
        &[h, a, c, d],
        &vec![("gap", at(&[h, a]), body(c))],
    );
    let last = vec![("checksum", at(&[h, a]), body(b))];
    check(&crafted, &[h, a, &bad], &last);
    let both = vec![
        ("checksum", at(&[h, a]), body(b)),
        ("torn", at(&[h, a, b]), 20),
    ];
    check(&crafted, &[h, a, &bad, &c[..20]], &both);
}

#[test]
fn a_log_torn_at_any_byte_is_distinguished_from_a_whole_one() {
    let crafted = Crafted::titled();
    let l = crafted.lines();
    let whole = l[..3].concat();
    let [h, a] = [&l[0], &l[1]];
    for cut in [1, 2, 20, l[2].len() - 2, l[2].len() - 1] {
        let torn = vec![("torn", len(&[h, a]), cut as u64)];
        check(&crafted, &[h, a, &l[2][..cut]], &torn);
    }
    crafted.write(&whole);
    assert!(crafted.fsck(&[]).is_clean());
}

#[test]
fn a_log_without_its_header_is_left_alone() {
    let crafted = Crafted::titled();
    let l = crafted.lines();
    let header = l[0].len() as u64;
    let bom = [b"\xef\xbb\xbf", &l[0][..], &l[1]].concat();
    let cases: [(&[u8], u64); 5] = [
        (b"", 0),
        (&l[0][..20], 20),
        (&bom, header + 2),
        (&l[1..].concat(), body(&l[1])),
        (b"\n", 0),
    ];
    for (bytes, length) in cases {
        crafted.write(bytes);
        for arguments in [&[][..], &["--repair"]] {
            let said = crafted.fsck(arguments);
            assert_eq!(said.places(), [("header", 0, length)]);
            assert_eq!(said.code, Some(1));
        }
        assert_eq!(crafted.bytes(), bytes);
        assert!(crafted.kept("events.jsonl.").is_empty());
    }
    crafted.write(&l[0]);
    assert!(crafted.fsck(&[]).is_clean(), "a session without records");
}

#[test]
fn a_log_of_a_newer_format_is_named_and_left_alone() {
    let crafted = Crafted::titled();
    // The checksum of the header holds for every format, so it is made anew.
    let header = String::from_utf8(crafted.lines()[0].clone()).unwrap();
    let covered = header.replace("\"format\":1", "\"format\":2");
    let covered = &covered[..covered.len() - 19];
    let crc = crc32c::crc32c(covered.as_bytes());
    let log = format!("{covered},\"crc\":\"{crc:08x}\"}}\nwho knows\n");
    crafted.write(log.as_bytes());
    let said = crafted.fsck(&["--repair"]);
    assert!(said.is_clean(), "{:?}", said.findings);
    assert_eq!(said.notes(), ["newer_format"]);
    assert_eq!(crafted.bytes(), log.as_bytes());
}

#[test]
fn a_log_in_the_directory_of_another_session_is_reported() {
    let crafted = Crafted::titled();
    let other = SessionId::generate();
    crafted.add_session(other, crafted.id, &[]);
    let said = crafted.fsck(&[]);
    assert_eq!(said.codes(), ["header"]);
    let finding = said.finding("header");
    assert_eq!(finding["sessionId"], other.to_string());
    let meaning = finding["meaning"].as_str().unwrap();
    assert!(meaning.contains(&crafted.id.to_string()), "{meaning}");
}

#[test]
fn intact_records_that_are_no_events_are_reported() {
    let known = EventId::generate();
    let elsewhere = SessionId::generate();
    let info = json!({"type": "session_info", "changes": {}, "id": known});
    let blob = json!({"type": "image", "mediaType": "image/png", "blob": "../../etc/passwd"});
    let with_blob = json!({"type": "message", "message": {"role": "user", "content": [blob]}});
    let cases = [
        (json!({"type": "from_the_future", "x": 1}), vec![], vec![]),
        (
            json!({"type": "session_info", "changes": {}, "ts": null}),
            vec!["no_event"],
            vec![],
        ),
        (
            json!({"type": "session_info", "changes": {}, "ts": -1}),
            vec!["no_event"],
            vec![],
        ),
        (
            json!({"type": "session_info", "changes": {}, "ts": 253_402_300_800_000_u64}),
            vec![],
            vec![],
        ),
        (json!({"kind": "no type"}), vec!["no_event"], vec![]),
        (json!({"type": "runtime_start"}), vec!["transient"], vec![]),
        (
            json!({"type": "session_info", "changes": 1}),
            vec![],
            vec!["unknown_form"],
        ),
        (with_blob, vec![], vec!["unknown_form"]),
        (info.clone(), vec!["duplicate_id"], vec![]),
        (
            json!({"type": "session_info", "changes": {}, "sessionId": elsewhere}),
            vec!["foreign_event"],
            vec![],
        ),
    ];
    for (event, codes, notes) in cases {
        let crafted = Crafted::with(std::slice::from_ref(&info));
        let offset = crafted.bytes().len() as u64;
        crafted.append(std::slice::from_ref(&event));
        let length = body(&crafted.lines()[2]);
        let said = crafted.fsck(&[]);
        assert_eq!((said.codes(), said.notes()), (codes, notes), "{event}");
        for finding in &said.findings {
            assert_eq!(
                (&finding["offset"], &finding["length"]),
                (&json!(offset), &json!(length))
            );
        }
        let before = crafted.bytes();
        crafted.fsck(&["--repair"]);
        assert_eq!(crafted.bytes(), before, "an intact record stays: {event}");
    }
}

#[test]
fn the_checkpoint_shows_that_a_log_lost_whole_lines() {
    let crafted = Crafted::titled();
    let l = crafted.lines();
    let point = crafted.journal().resume_point().unwrap();
    let mut payload = serde_json::to_vec(&json!({"resume": point})).unwrap();
    payload.push(b'\n');
    scorel_journal::write_checkpoint(&scorel_journal::FileStorage, &crafted.dir(), 1, &payload)
        .unwrap();
    assert!(crafted.fsck(&[]).is_clean());
    let short = l[..4].concat();
    crafted.write(&short);
    let said = crafted.fsck(&[]);
    let missing = len(&[&l[4], &l[5]]);
    assert_eq!(said.places(), [("truncated", short.len() as u64, missing)]);
    assert_eq!(crafted.fsck(&["--repair"]).code, Some(0));
    assert!(crafted.fsck(&[]).is_clean());
    assert!(!crafted.dir().join("checkpoint").exists());
    let lines = crafted.lines();
    let last: serde_json::Value = serde_json::from_slice(lines.last().unwrap()).unwrap();
    assert_eq!(last["type"], "seq_reserve");
    assert!(last["seq"].as_u64().unwrap() > point.seq().get() + 65_536);
}

#[test]
fn a_repaired_log_says_what_was_lost_and_issues_no_number_again() {
    let crafted = Crafted::titled();
    let l = crafted.lines();
    let mut bad = l[5].clone();
    bad[40] ^= 1;
    let offset = len(&[&l[0], &l[1], &l[2], &l[3], &l[4]]);
    crafted.write(&[&l[..5].concat()[..], &bad].concat());
    let said = crafted.fsck(&["--repair"]);
    assert_eq!(said.code, Some(0));
    assert_eq!(said.summary["repaired"], 1);
    assert_eq!(said.finding("checksum")["repaired"], true);
    let lines = crafted.lines();
    assert_eq!(lines[..5], l[..5], "intact records keep their bytes");
    let added: Vec<serde_json::Value> = lines[5..]
        .iter()
        .map(|line| serde_json::from_slice(line).unwrap())
        .collect();
    assert_eq!(added[0]["type"], "seq_reserve");
    assert!(added[0]["seq"].as_u64().unwrap() > 5 + 65_536);
    assert_eq!(added[1]["type"], "damage_accepted");
    assert_eq!(added[1]["offset"], offset);
    assert_eq!(added[1]["length"], body(&bad));
    assert_eq!(added.len(), 2);
}
