//! A step whose results alone are larger than the window, and what is tried after compactions in vain.

use scorel_proto::{Block, Message};

use super::counted::{WINDOW, counted, filled};
use super::{Scene, asks_for_summary, long, states};
use crate::rig::Rig;
use crate::stage::{ModelCall, overflow, provider_error};

const CALLS: [(&str, &str); 3] = [("c0", "look"), ("c1", "look"), ("c2", "look")];

/// The results that a call was sent.
fn results(call: &ModelCall) -> Vec<String> {
    let text = |message: &Message| match message {
        Message::ToolResult(message) => Some(Block::plain_text_of(&message.result().content)),
        _ => None,
    };
    call.request.messages.iter().filter_map(text).collect()
}

/// Ends each of the calls with a text of so many tokens; they run in any order.
async fn end_each(rig: &Rig, tokens: u64) {
    for _ in CALLS {
        let run = rig.tool().await;
        let name = run.call.id.clone();
        let middle = filled("One line of it. ", tokens);
        run.end(&format!("{name} begins {middle} {name} ends"));
    }
}

/// Three results of 10,000 tokens in a window of 32,768.
#[tokio::test(start_paused = true)]
async fn results_that_alone_exceed_the_window_are_shortened() {
    for counts in [true, false] {
        let rig = Rig::new();
        rig.plan(|plan| plan.window = Some(WINDOW));
        let id = rig.session().await;
        let mut follower = rig.follow(id).await;
        rig.begin(id, "read them").await;
        let call = rig.model().await;
        match counts {
            true => {
                let usage = counted(&call.request);
                call.tools_counted(&CALLS, usage).await;
            }
            false => call.tools_uncounted(&CALLS).await,
        }
        end_each(&rig, 10_000).await;
        let call = rig.model().await;
        assert!(!asks_for_summary(&call), "{:?}", call.request);
        counted(&call.request);
        let shortened = results(&call);
        for (result, (name, _)) in shortened.iter().zip(CALLS) {
            assert!(result.starts_with(&format!("{name} begins")), "{result}");
            assert!(result.ends_with(&format!("{name} ends")), "{result}");
            let words = "characters of this result were removed to save room. To read them, ask";
            assert!(result.contains(words), "{result}");
            assert!(result.len() > 4_000, "{}", result.len());
        }
        call.answer_uncounted("read").await;
        assert_eq!(follower.outcome().await, "completed");
        let log = rig.check(id).await;
        assert_eq!(log.all("context_trim").len(), 1);
        assert_eq!(states(&log), [""; 0]);
        // The next daemon sends the same bytes.
        let next = rig.restarted();
        next.begin(id, "and now").await;
        assert_eq!(results(&next.model().await), shortened);
    }
}

/// The endpoint's window is half of what it is said to be.
#[tokio::test(start_paused = true)]
async fn results_are_shortened_for_an_endpoint_that_takes_less_than_it_says() {
    let rig = Rig::new();
    rig.plan(|plan| plan.window = Some(WINDOW));
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "read them").await;
    rig.model().await.tools_uncounted(&CALLS).await;
    end_each(&rig, 5_000).await;
    let call = rig.model().await;
    let whole = results(&call).concat().len();
    call.fail(overflow()).await;
    let call = rig.model().await;
    assert!(!asks_for_summary(&call), "there is nothing before the step");
    assert!(results(&call).concat().len() < whole / 2);
    call.answer_uncounted("read").await;
    assert_eq!(follower.outcome().await, "completed");
    rig.check(id).await;
}

#[tokio::test(start_paused = true)]
async fn results_that_have_room_stay_as_they_are() {
    let rig = Rig::new();
    rig.plan(|plan| plan.window = Some(WINDOW));
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "read them").await;
    rig.model().await.tools_uncounted(&CALLS).await;
    end_each(&rig, 7_000).await;
    let call = rig.model().await;
    assert!(!results(&call).concat().contains("were removed"));
    call.answer_uncounted("read").await;
    assert_eq!(follower.outcome().await, "completed");
    assert_eq!(rig.check(id).await.all("context_trim").len(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_new_turn_compacts_once_after_compactions_in_vain() {
    let mut scene = Scene::with(4).await;
    for text in [&long("last"), "short", "shorter"] {
        scene.rig.begin(scene.id, text).await;
        let call = scene.rig.model().await;
        assert!(asks_for_summary(&call), "{text}");
        call.fail(provider_error(false)).await;
        scene.rig.model().await.tools_uncounted(&CALLS[..1]).await;
        scene.rig.tool().await.end("seen");
        // Two were in vain, or one: only then the same turn tries again.
        let mut call = scene.rig.model().await;
        if asks_for_summary(&call) {
            call.fail(provider_error(false)).await;
            call = scene.rig.model().await;
        }
        assert!(!asks_for_summary(&call), "{text}: not for ever");
        call.answer_uncounted("done").await;
        assert_eq!(scene.follower.outcome().await, "completed");
    }
    scene.rig.begin(scene.id, "at last").await;
    let call = scene.rig.model().await;
    assert!(asks_for_summary(&call));
    call.answer("all").await;
    scene.rig.model().await.answer_uncounted("done").await;
    assert_eq!(scene.follower.outcome().await, "completed");
    let log = scene.rig.check(scene.id).await;
    assert_eq!(log.all("compact").len(), 1);
    assert_eq!(states(&log).len(), 2 * 4 + 1, "{:?}", states(&log));
}
