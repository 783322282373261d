use scorel_proto::{
    AppendCustom, AppendCustomMessage, AppendCustomMessageParams, AppendCustomMessageResult,
    AppendCustomParams, AppendResult, AttachmentPath, Branch, BranchParams, Cancel, CancelChildren,
    CancelParams, CancelResult, Compact, CompactParams, CompactResult, Content, EndWait,
    EndWaitParams, Message, MoveResult, PermissionDecision, QueueEdit, QueueKind,
    RespondPermission, RespondPermissionParams, Rewind, RewindParams, RewriteQueue,
    RewriteQueueParams, RewriteQueueResult, RunMode, SendMessage, SendMessageParams,
    SendMessageResult, SeqResult, StorageStall, UnsavedRecord, WhileRunning,
};

use serde_json::json;

use super::{method, params_of, result_of};
use crate::golden::Golden;
use crate::samples::{ids, messages, persistent};

pub(super) fn all() -> Vec<Golden> {
    let mut all = sending();
    all.extend(steering());
    all.extend(moving());
    all
}

fn sending() -> Vec<Golden> {
    let minimal = SendMessageParams {
        session_id: ids::session(),
        content: Content::from("Hello"),
        attachments: Vec::new(),
        while_running: None,
        parent_event_id: None,
        expected_leaf_id: None,
        model: None,
        runner: None,
        mode: None,
        channel: None,
        command_id: None,
    };
    let full = SendMessageParams {
        content: Content(vec![scorel_proto::Block::text("Look"), messages::image()]),
        attachments: vec![AttachmentPath {
            path: "docs/notes.txt".into(),
        }],
        while_running: Some(WhileRunning::Reject),
        parent_event_id: Some(Some(ids::event(1))),
        expected_leaf_id: Some(Some(ids::event(2))),
        model: Some("gpt-5".into()),
        runner: Some("codex".into()),
        mode: Some(RunMode::Chat),
        command_id: Some(ids::command()),
        ..minimal.clone()
    };
    let delivered = SendMessageParams {
        channel: Some(persistent::channel_source()),
        ..minimal.clone()
    };
    let anew = SendMessageParams {
        parent_event_id: Some(None),
        expected_leaf_id: Some(None),
        ..minimal.clone()
    };
    let accepted = SendMessageResult::Accepted {
        user_event_id: ids::event(1),
        turn_id: ids::turn(),
        seq: ids::seq(2),
    };
    let queued = SendMessageResult::Queued {
        queue: QueueKind::FollowUp,
        queue_item_id: ids::item(1),
        position: 0,
        seq: ids::seq(9),
    };
    let mut all = Vec::from(method::<SendMessage>(&full, &accepted));
    all.push(params_of::<SendMessage>(".minimal", &minimal));
    all.push(params_of::<SendMessage>(".anew", &anew));
    all.push(params_of::<SendMessage>(".channel", &delivered));
    all.push(result_of::<SendMessage>(".queued", &queued));
    all
}

fn steering() -> Vec<Golden> {
    let session_id = ids::session();
    let seq = SeqResult { seq: ids::seq(12) };
    let rewrite = RewriteQueueParams {
        session_id,
        expected_version: 3,
        ops: queue_edits(),
        command_id: Some(ids::command()),
    };
    let rewritten = RewriteQueueResult {
        seq: ids::seq(12),
        queue_version: 4,
        queue: vec![persistent::item()],
    };
    let cancel = CancelParams {
        session_id,
        expected_turn_id: Some(ids::turn()),
        clear_queue: Some(true),
        children: Some(CancelChildren::All),
        command_id: Some(ids::command()),
    };
    let any = CancelParams {
        session_id,
        expected_turn_id: None,
        clear_queue: None,
        children: None,
        command_id: None,
    };
    let respond = RespondPermissionParams {
        session_id,
        request_id: ids::request(),
        decision: PermissionDecision::Deny,
        reason: Some("not now".into()),
        command_id: Some(ids::command()),
    };
    let mut all = Vec::from(method::<RewriteQueue>(&rewrite, &rewritten));
    let cleared = CancelResult {
        cancelled: true,
        seq: Some(ids::seq(12)),
        storage_stalled: None,
    };
    let missed = CancelResult {
        cancelled: false,
        seq: None,
        storage_stalled: None,
    };
    let stalled = CancelResult {
        cancelled: true,
        seq: None,
        storage_stalled: Some(StorageStall {
            since: 1_700_000_000_000,
            unsaved: Some(UnsavedRecord {
                kind: "message".into(),
                bytes: 204_800,
            }),
        }),
    };
    all.extend(method::<Cancel>(&cancel, &cleared));
    all.push(params_of::<Cancel>(".any", &any));
    all.push(result_of::<Cancel>(".any", &missed));
    all.push(result_of::<Cancel>(".stalled", &stalled));
    all.extend(method::<RespondPermission>(&respond, &seq));
    all
}

