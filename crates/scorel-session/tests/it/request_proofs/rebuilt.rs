//! Requests that are built again from a log in which much has happened.

use scorel_engine::{HookChain, Hooks, Moment, MomentAnswer};
use scorel_proto::{ContextOp, HookPoint, Message, PersistentBody, PersistentEvent, SessionId};
use scorel_transfer::audit::Difference;

use crate::compaction::{WINDOW, asks_for_summary, long};
use crate::rig::Rig;
use crate::travel;

/// Puts another word in the place of a key.
#[derive(Debug)]
struct Redacts;

impl Hooks for Redacts {
    fn name(&self) -> &str {
        "redact"
    }

    fn attends(&self, point: HookPoint) -> bool {
        point == HookPoint::Send
    }

    fn at(&self, moment: &Moment) -> futures_util::future::BoxFuture<'static, MomentAnswer> {
        let with = moment.messages.iter().filter(|it| it.text.contains("K3Y"));
        let edits =
            with.map(|it| ContextOp::replace(it.event_id, it.text.replace("K3Y", "[gone]")));
        let answer = MomentAnswer {
            edits: edits.collect(),
            ..MomentAnswer::default()
        };
        Box::pin(std::future::ready(answer))
    }
}

/// Checks that each request of the session is what its answer says. Their number.
fn all_match(rig: &Rig, id: SessionId) -> usize {
    let lines = rig.audit(id);
    for line in &lines {
        assert!(line.proof.matches, "{:?}: {:?}", line.event_id, line.proof);
    }
    lines.len()
}

#[tokio::test(start_paused = true)]
async fn with_edits_of_hooks_and_steers() {
    let rig = Rig::new();
    rig.plan(|plan| plan.hooks = HookChain::new(vec![std::sync::Arc::new(Redacts)]));
    let id = rig.run().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "use K3Y").await;
    rig.model().await.tools(&[("c1", "look")]).await;
    rig.steer(id, "not K3Y but another").await;
    rig.tool().await.end("found K3Y");
    rig.model().await.answer("done").await;
    assert_eq!(follower.outcome().await, "completed");
    assert_eq!(rig.check(id).await.all("context_edit").len(), 2);
    assert_eq!(all_match(&rig, id), 2);
}

#[tokio::test(start_paused = true)]
async fn with_results_that_were_shortened() {
    let rig = Rig::new();
    rig.plan(|plan| plan.window = Some(100_000));
    let id = rig.run().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "read it all").await;
    for step in 0..16 {
        let name = format!("c{step}");
        rig.model().await.tools_uncounted(&[(&name, "look")]).await;
        let text = format!("{name} {}", "x".repeat(21_400));
        rig.tool().await.end(&text);
    }
    rig.model().await.answer("read").await;
    assert_eq!(follower.outcome().await, "completed");
    rig.check(id).await.only("context_trim");
    assert_eq!(all_match(&rig, id), 17);
}

#[tokio::test(start_paused = true)]
async fn after_a_summary_a_way_back_and_another_daemon() {
    let rig = Rig::new();
    rig.plan(|plan| plan.window = Some(WINDOW));
    let id = rig.run().await;
    let mut follower = rig.follow(id).await;
    for number in 0..4 {
        rig.begin(id, &long(&number.to_string())).await;
        rig.model().await.answer_uncounted("yes").await;
        assert_eq!(follower.outcome().await, "completed");
    }
    rig.begin(id, &long("last")).await;
    let call = rig.model().await;
    assert!(asks_for_summary(&call));
    call.answer("they said yes").await;
    rig.model().await.answer("yes").await;
    assert_eq!(follower.outcome().await, "completed");
    rig.check(id).await.only("compact");
    assert_eq!(all_match(&rig, id), 5, "a summary is no call of the run");
    let next = rig.restarted();
    let kept = travel::leaf(&next, id).await;
    next.exchange(id, "a way that leads nowhere").await;
    let now = travel::leaf(&next, id).await;
    let back = travel::rewind(&next, id, kept, now).await;
    back.expect("it goes back");
    next.exchange(id, "another way").await;
    next.check(id).await.only("rewind");
    assert_eq!(all_match(&next, id), 7);
}

#[tokio::test(start_paused = true)]
async fn a_byte_that_was_changed_is_found_where_it_is() {
    let rig = Rig::new();
    let id = rig.run().await;
    for text in ["first", "second", "third"] {
        rig.exchange(id, text).await;
    }
    rig.check(id).await;
    let events = rig.events(id);
    let is_second = |event: &&mut PersistentEvent| match &event.body {
        PersistentBody::Message(body) => body.message == Message::user("second"),
        _ => false,
    };
    let mut changed = events.clone();
    let event = changed.iter_mut().find(is_second).expect("it is there");
    let changed_id = event.id;
    if let PersistentBody::Message(body) = &mut event.body {
        body.message = Message::user("Second");
    }
    let lines = rig.audit_of(id, &changed);
    assert!(lines[0].proof.matches, "it is before");
    for line in &lines[1..] {
        let [
            Difference::Messages {
                first, event_ids, ..
            },
        ] = &line.proof.differences[..]
        else {
            panic!("{:?}", line.proof);
        };
        assert_eq!(
            (*first, event_ids[1]),
            (1, changed_id),
            "behind what is proved"
        );
    }
    let mut changed = events;
    for event in &mut changed {
        if let PersistentBody::InstructionSnapshot(body) = &mut event.body {
            body.parts[0].text.push('.');
        }
    }
    for line in rig.audit_of(id, &changed) {
        assert!(
            line.proof.differences.contains(&Difference::System),
            "{:?}",
            line.proof
        );
    }
}
