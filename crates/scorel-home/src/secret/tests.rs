use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::*;

fn store(text: &str, mode: u32) -> (tempfile::TempDir, SecretStore) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("env");
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    (dir, SecretStore::with_environment(path, |_| None))
}

fn found(text: &str, name: &str) -> Result<Option<String>, usize> {
    env_file::find(text, name)
}

#[test]
fn lines_are_read_as_service_managers_and_shells_read_them() {
    let text = "\
# a comment
; another
PLAIN=sk-1
  SPACED =  two words\t
export EXPORTED=sk-2
SINGLE='a \"b\" #c'
DOUBLE=\"a \\\"b\\\" \\\\ c\"
EMPTY=
TWICE=first
TWICE=last
EQUALS=a=b==\r
";
    let cases = [
        ("PLAIN", "sk-1"),
        ("SPACED", "two words"),
        ("EXPORTED", "sk-2"),
        ("SINGLE", "a \"b\" #c"),
        ("DOUBLE", "a \"b\" \\ c"),
        ("EMPTY", ""),
        ("TWICE", "last"),
        ("EQUALS", "a=b=="),
    ];
    for (name, value) in cases {
        assert_eq!(found(text, name), Ok(Some(value.to_owned())), "{name}");
    }
    assert_eq!(found(text, "ABSENT"), Ok(None));
    assert_eq!(found("\u{feff}A=1", "A"), Ok(Some("1".to_owned())));
}

#[test]
fn an_invalid_line_is_reported_by_its_number() {
    for line in [
        "KEY",
        "=x",
        "1A=x",
        "A B=x",
        "A='x",
        "A=\"x",
        "A=\"x\" y",
        "A-B=x",
        "A='x'y'",
    ] {
        assert_eq!(found(&format!("OK=1\n\n{line}\n"), "OK"), Err(3), "{line}");
    }
}

#[test]
fn the_file_wins_over_the_environment_of_the_start_unless_it_has_no_value() {
    let (dir, _) = store("KEY=from-file\nEMPTY=\n", 0o600);
    let path = dir.path().join("env");
    let resolved = |name: &str, value: &'static str| {
        let environment = move |_: &str| Some(value.into());
        let store = SecretStore::with_environment(path.clone(), environment);
        store.value(name).unwrap()
    };
    let found = |text: &str| Some(text.to_owned());
    assert_eq!(resolved("KEY", "old"), found("from-file"));
    assert_eq!(resolved("KEY", ""), found("from-file"));
    assert_eq!(resolved("EMPTY", "old"), found("old"));
    assert_eq!(resolved("OTHER", "old"), found("old"));
    assert_eq!(resolved("OTHER", ""), None);
    fs::remove_file(&path).unwrap();
    assert_eq!(resolved("KEY", "old"), found("old"));
    assert_eq!(resolved("KEY", ""), None);
}

#[test]
fn a_file_that_cannot_be_read_does_not_hide_the_environment() {
    let (dir, _) = store("KEY=x", 0o644);
    let environment = |name: &str| (name == "KEY").then(|| "old".into());
    let store = SecretStore::with_environment(dir.path().join("env"), environment);
    assert!(store.resolve("KEY").unwrap().is_some());
    assert!(store.resolve("OTHER").is_err());
}

#[test]
fn a_change_of_the_file_is_seen_at_the_next_call() {
    let (dir, store) = store("A=1", 0o600);
    assert!(store.resolve("B").unwrap().is_none());
    fs::write(dir.path().join("env"), "B=1").unwrap();
    assert!(store.resolve("A").unwrap().is_none());
    assert!(store.resolve("B").unwrap().is_some());
}

#[test]
fn a_file_that_others_can_read_is_refused() {
    let (_dir, store) = store("KEY=x", 0o644);
    let refused = store.resolve("KEY").unwrap_err();
    assert!(refused.to_string().contains("chmod 600"), "{refused}");
}

#[test]
fn no_message_shows_a_value() {
    let (_dir, store) = store("KEY=sk-canary\u{7}", 0o600);
    let refused = store.resolve("KEY").unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the value of `KEY` has control characters in it or is not text"
    );
    assert!(!format!("{refused:?} {store:?}").contains("canary"));
    let environment = |_: &str| Some("sk-canary\nX: y".into());
    let store = SecretStore::with_environment("/none".into(), environment);
    let refused = store.resolve("KEY").unwrap_err();
    assert!(!format!("{refused:?} {refused}").contains("canary"));
}

#[test]
fn a_line_break_at_the_end_is_dropped() {
    let environment = |_: &str| Some("sk-1\r\n".into());
    let store = SecretStore::with_environment("/none".into(), environment);
    assert!(store.resolve("KEY").unwrap().is_some());
}
