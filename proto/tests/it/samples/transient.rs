use scorel_proto::{
    ClientId, Event, MessageCancelReason, MessageCancelled, MessageStart, ModelRetry,
    OutcomeReason, RestoreProgress, Role, RuntimeEnd, RuntimeStart, StopReason, TextDelta,
    ThinkingDelta, ToolCallDelta, ToolExecutionEnd, ToolExecutionStart, ToolExecutionUpdate,
    TransientBody, TransientEvent, TurnEnd, TurnError, TurnStart,
};
use serde_json::json;

use super::{ids, messages};
use crate::golden::Golden;

pub(super) fn all() -> Vec<Golden> {
    turn()
        .into_iter()
        .chain(message())
        .chain(tool())
        .chain([("", TransientBody::RestoreProgress(restore()))])
        .map(golden)
        .collect()
}

pub(super) fn golden((variant, body): (&str, TransientBody)) -> Golden {
    let name = format!("event/{}{variant}", body.type_name());
    let event = TransientEvent {
        seq: ids::seq(9),
        session_id: ids::session(),
        client_id: ClientId::Daemon,
        ts: ids::TS,
        turn_id: (!matches!(body, TransientBody::RestoreProgress(_))).then(ids::turn),
        body,
    };
    Golden::of_event(name, &Event::Transient(Box::new(event)))
}

fn restore() -> RestoreProgress {
    RestoreProgress {
        event_id: ids::event(3),
        done: 64,
        total: 900,
    }
}

pub(super) fn retry() -> ModelRetry {
    ModelRetry {
        attempt: 1,
        error: TurnError {
            code: "network".into(),
            message: "cannot reach 127.0.0.1:11434: connection refused".into(),
            retryable: true,
            hint: Some("nothing listens on 127.0.0.1:11434: is the server running?".into()),
            resets_at: None,
            sizes: None,
        },
        until: ids::TS + 500,
    }
}

fn turn() -> Vec<(&'static str, TransientBody)> {
    let failed = RuntimeEnd {
        reason: OutcomeReason::Error,
        error: Some("no answer".into()),
    };
    let ended = TurnEnd {
        turn_index: 0,
        usage: Some(messages::usage()),
        stop_reason: Some(StopReason::EndTurn),
    };
    let cut = TurnEnd {
        turn_index: 1,
        usage: None,
        stop_reason: None,
    };
    vec![
        ("", TransientBody::RuntimeStart(RuntimeStart {})),
        (
            ".completed",
            TransientBody::RuntimeEnd(RuntimeEnd {
                reason: OutcomeReason::Completed,
                error: None,
            }),
        ),
        (".error", TransientBody::RuntimeEnd(failed)),
        ("", TransientBody::TurnStart(TurnStart { turn_index: 0 })),
        ("", TransientBody::ModelRetry(retry())),
        ("", TransientBody::TurnEnd(ended)),
        (".cut", TransientBody::TurnEnd(cut)),
    ]
}

fn message() -> Vec<(&'static str, TransientBody)> {
    let event_id = ids::event(3);
    let start = |parent_id, model: Option<&str>| MessageStart {
        event_id,
        parent_id,
        role: Role::Assistant,
        model: model.map(str::to_owned),
    };
    let text = |from_seq| TextDelta {
        event_id,
        block_index: 1,
        delta: "Hel".into(),
        from_seq,
    };
    let thinking = ThinkingDelta {
        event_id,
        block_index: 0,
        delta: "Hm".into(),
        from_seq: None,
    };
    let call = ToolCallDelta {
        event_id,
        block_index: 2,
        tool_call_id: "call_1".into(),
        tool_name: Some("Read".into()),
        delta: "{\"path\":".into(),
        from_seq: None,
    };
    let cancelled = MessageCancelled {
        event_id,
        reason: MessageCancelReason::UserCancel,
    };
    vec![
        (
            "",
            TransientBody::MessageStart(start(Some(ids::event(2)), Some("demo/demo"))),
        ),
        (".first", TransientBody::MessageStart(start(None, None))),
        ("", TransientBody::TextDelta(text(None))),
        (".merged", TransientBody::TextDelta(text(Some(ids::seq(5))))),
        ("", TransientBody::ThinkingDelta(thinking)),
        ("", TransientBody::ToolCallDelta(call)),
        ("", TransientBody::MessageCancelled(cancelled)),
    ]
}

fn tool() -> Vec<(&'static str, TransientBody)> {
    let event_id = ids::event(4);
    let (tool_call_id, tool_name) = ("call_1".to_owned(), "Read".to_owned());
    vec![
        (
            "",
            TransientBody::ToolExecutionStart(ToolExecutionStart {
                event_id,
                parent_id: Some(ids::event(3)),
                tool_call_id: tool_call_id.clone(),
                tool_name: tool_name.clone(),
                args: json!({"path": "README.md"}),
                ran_by: None,
            }),
        ),
        (
            "",
            TransientBody::ToolExecutionUpdate(ToolExecutionUpdate {
                event_id,
                tool_call_id: tool_call_id.clone(),
                partial: json!({"tail": "compiling", "bytes": 9}),
            }),
        ),
        (
            "",
            TransientBody::ToolExecutionEnd(ToolExecutionEnd {
                event_id,
                tool_call_id,
                tool_name,
                duration_ms: 12,
                is_error: false,
            }),
        ),
    ]
}
