use super::log::Log;
use crate::{
    ChangedBy, Event, FailedFile, FileChange, FileHistory, FileMode, FileState, FilesRestoreBody,
    FilesRestoredBody, Message, MessageBody, Origin, PersistentBody, Phase, QueueUpdateBody,
    RestoreScope, SessionId,
};

fn state(digit: char) -> FileState {
    FileState::File {
        sha256: digit.to_string().repeat(64).parse().expect("a hash"),
        mode: FileMode::of(0o644),
    }
}

fn change(path: &str, before: FileState, after: FileState, by: ChangedBy) -> FileChange {
    FileChange {
        path: path.parse().expect("a path"),
        before,
        after,
        by,
    }
}

fn changed(files: Vec<FileChange>) -> PersistentBody {
    PersistentBody::Message(MessageBody {
        files,
        ..MessageBody::new(Message::user("as a result"))
    })
}

fn history(log: &Log) -> Vec<(String, FileState, FileState, bool)> {
    let mut history = FileHistory::default();
    for event in &log.records {
        if let Event::Persistent(event) = event {
            history.apply(event);
        }
    }
    let files = history.files().map(|(path, file)| {
        let (before, after) = (file.before.clone(), file.after.clone());
        (path.to_string(), before, after, file.watched)
    });
    files.collect()
}

#[test]
fn the_first_state_before_and_the_last_one_after_count() {
    let mut log = Log::new();
    let tool = ChangedBy::Tool;
    log.push(changed(vec![change(
        "a",
        FileState::Absent,
        state('1'),
        tool,
    )]));
    log.push(changed(vec![change("a", state('1'), state('2'), tool)]));
    log.push(changed(vec![
        change("b", state('3'), FileState::Absent, ChangedBy::Command),
        change("a", state('2'), state('4'), tool),
    ]));
    let copy = changed(vec![change("c", FileState::Absent, state('5'), tool)]);
    log.push_with(copy, |event| {
        event.origin = Some(Origin {
            session_id: SessionId::generate(),
            event_id: event.id,
        });
    });
    let expected = [
        ("a".to_owned(), FileState::Absent, state('4'), false),
        ("b".to_owned(), state('3'), FileState::Absent, true),
    ];
    assert_eq!(history(&log), expected);
}

#[test]
fn what_a_restore_could_not_do_has_not_happened() {
    let mut log = Log::new();
    let files = |by| {
        let a = change("a", state('1'), state('2'), by);
        vec![a, change("b", state('1'), state('2'), by)]
    };
    let first = log.push(changed(files(ChangedBy::Tool)));
    let back = |path| change(path, state('2'), state('1'), ChangedBy::Restore);
    let restore = log.push(PersistentBody::FilesRestore(FilesRestoreBody {
        before_event_id: first,
        scope: RestoreScope::Tools,
        files: vec![back("a"), back("b"), back("c")],
    }));
    let failed = ["b", "c"].map(|path| FailedFile {
        path: path.parse().expect("a path"),
        error: "no".to_owned(),
    });
    assert_eq!(log.view.state.phase(), Phase::Preparing);
    log.push(PersistentBody::FilesRestored(FilesRestoredBody {
        event_id: restore,
        failed: failed.into(),
    }));
    assert_eq!(log.view.state.phase(), Phase::Idle);
    let expected = [
        ("a".to_owned(), state('1'), state('1'), false),
        ("b".to_owned(), state('1'), state('2'), false),
    ];
    assert_eq!(history(&log), expected);
}

#[test]
fn a_restore_without_files_is_over_at_once() {
    let mut log = Log::new();
    let message = log.user("hello");
    log.push(PersistentBody::FilesRestore(FilesRestoreBody {
        before_event_id: message,
        scope: RestoreScope::All,
        files: Vec::new(),
    }));
    assert_eq!(log.view.state.restore, None);
}

#[test]
fn a_restore_that_was_cancelled_pauses_the_queue_at_its_end() {
    for cancels in [true, false] {
        let mut log = Log::new();
        let first = log.user("hello");
        let restore = log.push(PersistentBody::FilesRestore(FilesRestoreBody {
            before_event_id: first,
            scope: RestoreScope::All,
            files: vec![change("a", state('1'), state('2'), ChangedBy::Restore)],
        }));
        log.add();
        log.push(PersistentBody::QueueUpdate(QueueUpdateBody {
            version: log.view.state.queue.version + 1,
            ops: Vec::new(),
            cancel_turn_id: None,
            cancel_compaction_id: None,
            cancel_restore_id: Some(if cancels { restore } else { first }),
        }));
        assert_eq!(log.view.state.restore.unwrap().cancelled, cancels);
        log.push(PersistentBody::FilesRestored(FilesRestoredBody {
            event_id: restore,
            failed: Vec::new(),
        }));
        assert_eq!(log.view.state.queue.paused, cancels);
    }
}
