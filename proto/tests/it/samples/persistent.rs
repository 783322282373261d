mod queue;

use scorel_proto::{
    AuxiliaryUsageBody, Block, BranchBody, ChangedBy, ChannelInjectBody, ChannelSource, ClientId,
    CompactBody, CompactionBody, CompactionFacts, CompactionState, CompactionTrigger,
    ContextEditBody, ContextOp, ContextSizes, ContextTrimBody, Cost, CostSource, CostTotal,
    CustomBody, CustomMessageBody, DamageAcceptedBody, Event, InstructionPart,
    InstructionSnapshotBody, Message, MessageBody, MessageChannel, Meta, NoticeBody, Origin,
    OutcomeReason, PermissionDecision, PermissionDecisionBody, PermissionMode,
    PermissionRequestBody, PersistentBody, PersistentEvent, RewindBody, RunMode, SeqReserveBody,
    SessionChanges, SessionInfoBody, ThinkingLevel, TitleSource, ToolSetBody, ToolStartedBody,
    TreePlacement, TurnError, TurnOutcomeBody, TurnResumedBody, TurnWaitingBody, Usage,
    UserMessage, WaitKind,
};
use serde_json::json;

use super::{files, ids, messages};
use crate::golden::Golden;

pub(super) use queue::item;

pub(super) fn all() -> Vec<Golden> {
    let bodies = tree().into_iter().chain(control());
    let mut goldens: Vec<Golden> = bodies.chain(compactions()).map(golden).collect();
    goldens.extend(queue::updates().into_iter().map(golden));
    goldens.push(commanded());
    goldens.push(delivered());
    goldens.push(copied());
    goldens
}

pub(super) fn golden((variant, body): (&str, PersistentBody)) -> Golden {
    let name = format!("event/{}{variant}", body.type_name());
    Golden::of_event(name, &Event::Persistent(Box::new(event(body))))
}

/// An event of a turn as it stands in the log.
pub(super) fn event(body: PersistentBody) -> PersistentEvent {
    let in_tree = body.place() != TreePlacement::Control;
    PersistentEvent {
        id: ids::event(2),
        parent_id: in_tree.then(|| ids::event(1)),
        seq: ids::seq(7),
        session_id: ids::session(),
        client_id: ClientId::Daemon,
        ts: ids::TS,
        turn_id: Some(ids::turn()),
        command_id: None,
        digest: None,
        origin: None,
        body,
        prev: Some(ids::seq(4)),
    }
}

/// The first message of a session, which is the receipt of a command.
fn commanded() -> Golden {
    let mut event = event(message(messages::steer()));
    event.parent_id = None;
    event.client_id = ids::client();
    event.command_id = Some(ids::command());
    event.digest = Some(ids::digest());
    event.prev = Some(ids::seq(0));
    if let PersistentBody::Message(body) = &mut event.body {
        body.queue_item_id = Some(ids::item(1));
    }
    Golden::of_event("event/message.command", &Event::Persistent(Box::new(event)))
}

/// A message that came through a channel and started a turn.
fn delivered() -> Golden {
    let mut event = event(message(Message::User(UserMessage {
        content: vec![Block::text("Is it green?")],
        meta: Meta {
            channel: Some(Box::new(MessageChannel::from(&channel_source()))),
            mode: Some(RunMode::Chat),
            ..Meta::default()
        },
    })));
    event.client_id = ids::client();
    event.command_id = Some(ids::command());
    event.digest = Some(ids::digest());
    Golden::of_event("event/message.channel", &Event::Persistent(Box::new(event)))
}

fn copied() -> Golden {
    let mut event = event(message(Message::user("Hello")));
    event.turn_id = None;
    event.origin = Some(Origin {
        session_id: ids::session(),
        event_id: ids::event(1),
    });
    Golden::of_event("event/message.copy", &Event::Persistent(Box::new(event)))
}

fn message(message: Message) -> PersistentBody {
    PersistentBody::Message(MessageBody::new(message))
}

