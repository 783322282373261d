use super::log::Log;
use crate::{
    Block, BranchBody, CompactBody, CompactionFacts, CompactionId, CompactionTrigger, CustomBody,
    Event, EventId, NodeKind, OutcomeReason, PersistentBody, RewindBody, SeqReserveBody,
    SessionView, Tree,
};

fn path(log: &Log) -> Vec<EventId> {
    let path = log.view.tree.path(log.view.leaf());
    path.into_iter().map(|node| node.id).collect()
}

fn rewind(log: &mut Log, target: Option<EventId>) -> EventId {
    log.push(PersistentBody::Rewind(RewindBody {
        target_event_id: target,
        files: Vec::new(),
    }))
}

#[test]
fn messages_follow_one_another() {
    let mut log = Log::new();
    log.begin();
    let ids = [
        log.user("q"),
        log.assistant(vec![Block::text("a")]),
        log.user("q2"),
    ];
    assert_eq!(path(&log), ids);
    assert_eq!(log.view.leaf(), Some(ids[2]));
}

#[test]
fn custom_and_control_records_do_not_move_the_leaf() {
    let mut log = Log::new();
    let leaf = log.user("q");
    let aside = log.push(PersistentBody::Custom(CustomBody {
        kind: "k".into(),
        data: serde_json::Value::Null,
    }));
    let control = log.push(PersistentBody::SeqReserve(SeqReserveBody {}));
    assert_eq!(log.view.leaf(), Some(leaf));
    assert!(log.view.tree.contains(aside));
    assert!(!log.view.tree.contains(control));
    assert_eq!(path(&log), [leaf]);
}

#[test]
fn a_rewind_moves_the_leaf_back_and_what_follows_is_a_new_branch() {
    let mut log = Log::new();
    let first = log.turn();
    log.turn();
    rewind(&mut log, Some(first));
    assert_eq!(log.view.leaf(), Some(first));
    let next = log.user("other");
    assert_eq!(path(&log).last(), Some(&next));
    assert_eq!(path(&log).len(), 3);
}

#[test]
fn a_rewind_to_nothing_is_an_empty_conversation() {
    let mut log = Log::new();
    log.turn();
    rewind(&mut log, None);
    assert_eq!(log.view.leaf(), None);
    let root = log.user("anew");
    assert_eq!(path(&log), [root]);
}

#[test]
fn a_branch_goes_over_to_another_leaf() {
    let mut log = Log::new();
    let first = log.turn();
    let second = log.turn();
    rewind(&mut log, Some(first));
    log.turn();
    log.push(PersistentBody::Branch(BranchBody {
        leaf_event_id: second,
        files: Vec::new(),
    }));
    assert_eq!(log.view.leaf(), Some(second));
    log.push(PersistentBody::Branch(BranchBody {
        leaf_event_id: EventId::generate(),
        files: Vec::new(),
    }));
    assert_eq!(
        log.view.leaf(),
        Some(second),
        "a target that is not there moved the leaf"
    );
}

#[test]
fn only_the_last_event_of_a_finished_turn_is_a_turn_end() {
    let mut log = Log::new();
    log.begin();
    let question = log.user("q");
    let answer = log.assistant(vec![Block::text("a")]);
    assert!(
        !log.view.tree.is_turn_end(answer),
        "the turn is not finished"
    );
    log.outcome(OutcomeReason::Error);
    assert!(log.view.tree.is_turn_end(answer));
    assert!(!log.view.tree.is_turn_end(question));
    assert!(!log.view.tree.is_turn_end(EventId::generate()));
    let ends: Vec<_> = log.view.tree.nodes().filter(|node| node.turn_end).collect();
    assert_eq!(ends.len(), 1);
    assert_eq!((ends[0].id, ends[0].parent_id), (answer, Some(question)));
}

#[test]
fn a_compaction_is_marked_on_the_path() {
    let mut log = Log::new();
    let through = log.turn();
    let compact = log.push(PersistentBody::Compact(CompactBody {
        summary: "s".into(),
        compacted_through: through,
        keep: Vec::new(),
        tokens_before: 2,
        tokens_after: 1,
        compaction_id: CompactionId::from_bytes([0; 16]),
        trigger: CompactionTrigger::Manual,
        model: "m".to_owned(),
        usage: None,
        cost: None,
        facts: CompactionFacts::default(),
    }));
    let path = log.view.tree.path(Some(compact));
    assert_eq!(path.last().map(|node| node.kind), Some(NodeKind::Compact));
    assert_eq!(path[0].kind, NodeKind::Message);
}

/// The view of a log from which one record was lost.
fn without(log: &Log, lost: EventId) -> SessionView {
    let mut view = SessionView::default();
    let is_lost = |event: &&Event| event.id() == Some(lost);
    for event in log.records.iter().filter(|event| !is_lost(event)) {
        view.apply(event);
    }
    view
}

fn path_of(view: &SessionView) -> Vec<EventId> {
    let path = view.tree.path(view.leaf());
    path.into_iter().map(|node| node.id).collect()
}

#[test]
fn what_precedes_a_lost_message_stays_in_the_conversation() {
    let mut log = Log::new();
    log.turn();
    let lost = log.turn();
    log.turn();
    let mut expected = path(&log);
    expected.retain(|id| *id != lost);
    assert_eq!(path_of(&without(&log, lost)), expected);
    assert_eq!(expected.len(), 5);
}

#[test]
fn a_rewind_to_a_lost_message_goes_to_what_was_before_it() {
    let mut log = Log::new();
    log.turn();
    let lost = log.turn();
    let expected: Vec<EventId> = path(&log).into_iter().filter(|id| *id != lost).collect();
    // Ids tell milliseconds.
    let made = lost.timestamp_ms();
    while EventId::generate().timestamp_ms() == made {}
    log.turn();
    rewind(&mut log, Some(lost));
    assert_eq!(path_of(&without(&log, lost)), expected);
    let next = log.user("other");
    assert_eq!(
        path_of(&without(&log, lost)),
        [&expected[..], &[next]].concat()
    );
}

fn grown() -> Log {
    let mut log = Log::new();
    let first = log.turn();
    log.turn();
    rewind(&mut log, Some(first));
    log.turn();
    log
}

#[test]
fn a_tree_is_read_back_from_its_bytes() {
    let tree = grown().view.tree;
    assert_eq!(Tree::decode(&tree.encode()), Some(tree));
    assert_eq!(
        Tree::decode(&Tree::default().encode()),
        Some(Tree::default())
    );
}

#[test]
fn bytes_that_are_no_tree_are_refused_and_never_panic() {
    let bytes = grown().view.tree.encode();
    for length in 0..bytes.len() {
        if let Some(tree) = Tree::decode(&bytes[..length]) {
            assert!(tree.len() < grown().view.tree.len(), "{length} bytes");
        }
    }
    for place in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[place] ^= 0xff;
        if let Some(tree) = Tree::decode(&damaged) {
            assert_eq!(tree.nodes().count(), tree.len());
            let _ = tree.path(tree.leaf());
        }
    }
}
