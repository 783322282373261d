use super::log::{Log, assistant, call, message};
use crate::{
    Block, EventId, Message, MessageRunner, Meta, Origin, OutcomeReason, PermissionDecision,
    PermissionDecisionBody, PermissionRequestBody, PermissionRequestId, PersistentBody, RewindBody,
    RunnerContext, RunnerContextBody, RunnerContextOrigin, RunnerExitBody, RunnerLog,
    RunnerLogStream, RunnerStartBody, SessionId, ToolResultBlock, ToolResultMessage,
    ToolStartedBody, TransientBody, Tree, TurnId,
};

fn start(log: &mut Log, runner: &str, context: RunnerContextOrigin, id: Option<&str>) {
    let trace_id = log.turn.expect("a turn is open");
    log.push(PersistentBody::RunnerStart(RunnerStartBody {
        runner: runner.into(),
        trace_id,
        command: vec![runner.into()],
        cwd: "/p".into(),
        version: None,
        context,
        context_id: id.map(str::to_owned),
        handover: None,
    }));
}

fn named(log: &mut Log, runner: &str, id: Option<&str>) {
    log.push(PersistentBody::RunnerContext(RunnerContextBody {
        runner: runner.into(),
        context_id: id.map(str::to_owned),
        cwd: "/p".into(),
        reason: None,
    }));
}

fn exit(log: &mut Log) {
    let trace_id = log.turn.unwrap_or_else(TurnId::generate);
    log.push(PersistentBody::RunnerExit(RunnerExitBody {
        trace_id,
        code: Some(0),
        signal: None,
        kept: false,
        duration_ms: 1,
        log: None,
        files: Vec::new(),
        unwatched: None,
    }));
}

fn meta(runner: &str, context: Option<&str>) -> Meta {
    Meta {
        runner: Some(MessageRunner {
            name: runner.into(),
            context_id: context.map(str::to_owned),
        }),
        ..Meta::default()
    }
}

fn answer(runner: &str, context: Option<&str>, content: Vec<Block>) -> PersistentBody {
    let Message::Assistant(mut answer) = assistant(content, false) else {
        panic!("an answer");
    };
    answer.meta = meta(runner, context);
    message(Message::Assistant(answer))
}

fn say(log: &mut Log, runner: &str, context: Option<&str>) -> EventId {
    log.push(answer(runner, context, vec![Block::text("a")]))
}

/// A turn of a runner that names its context at once. The answer's id.
fn turn(log: &mut Log, runner: &str, context: RunnerContextOrigin, id: &str) -> EventId {
    log.begin();
    log.user("q");
    start(log, runner, context, Some(id));
    let answer = say(log, runner, Some(id));
    exit(log);
    log.outcome(OutcomeReason::Completed);
    answer
}

fn bound<'a>(log: &'a Log, runner: &str) -> Option<&'a RunnerContext> {
    log.view.state.runners.of(runner)
}

fn through(log: &Log, runner: &str) -> Option<EventId> {
    bound(log, runner)?.through_event_id
}

fn resumable<'a>(log: &'a Log, runner: &str) -> Option<&'a str> {
    let context = log.view.resumable_context(runner, "/p")?;
    Some(&context.context_id)
}

use RunnerContextOrigin::{New, Resumed};

#[test]
fn a_context_holds_the_conversation_up_to_what_its_runner_said_last() {
    let mut log = Log::new();
    let first = turn(&mut log, "codex", New, "c1");
    assert_eq!(through(&log, "codex"), Some(first));
    assert_eq!(resumable(&log, "codex"), Some("c1"));
    // The messages of another runner are not in it.
    log.turn();
    assert_eq!(through(&log, "codex"), Some(first));
    let last = turn(&mut log, "codex", Resumed, "c1");
    assert_eq!(through(&log, "codex"), Some(last));
    assert_eq!(log.replay(), log.view);
}

