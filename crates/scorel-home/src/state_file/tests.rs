use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::thread;

use serde::Deserialize;

use super::*;

const COUNTER: StateKind = StateKind {
    place: "counter.json",
    version: Some(2),
    max_bytes: 64,
    need: Need::Use,
    cure: "count again",
};

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Counter {
    version: FormatVersion<2>,
    count: u64,
}

impl StateBody for Counter {
    const KIND: &'static StateKind = &COUNTER;

    fn check(&self) -> Result<(), String> {
        match self.count {
            13 => Err("13 is bad luck".to_owned()),
            _ => Ok(()),
        }
    }
}

fn add(file: &StateFile<Counter>) -> Result<u64, StateError> {
    file.modify(|counter| {
        counter.count += 1;
        Ok(counter.count)
    })
}

#[test]
fn changes_are_one_after_the_other_and_the_file_is_its_users_alone() {
    let dir = tempfile::tempdir().unwrap();
    let file = StateFile::<Counter>::new(dir.path().join("counter.json"));
    assert_eq!(file.read().unwrap(), None);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| add(&file).unwrap());
        }
    });
    assert_eq!(file.read().unwrap().unwrap().count, 4);
    let text = fs::read_to_string(file.path()).unwrap();
    assert_eq!(text, "{\n  \"version\": 2,\n  \"count\": 4\n}\n");
    let mode = fs::metadata(file.path()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_file_that_is_not_understood_is_refused_by_kind_and_left_alone() {
    type Kind = fn(&StateError) -> bool;
    let dir = tempfile::tempdir().unwrap();
    let file = StateFile::<Counter>::new(dir.path().join("counter.json"));
    let damaged: Kind = |error| matches!(error, StateError::Damaged { .. });
    let newer: Kind = |error| matches!(error, StateError::Newer { version: 3, .. });
    let too_large: Kind = |error| matches!(error, StateError::File(_));
    let long = format!(r#"{{"version":2,"count":1}}{}"#, " ".repeat(64));
    let cases: [(&str, Kind); 7] = [
        ("", damaged),
        ("[]", damaged),
        (r#"{"count":1}"#, damaged),
        (r#"{"version":1,"count":1,"more":1}"#, damaged),
        (r#"{"version":2,"count":13}"#, damaged),
        (r#"{"version":3,"sum":{}}"#, newer),
        (&long, too_large),
    ];
    for (text, expected) in cases {
        fs::write(file.path(), text).unwrap();
        for error in [file.read().unwrap_err(), add(&file).unwrap_err()] {
            assert!(expected(&error), "{text}: {error}");
        }
        assert_eq!(fs::read_to_string(file.path()).unwrap(), text);
    }
    fs::write(file.path(), r#"{"version":1,"count":1}"#).unwrap();
    assert_eq!(add(&file).unwrap(), 2, "an older version");
}

#[test]
fn a_change_that_is_refused_or_cannot_be_written_does_not_happen() {
    let dir = tempfile::tempdir().unwrap();
    let file = StateFile::<Counter>::new(dir.path().join("counter.json"));
    add(&file).unwrap();
    let refused = file.modify(|counter| {
        counter.count = 7;
        Err::<(), _>(COUNTER.damaged(file.path(), "no".to_owned()))
    });
    assert!(refused.is_err());
    assert_eq!(file.read().unwrap().unwrap().count, 1);
    let nowhere = StateFile::<Counter>::new(dir.path().join("missing/counter.json"));
    assert!(matches!(add(&nowhere), Err(StateError::Write { .. })));
}
