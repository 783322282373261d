//! Files that another process changes under an open journal.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use scorel_journal::{AppendError, ForeignChange};

use crate::log::{Log, append};

#[test]
fn nothing_is_appended_to_a_file_of_another_length() {
    let log = Log::of(&["one", "two"]);
    let whole = log.bytes();
    let mut journal = log.journal();
    for bytes in [
        &whole[..whole.len() - 10],
        &[&whole[..], b"x"].concat(),
        b"",
    ] {
        log.write(bytes);
        let error = append(&mut journal, "three").expect_err("refused");
        assert!(
            matches!(&error, AppendError::Foreign(ForeignChange::Length { expected, found })
                if *expected == whole.len() as u64 && *found == bytes.len() as u64),
            "{error}"
        );
        assert_eq!(log.bytes(), bytes);
    }
    log.write(&whole);
    let _ = append(&mut journal, "three").expect("restored");
    assert_eq!(log.texts(), ["one", "two", "three"]);
}

#[test]
fn a_removed_or_replaced_file_is_never_created_again() {
    let log = Log::of(&["one"]);
    let whole = log.bytes();
    let mut journal = log.journal();
    let saved = log.dir().join("saved");
    fs::rename(log.path(), &saved).expect("moved");
    let missing = append(&mut journal, "two");
    assert!(matches!(
        missing,
        Err(AppendError::Foreign(ForeignChange::Missing(_)))
    ));
    assert!(!log.path().exists());
    log.write(&whole);
    let replaced = append(&mut journal, "two");
    assert!(matches!(
        replaced,
        Err(AppendError::Foreign(ForeignChange::Replaced))
    ));
    assert_eq!(log.bytes(), whole);
    fs::remove_file(log.path()).expect("removed");
    symlink(&saved, log.path()).expect("a link");
    assert!(matches!(
        append(&mut journal, "two"),
        Err(AppendError::Foreign(_))
    ));
    assert_eq!(fs::read(&saved).expect("readable"), whole);
}

#[test]
fn special_files_are_refused_without_blocking() {
    let log = Log::nowhere();
    fs::create_dir(log.dir()).expect("a directory");
    assert!(log.try_open().expect_err("nothing").is_not_found());
    let made = Command::new("mkfifo").arg(log.path()).status();
    assert!(made.expect("mkfifo runs").success());
    assert!(log.try_open().is_err());
    fs::remove_file(log.path()).expect("removed");
    fs::create_dir(log.path()).expect("a directory");
    assert!(log.try_open().is_err());
    fs::remove_dir(log.path()).expect("removed");
    let real = Log::of(&["one"]);
    symlink(real.path(), log.path()).expect("a link");
    assert!(log.try_open().is_err());
}
