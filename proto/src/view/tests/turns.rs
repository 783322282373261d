use serde_json::{Value, json};

use super::log::{Log, assistant, call, message};
use crate::{
    Block, EventId, Message, MessageChannel, Meta, Origin, OutcomeReason, PermissionDecision,
    PermissionDecisionBody, PermissionMode, PermissionRequestBody, PermissionRequestId,
    PersistentBody, Phase, RuntimeStart, SeqReserveBody, SessionChanges, SessionId,
    SessionInfoBody, ThinkingLevel, ToolStartedBody, TransientBody, TurnResumedBody,
    TurnWaitingBody, UserMessage,
};

fn phase(log: &Log) -> Phase {
    log.view.state.phase()
}

#[test]
fn a_turn_is_open_from_its_first_record_to_its_outcome() {
    let mut log = Log::new();
    assert_eq!(phase(&log), Phase::Idle);
    let turn = log.begin();
    log.user("q");
    assert_eq!(log.view.state.turn_id(), Some(turn));
    assert_eq!(phase(&log), Phase::Preparing);
    log.show(TransientBody::RuntimeStart(RuntimeStart {}));
    assert_eq!(phase(&log), Phase::Running);
    log.outcome(OutcomeReason::Completed);
    assert_eq!(phase(&log), Phase::Idle);
    assert_eq!(log.view.state.turn, None);
}

#[test]
fn a_turn_knows_the_channel_that_its_first_message_came_through() {
    let mut log = Log::new();
    let channel = MessageChannel {
        channel: "chat".into(),
        external_id: "1".into(),
        mode: PermissionMode::Ask,
    };
    let through = |log: &mut Log| {
        log.push(message(Message::User(UserMessage {
            content: vec![Block::text("q")],
            meta: Meta {
                channel: Some(Box::new(channel.clone())),
                ..Meta::default()
            },
        })))
    };
    let of_turn = |log: &Log| {
        log.view
            .state
            .turn
            .as_ref()
            .and_then(|it| it.channel.clone())
    };
    through(&mut log);
    assert_eq!(of_turn(&log), None, "outside of a turn");
    log.begin();
    through(&mut log);
    log.user("a steer");
    assert_eq!(of_turn(&log), Some(channel.clone()));
    log.outcome(OutcomeReason::Completed);
    log.begin();
    log.user("q");
    assert_eq!(of_turn(&log), None);
}

#[test]
fn records_without_a_turn_open_none() {
    let mut log = Log::new();
    log.push(PersistentBody::SeqReserve(SeqReserveBody {}));
    log.user("outside");
    assert_eq!(phase(&log), Phase::Idle);
}

#[test]
fn a_record_of_another_turn_takes_over_from_a_turn_whose_outcome_was_lost() {
    let mut log = Log::new();
    log.begin();
    log.user("q");
    log.assistant(vec![call("c1")]);
    let next = log.begin();
    log.user("q2");
    assert_eq!(log.view.state.turn_id(), Some(next));
    assert_eq!(log.calls(), []);
}

#[test]
fn a_turn_that_waits_says_so_until_it_goes_on() {
    let mut log = Log::new();
    log.begin();
    log.user("q");
    log.show(TransientBody::RuntimeStart(RuntimeStart {}));
    log.push(PersistentBody::TurnWaiting(TurnWaitingBody {
        until: 5,
        reason: "limit".into(),
        kind: None,
        attempt: None,
    }));
    assert_eq!(phase(&log), Phase::Waiting);
    log.push(PersistentBody::TurnResumed(TurnResumedBody {}));
    assert_eq!(phase(&log), Phase::Running);
}

fn ask(log: &mut Log) -> PermissionRequestId {
    ask_with(log, json!({}))
}

