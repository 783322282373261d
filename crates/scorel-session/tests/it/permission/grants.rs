//! Answers that hold for more than one call.

use scorel_engine::Question;
use scorel_proto::PermissionDecision;
use scorel_session::SessionError;

use super::{asking, decision, go_on, next, question, request, respond};
use crate::log::text;

#[tokio::test(start_paused = true)]
async fn a_grant_for_the_session_holds_after_a_restart_too() {
    let (rig, id, _) = asking(question()).await;
    let asked = request(&rig, id).await;
    let mut follower = rig.follow(id).await;
    let session = decision(asked.request_id, PermissionDecision::Session);
    respond(&rig, id, session).await.expect("taken");
    rig.tool().await.end("written");
    rig.tool().await.end("seen");
    rig.model().await.tools(&[("c3", "write")]).await;
    rig.tool().await.end("written");
    rig.model().await.answer("done").await;
    assert_eq!(follower.outcome().await, "completed");

    let again = next(&rig);
    let mut follower = again.follow(id).await;
    again.begin(id, "more").await;
    again.model().await.tools(&[("c4", "write")]).await;
    again.tool().await.end("written");
    again.model().await.answer("done").await;
    assert_eq!(follower.outcome().await, "completed");
    let log = again.check(id).await;
    assert_eq!(log.all("permission_request").len(), 1);
    let other = again.session().await;
    again.begin(other, "go").await;
    let mut follower = again.follow(other).await;
    again.model().await.tools(&[("c5", "write")]).await;
    follower.until("permission_request").await;
}

#[tokio::test(start_paused = true)]
async fn a_lasting_grant_is_stored_before_it_is_published() {
    let (rig, id, _) = asking(question()).await;
    let asked = request(&rig, id).await;
    let always = || decision(asked.request_id, PermissionDecision::Always);
    rig.plan(|plan| plan.no_grants = Some(std::io::ErrorKind::StorageFull));
    let failed = respond(&rig, id, always()).await;
    assert!(
        matches!(failed, Err(SessionError::Filesystem(_))),
        "{failed:?}"
    );
    assert_eq!(request(&rig, id).await, asked, "it is still open");
    rig.plan(|plan| plan.no_grants = None);
    let mut follower = rig.follow(id).await;
    respond(&rig, id, always()).await.expect("taken");
    assert_eq!(*rig.script.allowed_always.lock().unwrap(), ["write(*)"]);
    assert_eq!(go_on(&rig, &mut follower).await, "completed");
}

#[tokio::test(start_paused = true)]
async fn a_question_without_rules_can_be_allowed_only_once() {
    let every_time = Question {
        rules: Vec::new(),
        ..question()
    };
    let (rig, id, _) = asking(every_time).await;
    let asked = request(&rig, id).await;
    for lasting in [PermissionDecision::Session, PermissionDecision::Always] {
        let refused = respond(&rig, id, decision(asked.request_id, lasting)).await;
        assert!(
            matches!(refused, Err(SessionError::InvalidParams(_))),
            "{refused:?}"
        );
    }
    assert_eq!(request(&rig, id).await, asked);
}

#[tokio::test(start_paused = true)]
async fn rules_for_the_session_are_not_granted_always() {
    let narrow = Question {
        session_only: true,
        ..question()
    };
    let (rig, id, _) = asking(narrow).await;
    let asked = request(&rig, id).await;
    assert!(asked.session_only);
    let always = decision(asked.request_id, PermissionDecision::Always);
    let refused = respond(&rig, id, always).await;
    assert!(
        matches!(refused, Err(SessionError::InvalidParams(_))),
        "{refused:?}"
    );
    assert!(rig.script.allowed_always.lock().unwrap().is_empty());
    let session = decision(asked.request_id, PermissionDecision::Session);
    respond(&rig, id, session).await.expect("taken");
    let log = rig.follow(id).await;
    assert_eq!(log.view.state.allowed, ["write(*)"]);
}

#[tokio::test(start_paused = true)]
async fn once_allows_one_call_and_the_next_one_like_it_is_asked_about() {
    let (rig, id, _) = asking(question()).await;
    let asked = request(&rig, id).await;
    let mut follower = rig.follow(id).await;
    let once = decision(asked.request_id, PermissionDecision::Once);
    respond(&rig, id, once).await.expect("taken");
    rig.tool().await.end("written");
    rig.tool().await.end("seen");
    rig.model().await.tools(&[("c3", "write")]).await;
    let next = follower.until("permission_request").await;
    assert_eq!(text(&next, "toolCallId"), "c3");
    let next = request(&rig, id).await;
    let deny = decision(next.request_id, PermissionDecision::Deny);
    respond(&rig, id, deny).await.expect("taken");
    rig.model().await.answer("done").await;
    assert_eq!(follower.outcome().await, "completed");
}

#[tokio::test(start_paused = true)]
async fn a_grant_for_the_session_holds_in_it_and_nowhere_else() {
    let (rig, id, _) = asking(question()).await;
    let asked = request(&rig, id).await;
    let mut follower = rig.follow(id).await;
    let granted = decision(asked.request_id, PermissionDecision::Session);
    respond(&rig, id, granted).await.expect("taken");
    assert_eq!(go_on(&rig, &mut follower).await, "completed");
    let kept = rig
        .script
        .allowed_always
        .lock()
        .expect("not poisoned")
        .len();
    assert_eq!(kept, 0, "the project keeps nothing");

    rig.begin(id, "again").await;
    rig.model().await.tools(&[("c3", "write")]).await;
    rig.tool().await.end("written unasked");
    rig.model().await.answer("done").await;
    assert_eq!(follower.outcome().await, "completed");

    let other = rig.session().await;
    let mut follower = rig.follow(other).await;
    rig.begin(other, "go").await;
    rig.model().await.tools(&[("c1", "write")]).await;
    follower.until("permission_request").await;
}