#[test]
fn a_prompt_that_was_not_answered_counts_as_not_delivered() {
    let mut log = Log::new();
    log.begin();
    log.user("q");
    start(&mut log, "codex", New, Some("c1"));
    exit(&mut log);
    log.outcome(OutcomeReason::Cancelled);
    assert_eq!(
        bound(&log, "codex").map(|it| it.context_id.as_str()),
        Some("c1")
    );
    assert_eq!(through(&log, "codex"), None);
    assert_eq!(resumable(&log, "codex"), None);
}

#[test]
fn results_are_in_the_context_too() {
    let mut log = Log::new();
    log.begin();
    log.user("q");
    start(&mut log, "codex", New, Some("c1"));
    log.push(answer("codex", Some("c1"), vec![call("t1")]));
    let result = ToolResultMessage {
        meta: meta("codex", Some("c1")),
        ..ToolResultMessage::new("Read", ToolResultBlock::error("t1", "no"), 1)
    };
    let result = log.push(message(Message::ToolResult(result)));
    assert_eq!(through(&log, "codex"), Some(result));
}

#[test]
fn a_context_that_is_named_late_holds_what_was_said_before() {
    let mut log = Log::new();
    log.begin();
    log.user("q");
    start(&mut log, "command", New, None);
    let said = say(&mut log, "command", None);
    assert_eq!(bound(&log, "command"), None);
    named(&mut log, "command", Some("c1"));
    assert_eq!(through(&log, "command"), Some(said));
}

#[test]
fn a_context_that_changes_its_name_when_it_is_resumed_holds_what_it_held() {
    let mut log = Log::new();
    let first = turn(&mut log, "claude-code", New, "c1");
    log.begin();
    log.user("q");
    start(&mut log, "claude-code", Resumed, Some("c1"));
    named(&mut log, "claude-code", Some("c2"));
    assert_eq!(through(&log, "claude-code"), Some(first));
    assert_eq!(resumable(&log, "claude-code"), Some("c2"));
}

#[test]
fn a_new_context_holds_nothing_of_the_one_before() {
    let mut log = Log::new();
    turn(&mut log, "codex", New, "c1");
    log.begin();
    log.user("q");
    start(&mut log, "codex", New, None);
    // Until it has a name, the old one stands, without what the new one says.
    let said = say(&mut log, "codex", None);
    assert_ne!(through(&log, "codex"), Some(said));
    named(&mut log, "codex", Some("c2"));
    assert_eq!(through(&log, "codex"), Some(said));
    start(&mut log, "codex", New, Some("c3"));
    assert_eq!(through(&log, "codex"), None);
}

#[test]
fn a_context_that_was_rewound_away_or_moved_is_not_resumed() {
    let mut log = Log::new();
    let first = turn(&mut log, "codex", New, "c1");
    turn(&mut log, "codex", Resumed, "c1");
    assert!(log.view.resumable_context("codex", "/elsewhere").is_none());
    log.push(PersistentBody::Rewind(RewindBody {
        target_event_id: Some(first),
        files: Vec::new(),
    }));
    assert_eq!(resumable(&log, "codex"), None);
}

#[test]
fn null_unbinds() {
    let mut log = Log::new();
    turn(&mut log, "codex", New, "c1");
    turn(&mut log, "kimi-cli", New, "k1");
    named(&mut log, "codex", None);
    assert_eq!(bound(&log, "codex"), None);
    let names: Vec<&String> = log.view.state.runners.bound().keys().collect();
    assert_eq!(names, ["kimi-cli"]);
}

#[test]
fn a_run_is_open_until_its_exit() {
    let mut log = Log::new();
    let turn = log.begin();
    start(&mut log, "codex", New, None);
    let run = log.view.state.runners.run().expect("a run is open");
    assert_eq!((run.trace_id, run.runner.as_str()), (turn, "codex"));
    exit(&mut log);
    assert_eq!(log.view.state.runners.run(), None);
    start(&mut log, "codex", New, None);
    log.outcome(OutcomeReason::Interrupted);
    assert_eq!(log.view.state.runners.run(), None);
}

