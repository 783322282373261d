//! A turn on a long conversation.

use scorel_testkit::{DaemonUnderTest, ModelServer, ResponseGate, ScriptedChat, ScriptedResponse};
use serde_json::{Value, json};

use crate::under_test::{SCORELD, Watch, connect, create_session, indexed, message, send, session};

const KIB: u64 = 1024;

/// The text of one message: below the limit of a record, and above what an allocator keeps.
const MESSAGE_BYTES: usize = 3 << 20;
const MESSAGES: usize = 10;

/// What the daemon may take in all: the context as its window, as the body of the request, and once
/// more, and room for everything else.
const FACTOR: u64 = 3;
const SLACK_KIB: u64 = 32 * KIB;

/// The configuration of each wire.
pub(super) const APIS: [&str; 4] = [
    "openai-completions",
    "openai-responses",
    "anthropic-messages",
    "google-generative-ai",
];

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_takes_at_most_three_times_its_context() {
    let model = ModelServer::start().await.unwrap();
    model.fallback(ScriptedChat::default().text("Yes.").finish("stop"));
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure(&configuration(APIS[0], &model.base_url()));
    daemon.spawn().await;
    let client = connect(&daemon.socket()).await;
    let id = create_session(&client, &daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    let text = "a long line of text, as in a file \n".repeat(MESSAGE_BYTES / 35);
    for _ in 0..MESSAGES {
        send(&client, id, &text).await;
        watch.until("turn_outcome").await;
    }
    daemon.stop().await;
    for api in APIS {
        daemon.configure(&configuration(api, &model.base_url()));
        daemon.spawn().await;
        let client = connect(&daemon.socket()).await;
        // So that its work is not measured.
        indexed(&daemon).await;
        // The session is loaded, and the window is not.
        let last = session(&client, id).await.last_persistent_seq;
        let gate = ResponseGate::new();
        let refusal = json!({"error": {"message": "not today"}}).to_string();
        model.answer(ScriptedResponse::json(400, refusal).hold(&gate));
        // From here on: the pages of the whole log would still count.
        let mut watch = Watch::from(&client, id, Some(last.get()), None).await;
        // In this order: memory that is given back between the two would make the peak the smaller one.
        daemon.reset_peak();
        let before = daemon.resident_kib();
        client
            .call::<scorel_proto::SendMessage>(&message(id, "go on"))
            .await
            .unwrap();
        gate.reached().await;
        let peak = daemon.peak_kib() - before;
        gate.open();
        watch.until("turn_outcome").await;
        let body = model.requests().last().unwrap().body.len() as u64 / KIB;
        println!("{api}: a request of {body} KiB took {peak} KiB");
        assert!(body * KIB > (MESSAGES * MESSAGE_BYTES) as u64 * 9 / 10);
        assert!(peak <= FACTOR * body + SLACK_KIB, "{api}: {peak} KiB");
        daemon.stop().await;
    }
}

pub(super) fn configuration(api: &str, base_url: &str) -> String {
    let value = |text: &str| Value::from(text).to_string();
    format!(
        "[model]\ntype = \"custom\"\nprovider = \"test\"\nid = \"m\"\napi = {}\nbaseUrl = {}\n\
         contextWindow = 100000000\n",
        value(api),
        value(base_url)
    )
}
