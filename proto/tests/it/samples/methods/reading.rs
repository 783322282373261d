use scorel_proto::{
    ContextPart, EncodedEvent, GetBlob, GetBlobParams, GetBlobResult, GetContext, GetContextParams,
    GetContextResult, GetEvents, GetEventsParams, GetEventsResult, GetTree, GetTreeParams,
    GetTreeResult, GetTurn, GetTurnParams, InFlight, OpenBlock, OpenItems, OpenMessage, OpenTool,
    OutcomeReason, Phase, PutBlob, PutBlobParams, PutBlobResult, Queue, Resync, ResyncParams,
    ResyncResult, Role, SubscribeEvents, SubscribeEventsParams, SyncMode, TreeEntry,
    UnsubscribeEvents, UnsubscribeParams,
};
use serde_json::json;

use super::{method, params_of, result_of};
use crate::golden::Golden;
use crate::samples::{ids, persistent, runners, transient};

pub(super) fn all() -> Vec<Golden> {
    let mut all = log();
    all.extend(blobs());
    all.extend(syncing());
    all.extend(context());
    all.extend(turn());
    all
}

fn turn() -> [Golden; 2] {
    let params = GetTurnParams {
        session_id: ids::session(),
        turn_id: ids::turn(),
    };
    method::<GetTurn>(&params, &runners::failed())
}

fn context() -> [Golden; 2] {
    let params = GetContextParams {
        session_id: ids::session(),
    };
    let result = GetContextResult {
        model: "openai:gpt-5".into(),
        context_window: 400_000,
        budget: 380_000,
        tokens: 12_345,
        measured: true,
        automatic: true,
        parts: vec![ContextPart {
            kind: "toolResult".into(),
            count: 3,
            tokens: 8_000,
        }],
    };
    method::<GetContext>(&params, &result)
}

/// An event as the log holds it: with a field that this version does not know.
fn encoded() -> EncodedEvent {
    let event = json!({
        "type": "seq_reserve", "id": ids::event(1), "parentId": null, "seq": 1,
        "sessionId": ids::session(), "clientId": "daemon", "ts": ids::TS,
        "mood": "good", "prev": 0, "crc": "89abcdef",
    });
    EncodedEvent::new(serde_json::value::to_raw_value(&event).unwrap())
}

fn log() -> Vec<Golden> {
    let session_id = ids::session();
    let tree = GetTreeParams {
        session_id,
        after_seq: Some(ids::seq(1)),
        limit: Some(10),
        previews: None,
    };
    let with_previews = GetTreeParams {
        previews: Some(true),
        ..tree
    };
    let node = TreeEntry {
        id: ids::event(2),
        parent_id: Some(ids::event(1)),
        seq: ids::seq(2),
        turn_end: true,
        turn_id: None,
        user_event_id: None,
        preview: None,
        outcome: None,
        file_changes: None,
    };
    let described = GetTreeResult {
        nodes: vec![TreeEntry {
            turn_id: Some(ids::turn()),
            user_event_id: Some(ids::event(1)),
            preview: Some("Fix the tests".into()),
            outcome: Some(OutcomeReason::Completed),
            file_changes: Some(2),
            ..node
        }],
        more: false,
        active_leaf_id: Some(ids::event(2)),
    };
    let nodes = vec![node];
    let tree_page = GetTreeResult {
        nodes,
        more: true,
        active_leaf_id: Some(ids::event(2)),
    };
    let after = GetEventsParams {
        session_id,
        after_seq: Some(ids::seq(3)),
        before_seq: None,
        limit: Some(1),
        kinds: None,
    };
    let before = GetEventsParams {
        session_id,
        after_seq: None,
        before_seq: Some(ids::seq(3)),
        limit: None,
        kinds: None,
    };
    let page = GetEventsResult {
        events: vec![encoded()],
        more: false,
        through: None,
    };
    let looked_through = GetEventsResult {
        events: Vec::new(),
        more: true,
        through: Some(ids::seq(4)),
    };
    let mut all = Vec::from(method::<GetTree>(&tree, &tree_page));
    all.push(params_of::<GetTree>(".previews", &with_previews));
    all.push(result_of::<GetTree>(".previews", &described));
    all.extend(method::<GetEvents>(&after, &page));
    all.push(params_of::<GetEvents>(".before", &before));
    let of_kinds = GetEventsParams {
        kinds: Some(vec!["notes.count".into()]),
        ..after
    };
    all.push(params_of::<GetEvents>(".kinds", &of_kinds));
    all.push(result_of::<GetEvents>(".kinds", &looked_through));
    all
}

