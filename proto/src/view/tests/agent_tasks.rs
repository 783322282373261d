//! The fold of runtimes, one rule a test.

mod delivery;
mod memory;
mod random;
mod run;
mod task;

use self::task::Task;
use super::log::Log;
use crate::{
    AgentTask, AgentTaskStatus, Origin, OutcomeReason, PersistentBody, ResultDelivery,
    RuntimeSpawnedBody, SessionId, SessionState,
};
use AgentTaskStatus::{Completed, Failed, Interrupted, Queued, Running, WaitingInput};

fn of<'a>(log: &'a Log, task: &Task) -> &'a AgentTask {
    let runtime = log.view.state.runtimes.get(task.id);
    runtime.expect("the runtime is known")
}

fn has_settled(log: &Log) -> bool {
    log.view.state.runtimes.are_settled()
}

/// A task that runs.
fn running(log: &mut Log) -> Task {
    let mut task = Task::new();
    log.push(task.spawned());
    log.push(task.bound(Queued));
    log.push(task.becomes(Running));
    task
}

#[test]
fn a_runtime_is_what_its_newest_event_says() {
    let mut log = Log::new();
    let mut task = Task::new();
    log.push(task.spawned());
    let runtime = of(&log, &task);
    assert_eq!((runtime.status, runtime.version), (Queued, 1));
    assert_eq!(runtime.session_id, Some(task.child));
    assert!(!runtime.bound);
    log.push(task.bound(Queued));
    assert!(of(&log, &task).bound);
    log.push(task.becomes(Running));
    log.push(task.does(Running, "Read a file"));
    let runtime = of(&log, &task);
    assert_eq!((runtime.status, runtime.version), (Running, 4));
    assert_eq!(runtime.summary.as_deref(), Some("Read a file"));
    assert_eq!(log.view.state.runtimes.next_version(task.id), 5);
}

#[test]
fn an_event_that_is_not_newer_changes_nothing() {
    let mut log = Log::new();
    let mut task = Task::new();
    log.push(task.spawned());
    let [late, asks] = [task.does(Running, "late"), task.asks()];
    log.push(task.does(Running, "new"));
    let before = log.view.state.runtimes.clone();
    for stale in [late, asks] {
        log.push(stale.clone());
        log.push(stale);
    }
    assert_eq!(log.view.state.runtimes, before);
}

#[test]
fn an_unknown_runtime_is_a_placeholder_until_its_first_event_comes() {
    let mut log = Log::new();
    let mut task = Task::new();
    let spawned = task.spawned();
    log.push(task.becomes(Running));
    let runtime = of(&log, &task);
    assert_eq!((runtime.status, runtime.spawned_seq), (Running, None));
    assert!(runtime.agent_type.is_empty());
    log.push(spawned);
    let runtime = of(&log, &task);
    assert_eq!((runtime.status, runtime.version), (Running, 2));
    assert_eq!(runtime.agent_type, "reviewer");
    assert_eq!(runtime.session_id, Some(task.child));
    assert!(runtime.spawned_seq.is_some());
}

#[test]
fn a_final_status_stays() {
    for last in [Completed, Failed, Interrupted] {
        let mut log = Log::new();
        let mut task = running(&mut log);
        log.push(task.ends(last));
        let mut others = [Task::new()];
        log.push(task.becomes(Running));
        log.push(task.is_stopped(Running));
        log.push(task.ends(Failed));
        log.push(task.is_placed(&mut others.each_mut()));
        let runtime = of(&log, &task);
        assert_eq!(runtime.status, last);
        assert!(!runtime.stopping);
        assert_eq!(runtime.position, None);
        assert_eq!(log.view.state.runtimes.unfinished().count(), 1);
    }
}

#[test]
fn one_record_places_all_that_wait() {
    let mut log = Log::new();
    let mut tasks = [Task::new(), Task::new(), Task::new()];
    for task in &mut tasks {
        log.push(task.spawned());
    }
    let [first, second, third] = &mut tasks;
    log.push(first.is_placed(&mut [second, third]));
    let places = |log: &Log, tasks: &[Task]| -> Vec<_> {
        tasks.iter().map(|task| of(log, task).position).collect()
    };
    let all = [Some((1, 3)), Some((2, 3)), Some((3, 3))];
    assert_eq!(places(&log, &tasks), all);
    let [first, second, third] = &mut tasks;
    log.push(first.becomes(Running));
    let older = second.is_placed(&mut []);
    log.push(third.is_placed(&mut [second]));
    log.push(older);
    let moved = [None, Some((2, 2)), Some((1, 2))];
    assert_eq!(places(&log, &tasks), moved);
}

#[test]
fn a_place_of_an_unknown_runtime_makes_a_placeholder() {
    let mut log = Log::new();
    let [mut known, mut unknown] = [Task::new(), Task::new()];
    log.push(known.spawned());
    let spawned = unknown.spawned();
    log.push(known.is_placed(&mut [&mut unknown]));
    assert_eq!(of(&log, &unknown).position, Some((2, 2)));
    log.push(spawned);
    assert_eq!(of(&log, &unknown).position, Some((2, 2)));
}

#[test]
fn a_question_is_known_only_while_it_is_waited_for() {
    let mut log = Log::new();
    let mut task = running(&mut log);
    log.push(task.asks());
    assert!(of(&log, &task).waiting_for.is_some());
    // It does something else meanwhile, and still asks.
    log.push(task.does(WaitingInput, "Bash"));
    assert!(of(&log, &task).waiting_for.is_some());
    log.push(task.does(Running, "Bash"));
    assert!(of(&log, &task).waiting_for.is_none());
    log.push(task.asks());
    // Now it waits with a paused queue.
    log.push(task.becomes(WaitingInput));
    assert!(of(&log, &task).waiting_for.is_none());
}