fn ask_with(log: &mut Log, input: Value) -> PermissionRequestId {
    let request_id = PermissionRequestId::generate();
    log.push(PersistentBody::PermissionRequest(PermissionRequestBody {
        request_id,
        tool_call_id: "c1".into(),
        tool_name: "Bash".into(),
        input,
        changed_by: Vec::new(),
        reason: "asks".into(),
        hook_reason: None,
        rules: Vec::new(),
        session_only: false,
        deadline: None,
        at_deadline: None,
    }));
    request_id
}

#[test]
fn a_turn_awaits_permission_until_every_request_is_decided() {
    let mut log = Log::new();
    log.begin();
    log.user("q");
    let first = ask(&mut log);
    let second = ask(&mut log);
    for request_id in [first, second] {
        assert_eq!(phase(&log), Phase::AwaitingPermission);
        log.push(PersistentBody::PermissionDecision(PermissionDecisionBody {
            request_id,
            decision: PermissionDecision::Once,
            reason: None,
            by: None,
        }));
    }
    assert_eq!(phase(&log), Phase::Preparing);
}

#[test]
fn an_outcome_leaves_no_request_open() {
    let mut log = Log::new();
    log.begin();
    log.user("q");
    ask(&mut log);
    log.outcome(OutcomeReason::Interrupted);
    assert_eq!(log.view.state.permissions, []);
}

#[test]
fn calls_are_open_from_the_answer_that_makes_them_to_their_results() {
    let mut log = Log::new();
    log.begin();
    log.user("q");
    log.assistant(vec![Block::text("t"), call("c1"), call("c2")]);
    assert_eq!(log.calls(), [("c1", false), ("c2", false)]);
    log.started("c2");
    assert_eq!(log.calls(), [("c1", false), ("c2", true)]);
    log.started("c1");
    log.result("c1");
    assert_eq!(log.calls(), [("c2", true)]);
    log.result("c2");
    assert_eq!(log.calls(), []);
}

#[test]
fn a_started_call_names_the_event_of_its_result() {
    let mut log = Log::new();
    log.begin();
    log.assistant(vec![call("c1")]);
    let id = log.started("c1");
    let turn = log.view.state.turn.as_ref().expect("open");
    assert_eq!(turn.calls[0].started, Some(id));
    assert_eq!(turn.calls[0].tool_name, "Read");
}

#[test]
fn an_open_call_has_the_input_of_the_last_record_about_it() {
    let mut log = Log::new();
    log.begin();
    log.assistant(vec![call("c0"), call("c1"), call("c1")]);
    let inputs = |log: &Log| -> Vec<serde_json::Value> {
        let turn = log.view.state.turn.as_ref().expect("open");
        turn.calls.iter().map(|call| call.input.clone()).collect()
    };
    let (none, asked, ran) = (json!({}), json!({"asked": 1}), json!({"ran": 1}));
    assert_eq!(inputs(&log), [none.clone(), none.clone(), none.clone()]);
    ask_with(&mut log, asked.clone());
    assert_eq!(inputs(&log), [none.clone(), asked.clone(), none.clone()]);
    log.push(PersistentBody::ToolStarted(ToolStartedBody {
        tool_call_id: "c1".into(),
        tool_name: "Read".into(),
        event_id: EventId::generate(),
        files: Vec::new(),
        ran_by: None,
        input: Some(ran.clone()),
        changed_by: vec!["paths".into()],
    }));
    assert_eq!(inputs(&log), [none.clone(), ran.clone(), none.clone()]);
    // The second call of that id is another one.
    ask_with(&mut log, asked.clone());
    assert_eq!(inputs(&log), [none, ran, asked]);
}

#[test]
fn two_calls_with_one_id_are_two_calls() {
    let mut log = Log::new();
    log.begin();
    log.assistant(vec![call("c"), call("c")]);
    log.started("c");
    assert_eq!(log.calls(), [("c", true), ("c", false)]);
    log.started("c");
    assert_eq!(log.calls(), [("c", true), ("c", true)]);
    log.result("c");
    assert_eq!(log.calls(), [("c", true)]);
}

