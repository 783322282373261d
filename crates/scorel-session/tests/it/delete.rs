//! Deleting sessions.

use std::fs;

use scorel_proto::ErrorCode;

use crate::rig::{Rig, message};

#[tokio::test(start_paused = true)]
async fn a_session_in_the_middle_of_a_turn_is_not_deleted() {
    let rig = Rig::new();
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "one").await;
    let call = rig.model().await;
    let refused = rig.sessions.delete(id).await.expect_err("refused");
    assert_eq!(refused.code(), ErrorCode::AgentTaskBusy);
    call.answer("1").await;
    follower.outcome().await;
    rig.check(id).await;
}

#[tokio::test(start_paused = true)]
async fn a_deleted_session_is_gone_for_all_clients() {
    let rig = Rig::new();
    let id = rig.session().await;
    rig.exchange(id, "one").await;
    let mut follower = rig.follow(id).await;
    let mut behind = rig
        .follow_from(id, Default::default(), Default::default())
        .await;
    let lane = rig.lane(id).await;
    rig.sessions.delete(id).await.expect("deleted");

    assert_eq!(follower.until("end").await["reason"], "deleted");
    assert_eq!(follower.try_next().await, None);
    assert_eq!(behind.until("end").await["reason"], "deleted");
    assert!(!rig.dir(id).exists());
    assert_eq!(
        fs::read_dir(rig.home().join("sessions"))
            .expect("readable")
            .count(),
        0
    );
    assert_eq!(*rig.script.ended.lock().expect("not poisoned"), [id]);
    let listed = rig
        .sessions
        .list(Default::default())
        .await
        .expect("listed")
        .sessions;
    assert_eq!(listed.len(), 0);

    let code = |error: scorel_session::SessionError| error.code();
    let gone = ErrorCode::SessionNotFound;
    assert_eq!(code(rig.sessions.get(id).await.expect_err("gone")), gone);
    assert_eq!(
        code(lane.mutate(message("two")).await.expect_err("gone")),
        gone
    );
    assert_eq!(code(lane.session().expect_err("gone")), gone);
    assert_eq!(
        code(lane.events(None, None, 1).await.expect_err("gone")),
        gone
    );
    assert_eq!(code(rig.sessions.delete(id).await.expect_err("gone")), gone);
}

#[tokio::test(start_paused = true)]
async fn a_session_can_be_deleted_right_after_its_turn_was_cancelled() {
    let rig = Rig::new();
    rig.sessions.list(Default::default()).await.expect("listed");
    for _ in 0..20 {
        let id = rig.session().await;
        let mut follower = rig.follow(id).await;
        rig.begin(id, "one").await;
        let call = rig.model().await;
        assert!(rig.lane(id).await.cancel(None));
        call.ended().await;
        follower.outcome().await;
        // The turn's task may still hold the lane.
        while let Err(error) = rig.sessions.delete(id).await {
            assert_eq!(error.code(), ErrorCode::AgentTaskBusy);
        }
    }
    rig.sessions.drain(std::time::Duration::from_secs(5)).await;
    let listed = rig
        .sessions
        .list(Default::default())
        .await
        .expect("listed")
        .sessions;
    assert_eq!(listed.len(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_session_that_cannot_be_moved_away_is_still_there() {
    let rig = Rig::new();
    let id = rig.session().await;
    rig.exchange(id, "one").await;
    // A directory that is not empty stands where the session is to be moved to.
    let in_the_way = rig.home().join("sessions").join(format!(".deleted-{id}"));
    fs::create_dir_all(in_the_way.join("x")).expect("writable");
    let refused = rig.sessions.delete(id).await.expect_err("refused");
    assert_eq!(refused.code(), ErrorCode::FilesystemError);
    rig.exchange(id, "two").await;
    rig.check(id).await;
    fs::remove_dir_all(in_the_way).expect("removed");
    rig.sessions.delete(id).await.expect("deleted");
}

#[tokio::test(start_paused = true)]
async fn a_deletion_that_a_crash_interrupted_is_finished_with_the_next_listing() {
    let rig = Rig::new();
    let (id, kept) = (rig.session().await, rig.session().await);
    let crashed = rig.crashed();
    let gone = crashed
        .home()
        .join("sessions")
        .join(format!(".deleted-{id}"));
    fs::rename(crashed.dir(id), &gone).expect("renamed");
    let listed = crashed
        .sessions
        .list(Default::default())
        .await
        .expect("listed")
        .sessions;
    assert_eq!(
        listed
            .iter()
            .map(|session| session.session_id)
            .collect::<Vec<_>>(),
        [kept]
    );
    assert!(!gone.exists());
}
