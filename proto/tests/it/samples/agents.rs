//! What a session records of the tasks that it gives to agents.

use scorel_proto::{
    AgentTaskMetadata, AgentTaskQuestion, AgentTaskStamp, AgentTaskStatus, Block, ClientId,
    CommandId, CostTotal, DeliveredVia, Message, MessageBody, Meta, PersistentBody, QueueItem,
    QueueItemMeta, QueueKind, QueueOp, QueueUpdateBody, ResultDelivery, RuntimeBoundSessionBody,
    RuntimeFinishedBody, RuntimeQueueChangedBody, RuntimeResultDeliveredBody, RuntimeSpawnedBody,
    RuntimeStatusChangedBody, RuntimeSummaryUpdatedBody, SpawnRefusal, UserMessage,
};

use super::{ids, messages, persistent};
use crate::golden::Golden;

/// What the agent says at its end.
const ANSWER: &str = "The parser is fine.";

pub(super) fn all() -> Vec<Golden> {
    let events = beginnings().into_iter().chain(changes()).chain(ends());
    let mut all: Vec<Golden> = events.chain(results()).map(persistent::golden).collect();
    all.push(Golden::of("agent/statuses", &AgentTaskStatus::ALL.to_vec()));
    all.push(Golden::of("agent/refusals", &refusals()));
    all
}

/// A question that an agent's session asks.
pub(super) fn question() -> AgentTaskQuestion {
    AgentTaskQuestion {
        session_id: ids::child(),
        request_id: ids::request(),
        tool_name: "Bash".into(),
    }
}

/// What a task took.
fn metadata() -> AgentTaskMetadata {
    AgentTaskMetadata {
        turn_id: Some(ids::turn()),
        usage: messages::usage(),
        cost: CostTotal {
            micro_usd: 5_120,
            unpriced: 300,
        },
        spawned: 2,
        steps: 4,
        duration_ms: 61_250,
    }
}

fn refusals() -> Vec<SpawnRefusal> {
    vec![
        SpawnRefusal::Disabled,
        SpawnRefusal::Depth,
        SpawnRefusal::TooMany,
        SpawnRefusal::QueueFull,
        SpawnRefusal::Budget,
        SpawnRefusal::Run,
        SpawnRefusal::Archived,
    ]
}

fn stamp(version: u64, status: AgentTaskStatus) -> AgentTaskStamp {
    AgentTaskStamp {
        runtime_id: ids::runtime(1),
        version,
        status,
        timestamp: ids::TS,
    }
}

fn spawned() -> RuntimeSpawnedBody {
    RuntimeSpawnedBody {
        stamp: stamp(1, AgentTaskStatus::Queued),
        agent_type: "reviewer".into(),
        session_id: ids::child(),
        continued: true,
        workflow_id: Some("release".into()),
        title: "Look at the parser".into(),
        prompt: "Look at the parser, and say what is wrong with it.".into(),
        deliver: ResultDelivery::Turn,
        tool_call_id: Some("call_1".into()),
        started_at: ids::TS,
    }
}

fn beginnings() -> Vec<(&'static str, PersistentBody)> {
    let by_a_client = RuntimeSpawnedBody {
        continued: false,
        workflow_id: None,
        deliver: ResultDelivery::None,
        tool_call_id: None,
        ..spawned()
    };
    let place = RuntimeQueueChangedBody {
        stamp: stamp(2, AgentTaskStatus::Queued),
        agent_type: "reviewer".into(),
        queue_position: 1,
        queued_count: 3,
        positions: [(ids::runtime(2), (2, 3)), (ids::runtime(3), (3, 2))].into(),
    };
    let alone = RuntimeQueueChangedBody {
        queued_count: 1,
        positions: std::collections::BTreeMap::new(),
        ..place.clone()
    };
    let bound = RuntimeBoundSessionBody {
        stamp: stamp(3, AgentTaskStatus::Queued),
        session_id: ids::child(),
    };
    vec![
        ("", PersistentBody::RuntimeSpawned(spawned())),
        (".client", PersistentBody::RuntimeSpawned(by_a_client)),
        ("", PersistentBody::RuntimeQueueChanged(place)),
        (".alone", PersistentBody::RuntimeQueueChanged(alone)),
        ("", PersistentBody::RuntimeBoundSession(bound)),
    ]
}