#[test]
fn the_cancel_of_a_turn_stops_what_it_has_spawned() {
    let mut log = Log::new();
    log.begin();
    log.user("q");
    let mut mine = running(&mut log);
    let mut done = running(&mut log);
    log.push(done.ends(Completed));
    let turn = log.turn.take();
    let by_a_client = running(&mut log);
    log.turn = turn;
    log.outcome(OutcomeReason::Cancelled);
    let is_stopping = |log: &Log, task: &Task| of(log, task).stopping;
    assert!(is_stopping(&log, &mine));
    assert!(!is_stopping(&log, &done));
    assert!(!is_stopping(&log, &by_a_client));
    // It stays so, whatever else is said.
    log.push(mine.becomes(Running));
    assert!(is_stopping(&log, &mine));
    log.push(mine.ends(Interrupted));
    assert!(!is_stopping(&log, &mine));
}

#[test]
fn other_ends_of_a_turn_stop_nothing() {
    for reason in [
        OutcomeReason::Completed,
        OutcomeReason::Error,
        OutcomeReason::Interrupted,
        OutcomeReason::Limit,
    ] {
        let mut log = Log::new();
        log.begin();
        log.user("q");
        let task = running(&mut log);
        log.outcome(reason);
        assert!(!of(&log, &task).stopping, "{reason:?}");
    }
    let mut log = Log::new();
    log.begin();
    let task = running(&mut log);
    log.begin();
    log.user("q");
    log.outcome(OutcomeReason::Cancelled);
    assert!(!of(&log, &task).stopping, "it was another turn");
}

#[test]
fn a_stop_lasts_until_the_end() {
    let mut log = Log::new();
    let mut task = running(&mut log);
    log.push(task.is_stopped(Running));
    log.push(task.becomes(Running));
    assert!(of(&log, &task).stopping);
    log.push(task.ends(Interrupted));
    assert!(!of(&log, &task).stopping);
}

#[test]
fn the_runtimes_of_a_turn_are_counted_and_found_by_their_calls() {
    let mut log = Log::new();
    let turn = log.begin();
    let mut tasks = [Task::new(), Task::new()];
    for (task, call) in tasks.iter_mut().zip(["c1", "c2"]) {
        let body = PersistentBody::RuntimeSpawned(RuntimeSpawnedBody {
            tool_call_id: Some(call.into()),
            ..task.spawned_body()
        });
        log.push(body.clone());
        log.push(body);
    }
    let runtimes = &log.view.state.runtimes;
    assert_eq!(runtimes.spawned_in(turn), 2, "each once");
    assert_eq!(runtimes.spawned_by(turn, "c2"), Some(tasks[1].id));
    assert_eq!(runtimes.spawned_by(turn, "c3"), None);
    let next = log.begin();
    let runtimes = &log.view.state.runtimes;
    assert_eq!(runtimes.spawned_in(next), 0);
    assert_eq!(runtimes.spawned_by(next, "c1"), None);
    // A call whose runtime has ended and is settled is answered too.
    for task in &mut tasks {
        log.push(task.ends(Interrupted));
        let told = log.push(super::log::message(task.result()));
        log.push(task.is_delivered(Interrupted, told));
    }
    assert!(has_settled(&log));
    let runtimes = &log.view.state.runtimes;
    assert_eq!(runtimes.spawned_by(turn, "c1"), Some(tasks[0].id));
}

#[test]
fn what_a_runtime_cost_is_counted_once() {
    let mut log = Log::new();
    let mut task = running(&mut log);
    let end = task.ends(Completed);
    log.push(end.clone());
    log.push(end);
    assert_eq!(log.view.state.runtimes.cost().micro_usd, 7);
    assert_eq!(of(&log, &task).cost.micro_usd, 7);
}

#[test]
fn what_a_clone_copied_happened_to_runtimes_of_another_session() {
    let mut log = Log::new();
    let mut task = running(&mut log);
    let before = log.view.state.runtimes.clone();
    let mut stranger = Task::new();
    let copies = [
        stranger.spawned(),
        task.becomes(WaitingInput),
        task.ends(Failed),
        super::log::message(task.result()),
    ];
    for body in copies {
        log.push_with(body, |event| {
            event.origin = Some(Origin {
                session_id: SessionId::from_bytes([2; 16]),
                event_id: event.id,
            });
        });
    }
    assert_eq!(log.view.state.runtimes, before);
}

#[test]
fn a_checkpoint_keeps_all_of_it() {
    let mut log = Log::new();
    log.begin();
    log.user("q");
    let mut tasks = [(); 5].map(|()| running(&mut log));
    let [asks, stops, ends, dropped, settles] = &mut tasks;
    log.push(asks.asks());
    log.push(stops.is_stopped(Running));
    log.push(ends.ends(Failed));
    let item = delivery::offer(&mut log, dropped);
    log.queue(vec![crate::QueueOp::Remove {
        queue_item_id: item,
    }]);
    log.push(dropped.ends(Completed));
    log.push(settles.ends(Completed));
    let told = log.push(super::log::message(settles.result()));
    log.push(settles.is_delivered(Completed, told));
    let mut waits = Task::new();
    log.push(PersistentBody::RuntimeSpawned(RuntimeSpawnedBody {
        workflow_id: Some("release".into()),
        deliver: ResultDelivery::None,
        ..waits.spawned_body()
    }));
    log.push(waits.is_placed(&mut []));
    let state = &log.view.state;
    let text = serde_json::to_string(state).expect("the state is JSON");
    let read: SessionState = serde_json::from_str(&text).expect("the state is read");
    assert_eq!(&read, state);
    assert_eq!(read.runtimes.unsettled().count(), 4);
    assert_eq!(log.replay(), log.view);
}
