use serde_json::json;

use super::log::{Log, assistant, message};
use crate::{
    Block, EventId, MessageCancelReason, MessageCancelled, MessageStart, ModelRetry, OpenBlock,
    OutcomeReason, PersistentBody, Role, TextDelta, ThinkingDelta, ToolCallDelta, ToolExecutionEnd,
    ToolExecutionStart, ToolExecutionUpdate, TransientBody, TurnEnd, TurnError, TurnWaitingBody,
};

fn start(log: &mut Log) -> EventId {
    let event_id = EventId::generate();
    log.show(TransientBody::MessageStart(MessageStart {
        event_id,
        parent_id: log.view.leaf(),
        role: Role::Assistant,
        model: None,
    }));
    event_id
}

fn text(log: &mut Log, event_id: EventId, block_index: u32, delta: &str) {
    log.show(TransientBody::TextDelta(TextDelta {
        event_id,
        block_index,
        delta: delta.into(),
        from_seq: None,
    }));
}

fn thinking(log: &mut Log, event_id: EventId, block_index: u32, delta: &str) {
    log.show(TransientBody::ThinkingDelta(ThinkingDelta {
        event_id,
        block_index,
        delta: delta.into(),
        from_seq: None,
    }));
}

fn arguments(log: &mut Log, event_id: EventId, block_index: u32, name: Option<&str>, delta: &str) {
    log.show(TransientBody::ToolCallDelta(ToolCallDelta {
        event_id,
        block_index,
        tool_call_id: "c1".into(),
        tool_name: name.map(str::to_owned),
        delta: delta.into(),
        from_seq: None,
    }));
}

fn blocks(log: &Log) -> &[OpenBlock] {
    &log.view.open.messages[0].blocks
}

#[test]
fn deltas_build_up_the_blocks_of_a_message() {
    let mut log = Log::new();
    log.begin();
    log.user("q");
    let id = start(&mut log);
    thinking(&mut log, id, 0, "H");
    thinking(&mut log, id, 0, "m");
    text(&mut log, id, 1, "Hel");
    text(&mut log, id, 1, "lo");
    arguments(&mut log, id, 2, Some("Read"), "{\"a\"");
    arguments(&mut log, id, 2, None, ":1}");
    let expected = [
        OpenBlock::Thinking { text: "Hm".into() },
        OpenBlock::Text {
            text: "Hello".into(),
        },
        OpenBlock::ToolUse {
            tool_call_id: "c1".into(),
            tool_name: "Read".into(),
            arguments: "{\"a\":1}".into(),
        },
    ];
    assert_eq!(blocks(&log), expected);
    assert_eq!(log.view.open.messages[0].parent_id, log.view.leaf());
}

#[test]
fn a_delta_that_is_not_of_the_message_is_left_out() {
    let mut log = Log::new();
    let id = start(&mut log);
    text(&mut log, id, 0, "a");
    text(&mut log, id, 7, "x");
    thinking(&mut log, id, 0, "x");
    text(&mut log, EventId::generate(), 0, "x");
    assert_eq!(blocks(&log), [OpenBlock::Text { text: "a".into() }]);
}

#[test]
fn the_finished_message_takes_the_place_of_the_open_one() {
    let mut log = Log::new();
    log.begin();
    let id = start(&mut log);
    text(&mut log, id, 0, "Hel");
    log.push_with(
        message(assistant(vec![Block::text("Hello")], false)),
        |event| event.id = id,
    );
    assert!(log.view.open.is_empty());
    assert_eq!(log.view.leaf(), Some(id));
}

#[test]
fn a_cancelled_message_is_gone() {
    let mut log = Log::new();
    let event_id = start(&mut log);
    log.show(TransientBody::MessageCancelled(MessageCancelled {
        event_id,
        reason: MessageCancelReason::UserCancel,
    }));
    assert!(log.view.open.is_empty());
}

#[test]
fn an_outcome_leaves_nothing_open() {
    let mut log = Log::new();
    log.begin();
    log.user("q");
    start(&mut log);
    tool(&mut log);
    log.outcome(OutcomeReason::Error);
    assert!(log.view.open.is_empty());
}

fn tool(log: &mut Log) -> EventId {
    let event_id = EventId::generate();
    log.show(TransientBody::ToolExecutionStart(ToolExecutionStart {
        event_id,
        parent_id: None,
        tool_call_id: "c1".into(),
        tool_name: "Read".into(),
        args: json!({"path": "x"}),
        ran_by: None,
    }));
    event_id
}

#[test]
fn a_tool_shows_its_latest_output_until_its_result() {
    let mut log = Log::new();
    log.begin();
    let event_id = tool(&mut log);
    for tail in ["a", "ab"] {
        log.show(TransientBody::ToolExecutionUpdate(ToolExecutionUpdate {
            event_id,
            tool_call_id: "c1".into(),
            partial: json!({"tail": tail}),
        }));
    }
    log.show(TransientBody::ToolExecutionEnd(ToolExecutionEnd {
        event_id,
        tool_call_id: "c1".into(),
        tool_name: "Read".into(),
        duration_ms: 1,
        is_error: false,
    }));
    let open = &log.view.open.tools[0];
    assert_eq!(open.partial, Some(json!({"tail": "ab"})));
    assert_eq!(open.args, json!({"path": "x"}));
    log.push_with(
        message(crate::Message::user("stands for the result")),
        |e| e.id = event_id,
    );
    assert!(log.view.open.is_empty());
}

#[test]
fn starting_again_begins_anew() {
    let mut log = Log::new();
    let event_id = start(&mut log);
    text(&mut log, event_id, 0, "a");
    log.show(TransientBody::MessageStart(MessageStart {
        event_id,
        parent_id: None,
        role: Role::Assistant,
        model: None,
    }));
    assert_eq!(log.view.open.messages.len(), 1);
    assert_eq!(blocks(&log), []);
}

#[test]
fn a_retry_is_open_until_the_call_answers_waits_or_ends() {
    let retry = |attempt| ModelRetry {
        attempt,
        error: TurnError {
            code: "network".into(),
            message: "refused".into(),
            retryable: true,
            hint: None,
            resets_at: None,
            sizes: None,
        },
        until: 7,
    };
    type End = fn(&mut Log);
    let ends: [End; 4] = [
        |log| {
            start(log);
        },
        |log| {
            log.show(TransientBody::TurnEnd(TurnEnd {
                turn_index: 0,
                usage: None,
                stop_reason: None,
            }));
        },
        |log| {
            log.push(PersistentBody::TurnWaiting(TurnWaitingBody {
                until: 1,
                reason: "r".into(),
                kind: None,
                attempt: None,
            }));
        },
        |log| log.outcome(OutcomeReason::Cancelled),
    ];
    for end in ends {
        let mut log = Log::new();
        log.begin();
        log.user("q");
        log.show(TransientBody::ModelRetry(retry(1)));
        log.show(TransientBody::ModelRetry(retry(2)));
        assert_eq!(log.view.open.retry.as_deref(), Some(&retry(2)));
        assert!(!log.view.open.is_empty());
        end(&mut log);
        assert_eq!(log.view.open.retry, None);
    }
}
