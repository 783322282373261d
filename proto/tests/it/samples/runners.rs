//! What only turns of runners have.

use scorel_proto::{
    AssistantMessage, Block, ChangedBy, Event, Message, MessageBody, MessageRunner, Meta, OpenTool,
    OutcomeReason, PersistentBody, RunnerContext, RunnerContextBody, RunnerContextOrigin,
    RunnerErrorKind, RunnerExitBody, RunnerHandover, RunnerLog, RunnerLogBlob, RunnerLogPart,
    RunnerLogStream, RunnerLogTail, RunnerStartBody, StopReason, ToolExecutionStart,
    ToolResultBlock, ToolResultMessage, ToolStartedBody, TransientBody, TransientEvent, TurnError,
    TurnOutcomeBody, TurnSummary, Usage,
};
use serde_json::json;

use super::{files, ids, messages, persistent, transient};
use crate::golden::Golden;

const RUNNER: &str = "codex";
const CONTEXT: &str = "0199a213-81c0-7800-8aa1-bbab2a035a53";

pub(super) fn all() -> Vec<Golden> {
    let mut all: Vec<Golden> = control()
        .into_iter()
        .chain(messages())
        .map(persistent::golden)
        .chain(transients().into_iter().map(transient::golden))
        .collect();
    all.push(Golden::of("runner/context", &context()));
    all.push(Golden::of("runner/log_tail", &log_tail()));
    all.push(Golden::of(
        "runner/error_kinds",
        &RunnerErrorKind::ALL.to_vec(),
    ));
    all.push(Golden::of("runner/turn_summary.running", &running()));
    all.push(Golden::of("runner/turn_summary.error", &failed()));
    all
}

/// A context, as a session has it.
pub(super) fn context() -> RunnerContext {
    RunnerContext {
        context_id: CONTEXT.into(),
        cwd: "/home/ada/app".into(),
        through_event_id: Some(ids::event(2)),
    }
}

fn start() -> RunnerStartBody {
    RunnerStartBody {
        runner: RUNNER.into(),
        trace_id: ids::turn(),
        command: vec!["codex".into(), "app-server".into()],
        cwd: "/home/ada/app".into(),
        version: Some("0.153.0".into()),
        context: RunnerContextOrigin::Resumed,
        context_id: Some(CONTEXT.into()),
        handover: Some(RunnerHandover {
            from_event_id: ids::event(1),
            through_event_id: ids::event(2),
            bytes: 412,
            blob: ids::hash(),
        }),
    }
}

fn exit() -> RunnerExitBody {
    RunnerExitBody {
        trace_id: ids::turn(),
        code: Some(1),
        signal: None,
        kept: false,
        duration_ms: 61_250,
        log: Some(RunnerLogBlob {
            blob: ids::hash(),
            bytes: 262_144,
            dropped_bytes: 17,
            parts: vec![RunnerLogPart {
                stream: RunnerLogStream::Stderr,
                bytes: 262_144,
                timestamp: Some(ids::TS),
            }],
        }),
        files: vec![files::change(ChangedBy::Runner)],
        unwatched: None,
    }
}

fn control() -> Vec<(&'static str, PersistentBody)> {
    let first = RunnerStartBody {
        version: None,
        context: RunnerContextOrigin::New,
        context_id: None,
        handover: None,
        ..start()
    };
    let context = |context_id: Option<&str>, reason: Option<&str>| RunnerContextBody {
        runner: RUNNER.into(),
        context_id: context_id.map(str::to_owned),
        cwd: "/home/ada/app".into(),
        reason: reason.map(str::to_owned),
    };
    let lost = RunnerExitBody {
        code: None,
        kept: true,
        log: None,
        files: Vec::new(),
        unwatched: Some("the project has too many files".into()),
        ..exit()
    };
    vec![
        ("", PersistentBody::RunnerStart(start())),
        (".first", PersistentBody::RunnerStart(first)),
        (
            "",
            PersistentBody::RunnerContext(context(Some(CONTEXT), None)),
        ),
        (
            ".lost",
            PersistentBody::RunnerContext(context(None, Some("no such thread"))),
        ),
        ("", PersistentBody::RunnerExit(exit())),
        (".kept", PersistentBody::RunnerExit(lost)),
        (
            ".runner",
            PersistentBody::ToolStarted(ToolStartedBody {
                tool_call_id: "call_1".into(),
                tool_name: "shell".into(),
                event_id: ids::event(3),
                files: Vec::new(),
                ran_by: Some(RUNNER.into()),
                input: None,
                changed_by: Vec::new(),
            }),
        ),
    ]
}

