//! Old tool results that are shortened.

use scorel_proto::{Block, Message};

use super::states;
use crate::rig::Rig;

#[tokio::test(start_paused = true)]
async fn old_results_are_shortened_if_that_is_enough() {
    let rig = Rig::new();
    rig.plan(|plan| plan.window = Some(100_000));
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "read it all").await;
    // 16 results of 6,000 tokens are over the budget of 90,000.
    for step in 0..16 {
        let name = format!("c{step}");
        rig.model().await.tools_uncounted(&[(&name, "look")]).await;
        rig.tool()
            .await
            .end(&format!("{name} {}", "x".repeat(21_400)));
    }
    let call = rig.model().await;
    let removed = |message: &Message| match message {
        Message::ToolResult(message) => {
            Block::plain_text_of(&message.result().content).contains("were removed")
        }
        _ => false,
    };
    let shortened = call
        .request
        .messages
        .iter()
        .filter(|message| removed(message))
        .count();
    assert_eq!(shortened, 9, "the newest 40,000 tokens stay");
    call.answer("read").await;
    assert_eq!(follower.outcome().await, "completed");
    let log = rig.check(id).await;
    assert_eq!(log.only("context_trim")["keepChars"], 400);
    assert_eq!(states(&log), [""; 0]);
    // The next daemon builds the same context.
    let next = rig.restarted();
    next.begin(id, "and now").await;
    let again = next.model().await;
    let shortened = again
        .request
        .messages
        .iter()
        .filter(|message| removed(message));
    assert_eq!(shortened.count(), 9);
}
