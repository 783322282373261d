//! Events and methods about files.

use scorel_proto::{
    ChangedBy, FailedFile, FileBefore, FileChange, FileMode, FilePath, FileState, FilesRestoreBody,
    FilesRestoredBody, LinkTarget, MessageBody, OnConflict, PersistentBody, PreviewRestore,
    PreviewRestoreParams, PreviewRestoreResult, RestoreAction, RestoreEntry, RestoreFiles,
    RestoreFilesParams, RestoreFilesResult, RestoreScope, ToolStartedBody,
};

use super::methods::{method, params_of};
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
        before_event_id: ids::event(1),
        scope: Some(RestoreScope::All),
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
    let files = PreviewRestoreResult {
        files: files.into(),
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
    };
    let mut all = Vec::from(method::<PreviewRestore>(&preview, &files));
    all.extend(method::<RestoreFiles>(&restore, &restored));
    all.push(params_of::<RestoreFiles>(".usual", &usual));
    all
}