fn meta() -> Meta {
    Meta {
        runner: Some(MessageRunner {
            name: RUNNER.into(),
            context_id: Some(CONTEXT.into()),
        }),
        ..Meta::default()
    }
}

fn answer() -> Message {
    Message::Assistant(AssistantMessage {
        content: vec![Block::text("I will look."), messages::tool_use()],
        model: "gpt-5-codex".into(),
        stop_reason: StopReason::ToolUse,
        usage: None,
        cost: None,
        partial: false,
        meta: meta(),
    })
}

fn messages() -> Vec<(&'static str, PersistentBody)> {
    let result = Message::ToolResult(ToolResultMessage {
        meta: meta(),
        ..ToolResultMessage::new("shell", ToolResultBlock::error("call_1", "exit code 1"), 12)
    });
    vec![
        (
            ".runner",
            PersistentBody::Message(MessageBody::new(answer())),
        ),
        (
            ".runner_result",
            PersistentBody::Message(MessageBody::new(result)),
        ),
    ]
}

fn log() -> RunnerLog {
    RunnerLog {
        stream: RunnerLogStream::Stderr,
        text: "warning: no cache\n".into(),
    }
}

fn transients() -> Vec<(&'static str, TransientBody)> {
    let log_of = |stream| TransientBody::RunnerLog(RunnerLog { stream, ..log() });
    vec![
        ("", log_of(RunnerLogStream::Stderr)),
        (".stdout", log_of(RunnerLogStream::Stdout)),
        (".notice", log_of(RunnerLogStream::Notice)),
        (
            ".runner",
            TransientBody::ToolExecutionStart(ToolExecutionStart {
                event_id: ids::event(4),
                parent_id: Some(ids::event(3)),
                tool_call_id: "call_1".into(),
                tool_name: "shell".into(),
                args: json!({"command": "make"}),
                ran_by: Some(RUNNER.into()),
            }),
        ),
    ]
}

/// The end of a log, as `inFlight` has it.
pub(super) fn log_tail() -> RunnerLogTail {
    let mut tail = RunnerLogTail::default();
    tail.push(&log(), ids::TS);
    tail.dropped_bytes = 17;
    tail
}

/// A call that a runner executes, as `inFlight` has it.
pub(super) fn open_tool() -> OpenTool {
    OpenTool {
        event_id: ids::event(5),
        parent_id: None,
        tool_call_id: "call_2".into(),
        tool_name: "shell".into(),
        args: json!({"command": "make"}),
        ran_by: Some(RUNNER.into()),
        partial: None,
    }
}

fn running() -> TurnSummary {
    let mut summary = TurnSummary::new(ids::turn());
    for body in [
        PersistentBody::RunnerStart(start()),
        PersistentBody::Message(MessageBody::new(answer())),
    ] {
        summary.apply(&Event::Persistent(Box::new(persistent::event(body))));
    }
    summary.apply(&Event::Transient(Box::new(TransientEvent {
        seq: ids::seq(9),
        session_id: ids::session(),
        client_id: scorel_proto::ClientId::Daemon,
        ts: ids::TS,
        turn_id: Some(ids::turn()),
        body: TransientBody::RunnerLog(log()),
    })));
    summary
}

pub(super) fn failed() -> TurnSummary {
    let kind = RunnerErrorKind::Failed;
    let outcome = TurnOutcomeBody {
        reason: OutcomeReason::Error,
        error: Some(TurnError {
            code: kind.name().to_owned(),
            message: "codex ended with code 1".into(),
            retryable: kind.is_retryable(),
            hint: None,
            resets_at: None,
            sizes: None,
        }),
        usage: Usage::default(),
        cost: scorel_proto::CostTotal::default(),
        steps: 1,
        duration_ms: 61_300,
    };
    let mut summary = running();
    for body in [
        PersistentBody::RunnerExit(exit()),
        PersistentBody::TurnOutcome(outcome),
    ] {
        summary.apply(&Event::Persistent(Box::new(persistent::event(body))));
    }
    summary
}