fn changes() -> Vec<(&'static str, PersistentBody)> {
    let asks = RuntimeStatusChangedBody {
        stamp: stamp(5, AgentTaskStatus::WaitingInput),
        summary: Some("Bash {\"command\":\"make\"}".into()),
        waiting_for: Some(question()),
        stopping: true,
    };
    let runs = RuntimeStatusChangedBody {
        stamp: stamp(4, AgentTaskStatus::Running),
        summary: None,
        waiting_for: None,
        stopping: false,
    };
    let does = RuntimeSummaryUpdatedBody {
        stamp: stamp(6, AgentTaskStatus::Running),
        summary: "Read {\"path\":\"src/parser.rs\"}".into(),
        source_event: ids::event(3),
    };
    vec![
        ("", PersistentBody::RuntimeStatusChanged(asks)),
        (".running", PersistentBody::RuntimeStatusChanged(runs)),
        ("", PersistentBody::RuntimeSummaryUpdated(does)),
    ]
}

pub(super) fn finished() -> RuntimeFinishedBody {
    RuntimeFinishedBody {
        stamp: stamp(7, AgentTaskStatus::Completed),
        final_status: AgentTaskStatus::Completed,
        ended_at: ids::TS + 61_250,
        reason: "the agent is done".into(),
        last_message: ANSWER.into(),
        last_message_blob: Some(ids::hash()),
        metadata: metadata(),
    }
}

fn ends() -> Vec<(&'static str, PersistentBody)> {
    let never_ran = RuntimeFinishedBody {
        stamp: stamp(2, AgentTaskStatus::Interrupted),
        final_status: AgentTaskStatus::Interrupted,
        reason: "stopped before it began".into(),
        last_message: String::new(),
        last_message_blob: None,
        metadata: AgentTaskMetadata::default(),
        ..finished()
    };
    let delivered = |via| {
        PersistentBody::RuntimeResultDelivered(RuntimeResultDeliveredBody {
            stamp: stamp(8, AgentTaskStatus::Completed),
            event_id: ids::event(4),
            via,
        })
    };
    vec![
        ("", PersistentBody::RuntimeFinished(finished())),
        (".never_ran", PersistentBody::RuntimeFinished(never_ran)),
        ("", delivered(DeliveredVia::Message)),
        (".tool_result", delivered(DeliveredVia::ToolResult)),
    ]
}

/// A result in the queue, and as the message that it becomes.
fn results() -> Vec<(&'static str, PersistentBody)> {
    let item = QueueItem {
        kind: QueueKind::Steer,
        content: vec![Block::text(ANSWER)],
        client_id: ClientId::Daemon,
        meta: Some(QueueItemMeta {
            runtime_id: Some(ids::runtime(1)),
            ..QueueItemMeta::default()
        }),
        command_id: Some(result_command()),
        ..persistent::item()
    };
    let offered = QueueUpdateBody {
        version: 7,
        ops: vec![QueueOp::append(item)],
        cancel_turn_id: None,
        cancel_compaction_id: None,
        cancel_restore_id: None,
    };
    let told = Message::User(UserMessage {
        content: vec![Block::text(ANSWER)],
        meta: Meta {
            runtime_id: Some(ids::runtime(1)),
            ..Meta::default()
        },
    });
    vec![
        (".runtime", PersistentBody::QueueUpdate(offered)),
        (
            ".runtime",
            PersistentBody::Message(MessageBody {
                queue_item_id: Some(ids::item(1)),
                ..MessageBody::new(told)
            }),
        ),
    ]
}

fn result_command() -> CommandId {
    format!("{}/result", ids::runtime(1)).parse().unwrap()
}