#[test]
fn the_runners_of_the_active_path_are_known() {
    let mut log = Log::new();
    let first = turn(&mut log, "codex", New, "c1");
    turn(&mut log, "kimi-cli", New, "k1");
    log.turn();
    assert_eq!(log.view.runners_on_path(), ["codex", "kimi-cli"]);
    log.push(PersistentBody::Rewind(RewindBody {
        target_event_id: Some(first),
        files: Vec::new(),
    }));
    assert_eq!(log.view.runners_on_path(), ["codex"]);
    log.push(PersistentBody::Rewind(RewindBody {
        target_event_id: None,
        files: Vec::new(),
    }));
    assert!(log.view.runners_on_path().is_empty());
    let tree = Tree::decode(&log.view.tree.encode());
    assert_eq!(tree, Some(log.view.tree.clone()), "a checkpoint keeps them");
}

#[test]
fn runners_beyond_what_a_node_can_name_are_left_out() {
    let mut log = Log::new();
    for number in 0..70 {
        say(&mut log, &format!("r{number:02}"), None);
    }
    let names = log.view.runners_on_path();
    assert_eq!((names.len(), names[62]), (63, "r62"));
    assert_eq!(
        Tree::decode(&log.view.tree.encode()),
        Some(log.view.tree.clone())
    );
}

#[test]
fn a_clone_has_the_runners_of_its_messages_and_not_their_contexts() {
    let mut log = Log::new();
    log.push_with(
        answer("codex", Some("c1"), vec![Block::text("a")]),
        |event| {
            event.origin = Some(Origin {
                session_id: SessionId::from_bytes([2; 16]),
                event_id: event.id,
            });
        },
    );
    assert_eq!(log.view.runners_on_path(), ["codex"]);
    assert!(log.view.state.runners.bound().is_empty());
}

#[test]
fn a_call_of_a_runner_is_known_as_one_and_gets_its_decision() {
    let mut log = Log::new();
    log.begin();
    log.user("q");
    log.push(answer("codex", Some("c1"), vec![call("t1")]));
    let calls = |log: &Log| log.view.state.turn.clone().expect("a turn is open").calls;
    assert_eq!(calls(&log)[0].ran_by.as_deref(), Some("codex"));
    log.push(PersistentBody::ToolStarted(ToolStartedBody {
        tool_call_id: "t1".into(),
        tool_name: "Read".into(),
        event_id: EventId::generate(),
        files: Vec::new(),
        ran_by: Some("codex".into()),
        input: None,
        changed_by: Vec::new(),
    }));
    let request_id = PermissionRequestId::generate();
    log.push(PersistentBody::PermissionRequest(PermissionRequestBody {
        request_id,
        tool_call_id: "t1".into(),
        tool_name: "Read".into(),
        input: serde_json::json!({}),
        changed_by: Vec::new(),
        reason: "r".into(),
        hook_reason: None,
        rules: Vec::new(),
        session_only: false,
        deadline: None,
        at_deadline: None,
    }));
    log.push(PersistentBody::PermissionDecision(PermissionDecisionBody {
        request_id,
        decision: PermissionDecision::Once,
        reason: None,
        by: None,
    }));
    let decision = calls(&log)[0].decision.clone().expect("a decision");
    assert_eq!(decision.decision, PermissionDecision::Once);
}

fn logged(log: &mut Log, stream: RunnerLogStream, text: &str) {
    let text = text.to_owned();
    log.show(TransientBody::RunnerLog(RunnerLog { stream, text }));
}

#[test]
fn the_log_of_the_open_turn_is_shown_to_its_end() {
    let mut log = Log::new();
    log.begin();
    log.user("q");
    for (stream, text) in [
        (RunnerLogStream::Stderr, "a"),
        (RunnerLogStream::Stderr, "b\n"),
        (RunnerLogStream::Notice, "c"),
    ] {
        logged(&mut log, stream, text);
    }
    exit(&mut log);
    let tail = log.view.open.log.clone().expect("a log");
    let texts: Vec<&str> = tail.texts.iter().map(|log| log.text.as_str()).collect();
    assert_eq!(texts, ["ab\n", "c"]);
    assert!(!log.view.open.is_empty());
    log.outcome(OutcomeReason::Completed);
    assert!(log.view.open.is_empty());
}