fn blobs() -> Vec<Golden> {
    let session_id = ids::session();
    let sha256 = ids::hash();
    let get = GetBlobParams {
        session_id,
        sha256: sha256.clone(),
        offset: Some(0),
        length: Some(4),
    };
    let part = GetBlobResult {
        data: "SGk=".into(),
        offset: 0,
        size: 2,
    };
    let put = PutBlobParams {
        session_id,
        data: "SGk=".into(),
        command_id: Some(ids::command()),
    };
    let mut all = Vec::from(method::<GetBlob>(&get, &part));
    all.extend(method::<PutBlob>(&put, &PutBlobResult { sha256, size: 2 }));
    all
}

fn syncing() -> Vec<Golden> {
    let session_id = ids::session();
    let resync = ResyncParams {
        session_id,
        persistent_last_seq: Some(ids::seq(4)),
        stream_last_seq: Some(ids::seq(9)),
        persistent_last_id: None,
        page: Some("p1".into()),
    };
    let page = ResyncResult {
        mode: SyncMode::FullReload,
        reason: Some("the anchor is not a record of this log".into()),
        events: vec![encoded()],
        through_seq: None,
        in_flight: None,
        current_seq: ids::seq(9),
        active_leaf_id: Some(ids::event(2)),
        next_page: Some("p2".into()),
    };
    let last = ResyncResult {
        mode: SyncMode::PersistentFallback,
        reason: None,
        events: Vec::new(),
        through_seq: Some(ids::seq(9)),
        in_flight: Some(in_flight()),
        next_page: None,
        ..page
    };
    let subscribe = SubscribeEventsParams {
        session_id,
        persistent_last_seq: Some(ids::seq(4)),
        stream_last_seq: Some(ids::seq(9)),
        persistent_last_id: None,
    };
    let first_time = SubscribeEventsParams {
        session_id,
        persistent_last_seq: None,
        stream_last_seq: None,
        persistent_last_id: None,
    };
    let unsubscribe = UnsubscribeParams {
        subscription: "s1".into(),
    };
    let mut all = Vec::from(method::<Resync>(&resync, &page));
    all.push(result_of::<Resync>(".last", &last));
    all.extend(method::<SubscribeEvents>(&subscribe, &"s1".to_owned()));
    all.push(params_of::<SubscribeEvents>(".first", &first_time));
    all.extend(method::<UnsubscribeEvents>(&unsubscribe, &false));
    all
}

/// A message with all kinds of blocks, a running tool, a queue and a question.
pub(in crate::samples) fn in_flight() -> InFlight {
    InFlight {
        phase: Phase::Running,
        turn_id: Some(ids::turn()),
        open: OpenItems {
            messages: vec![OpenMessage {
                event_id: ids::event(3),
                parent_id: Some(ids::event(2)),
                role: Role::Assistant,
                model: Some("demo/demo".into()),
                blocks: vec![
                    OpenBlock::Thinking { text: "Hm".into() },
                    OpenBlock::Text { text: "Hel".into() },
                    OpenBlock::ToolUse {
                        tool_call_id: "call_1".into(),
                        tool_name: "Read".into(),
                        arguments: "{\"path\":".into(),
                    },
                ],
            }],
            tools: vec![
                OpenTool {
                    event_id: ids::event(4),
                    parent_id: None,
                    tool_call_id: "call_0".into(),
                    tool_name: "Read".into(),
                    args: json!({"path": "README.md"}),
                    ran_by: None,
                    partial: Some(json!({"tail": "…", "bytes": 3})),
                },
                runners::open_tool(),
            ],
            retry: Some(Box::new(transient::retry())),
            log: Some(Box::new(runners::log_tail())),
        },
        queue: Queue {
            items: vec![persistent::item()],
            go_on: true,
            version: 3,
            paused: true,
            held: true,
        },
        permissions: vec![persistent::permission_request()],
    }
}