fn tree() -> Vec<(&'static str, PersistentBody)> {
    vec![
        (".user", message(Message::user("Hello"))),
        (".assistant", message(messages::assistant())),
        (".partial", message(messages::partial())),
        (".tool_result", message(messages::tool_message())),
        (".files", files::result()),
        (".internal", message(messages::internal())),
        ("", PersistentBody::Compact(compact())),
        ("", PersistentBody::CustomMessage(custom_message())),
        (
            ".queued",
            PersistentBody::CustomMessage(CustomMessageBody {
                queue_item_id: Some(ids::item(1)),
                ..custom_message()
            }),
        ),
        (
            "",
            PersistentBody::Rewind(RewindBody {
                target_event_id: Some(ids::event(1)),
                files: Vec::new(),
            }),
        ),
        (
            ".beginning",
            PersistentBody::Rewind(RewindBody {
                target_event_id: None,
                files: Vec::new(),
            }),
        ),
        (
            "",
            PersistentBody::Branch(BranchBody {
                leaf_event_id: ids::event(1),
                files: vec![files::change(ChangedBy::Restore)],
            }),
        ),
        ("", PersistentBody::ChannelInject(channel_inject())),
        ("", PersistentBody::SessionInfo(session_info())),
        (
            "",
            PersistentBody::Custom(CustomBody {
                kind: "todo".into(),
                data: json!([1, null]),
            }),
        ),
    ]
}

fn compact() -> CompactBody {
    CompactBody {
        summary: "They read the README.".into(),
        compacted_through: ids::event(1),
        keep: vec![ids::event(1)],
        tokens_before: 90_000,
        tokens_after: 1_200,
        compaction_id: ids::compaction(),
        trigger: CompactionTrigger::Threshold,
        model: "openai:gpt-5".into(),
        usage: Some(Usage {
            input_tokens: 88_000,
            output_tokens: 900,
            ..Usage::default()
        }),
        cost: Some(Cost {
            micro_usd: 700,
            source: CostSource::Config,
        }),
        facts: CompactionFacts {
            files: vec!["src/main.rs".into()],
            todos: vec!["[in_progress] write the parser".into()],
            processes: vec!["1: cargo watch".into()],
            skills: vec!["release".into()],
        },
    }
}

fn compactions() -> Vec<(&'static str, PersistentBody)> {
    let started = CompactionBody {
        trigger: Some(CompactionTrigger::Manual),
        model: Some("openai:gpt-5".into()),
        instructions: Some("keep the file names".into()),
        ..CompactionBody::new(ids::compaction(), CompactionState::Started)
    };
    let failed = CompactionBody {
        error: Some(TurnError {
            resets_at: None,
            sizes: None,
            code: "no_summary".into(),
            message: "the summary is empty".into(),
            retryable: true,
            hint: None,
        }),
        usage: Some(Usage::default()),
        ..CompactionBody::new(ids::compaction(), CompactionState::Failed)
    };
    let cancelled = CompactionBody::new(ids::compaction(), CompactionState::Cancelled);
    vec![
        (".started", PersistentBody::Compaction(started)),
        (".failed", PersistentBody::Compaction(failed)),
        (".cancelled", PersistentBody::Compaction(cancelled)),
    ]
}

fn custom_message() -> CustomMessageBody {
    CustomMessageBody {
        kind: "todo".into(),
        message: messages::internal(),
        data: Some(json!({"items": []})),
        queue_item_id: None,
    }
}

pub(super) fn channel_source() -> ChannelSource {
    ChannelSource {
        channel: "telegram".into(),
        external_id: "42".into(),
        metadata: Some(json!({"chat": -100})),
        mode: PermissionMode::Workspace,
    }
}

fn channel_inject() -> ChannelInjectBody {
    channel_source().into()
}

fn session_info() -> SessionInfoBody {
    SessionInfoBody {
        changes: SessionChanges {
            title: Some("Read me".into()),
            title_source: Some(TitleSource::Generated),
            model: Some("gpt-5".into()),
            runner: Some("codex".into()),
            thinking_level: Some(ThinkingLevel::High),
            tools: None,
            on_restart: None,
            archived: Some(false),
            refresh_instructions: Some(true),
        },
    }
}

fn control() -> Vec<(&'static str, PersistentBody)> {
    vec![
        ("", PersistentBody::InstructionSnapshot(snapshot())),
        (
            ".completed",
            PersistentBody::TurnOutcome(outcome(OutcomeReason::Completed, None)),
        ),
        (
            ".error",
            PersistentBody::TurnOutcome(outcome(OutcomeReason::Error, Some(error()))),
        ),
        (
            ".too_large",
            PersistentBody::TurnOutcome(outcome(OutcomeReason::Error, Some(too_large()))),
        ),
        ("", PersistentBody::ToolStarted(tool_started())),
        (".files", files::started()),
        ("", files::restore()),
        ("", files::restored()),
        ("", PersistentBody::PermissionRequest(permission_request())),
        (
            "",
            PersistentBody::PermissionDecision(permission_decision()),
        ),
        ("", PersistentBody::TurnWaiting(waiting())),
        ("", PersistentBody::TurnResumed(TurnResumedBody {})),
        ("", PersistentBody::ContextTrim(trim())),
        (
            "",
            PersistentBody::ContextEdit(ContextEditBody {
                by: "redact".into(),
                ops: vec![
                    ContextOp::hide(ids::event(1)),
                    ContextOp::replace(ids::event(2), "a key was here"),
                ],
            }),
        ),
        (
            "",
            PersistentBody::ToolSet(ToolSetBody {
                fingerprint: "5".repeat(64),
                blob: ids::hash(),
                tools: 512,
                deferred: 512,
            }),
        ),
        ("", PersistentBody::AuxiliaryUsage(auxiliary_usage())),
        (
            "",
            PersistentBody::DamageAccepted(DamageAcceptedBody {
                offset: 4096,
                length: 310,
            }),
        ),
        (
            "",
            PersistentBody::Notice(NoticeBody {
                code: "sandbox_missing".into(),
                text: "Commands are asked about: this kernel has no sandbox for them.".into(),
            }),
        ),
        ("", PersistentBody::SeqReserve(SeqReserveBody {})),
    ]
}

