//! What the user says to a turn whose conversation is being summarised.

use scorel_proto::{SendMessageResult, SessionId, WhileRunning};
use scorel_session::SendRequest;

use super::{Scene, WINDOW, asks_for_summary, last_text, long, outline};
use crate::follower::Follower;
use crate::rig::{Rig, message};
use crate::stage::ModelCall;

/// What a summary is told of the last words of the user that it covers.
const ANSWERED: &str = "that message is `answered`";

fn steer(text: &str) -> SendRequest {
    SendRequest {
        while_running: WhileRunning::Steer,
        ..message(text)
    }
}

async fn queued(rig: &Rig, id: SessionId, request: SendRequest) {
    let answer = rig.send(id, request).await.expect("accepted");
    assert!(
        matches!(answer, SendMessageResult::Queued { .. }),
        "{answer:?}"
    );
}

/// A turn of five steps, the second of which is steered from `steered`, up to its summary. The last
/// step stays.
async fn steered_turn(rig: &Rig, steered: usize, text: &str) -> (SessionId, Follower, ModelCall) {
    let id = rig.session().await;
    let follower = rig.follow(id).await;
    rig.begin(id, "read it all").await;
    for step in 0..5 {
        let name = format!("c{step}");
        rig.model().await.tools_uncounted(&[(&name, "look")]).await;
        let run = rig.tool().await;
        if step == steered {
            queued(rig, id, steer(text)).await;
        }
        run.end(&long(&name));
    }
    let call = rig.model().await;
    assert!(
        asks_for_summary(&call),
        "{:?}",
        outline(&call.request.messages)
    );
    (id, follower, call)
}

fn rig() -> Rig {
    let rig = Rig::new();
    rig.plan(|plan| plan.window = Some(WINDOW));
    rig
}

/// The text of all that a call reads before the last message.
fn covered(call: &ModelCall) -> String {
    let count = call.request.messages.len() - 1;
    format!("{:?}", call.request.messages.up_to(count))
}

#[tokio::test(start_paused = true)]
async fn a_steer_that_only_what_stays_answers_is_called_answered() {
    let rig = rig();
    let (id, mut follower, call) = steered_turn(&rig, 3, "use tabs").await;
    assert!(covered(&call).contains("use tabs"));
    let prompt = last_text(&call).expect("a prompt");
    assert!(prompt.contains(ANSWERED), "{prompt}");
    call.answer("- use tabs: answered").await;
    let call = rig.model().await;
    assert_eq!(
        outline(&call.request.messages),
        ["<system-reminder>", "read", "[call", "c4"],
        "the answer to the steer and its result stay"
    );
    call.answer("done").await;
    assert_eq!(follower.outcome().await, "completed");
    rig.check(id).await;
}

#[tokio::test(start_paused = true)]
async fn a_steer_whose_answer_is_seen_or_that_stays_needs_no_word() {
    for (steered, is_covered) in [(1, true), (4, false)] {
        let rig = rig();
        let (id, mut follower, call) = steered_turn(&rig, steered, "use tabs").await;
        assert_eq!(covered(&call).contains("use tabs"), is_covered);
        let prompt = last_text(&call).expect("a prompt");
        assert!(!prompt.contains(ANSWERED), "{prompt}");
        call.answer("so far").await;
        let call = rig.model().await;
        let after = format!("{:?}", call.request.messages);
        assert_eq!(after.contains("use tabs"), !is_covered, "{after}");
        call.answer("done").await;
        assert_eq!(follower.outcome().await, "completed");
        rig.check(id).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_quotation_shortens_results_and_never_the_steers_in_them() {
    let rig = rig();
    let auxiliary = rig.script.model_named("small", 100_000);
    rig.plan(|plan| plan.compaction.auxiliary = Some(auxiliary));
    let words = format!("begin {} end", "tabs ".repeat(500));
    let (_, mut follower, call) = steered_turn(&rig, 3, &words).await;
    let quoted = last_text(&call).expect("a quotation");
    assert!(quoted.contains(&words), "the steer is whole");
    assert!(!quoted.contains(&long("c3")), "the result is not");
    assert!(quoted.contains(ANSWERED));
    call.answer("all").await;
    rig.model().await.answer("done").await;
    assert_eq!(follower.outcome().await, "completed");
}

#[tokio::test(start_paused = true)]
async fn a_steer_during_the_summary_joins_the_next_call_and_a_message_the_next_turn() {
    let mut scene = Scene::with(4).await;
    let call = scene.one_too_many().await;
    queued(&scene.rig, scene.id, message("and then this")).await;
    queued(&scene.rig, scene.id, steer("use tabs")).await;
    call.answer("all").await;
    let call = scene.rig.model().await;
    let context = outline(&call.request.messages);
    assert_eq!(
        context.last().map(String::as_str),
        Some("use"),
        "{context:?}"
    );
    assert!(!context.contains(&"and".to_owned()), "{context:?}");
    call.answer_uncounted("done").await;
    assert_eq!(scene.follower.outcome().await, "completed");
    let call = scene.rig.model().await;
    let context = outline(&call.request.messages);
    assert_eq!(
        context.last().map(String::as_str),
        Some("and"),
        "{context:?}"
    );
    call.answer("that too").await;
    assert_eq!(scene.follower.outcome().await, "completed");
    let log = scene.rig.check(scene.id).await;
    let turns = log.all("turn_outcome").len();
    assert_eq!(turns, 6, "the steer had no turn of its own");
}
