//! Conversations of which a record is lost, after the damage was accepted.

use scorel_proto::{EventId, SessionId};
use scorel_session::{LeafTarget, MoveLeaf};

use crate::clones::clone;
use crate::found::{accept, damage, places};
use crate::rig::{Rig, message};
use crate::travel::{asked, leaf, plain, summarise, turns};

/// Loses the record of an event.
async fn lose(rig: &Rig, id: SessionId, event: EventId) {
    let lines = rig.log(id).lines;
    let is_record = |line: &&String| line.contains(&format!(r#""id":"{event}""#));
    let line = lines.iter().find(is_record).expect("the record");
    damage(rig, id, line, |byte| byte ^ 1);
    for place in places(rig, id).await {
        accept(rig, id, place).await;
    }
}

/// A clone of the whole conversation.
async fn clone_of(rig: &Rig, id: SessionId) -> SessionId {
    let end = leaf(rig, id).await;
    clone(rig, id, end).await.expect("cloned")
}

/// Waits until events get later times in their ids.
fn pass_a_millisecond(last: EventId) {
    while EventId::generate().timestamp_ms() <= last.timestamp_ms() {
        std::hint::spin_loop();
    }
}

#[tokio::test(start_paused = true)]
async fn what_precedes_a_lost_record_stays_in_the_conversation_and_in_its_clones() {
    let rig = Rig::new();
    let (id, ends) = turns(&rig, &["one", "two", "three"]).await;
    let rig = rig.crashed();
    lose(&rig, id, ends[1]).await;
    let copy = clone_of(&rig, id).await;
    let told = ["one", "to one", "two", "three", "to three", "four"];
    assert_eq!(asked(&rig, id, message("four")).await, told);
    assert_eq!(asked(&rig, copy, message("four")).await, told);
    let restarted = rig.crashed();
    let copy = clone_of(&restarted, copy).await;
    let told = [&told[..], &["done", "five"]].concat();
    assert_eq!(asked(&restarted, copy, message("five")).await, told);
}

#[tokio::test(start_paused = true)]
async fn a_compaction_whose_last_covered_event_is_lost_leaves_the_tail_behind_it() {
    let rig = Rig::new();
    let (id, ends) = turns(&rig, &["one", "two"]).await;
    pass_a_millisecond(ends[1]);
    rig.exchange(id, "three").await;
    let tail = leaf(&rig, id).await.expect("a leaf");
    let rig = rig.crashed();
    let compact = summarise(&rig, id, ends[1]);
    lose(&rig, id, ends[1]).await;
    let copy = clone_of(&rig, id).await;
    for id in [id, copy] {
        let texts = asked(&rig, id, message("four")).await;
        assert!(texts[0].contains("what was said"), "{texts:?}");
        assert_eq!(texts[1..], ["three", "to three", "four"]);
    }
    let lane = rig.lane(id).await;
    let end = leaf(&rig, id).await;
    assert_ne!(end, Some(compact));
    lane.mutate(MoveLeaf {
        command: plain(),
        target: LeafTarget::Ancestor(Some(tail)),
        expected_leaf: end,
    })
    .await
    .expect("moved");
    let refused = lane
        .mutate(MoveLeaf {
            command: plain(),
            target: LeafTarget::Ancestor(Some(ends[0])),
            expected_leaf: Some(tail),
        })
        .await;
    refused.expect("it is not summarised from there on");
}
