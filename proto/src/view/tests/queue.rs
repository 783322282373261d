use super::log::Log;
use crate::{
    AgentTaskId, Block, OutcomeReason, QueueItem, QueueItemId, QueueItemMeta, QueueKind, QueueOp,
};

fn paused(log: &Log) -> bool {
    log.view.state.queue.paused
}

#[test]
fn items_wait_in_the_order_in_which_they_came() {
    let mut log = Log::new();
    let ids = [log.add(), log.add(), log.add()];
    assert_eq!(log.items(), ids);
    assert_eq!(log.view.state.queue.version, 3);
}

#[test]
fn an_item_that_becomes_a_message_leaves_the_queue() {
    let mut log = Log::new();
    let [first, second] = [log.add(), log.add()];
    let version = log.view.state.queue.version;
    log.begin();
    log.consume(first);
    assert_eq!(log.items(), [second]);
    assert_eq!(log.view.state.queue.version, version + 1);
}

#[test]
fn items_are_edited_moved_converted_and_removed() {
    let mut log = Log::new();
    let [a, b, c] = [log.add(), log.add(), log.add()];
    log.queue(vec![
        QueueOp::Move {
            queue_item_id: c,
            position: 0,
        },
        QueueOp::Move {
            queue_item_id: a,
            position: 99,
        },
        QueueOp::Edit {
            queue_item_id: a,
            content: vec![Block::text("new")],
            edited_by: None,
        },
        QueueOp::Convert {
            queue_item_id: a,
            kind: QueueKind::Steer,
        },
        QueueOp::Remove { queue_item_id: b },
    ]);
    assert_eq!(log.items(), [c, a]);
    let item = &log.view.state.queue.items[1];
    assert_eq!(
        (item.kind, &item.content),
        (QueueKind::Steer, &vec![Block::text("new")])
    );
}

#[test]
fn operations_on_items_that_are_gone_change_nothing() {
    let mut log = Log::new();
    let id = log.add();
    let gone = QueueItemId::generate();
    log.queue(vec![
        QueueOp::Move {
            queue_item_id: gone,
            position: 0,
        },
        QueueOp::Edit {
            queue_item_id: gone,
            content: vec![],
            edited_by: None,
        },
        QueueOp::Convert {
            queue_item_id: gone,
            kind: QueueKind::Steer,
        },
        QueueOp::Remove {
            queue_item_id: gone,
        },
    ]);
    assert_eq!(log.items(), [id]);
}

#[test]
fn every_outcome_but_completed_pauses_a_queue_that_is_not_empty() {
    for (reason, pauses) in [
        (OutcomeReason::Completed, false),
        (OutcomeReason::Cancelled, true),
        (OutcomeReason::Error, true),
        (OutcomeReason::Interrupted, true),
        (OutcomeReason::Limit, true),
    ] {
        let mut log = Log::new();
        log.begin();
        log.user("q");
        log.add();
        log.outcome(reason);
        assert_eq!(paused(&log), pauses, "{reason:?}");

        let mut log = Log::new();
        log.begin();
        log.user("q");
        log.outcome(reason);
        assert!(!paused(&log), "{reason:?} paused an empty queue");
    }
}

fn paused_log() -> (Log, QueueItemId) {
    let mut log = Log::new();
    log.begin();
    log.user("q");
    let item = log.add();
    log.outcome(OutcomeReason::Cancelled);
    assert!(paused(&log));
    (log, item)
}

#[test]
fn a_new_message_ends_the_pause() {
    let (mut log, item) = paused_log();
    let next = log.add();
    assert!(!paused(&log));
    assert_eq!(log.items(), [item, next]);
}

#[test]
fn resume_ends_the_pause() {
    let (mut log, _) = paused_log();
    log.queue(vec![QueueOp::Resume]);
    assert!(!paused(&log));
}

#[test]
fn a_pause_by_a_client_lasts_until_resume() {
    let hold = |log: &mut Log| {
        let item = log.add();
        let item = log
            .view
            .state
            .queue
            .items
            .iter()
            .find(|it| it.queue_item_id == item);
        let item = QueueItem {
            queue_item_id: QueueItemId::generate(),
            ..item.cloned().unwrap()
        };
        log.queue(vec![QueueOp::Add {
            item,
            position: None,
            hold: true,
            go_on: false,
        }]);
    };
    let pause = |log: &mut Log| {
        log.add();
        log.queue(vec![QueueOp::Pause]);
    };
    for pause in [&hold as &dyn Fn(&mut Log), &pause] {
        for outcome in [
            None,
            Some(OutcomeReason::Completed),
            Some(OutcomeReason::Cancelled),
        ] {
            let mut log = Log::new();
            log.begin();
            log.user("q");
            pause(&mut log);
            if let Some(outcome) = outcome {
                log.outcome(outcome);
            }
            log.add();
            assert!(paused(&log), "{outcome:?}");
            log.queue(vec![QueueOp::Resume]);
            assert!(!paused(&log), "{outcome:?}");
            log.add();
            assert!(!paused(&log), "{outcome:?}");
        }
    }
}

#[test]
fn a_result_that_is_held_back_keeps_the_pause_of_an_outcome_as_it_is() {
    let (mut log, item) = paused_log();
    let queue = &log.view.state.queue;
    let mut item = queue
        .items
        .iter()
        .find(|it| it.queue_item_id == item)
        .cloned()
        .unwrap();
    item.queue_item_id = QueueItemId::generate();
    item.meta = Some(QueueItemMeta {
        runtime_id: Some(AgentTaskId::generate()),
        ..QueueItemMeta::default()
    });
    log.queue(vec![QueueOp::Add {
        item,
        position: None,
        hold: true,
        go_on: false,
    }]);
    assert!(paused(&log));
    log.add();
    assert!(!paused(&log));
}

#[test]
fn edits_do_not_end_the_pause() {
    let (mut log, item) = paused_log();
    log.queue(vec![
        QueueOp::Edit {
            queue_item_id: item,
            content: vec![Block::text("x")],
            edited_by: None,
        },
        QueueOp::Move {
            queue_item_id: item,
            position: 0,
        },
        QueueOp::Convert {
            queue_item_id: item,
            kind: QueueKind::FollowUp,
        },
    ]);
    assert!(paused(&log));
}

#[test]
fn an_empty_queue_is_not_paused() {
    let (mut log, item) = paused_log();
    log.queue(vec![QueueOp::Remove {
        queue_item_id: item,
    }]);
    assert!(!paused(&log));
    let (mut log, item) = paused_log();
    log.begin();
    log.consume(item);
    assert!(!paused(&log));
}
