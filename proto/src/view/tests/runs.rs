use serde_json::{Value, json};

use super::log::{Log, message};
use crate::{
    Block, CustomBody, FoldedRun, Message, Meta, OutcomeReason, PersistentBody, RUN_PHASE_KIND,
    RUN_STARTED_KIND, RUN_STATE_KIND, RunId, RunMode, RunPhase, RunReason, TextPart,
    ToolResultBlock, ToolResultMessage, UserMessage,
};

fn record(kind: &str, data: Value) -> PersistentBody {
    PersistentBody::Custom(CustomBody {
        kind: kind.to_owned(),
        data,
    })
}

pub(super) fn started(id: RunId) -> PersistentBody {
    let package = json!({"id": "story", "version": "1", "digest": "d"});
    record(
        RUN_STARTED_KIND,
        json!({"runId": id, "package": package, "workflow": "story"}),
    )
}

pub(super) fn state(sha256: &str, node: &str) -> PersistentBody {
    let data = json!({"sha256": sha256, "currentNodeId": node, "cause": "patch"});
    record(RUN_STATE_KIND, data)
}

fn phase(to: RunPhase, reason: RunReason) -> PersistentBody {
    let data = json!({"from": "Running", "to": to, "reason": reason});
    record(RUN_PHASE_KIND, data)
}

pub(super) fn run(log: &Log) -> FoldedRun {
    log.view.state.run.clone().expect("it has one")
}

#[test]
fn a_run_is_folded_from_its_records() {
    let (mut log, id) = (Log::new(), RunId::generate());
    log.push(state("0", "a"));
    assert_eq!(log.view.state.run, None, "it was not started");
    log.push(started(id));
    assert_eq!(run(&log).shown.phase, RunPhase::Running);
    log.push(state("1", "a"));
    log.begin();
    log.user("go");
    assert!(!run(&log).has_changed);
    log.push(state("2", "b"));
    assert_eq!(
        (run(&log).sha256.as_str(), run(&log).has_changed),
        ("2", true)
    );
    log.outcome(OutcomeReason::Completed);
    assert!(run(&log).is_undecided);
    log.push(phase(RunPhase::WaitingUser, RunReason::Question));
    let folded = run(&log);
    assert!(!folded.is_undecided);
    assert_eq!(folded.shown.phase, RunPhase::WaitingUser);
    assert_eq!(
        (folded.shown.node_id.as_str(), folded.turns_at_node),
        ("b", 1)
    );
}

#[test]
fn turns_are_counted_while_the_node_stays() {
    let mut log = Log::new();
    log.push(started(RunId::generate()));
    for turn in 1..=3 {
        log.begin();
        log.user("go");
        log.push(state(&turn.to_string(), "a"));
        log.outcome(OutcomeReason::Completed);
        assert_eq!(run(&log).turns_at_node, turn);
    }
    log.push(state("4", "b"));
    assert_eq!(run(&log).turns_at_node, 0);
}

#[test]
fn what_a_model_was_told_counts_while_it_is_in_its_context() {
    let mut log = Log::new();
    log.push(started(RunId::generate()));
    log.push(state("1", "a"));
    let brief = || {
        let content = vec![Block::part(TextPart::NodeBrief, "NODE_BRIEF")];
        message(Message::User(UserMessage {
            content,
            meta: Meta::default(),
        }))
    };
    let told = |log: &Log| run(log).told_node;
    log.push(brief());
    log.user("go");
    assert_eq!(told(&log).as_deref(), Some("a"));
    log.push_with(message(Message::user("instead")), |event| {
        event.parent_id = None;
    });
    assert_eq!(told(&log), None, "the message with it is on another branch");
    log.push_with(brief(), |event| event.parent_id = None);
    assert_eq!(told(&log).as_deref(), Some("a"));
}

#[test]
fn a_clone_belongs_to_no_run() {
    let mut log = Log::new();
    log.push_with(started(RunId::generate()), |event| {
        event.origin = Some(crate::Origin {
            session_id: crate::SessionId::generate(),
            event_id: event.id,
        });
    });
    assert_eq!(log.view.state.run, None);
}

/// The result of a call that has made a state of the document.
fn patched(call: &str, sha256: &str, node: &str) -> PersistentBody {
    let state = json!({"sha256": sha256, "currentNodeId": node, "from": "a", "completed": ["a"]});
    let mut result = ToolResultBlock::error(call, "");
    result.details = Some(json!({"path": "@state/workflow.md", "state": state}));
    message(Message::ToolResult(ToolResultMessage::new(
        "fs_apply_patch",
        result,
        1,
    )))
}

#[test]
fn states_of_calls_are_known_until_each_has_its_record() {
    let mut log = Log::new();
    log.push(started(RunId::generate()));
    log.push(state("0", "a"));
    log.begin();
    log.push(patched("call_1", "1", "b"));
    log.push(patched("call_2", "2", "a"));
    log.push(patched("call_3", "2", "a"));
    let due = |log: &Log| -> Vec<String> {
        let due = run(log).unrecorded.into_iter();
        due.map(|it| it.tool_call_id.unwrap()).collect()
    };
    assert_eq!(due(&log), ["call_1", "call_2"], "the third changed nothing");
    for sha256 in ["1", "2"] {
        let first = run(&log).unrecorded[0].clone();
        assert_eq!(first.sha256, sha256);
        log.push(record(RUN_STATE_KIND, serde_json::to_value(first).unwrap()));
    }
    assert_eq!(due(&log), [""; 0]);
}

#[test]
fn a_message_has_a_mode_of_its_own_for_its_turn_alone() {
    let mut log = Log::new();
    log.push(started(RunId::generate()));
    let mut chats = Message::user("Is it late?");
    if let Message::User(message) = &mut chats {
        message.meta.mode = Some(RunMode::Chat);
    }
    log.begin();
    log.push(message(chats));
    assert_eq!(run(&log).mode(), RunMode::Chat);
    assert_eq!(run(&log).shown.mode, RunMode::Run);
    log.outcome(OutcomeReason::Completed);
    assert_eq!(run(&log).turns_at_node, 0, "it is none of the run's");
    log.begin();
    log.user("Cats.");
    assert_eq!(run(&log).mode(), RunMode::Run);
}

#[test]
fn a_task_that_the_run_may_not_give_limits_its_turn() {
    let mut log = Log::new();
    log.push(started(RunId::generate()));
    log.begin();
    let refused = |kind: &str| {
        let mut result = ToolResultBlock::error("call_1", "");
        let error = json!({"code": "spawn_refused", "details": {"kind": kind, "limit": 2}});
        result.details = Some(json!({"ok": false, "error": error}));
        message(Message::ToolResult(ToolResultMessage::new(
            "AgentSpawn",
            result,
            1,
        )))
    };
    log.push(refused("queue_full"));
    assert!(!run(&log).is_limited);
    log.push(refused("run"));
    assert!(run(&log).is_limited);
    log.outcome(OutcomeReason::Completed);
    log.begin();
    log.user("go");
    assert!(!run(&log).is_limited);
}