fn queue_edits() -> Vec<QueueEdit> {
    let queue_item_id = ids::item(1);
    vec![
        QueueEdit::Add {
            kind: QueueKind::FollowUp,
            content: Content::from("And then the tests"),
            position: Some(0),
            hold: Some(true),
        },
        QueueEdit::Add {
            kind: QueueKind::Steer,
            content: Content::from("Use the other file"),
            position: None,
            hold: None,
        },
        QueueEdit::Edit {
            queue_item_id,
            content: Content::from("Better"),
        },
        QueueEdit::Move {
            queue_item_id,
            position: 2,
        },
        QueueEdit::Convert {
            queue_item_id,
            kind: QueueKind::Steer,
        },
        QueueEdit::Remove { queue_item_id },
        QueueEdit::Pause {},
        QueueEdit::Resume {},
    ]
}

fn moving() -> Vec<Golden> {
    let session_id = ids::session();
    let seq = SeqResult { seq: ids::seq(12) };
    let moved = MoveResult {
        seq: seq.seq,
        files: None,
    };
    let rewind = RewindParams {
        session_id,
        target_event_id: Some(ids::event(1)),
        expected_leaf_id: Some(ids::event(2)),
        restore_files: None,
        command_id: Some(ids::command()),
    };
    let beginning = RewindParams {
        session_id,
        target_event_id: None,
        expected_leaf_id: None,
        restore_files: None,
        command_id: None,
    };
    let branch = BranchParams {
        session_id,
        leaf_event_id: ids::event(1),
        expected_leaf_id: Some(ids::event(2)),
        restore_files: None,
        command_id: Some(ids::command()),
    };
    let compact = CompactParams {
        session_id,
        instructions: Some("keep the file names".into()),
        command_id: Some(ids::command()),
    };
    let data = json!({ "lane": 3 });
    let custom = AppendCustomParams {
        session_id,
        kind: "board.card".into(),
        data: data.clone(),
        command_id: Some(ids::command()),
    };
    let custom_message = AppendCustomMessageParams {
        session_id,
        kind: "board.note".into(),
        message: Message::user("The card was moved."),
        data: Some(data),
        command_id: Some(ids::command()),
    };
    let appended = AppendResult {
        event_id: ids::event(3),
        seq: ids::seq(12),
    };
    let mut all = Vec::from(method::<Rewind>(&rewind, &moved));
    all.extend(method::<AppendCustom>(&custom, &appended));
    let message_added = AppendCustomMessageResult::Appended {
        event_id: ids::event(3),
        seq: ids::seq(12),
    };
    let message_queued = AppendCustomMessageResult::Queued {
        queue_item_id: ids::item(1),
        position: 0,
        seq: ids::seq(12),
    };
    all.extend(method::<AppendCustomMessage>(
        &custom_message,
        &message_added,
    ));
    all.push(result_of::<AppendCustomMessage>(".queued", &message_queued));
    all.push(params_of::<Rewind>(".beginning", &beginning));
    let end_wait = EndWaitParams {
        session_id,
        expected_turn_id: ids::turn(),
        command_id: Some(ids::command()),
    };
    all.extend(method::<EndWait>(&end_wait, &seq));
    all.extend(method::<Branch>(&branch, &moved));
    let compacting = CompactResult {
        seq: ids::seq(3),
        compaction_id: ids::compaction(),
    };
    all.extend(method::<Compact>(&compact, &compacting));
    all
}
