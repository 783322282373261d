//! Hooks where the conversation begins, or does so again.

use scorel_engine::SessionSource;
use scorel_session::{LeafTarget, MoveLeaf};

use super::*;
use crate::travel::leaf;

fn sources(seen: &Seen) -> Vec<SessionSource> {
    let seen = std::mem::take(&mut *seen.lock().expect("it is"));
    let source = |moment: Moment| match moment.occasion {
        Occasion::Begin { source } => source,
        other => panic!("{other:?}"),
    };
    seen.into_iter().map(source).collect()
}

#[tokio::test(start_paused = true)]
async fn a_hook_is_told_how_the_conversation_begins_and_at_no_other_call() {
    let (hooks, seen) = hook("begin", &[], |_| inject("welcome"));
    let (first, id) = rig(hooks.clone()).await;
    first.exchange(id, "one").await;
    first.exchange(id, "two").await;
    assert_eq!(sources(&seen), [SessionSource::Startup]);

    let next = first.restarted();
    next.plan(|plan| {
        plan.hooks = hooks;
        plan.window = Some(WINDOW);
    });
    next.exchange(id, "three").await;
    next.exchange(id, "four").await;
    assert_eq!(sources(&seen), [SessionSource::Resume]);

    let expected_leaf = leaf(&next, id).await;
    let rewind = MoveLeaf {
        command: crate::travel::plain(),
        target: LeafTarget::Ancestor(None),
        expected_leaf,
    };
    next.lane(id).await.mutate(rewind).await.expect("rewound");
    next.exchange(id, "anew").await;
    next.exchange(id, "more").await;
    assert_eq!(sources(&seen), [SessionSource::Clear]);
}

#[tokio::test(start_paused = true)]
async fn the_call_behind_a_summary_has_what_a_hook_says_then() {
    let (hooks, seen) = hook("begin", &[], |_| inject("welcome"));
    let (rig, id) = rig(hooks).await;
    rig.plan(|plan| plan.window = Some(WINDOW));
    let mut follower = rig.follow(id).await;
    // An answer with counted tokens would say that the long questions below are short.
    rig.begin(id, "one").await;
    rig.model().await.answer_uncounted("yes").await;
    assert_eq!(follower.outcome().await, "completed");
    assert_eq!(sources(&seen), [SessionSource::Startup]);
    for question in 0..8 {
        rig.begin(id, &long(&format!("q{question}"))).await;
        let mut model = rig.model().await;
        let is_summary = asks_for_summary(&model);
        if is_summary {
            model.answer("all").await;
            model = rig.model().await;
            let sent = texts(&model.request.messages);
            let last = sent.last().expect("there are messages");
            assert!(last.contains("welcome"), "{last}");
        }
        model.answer_uncounted("yes").await;
        assert_eq!(follower.outcome().await, "completed");
        if is_summary {
            assert_eq!(sources(&seen), [SessionSource::Compact]);
            return;
        }
        assert!(sources(&seen).is_empty());
    }
    panic!("there was no summary");
}
