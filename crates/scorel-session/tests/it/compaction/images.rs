//! Conversations with images.

use scorel_proto::{Block, Message, SessionId};
use scorel_session::SendRequest;

use super::counted::{WINDOW, counted, next_call};
use super::{asks_for_summary, last_text};
use crate::rig::{Rig, message};
use crate::stage::ModelCall;

/// The head of a PNG of 640 x 480 pixels.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\x02\x80\0\0\x01\xe0\x08\x02\0\0\0";

/// A message with so many images.
async fn with_images(rig: &Rig, id: SessionId, text: &str, count: usize) -> SendRequest {
    let blob = rig.lane(id).await.blobs().put(PNG).expect("stored");
    let image = Block::Image {
        media_type: "image/png".to_owned(),
        blob,
    };
    let mut content = vec![Block::text(text)];
    content.extend(vec![image; count]);
    SendRequest {
        content,
        ..message(text)
    }
}

fn images(call: &ModelCall) -> usize {
    let of = |message: &Message| match message {
        Message::User(message) => {
            let is_image = |block: &&Block| matches!(block, Block::Image { .. });
            message.content.iter().filter(is_image).count()
        }
        _ => 0,
    };
    call.request.messages.iter().map(of).sum()
}

#[tokio::test(start_paused = true)]
async fn images_fit_into_a_small_window_turn_after_turn() {
    let rig = Rig::new();
    rig.plan(|plan| plan.window = Some(WINDOW));
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    let mut summaries = 0;
    for turn in 0..20 {
        let request = with_images(&rig, id, &format!("question-{turn}"), 3).await;
        rig.send(id, request).await.expect("accepted");
        let call = next_call(&rig, "pictures of a cat", &mut summaries).await;
        assert!((3..=15).contains(&images(&call)), "{}", images(&call));
        let usage = counted(&call.request);
        call.answer_counted("a cat", usage).await;
        assert_eq!(follower.outcome().await, "completed");
    }
    assert!((3..=10).contains(&summaries), "{summaries}");
    rig.check(id).await;
}

#[tokio::test(start_paused = true)]
async fn a_quotation_says_how_large_an_image_is() {
    let rig = Rig::new();
    let auxiliary = rig.script.model_named("small", 100_000);
    rig.plan(|plan| {
        plan.window = Some(WINDOW);
        plan.compaction.auxiliary = Some(auxiliary);
    });
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    for turn in 0..2 {
        let request = with_images(&rig, id, &format!("question-{turn}"), 7).await;
        rig.send(id, request).await.expect("accepted");
        rig.model().await.answer_uncounted("a cat").await;
        assert_eq!(follower.outcome().await, "completed");
    }
    rig.begin(id, &"x".repeat(12_000)).await;
    let call = rig.model().await;
    assert!(asks_for_summary(&call));
    assert_eq!(images(&call), 0);
    let quoted = last_text(&call).expect("a quotation");
    assert!(quoted.contains("question-0\n[image 640x480]\n"), "{quoted}");
    call.answer("pictures of a cat").await;
    let call = rig.model().await;
    assert_eq!(images(&call), 0, "they are in the summary");
    call.answer("done").await;
    assert_eq!(follower.outcome().await, "completed");
    rig.check(id).await;
}