#[test]
fn the_calls_of_a_partial_answer_do_not_count() {
    let mut log = Log::new();
    log.begin();
    log.push(message(assistant(vec![call("c1")], true)));
    assert_eq!(log.calls(), []);
}

#[test]
fn steps_and_usage_are_counted_for_the_turn_and_the_session() {
    let mut log = Log::new();
    log.turn();
    log.begin();
    log.user("q");
    log.assistant(vec![call("c1")]);
    log.result("c1");
    log.assistant(vec![Block::text("a")]);
    let turn = log.view.state.turn.as_ref().expect("open");
    assert_eq!((turn.steps, turn.usage.input_tokens), (2, 20));
    assert_eq!(log.view.state.usage.input_tokens, 30);
}

#[test]
fn copied_history_starts_nothing_and_costs_nothing() {
    let mut log = Log::new();
    let item = log.add();
    log.begin();
    let copied = |event: &mut crate::PersistentEvent| {
        event.origin = Some(Origin {
            session_id: SessionId::from_bytes([2; 16]),
            event_id: EventId::generate(),
        });
        if let PersistentBody::Message(body) = &mut event.body {
            body.queue_item_id = Some(item);
        }
    };
    log.push_with(message(Message::user("old")), copied);
    let last = log.push_with(message(assistant(vec![call("c1")], false)), copied);
    let state = &log.view.state;
    assert_eq!((state.phase(), &state.turn), (Phase::Idle, &None));
    assert_eq!(state.usage.total(), 0);
    assert_eq!(state.queue.items.len(), 1);
    assert_eq!(state.opening.as_deref(), Some("old"));
    assert_eq!(log.view.leaf(), Some(last));
}

#[test]
fn facts_change_one_by_one() {
    let mut log = Log::new();
    let mut change = |changes| {
        log.push(PersistentBody::SessionInfo(SessionInfoBody { changes }));
    };
    change(SessionChanges {
        title: Some("T".into()),
        ..SessionChanges::default()
    });
    change(SessionChanges {
        model: Some("m".into()),
        thinking_level: Some(ThinkingLevel::High),
        archived: Some(true),
        ..SessionChanges::default()
    });
    let state = &log.view.state;
    assert_eq!(state.title.as_deref(), Some("T"));
    assert_eq!(state.model.as_deref(), Some("m"));
    assert_eq!(
        (state.thinking_level, state.archived),
        (ThinkingLevel::High, true)
    );
    assert_eq!(log.view.leaf(), None);
}

#[test]
fn a_session_without_a_title_shows_the_first_line_of_its_user() {
    let mut log = Log::new();
    log.user("  \n ");
    assert_eq!(log.view.state.display_title(), None);
    log.user("\u{1b}\u{7}");
    assert_eq!(log.view.state.display_title(), None);
    log.user(&format!("\n {}\nrest", "ä".repeat(100)));
    assert_eq!(
        log.view.state.display_title(),
        Some("ä".repeat(80).as_str())
    );
    log.user("later");
    assert_eq!(
        log.view.state.display_title(),
        Some("ä".repeat(80).as_str())
    );
}

#[test]
fn the_records_alone_give_the_view_of_a_finished_turn() {
    let mut log = Log::new();
    log.begin();
    log.user("q");
    log.show(TransientBody::RuntimeStart(RuntimeStart {}));
    log.add();
    log.assistant(vec![call("c1")]);
    log.started("c1");
    log.result("c1");
    log.assistant(vec![Block::text("a")]);
    log.outcome(OutcomeReason::Cancelled);
    assert_eq!(log.replay(), log.view);
}

#[test]
fn a_session_has_the_runner_that_was_set_last() {
    let mut log = Log::new();
    assert_eq!(log.view.state.runner_name(), "scorel");
    for runner in ["codex", "scorel"] {
        log.push(PersistentBody::SessionInfo(SessionInfoBody {
            changes: SessionChanges {
                runner: Some(runner.into()),
                ..SessionChanges::default()
            },
        }));
        assert_eq!(log.view.state.runner_name(), runner);
    }
}
