//! What exactly was asked.

use std::collections::HashSet;
use std::path::Path;

use scorel_permission::{Action, Fingerprint, Place};

use crate::support::{fetch, place, read, run, write};

fn of(action: &Action, content: &[u8]) -> Fingerprint {
    Fingerprint::of(action, content, &place())
}

#[test]
fn it_does_not_change_between_versions() {
    assert_eq!(
        of(&run("cargo test"), b"").to_string(),
        "676e61379f8901d7460ce74509549404721545babe6ecb65edc37a9913b81415"
    );
    assert_eq!(
        of(&write("src/lib.rs"), b"content").to_string(),
        "95a183b2643585326efffbeb2280d5fc25f27af3b86d0a6635a86b6f25b90ea1"
    );
}

#[test]
fn whatever_differs_makes_another() {
    let elsewhere = Action::Run {
        command: "ls".to_owned(),
        directory: "/p/a".into(),
    };
    let all = [
        of(&run("ls"), b""),
        of(&run("ls "), b""),
        of(&run("ls"), b"x"),
        of(&run("ls/p"), b""),
        of(&elsewhere, b""),
        of(&read("ls"), b""),
        of(&write("ls"), b""),
        of(&write("ls"), b"x"),
        of(&write("l"), b"sx"),
        of(&write("ls"), b"y"),
        of(&write("LS"), b""),
        of(&fetch("ls"), b""),
        Fingerprint::of(
            &run("ls"),
            b"",
            &Place::new(Path::new("/q"), Path::new("/h"), Path::new("/s")),
        ),
    ];
    assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len());
}

#[test]
fn spellings_of_a_path_make_the_same() {
    for spelling in [
        "src/a",
        "./src/a",
        "src//a",
        "src/b/../a",
        "/p/src/a",
        "/p/./src/a/",
    ] {
        assert_eq!(
            of(&write(spelling), b"x"),
            of(&write("src/a"), b"x"),
            "{spelling}"
        );
    }
}

#[test]
fn it_is_read_from_its_text_and_from_nothing_else() {
    let fingerprint = of(&run("ls"), b"");
    let text = fingerprint.to_string();
    assert_eq!(text.len(), 64);
    assert_eq!(text.parse(), Ok(fingerprint));
    let json = serde_json::to_string(&fingerprint).unwrap();
    assert_eq!(json, format!("\"{text}\""));
    assert_eq!(
        serde_json::from_str::<Fingerprint>(&json).unwrap(),
        fingerprint
    );
    for wrong in [
        "",
        &text[1..],
        &text.to_uppercase(),
        &format!("{text}0"),
        &format!("g{}", &text[1..]),
    ] {
        assert!(wrong.parse::<Fingerprint>().is_err(), "{wrong}");
    }
}
