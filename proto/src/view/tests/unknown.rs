use serde_json::json;

use super::log::{Log, call};
use crate::{EventId, OutcomeReason, Phase};

#[test]
fn an_event_of_an_unknown_type_attaches_and_moves_nothing() {
    let mut log = Log::new();
    let leaf = log.user("q");
    let id = EventId::generate();
    log.json(json!({"type": "mood", "id": id, "parentId": leaf, "mood": "good"}));
    assert!(log.view.tree.contains(id));
    assert_eq!(log.view.leaf(), Some(leaf));
    assert_eq!(log.view.state.last_persistent_seq.get(), 2);
    assert_eq!(log.view.state.updated_at, 20);
}

#[test]
fn an_unknown_event_that_is_not_of_the_log_only_counts() {
    let mut log = Log::new();
    log.user("q");
    let before = log.view.clone();
    let text = json!({
        "type": "pulse", "seq": 9, "sessionId": crate::SessionId::from_bytes([1; 16]),
        "clientId": "daemon", "ts": 5,
    });
    log.view
        .apply(&crate::Event::decode(&text.to_string()).expect("every field is there"));
    assert_eq!(log.view.state.last_seq.get(), 9);
    assert_eq!(
        log.view.state.last_persistent_seq,
        before.state.last_persistent_seq
    );
    assert_eq!(log.view.tree, before.tree);
}

#[test]
fn an_unreadable_message_is_still_the_parent_of_the_next_one() {
    let mut log = Log::new();
    log.begin();
    let first = log.user("q");
    let id = EventId::generate();
    let hologram = json!({"role": "assistant", "content": [{"type": "hologram"}]});
    log.json(json!({"type": "message", "id": id, "parentId": first, "message": hologram}));
    assert_eq!(log.view.leaf(), Some(id));
    let next = log.user("q2");
    let path: Vec<_> = log
        .view
        .tree
        .path(Some(next))
        .iter()
        .map(|node| node.id)
        .collect();
    assert_eq!(path, [first, id, next]);
}

#[test]
fn an_outcome_that_cannot_be_read_still_ends_the_turn() {
    let mut log = Log::new();
    let turn = log.begin();
    log.user("q");
    let answer = log.assistant(vec![call("c1")]);
    log.add();
    log.json(json!({
        "type": "turn_outcome", "id": EventId::generate(), "parentId": null, "turnId": turn,
        "reason": "bored",
    }));
    assert_eq!(log.view.state.phase(), Phase::Idle);
    assert!(log.view.tree.is_turn_end(answer));
    assert!(log.view.state.queue.paused);
    log.outcome(OutcomeReason::Completed);
    assert_eq!(log.replay(), log.view);
}
