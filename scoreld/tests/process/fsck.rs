//! Checking and repairing homes.

#[path = "fsck/conversation.rs"]
mod conversation;
#[path = "fsck/files.rs"]
mod files;
#[path = "fsck/logs.rs"]
mod logs;

use std::fs;

use crate::crafted::{Crafted, Said};

#[test]
fn a_healthy_home_is_clean_and_stays_as_it_is() {
    let crafted = Crafted::titled();
    let before = crafted.bytes();
    let said = crafted.fsck(&[]);
    assert!(said.is_clean(), "{:?}", said.findings);
    assert!(said.findings.is_empty());
    assert_eq!(said.summary["sessions"], 1);
    assert_eq!(said.summary["daemonRunning"], false);
    assert_eq!(crafted.bytes(), before);
    let names: Vec<_> = fs::read_dir(crafted.place.home()).unwrap().collect();
    assert_eq!(names.len(), 1, "a check creates nothing");
}

#[test]
fn a_check_without_a_home_or_a_session_says_so() {
    let place = crate::daemon::TestHome::new();
    let said = Said::new(&place.run(&["fsck", "--json"]));
    assert_eq!(said.code, Some(3), "{}", said.stderr);
    assert!(
        said.stderr.contains("\"code\":\"no_home\""),
        "{}",
        said.stderr
    );
    assert!(!place.home().exists());
    let crafted = Crafted::titled();
    let said = crafted.fsck(&["ses_7"]);
    assert_eq!(said.code, Some(3));
    assert!(said.stderr.contains("session_not_found"), "{}", said.stderr);
    assert_eq!(crafted.fsck(&["--nonsense"]).code, Some(2));
}

#[test]
fn one_session_is_found_by_the_beginning_of_its_id() {
    let crafted = Crafted::titled();
    crafted.write(b"");
    let id = crafted.id.to_string();
    for wanted in [&id[..], &id[..29], &id[4..29].to_lowercase()] {
        let said = crafted.fsck(&[wanted]);
        assert_eq!(said.codes(), ["header"], "{wanted}");
        assert_eq!(said.summary["sessions"], 1);
    }
    let other = scorel_proto::SessionId::generate();
    crafted.add_session(other, other, &[]);
    assert!(crafted.fsck(&[&other.to_string()]).is_clean());
    let said = crafted.fsck(&["ses_"]);
    assert_eq!(said.code, Some(3));
    assert!(said.stderr.contains("ambiguous"), "{}", said.stderr);
}

#[test]
fn nothing_is_repaired_beside_a_daemon() {
    let crafted = Crafted::titled();
    let mut lines = crafted.lines();
    lines[2][20] ^= 1;
    let damaged = lines.concat();
    crafted.write(&damaged);
    let mut daemon = crafted.place.start();
    let said = crafted.fsck(&["--repair"]);
    assert_eq!(said.code, Some(3));
    assert!(said.stderr.contains("scorelctl stop"), "{}", said.stderr);
    assert_eq!(crafted.bytes(), damaged);
    let said = crafted.fsck(&[]);
    assert_eq!(said.codes(), ["checksum", "gap"]);
    assert_eq!(said.summary["daemonRunning"], true);
    daemon.stop();
    assert_eq!(crafted.fsck(&["--repair"]).code, Some(0));
}

#[test]
fn people_get_text_with_the_place_and_what_a_repair_does() {
    let crafted = Crafted::titled();
    let offset = crafted.bytes().len();
    crafted.write(&[crafted.bytes(), b"{\"half".to_vec()].concat());
    let output = crafted.place.run(&["fsck"]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).unwrap();
    let expected = format!("events.jsonl, offset {offset}, 6 bytes");
    assert!(text.contains(&expected), "{text}");
    assert!(text.contains("--repair moves the line"), "{text}");
    assert!(
        text.contains("1 session; 0 damaged places, 1 repairable place, "),
        "{text}"
    );
}
