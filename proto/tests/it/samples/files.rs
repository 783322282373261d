//! Events and methods about files.

use scorel_proto::{
    Branch, BranchParams, ChangedBy, FailedFile, FileBefore, FileChange, FileMode, FilePath,
    FileState, FilesRestoreBody, FilesRestoredBody, LinkTarget, MessageBody, MoveResult,
    OnConflict, PersistentBody, PreviewRestore, PreviewRestoreParams, PreviewRestoreResult,
    RestoreAction, RestoreEntry, RestoreFiles, RestoreFilesParams, RestoreFilesResult,
    RestoreOptions, RestoreScope, Rewind, RewindParams, ToolStartedBody, UnwatchedCalls,
};

use super::methods::{method, params_of, result_of};
use super::{ids, messages};
use crate::golden::Golden;

fn path(text: &str) -> FilePath {
    text.parse().unwrap()
}

fn file() -> FileState {
    FileState::File {
        sha256: ids::hash(),
        mode: FileMode::of(0o644),
    }
}

pub(super) fn change(by: ChangedBy) -> FileChange {
    FileChange {
        path: path("src/main.rs"),
        before: file(),
        after: FileState::Absent,
        by,
    }
}

pub(super) fn result() -> PersistentBody {
    let linked = FileChange {
        path: path(r"a\xff"),
        before: FileState::Link {
            link: LinkTarget::from_bytes(b"../b"),
        },
        after: FileState::Unknown,
        by: ChangedBy::Command,
    };
    PersistentBody::Message(MessageBody {
        files: vec![change(ChangedBy::Tool), linked],
        unwatched: Some("the project has more than 20000 files".into()),
        ..MessageBody::new(messages::tool_message())
    })
}

pub(super) fn started() -> PersistentBody {
    PersistentBody::ToolStarted(ToolStartedBody {
        tool_call_id: "call_1".into(),
        tool_name: "Edit".into(),
        event_id: ids::event(3),
        files: vec![FileBefore {
            path: path("src/main.rs"),
            before: file(),
        }],
        ran_by: None,
        input: None,
        changed_by: Vec::new(),
    })
}

pub(super) fn restore() -> PersistentBody {
    PersistentBody::FilesRestore(FilesRestoreBody {
        before_event_id: ids::event(1),
        scope: RestoreScope::All,
        files: vec![change(ChangedBy::Restore)],
    })
}

pub(super) fn restored() -> PersistentBody {
    PersistentBody::FilesRestored(FilesRestoredBody {
        event_id: ids::event(1),
        failed: failed(),
    })
}

fn failed() -> Vec<FailedFile> {
    vec![FailedFile {
        path: path("src/main.rs"),
        error: "permission denied".into(),
    }]
}

pub(super) fn methods() -> Vec<Golden> {
    let session_id = ids::session();
    let preview = PreviewRestoreParams {
        session_id,
        before_event_id: Some(ids::event(1)),
        target_event_id: None,
        scope: Some(RestoreScope::All),
    };
    let of_move = PreviewRestoreParams {
        before_event_id: None,
        target_event_id: Some(Some(ids::event(1))),
        ..preview
    };
    let of_beginning = PreviewRestoreParams {
        target_event_id: Some(None),
        ..of_move
    };
    let actions = [
        RestoreAction::Write,
        RestoreAction::Delete,
        RestoreAction::None,
        RestoreAction::Conflict,
        RestoreAction::Unknown,
    ];
    let files = actions.map(|action| RestoreEntry {
        path: path("src/main.rs"),
        action,
    });
    let unwatched = Some(UnwatchedCalls {
        calls: 2,
        reasons: vec!["the project has more than 20000 files".to_owned()],
    });
    let files = PreviewRestoreResult {
        files: files.into(),
        unwatched: unwatched.clone(),
    };
    let restore = RestoreFilesParams {
        session_id,
        before_event_id: ids::event(1),
        scope: Some(RestoreScope::Tools),
        on_conflict: Some(OnConflict::Skip),
        command_id: Some(ids::command()),
    };
    let usual = RestoreFilesParams {
        scope: None,
        on_conflict: None,
        command_id: None,
        ..restore
    };
    let restored = RestoreFilesResult {
        seq: ids::seq(12),
        event_id: ids::event(2),
        restored: 3,
        failed: failed(),
        unwatched,
    };
    let mut all = Vec::from(method::<PreviewRestore>(&preview, &files));
    all.extend(method::<RestoreFiles>(&restore, &restored));
    all.push(params_of::<RestoreFiles>(".usual", &usual));
    all.push(params_of::<PreviewRestore>(".target", &of_move));
    all.push(params_of::<PreviewRestore>(".beginning", &of_beginning));
    all.extend(moves(&restored));
    all
}

/// Moves of the leaf that restore files.
fn moves(restored: &RestoreFilesResult) -> Vec<Golden> {
    let options = RestoreOptions {
        scope: Some(RestoreScope::All),
        on_conflict: Some(OnConflict::Skip),
    };
    let rewind = RewindParams {
        session_id: ids::session(),
        target_event_id: None,
        expected_leaf_id: Some(ids::event(2)),
        restore_files: Some(options),
        command_id: None,
    };
    let branch = BranchParams {
        session_id: ids::session(),
        leaf_event_id: ids::event(1),
        expected_leaf_id: Some(ids::event(2)),
        restore_files: Some(RestoreOptions::default()),
        command_id: None,
    };
    let moved = MoveResult {
        seq: restored.seq,
        files: Some(restored.clone()),
    };
    vec![
        params_of::<Rewind>(".files", &rewind),
        params_of::<Branch>(".files", &branch),
        result_of::<Rewind>(".files", &moved),
    ]
}
