//! Messages that are too large for a record.

use scorel_proto::{Block, Message, SessionId, StopReason};
use serde_json::Value;

use crate::rig::{Rig, message};

/// More than fits into a record, in pieces as a model says it.
fn pieces() -> Vec<String> {
    (0..5)
        .map(|number| format!("{number}é").repeat(350_000))
        .collect()
}

/// The text of the blob that a block names.
async fn content(rig: &Rig, id: SessionId, block: &Value) -> String {
    let lane = rig.lane(id).await;
    let hash = block["sha256"].as_str().expect("a blob");
    let hash = hash.parse().expect("a hash");
    let bytes = lane.blobs().get(&hash).expect("stored");
    assert_eq!(block["size"], bytes.len());
    let preview = block["preview"].as_str().expect("a preview");
    assert!(preview.len() > 1000 && bytes.starts_with(preview.as_bytes()));
    String::from_utf8(bytes.to_vec()).expect("text")
}

#[tokio::test(start_paused = true)]
async fn a_long_answer_becomes_a_blob_and_the_model_gets_its_beginning() {
    let rig = Rig::new();
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "one").await;
    let call = rig.model().await;
    for piece in pieces() {
        call.text(&piece).await;
    }
    call.text_in(1, "The end.").await;
    call.done(StopReason::EndTurn).await;
    assert_eq!(follower.outcome().await, "completed");
    let log = rig.check(id).await;
    let blocks = &log.only("assistant")["message"]["content"];
    assert_eq!(content(&rig, id, &blocks[0]).await, pieces().concat());
    assert_eq!(blocks[1]["text"], "The end.", "what fits stays");

    rig.begin(id, "two").await;
    let call = rig.model().await;
    let Message::Assistant(said) = &call.request.messages[1] else {
        panic!("{:?}", call.request.messages[1].role());
    };
    assert!(matches!(&said.content[0], Block::Blob { preview, .. } if preview.starts_with("0é")));
    call.answer("2").await;
    assert_eq!(follower.outcome().await, "completed");
}

#[tokio::test(start_paused = true)]
async fn a_long_result_of_a_tool_becomes_a_blob() {
    let rig = Rig::new();
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "one").await;
    rig.model().await.tools(&[("c1", "look")]).await;
    rig.tool().await.end(&pieces().concat());
    rig.model().await.answer("seen").await;
    assert_eq!(follower.outcome().await, "completed");
    let log = rig.check(id).await;
    let result = &log.only("tool_result")["message"]["content"][0];
    assert_eq!(
        content(&rig, id, &result["content"][0]).await,
        pieces().concat()
    );
}

#[tokio::test(start_paused = true)]
async fn all_shown_text_of_a_long_answer_survives_a_crash() {
    let rig = Rig::new();
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "one").await;
    let call = rig.model().await;
    for piece in pieces() {
        call.text(&piece).await;
        follower.until("text_delta").await;
    }
    let crashed = rig.crashed();
    crashed.lane(id).await;
    let log = crashed.check(id).await;
    assert_eq!(log.reasons(), ["interrupted"]);
    let kept = &log.only("assistant")["message"];
    assert_eq!(kept["partial"], true);
    let text = content(&crashed, id, &kept["content"][0]).await;
    assert_eq!(text, pieces().concat());
}

#[tokio::test(start_paused = true)]
async fn a_message_that_no_record_can_hold_is_refused() {
    let rig = Rig::new();
    let id = rig.session().await;
    let refused = rig.send(id, message(&pieces().concat())).await;
    let refused = refused.expect_err("too large");
    assert_eq!(refused.code(), scorel_proto::ErrorCode::PayloadTooLarge);
    rig.exchange(id, "less").await;
    rig.check(id).await;
}
