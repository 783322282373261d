use scorel_proto::{
    Block, PersistentBody, QueueItem, QueueItemMeta, QueueKind, QueueOp, QueueUpdateBody,
    QueuedCustomMessage, RunMode,
};
use serde_json::json;

use crate::samples::ids;

/// Updates of a queue.
pub(super) fn updates() -> Vec<(&'static str, PersistentBody)> {
    let cancel = QueueUpdateBody {
        version: 7,
        ops: Vec::new(),
        cancel_turn_id: None,
        cancel_compaction_id: None,
        cancel_restore_id: None,
    };
    let cleared = QueueUpdateBody {
        cancel_turn_id: Some(ids::turn()),
        ..cancel.clone()
    };
    let restore = QueueUpdateBody {
        cancel_restore_id: Some(ids::event(3)),
        ..cancel.clone()
    };
    let custom = QueueUpdateBody {
        ops: vec![QueueOp::append(custom_item())],
        ..cancel
    };
    let channel = QueueUpdateBody {
        ops: vec![QueueOp::append(channel_item())],
        ..cancel
    };
    vec![
        ("", PersistentBody::QueueUpdate(queue_update())),
        (".cleared", PersistentBody::QueueUpdate(cleared)),
        (".cancelled_restore", PersistentBody::QueueUpdate(restore)),
        (".custom", PersistentBody::QueueUpdate(custom)),
        (".channel", PersistentBody::QueueUpdate(channel)),
    ]
}

fn queue_update() -> QueueUpdateBody {
    let id = ids::item(1);
    QueueUpdateBody {
        version: 6,
        ops: vec![
            QueueOp::append(item()),
            QueueOp::Add {
                item: item(),
                position: Some(0),
                hold: true,
                go_on: true,
            },
            QueueOp::Edit {
                queue_item_id: id,
                content: vec![Block::text("Better")],
                edited_by: Some(ids::client()),
            },
            QueueOp::Move {
                queue_item_id: id,
                position: 0,
            },
            QueueOp::Convert {
                queue_item_id: id,
                kind: QueueKind::Steer,
            },
            QueueOp::Remove { queue_item_id: id },
            QueueOp::Pause,
            QueueOp::Resume,
        ],
        cancel_turn_id: None,
        cancel_compaction_id: None,
        cancel_restore_id: None,
    }
}

pub(in crate::samples) fn item() -> QueueItem {
    QueueItem {
        queue_item_id: ids::item(1),
        kind: QueueKind::FollowUp,
        content: vec![Block::text("And then the tests")],
        client_id: ids::client(),
        edited_by: None,
        meta: None,
        command_id: Some(ids::command()),
        digest: Some(ids::digest()),
    }
}

/// An item that `appendCustomMessage` queued.
fn custom_item() -> QueueItem {
    let custom = QueuedCustomMessage {
        kind: "board.note".into(),
        internal: true,
        data: Some(json!({"lane": 3})),
    };
    QueueItem {
        kind: QueueKind::Steer,
        meta: Some(QueueItemMeta {
            custom: Some(custom),
            ..QueueItemMeta::default()
        }),
        ..item()
    }
}

/// An item that came through a channel.
fn channel_item() -> QueueItem {
    QueueItem {
        meta: Some(QueueItemMeta {
            channel: Some(super::channel_source()),
            mode: Some(RunMode::Chat),
            ..QueueItemMeta::default()
        }),
        ..item()
    }
}
