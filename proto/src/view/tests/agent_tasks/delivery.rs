use serde_json::json;

use super::task::Task;
use super::{has_settled, of, running};
use crate::view::tests::log::{Log, message};
use crate::{
    AgentTaskStatus, Block, ClientId, DeliveredVia, Message, MessageBody, MessageRunner, Meta,
    PersistentBody, QueueItem, QueueItemId, QueueItemMeta, QueueKind, QueueOp, ResultDelivery,
    RuntimeSpawnedBody, ToolResultBlock, ToolResultMessage,
};
use AgentTaskStatus::{Completed, Failed, Interrupted};

/// Adds a task's result to the queue.
pub(super) fn offer(log: &mut Log, task: &Task) -> QueueItemId {
    let item = QueueItem {
        queue_item_id: QueueItemId::generate(),
        kind: QueueKind::Steer,
        content: vec![Block::text("it is fine")],
        client_id: ClientId::Daemon,
        edited_by: None,
        meta: Some(QueueItemMeta {
            runtime_id: Some(task.id),
            ..QueueItemMeta::default()
        }),
        command_id: None,
        digest: None,
    };
    let id = item.queue_item_id;
    log.queue(vec![QueueOp::append(item)]);
    id
}

/// The result of a call of a tool, which says that it holds results.
fn told_by(tool: &str, ids: &[&Task], runner: Option<&str>) -> PersistentBody {
    let delivered: Vec<_> = ids.iter().map(|task| task.id).collect();
    let result = ToolResultBlock {
        details: Some(json!({"delivered": delivered})),
        is_error: false,
        ..ToolResultBlock::error("c2", "results")
    };
    message(Message::ToolResult(ToolResultMessage {
        meta: Meta {
            runner: runner.map(|name| MessageRunner {
                name: name.into(),
                context_id: None,
            }),
            ..Meta::default()
        },
        ..ToolResultMessage::new(tool, result, 1)
    }))
}

#[test]
fn a_message_that_names_a_runtime_delivers_its_result() {
    let mut log = Log::new();
    let mut task = running(&mut log);
    log.push(task.ends(Completed));
    assert!(of(&log, &task).delivered.is_none());
    let item = offer(&mut log, &task);
    assert_eq!(of(&log, &task).offered, Some(item));
    assert!(of(&log, &task).delivered.is_none(), "it waits");
    let told = log.push(PersistentBody::Message(MessageBody {
        queue_item_id: Some(item),
        ..MessageBody::new(task.result())
    }));
    let runtime = of(&log, &task);
    assert_eq!(runtime.delivered, Some(told));
    assert_eq!(runtime.delivered_via, Some(DeliveredVia::Message));
    // The message that holds it a second time is not the one that delivered it.
    log.push(message(task.result()));
    log.push(told_by("AgentStatus", &[&task], None));
    assert_eq!(of(&log, &task).delivered, Some(told));
    log.user("a message without a runtime");
    assert!(!has_settled(&log), "the record of the delivery is due");
}

#[test]
fn a_call_of_agent_status_delivers_the_results_that_it_names() {
    let mut log = Log::new();
    let tasks = [(); 3].map(|()| running(&mut log));
    let told = log.push(told_by("AgentStatus", &[&tasks[0], &tasks[1]], None));
    for task in &tasks[..2] {
        let runtime = of(&log, task);
        assert_eq!(runtime.delivered, Some(told));
        assert_eq!(runtime.delivered_via, Some(DeliveredVia::ToolResult));
    }
    assert!(of(&log, &tasks[2]).delivered.is_none());
}

#[test]
fn a_call_by_a_runner_delivers_as_one_by_the_model() {
    let mut log = Log::new();
    let task = running(&mut log);
    log.push(told_by("AgentStatus", &[&task], Some("codex")));
    let runtime = of(&log, &task);
    assert_eq!(runtime.delivered_via, Some(DeliveredVia::ToolResult));
}

#[test]
fn other_tools_and_other_details_deliver_nothing() {
    let mut log = Log::new();
    let task = running(&mut log);
    log.push(told_by("Read", &[&task], None));
    for details in [json!(null), json!({"delivered": "x"}), json!([task.id])] {
        let result = ToolResultBlock {
            details: Some(details),
            ..ToolResultBlock::error("c2", "results")
        };
        let result = ToolResultMessage::new("AgentStatus", result, 1);
        log.push(message(Message::ToolResult(result)));
    }
    assert!(of(&log, &task).delivered.is_none());
}

#[test]
fn a_result_for_the_model_settles_its_runtime_once_its_delivery_is_recorded() {
    let mut log = Log::new();
    let mut task = running(&mut log);
    let told = log.push(message(task.result()));
    assert!(!has_settled(&log));
    log.push(task.ends(Failed));
    assert!(!has_settled(&log));
    log.push(task.is_delivered(Failed, told));
    assert!(has_settled(&log));
    let runtime = of(&log, &task);
    assert!(runtime.is_settled() && runtime.delivery_recorded);
    assert_eq!(runtime.delivered, Some(told));
}

#[test]
fn the_end_may_come_after_the_record_of_the_delivery() {
    let mut log = Log::new();
    let mut task = running(&mut log);
    let end = task.ends(Completed);
    let told = log.push(message(task.result()));
    log.push(task.is_delivered(Completed, told));
    assert!(!has_settled(&log), "the end is missing");
    assert_eq!(of(&log, &task).status, Completed);
    log.push(end);
    assert!(has_settled(&log));
    assert_eq!(of(&log, &task).cost.micro_usd, 7);
}

#[test]
fn a_result_that_a_client_removed_from_the_queue_is_not_delivered() {
    for ends_first in [true, false] {
        let mut log = Log::new();
        let mut task = running(&mut log);
        let end = task.ends(Interrupted);
        if ends_first {
            log.push(end.clone());
        }
        let item = offer(&mut log, &task);
        let other = log.add();
        let remove = |queue_item_id| QueueOp::Remove { queue_item_id };
        log.queue(vec![remove(other)]);
        assert!(!of(&log, &task).dropped);
        log.queue(vec![remove(item)]);
        if !ends_first {
            assert!(!has_settled(&log));
            log.push(end);
        }
        assert!(has_settled(&log));
        let runtime = of(&log, &task);
        assert!(runtime.is_settled() && runtime.dropped);
        assert!(runtime.delivered.is_none());
        assert_eq!(runtime.offered, Some(item), "it is not offered again");
    }
}

#[test]
fn a_result_for_people_settles_its_runtime_at_the_end() {
    let mut log = Log::new();
    let mut task = Task::new();
    log.push(PersistentBody::RuntimeSpawned(RuntimeSpawnedBody {
        deliver: ResultDelivery::None,
        workflow_id: Some("release".into()),
        ..task.spawned_body()
    }));
    assert!(!has_settled(&log));
    log.push(task.ends(Completed));
    assert!(has_settled(&log));
    assert_eq!(of(&log, &task).workflow_id.as_deref(), Some("release"));
}

/// A status alone is not the end: its record has the result.
#[test]
fn nothing_is_settled_without_the_record_of_the_end() {
    let mut log = Log::new();
    let mut task = running(&mut log);
    log.push(task.becomes(Completed));
    let told = log.push(message(task.result()));
    log.push(task.is_delivered(Completed, told));
    assert!(!has_settled(&log));
    assert_eq!(log.view.state.runtimes.unfinished().count(), 0);
}
