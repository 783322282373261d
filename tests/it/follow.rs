//! Clients that come and go see the same.

use scorel_testkit::{ChatAnswer, DaemonUnderTest, ModelServer};
use serde_json::Value;

use crate::under_test::{SCORELD, Watch, connect, new_session, send};

fn events(items: Vec<Value>) -> Vec<Value> {
    items
        .into_iter()
        .filter(|item| item["seq"].is_u64())
        .collect()
}

#[tokio::test]
async fn a_client_dropped_at_any_event_gets_exactly_the_rest() {
    let model = ModelServer::start().await.unwrap();
    let words: Vec<String> = (0..30).map(|number| format!("word{number} ")).collect();
    let answer = words
        .iter()
        .fold(ChatAnswer::default(), |answer, word| answer.text(word));
    model.answer(answer.finish("stop").usage(1, 1));
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure_model(&model.base_url());
    daemon.spawn().await;
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    send(&client, id, "Count.").await;
    let whole = events(watch.until("turn_outcome").await);
    for cut in 1..whole.len() {
        let (had, missed) = whole.split_at(cut);
        let stream = had.last().unwrap()["seq"].as_u64();
        let persistent = had.iter().filter(|event| event["prev"].is_u64());
        let persistent = persistent.filter_map(|event| event["seq"].as_u64()).max();
        let other = connect(&daemon.socket()).await;
        let mut resumed = Watch::from(&other, id, persistent, stream).await;
        let items = resumed.until("sync_end").await;
        assert_eq!(items[0]["mode"], "stream_resume");
        assert_eq!(events(items), missed, "after event {cut}");
    }
}

#[tokio::test]
async fn two_watchers_see_the_same_bytes() {
    let daemon = DaemonUnderTest::start(SCORELD).await;
    let (client, id) = new_session(&daemon).await;
    let other = connect(&daemon.socket()).await;
    let mut one = Watch::from_start(&client, id).await;
    let mut two = Watch::from_start(&other, id).await;
    send(&client, id, "Hello?").await;
    let one = events(one.until("turn_outcome").await);
    assert_eq!(one, events(two.until("turn_outcome").await));
    assert!(one.len() > 20);
}

#[tokio::test]
async fn a_late_watcher_gets_the_log_and_what_is_open() {
    let daemon = DaemonUnderTest::start(SCORELD).await;
    let (client, id) = new_session(&daemon).await;
    let mut early = Watch::from_start(&client, id).await;
    send(&client, id, "Hello?").await;
    let begun = early.until("text_delta").await;
    let mut late = Watch::from_start(&client, id).await;
    let caught_up = late.until("sync_end").await;
    assert_eq!(caught_up[0]["mode"], "full_reload");
    let open = caught_up
        .iter()
        .find(|item| item["type"] == "in_flight")
        .unwrap();
    let message = &open["inFlight"]["messages"][0];
    let start = begun
        .iter()
        .find(|event| event["type"] == "message_start")
        .unwrap();
    assert_eq!(message["eventId"], start["eventId"]);
    let through = caught_up.last().unwrap()["throughSeq"].as_u64().unwrap();
    let mut rest = events(early.until("turn_outcome").await);
    rest.retain(|event| event["seq"].as_u64().unwrap() > through);
    assert_eq!(events(late.until("turn_outcome").await), rest);
}
