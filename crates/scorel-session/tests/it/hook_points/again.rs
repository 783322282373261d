//! Model calls that are made again.

use super::*;

#[tokio::test(start_paused = true)]
async fn a_repeated_call_is_shown_no_more_unless_something_was_added() {
    let (hooks, seen) = hook(
        "all",
        &[HookPoint::Start, HookPoint::Call, HookPoint::Send],
        |_| MomentAnswer::default(),
    );
    let (rig, id) = rig(hooks).await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "go").await;
    rig.model().await.fail(provider_error(true)).await;
    rig.steer(id, "and this").await;
    rig.model().await.answer("done").await;
    assert_eq!(follower.outcome().await, "completed");
    let seen = seen.lock().expect("it is");
    let shown: Vec<(HookPoint, usize)> = seen
        .iter()
        .map(|it| (it.occasion.point(), it.messages.len()))
        .collect();
    assert_eq!(
        shown,
        [
            (HookPoint::Start, 1),
            (HookPoint::Send, 1),
            (HookPoint::Send, 1)
        ]
    );
    assert_eq!(seen[2].messages[0].text, "and this");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_has_waited_for_a_limit_is_not_shown_again() {
    let (hooks, seen) = hook("remind", &[HookPoint::Start, HookPoint::Call], |_| {
        inject("remember")
    });
    let (rig, id) = rig(hooks).await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "go").await;
    let limited = limited(std::time::Duration::from_secs(3600));
    rig.model().await.fail(limited).await;
    follower.until("turn_waiting").await;
    rig.model().await.answer("done").await;
    assert_eq!(follower.outcome().await, "completed");
    assert_eq!(rig.check(id).await.all("custom_message").len(), 1);
    assert_eq!(seen.lock().expect("it is").len(), 1);
}
