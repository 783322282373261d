//! Hooks where room is made in the context.

use super::*;

#[tokio::test(start_paused = true)]
async fn what_a_hook_edits_before_room_is_made_may_be_enough() {
    let seen = Arc::new(Mutex::new(Vec::<ContextOp>::new()));
    let keep = Arc::clone(&seen);
    let (hooks, _) = hook(
        "shrink",
        &[HookPoint::Start, HookPoint::Trim],
        move |moment| {
            let mut named = keep.lock().expect("it is");
            match &moment.occasion {
                Occasion::Trim { .. } => edits(std::mem::take(&mut *named)),
                _ => {
                    let new = moment.messages.iter();
                    named.extend(new.map(|it| ContextOp::replace(it.event_id, "a long question")));
                    MomentAnswer::default()
                }
            }
        },
    );
    let rig = Rig::new();
    rig.plan(|plan| {
        plan.hooks = hooks;
        plan.window = Some(WINDOW);
    });
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    for question in 0..8 {
        rig.begin(id, &long(&format!("q{question}"))).await;
        let model = rig.model().await;
        assert!(!asks_for_summary(&model));
        model.answer_uncounted("yes").await;
        assert_eq!(follower.outcome().await, "completed");
    }
    let log = rig.check(id).await;
    assert!(!log.all("context_edit").is_empty());
    assert!(log.all("compaction").is_empty(), "no summary was needed");
}

#[tokio::test(start_paused = true)]
async fn a_compaction_that_a_user_asks_for_is_shown_as_well() {
    let (hooks, trims) = hook("look", &[HookPoint::Trim], |_| MomentAnswer::default());
    let (rig, id) = rig(hooks).await;
    rig.plan(|plan| plan.window = Some(WINDOW));
    let mut follower = rig.follow(id).await;
    for question in 0..4 {
        rig.begin(id, &long(&format!("q{question}"))).await;
        rig.model().await.answer_uncounted("yes").await;
        assert_eq!(follower.outcome().await, "completed");
    }
    let lane = rig.lane(id).await;
    let brief = Some("be brief".to_owned());
    lane.compact(plain(), brief.clone()).await.expect("begun");
    rig.model().await.answer("all").await;
    follower.until("compact").await;
    let occasions: Vec<Occasion> = {
        let seen = trims.lock().expect("it is");
        seen.iter().map(|it| it.occasion.clone()).collect()
    };
    let occasion = Occasion::Trim {
        trigger: CompactionTrigger::Manual,
        instructions: brief,
    };
    assert_eq!(occasions, [occasion]);
}
