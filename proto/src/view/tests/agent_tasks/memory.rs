use std::mem::size_of;

use super::task::Task;
use super::{has_settled, of};
use crate::view::tests::log::{Log, message};
use crate::{
    AgentTask, AgentTaskId, AgentTaskStatus, OpenAgentTask, PersistentBody, RuntimeFinishedBody,
    RuntimeSpawnedBody,
};
use AgentTaskStatus::{Completed, Running};

/// The bytes that a runtime takes in the fold, without the nodes of the map.
fn bytes(runtime: &AgentTask) -> usize {
    let texts = runtime.agent_type.capacity() + runtime.title.capacity();
    let summary = runtime.summary.as_deref().map_or(0, str::len);
    let open = if **runtime == OpenAgentTask::default() {
        0
    } else {
        size_of::<OpenAgentTask>()
    };
    size_of::<AgentTaskId>() + size_of::<AgentTask>() + texts + summary + open
}

#[test]
fn a_settled_runtime_takes_at_most_half_a_kib() {
    let mut log = Log::new();
    log.begin();
    log.user("q");
    let mut task = Task::new();
    log.push(PersistentBody::RuntimeSpawned(RuntimeSpawnedBody {
        agent_type: "a".repeat(12),
        title: "t".repeat(60),
        ..task.spawned_body()
    }));
    log.push(task.is_placed(&mut []));
    log.push(task.becomes(Running));
    log.push(task.asks());
    log.push(task.is_stopped(Running));
    log.push(task.does(Running, &"s".repeat(200)));
    let open = bytes(of(&log, &task));
    let PersistentBody::RuntimeFinished(end) = task.ends(Completed) else {
        panic!("another record");
    };
    log.push(PersistentBody::RuntimeFinished(RuntimeFinishedBody {
        last_message: "e".repeat(400),
        ..end
    }));
    let told = log.push(message(task.result()));
    log.push(task.is_delivered(Completed, told));
    assert!(has_settled(&log));
    let runtime = of(&log, &task);
    assert!(bytes(runtime) <= 512, "{}", bytes(runtime));
    assert!(open > bytes(runtime));
    assert_eq!(**runtime, OpenAgentTask::default(), "nothing else stays");
    let summary = runtime.summary.as_deref().unwrap();
    assert_eq!(summary, &format!("it ended: {}", "e".repeat(190)));
}