fn snapshot() -> InstructionSnapshotBody {
    let part = |source: &str, text: &str| InstructionPart {
        source: source.into(),
        text: text.into(),
        ..InstructionPart::default()
    };
    InstructionSnapshotBody {
        parts: vec![
            part("base", "You are an agent."),
            part("environment", "Linux"),
            InstructionPart {
                path: Some("/home/ada/app/AGENTS.md".into()),
                sha256: Some("5c".repeat(32)),
                cut_bytes: Some(1_024),
                ..part("agents", "Run the tests.")
            },
        ],
    }
}

fn outcome(reason: OutcomeReason, error: Option<TurnError>) -> TurnOutcomeBody {
    let usage = if error.is_some() {
        Usage::default()
    } else {
        messages::usage()
    };
    TurnOutcomeBody {
        reason,
        error,
        usage,
        cost: CostTotal {
            micro_usd: 1234,
            unpriced: 0,
        },
        steps: 2,
        duration_ms: 3500,
    }
}

fn error() -> TurnError {
    TurnError {
        code: "rate_limit".into(),
        message: "too many requests".into(),
        retryable: true,
        hint: None,
        resets_at: Some(ids::TS + 18_000_000),
        sizes: None,
    }
}

fn too_large() -> TurnError {
    TurnError {
        code: "context_overflow".into(),
        message: "the request does not fit".into(),
        retryable: false,
        hint: Some("choose a model with a larger window".into()),
        resets_at: None,
        sizes: Some(Box::new(ContextSizes {
            system: 2_100,
            tools: 2_900,
            kept: 31_000,
            window: 32_768,
        })),
    }
}

fn tool_started() -> ToolStartedBody {
    ToolStartedBody {
        tool_call_id: "call_1".into(),
        tool_name: "Read".into(),
        event_id: ids::event(3),
        files: Vec::new(),
        ran_by: None,
        input: Some(json!({"path": "src"})),
        changed_by: vec!["paths".into()],
    }
}

pub(super) fn permission_request() -> PermissionRequestBody {
    PermissionRequestBody {
        request_id: ids::request(),
        tool_call_id: "call_1".into(),
        tool_name: "Bash".into(),
        input: json!({"command": "make"}),
        changed_by: vec!["quote".into()],
        reason: "the mode asks before commands; guard: it builds".into(),
        hook_reason: Some("guard: it builds".into()),
        rules: vec!["Bash(make)".into()],
        session_only: true,
        deadline: Some(ids::TS + 60_000),
        at_deadline: Some(PermissionDecision::Deny),
    }
}

pub(super) fn permission_decision() -> PermissionDecisionBody {
    PermissionDecisionBody {
        request_id: ids::request(),
        decision: PermissionDecision::Once,
        reason: Some("looks fine".into()),
        by: Some("guard".into()),
    }
}

fn waiting() -> TurnWaitingBody {
    TurnWaitingBody {
        until: ids::TS + 3_600_000,
        reason: "rate limit".into(),
        kind: Some(WaitKind::RateLimit),
        attempt: Some(1),
    }
}

fn auxiliary_usage() -> AuxiliaryUsageBody {
    AuxiliaryUsageBody {
        purpose: AuxiliaryUsageBody::FAILED_CALL.into(),
        model: "gpt-5-mini".into(),
        usage: messages::usage(),
        cost: Some(Cost {
            micro_usd: 412,
            source: CostSource::Table,
        }),
    }
}

fn trim() -> ContextTrimBody {
    ContextTrimBody {
        event_ids: vec![ids::event(1)],
        keep_chars: 200,
    }
}
