//! Cost, limits and waiting, over real processes and sockets.

use std::time::{SystemTime, UNIX_EPOCH};

use scorel_testkit::{DaemonUnderTest, ModelServer, ScriptedChat, ScriptedResponse};
use serde_json::{Value, json};

use crate::under_test::{Watch, daemon, new_session, scorelctl, send};

/// Dollars per million tokens; an answer of 100 and 10 tokens costs 300 millionths.
const PRICE: &str = "[model.price]\ninput = 2\noutput = 10\n";
const ANSWER: u64 = 300;

fn answer(text: &str) -> ScriptedChat {
    let chat = ScriptedChat::default().text(text);
    chat.usage(100, 10).finish("stop")
}

fn limited(headers: &[(&str, &str)]) -> ScriptedResponse {
    let body = r#"{"error":{"message":"slow down","type":"rate_limit_error"}}"#;
    let response = ScriptedResponse::json(429, body);
    let add =
        |response: ScriptedResponse, (name, value): &(&str, &str)| response.header(*name, *value);
    headers.iter().fold(response, add)
}

async fn json_of(daemon: &DaemonUnderTest, arguments: &[&str]) -> Value {
    let output = scorelctl(daemon, arguments, &[]).await;
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[tokio::test]
async fn a_long_rate_limit_is_waited_for_until_a_client_ends_the_wait() {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let far = (now.as_secs() + 5 * 3600).to_string();
    for headers in [
        vec![("retry-after", "120")],
        vec![
            ("anthropic-ratelimit-unified-status", "rejected"),
            ("anthropic-ratelimit-unified-reset", far.as_str()),
        ],
        vec![
            ("x-ratelimit-remaining-tokens", "0"),
            ("x-ratelimit-reset-tokens", "6m0s"),
            ("x-should-retry", "false"),
        ],
    ] {
        let model = ModelServer::start().await.unwrap();
        model.answer(limited(&headers));
        model.answer(answer("patience"));
        let mut daemon = daemon(&model, "").await;
        let (client, id) = new_session(&daemon).await;
        let mut watch = Watch::from_start(&client, id).await;
        send(&client, id, "go").await;
        let waiting = watch.until("turn_waiting").await.pop().unwrap();
        assert_eq!(waiting["kind"], "rate_limit", "{waiting}");
        let wait = waiting["until"].as_u64().unwrap() - waiting["ts"].as_u64().unwrap();
        assert!(wait >= 100_000, "{wait} for {headers:?}");
        let shown = scorelctl(&daemon, &["show"], &[]).await;
        let shown = String::from_utf8([shown.stdout, shown.stderr].concat()).unwrap();
        assert!(shown.contains("waiting until "), "{shown}");
        // Killed meanwhile: the next daemon waits on.
        daemon.kill().await;
        daemon.spawn().await;
        let client = crate::under_test::connect(&daemon.socket()).await;
        let mut watch = Watch::from_start(&client, id).await;
        let session = crate::under_test::session(&client, id).await;
        assert_eq!(session.phase, scorel_proto::Phase::Waiting);
        assert_eq!(model.requests().len(), 1);
        let ended = json_of(&daemon, &["--json", "end-wait"]).await;
        assert!(ended["seq"].is_u64(), "{ended}");
        let events = watch.until("turn_outcome").await;
        assert_eq!(events.last().unwrap()["reason"], "completed");
        assert_eq!(model.requests().len(), 2, "one further request");
        let late = scorelctl(&daemon, &["end-wait"], &[]).await;
        assert_eq!(late.status.code(), Some(3), "{late:?}");
    }
}

#[tokio::test]
async fn sixty_seconds_are_a_retry_and_seven_hours_an_error() {
    let model = ModelServer::start().await.unwrap();
    model.answer(limited(&[("retry-after", "60")]));
    model.answer(limited(&[("retry-after", "25200")]));
    let daemon = daemon(&model, "").await;
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    send(&client, id, "go").await;
    let retry = watch.until("model_retry").await.pop().unwrap();
    assert_eq!(retry["error"]["code"], "rate_limit");
    scorelctl(&daemon, &["cancel"], &[]).await;
    watch.until("turn_outcome").await;
    send(&client, id, "again").await;
    let outcome = watch.until("turn_outcome").await.pop().unwrap();
    assert_eq!(outcome["error"]["code"], "rate_limit", "{outcome}");
    let ahead = outcome["error"]["resetsAt"].as_u64().unwrap() - outcome["ts"].as_u64().unwrap();
    assert!((25_190_000..=25_200_000).contains(&ahead), "{ahead}");
}

#[tokio::test]
async fn usage_is_the_sum_of_the_models_numbers_also_after_a_crash_and_a_deletion() {
    let model = ModelServer::start().await.unwrap();
    let mut daemon = daemon(&model, PRICE).await;
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    let asks = ScriptedChat::default().tool_call("c1", "Glob", r#"{"pattern":"*"}"#);
    model.answer(asks.usage(100, 10).finish("tool_calls"));
    model.answer(answer("done"));
    send(&client, id, "go").await;
    let outcome = watch.until("turn_outcome").await.pop().unwrap();
    assert_eq!(outcome["cost"]["microUsd"], 2 * ANSWER, "{outcome}");
    let sum = |usage: &Value| {
        let total = &usage["total"];
        let cost = total["cost"]["microUsd"].as_u64().unwrap();
        (total["calls"].as_u64().unwrap(), cost)
    };
    let by_day = ["--json", "usage"];
    assert_eq!(sum(&json_of(&daemon, &by_day).await), (2, 2 * ANSWER));
    model.answer(answer("more"));
    send(&client, id, "more").await;
    watch.until("turn_outcome").await;
    daemon.kill().await;
    daemon.spawn().await;
    assert_eq!(sum(&json_of(&daemon, &by_day).await), (3, 3 * ANSWER));
    let models = json_of(&daemon, &["--json", "usage", "--by", "model"]).await;
    assert_eq!(models["rows"].as_array().unwrap().len(), 1, "{models}");
    let params = json!({ "sessionId": id }).to_string();
    json_of(&daemon, &["--json", "call", "deleteSession", &params]).await;
    assert_eq!(sum(&json_of(&daemon, &by_day).await), (3, 3 * ANSWER));
    let table = scorelctl(&daemon, &["usage", "--by", "project"], &[]).await;
    let table = String::from_utf8(table.stdout).unwrap();
    assert!(table.contains("$0.0009"), "{table}");
}

/// A turn, a title and a summary, by two models of one endpoint; only one of them has a price.
#[tokio::test]
async fn each_model_is_one_row_and_has_its_own_price() {
    let model = ModelServer::start().await.unwrap();
    // It names each of them `test-model`.
    model.fallback(answer("Yes."));
    let more = format!("{PRICE}[auxiliary]\nmodel = \"aux\"\n[compaction]\nkeepTokens = 0\n");
    let daemon = daemon(&model, &more).await;
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    send(&client, id, "go").await;
    watch.until("auxiliary_usage").await;
    let output = scorelctl(&daemon, &["send", "--model", "cheap", "more"], &[]).await;
    assert!(output.status.success(), "{output:?}");
    let output = scorelctl(&daemon, &["compact"], &[]).await;
    assert!(output.status.success(), "{output:?}");
    let usage = json_of(&daemon, &["--json", "usage", "--by", "model"]).await;
    let rows = usage["rows"].as_array().unwrap().iter();
    let rows: Vec<_> = rows
        .map(|row| {
            let key = row["key"].as_str().unwrap();
            (
                key,
                &row["calls"],
                &row["cost"]["microUsd"],
                &row["cost"]["unpriced"],
            )
        })
        .collect();
    let (one, two, cost, free) = (json!(1), json!(2), json!(ANSWER), json!(0));
    let expected = [
        ("test:test-model", &one, &cost, &Value::Null),
        ("test:aux", &two, &free, &json!(220)),
        ("test:cheap", &one, &free, &json!(110)),
    ];
    assert_eq!(rows, expected, "{usage}");
}

#[tokio::test]
async fn every_limit_of_cost_ends_a_turn_with_its_code() {
    // Without a price of the input, so that the estimate of a request does not reach the limit.
    let price = "[model.price]\ninput = 0\noutput = 30\n";
    let (anew, never) = ("the next message goes on", "every message ends here");
    for (limits, code, next) in [
        ("maxTurnCost = 0.0002", "turn_cost", anew),
        ("maxSessionCost = 0.0002", "session_cost", never),
        ("maxDayCost = 0.0002", "day_cost", never),
        ("maxTurnTokens = 110", "tokens", anew),
        ("maxSteps = 1", "steps", anew),
    ] {
        let model = ModelServer::start().await.unwrap();
        let daemon = daemon(&model, &format!("{price}[runtime]\n{limits}\n")).await;
        let (client, id) = new_session(&daemon).await;
        let mut watch = Watch::from_start(&client, id).await;
        let asks = ScriptedChat::default().tool_call("c1", "Glob", r#"{"pattern":"*"}"#);
        model.answer(asks.usage(100, 10).finish("tool_calls"));
        send(&client, id, "go").await;
        let outcome = watch.until("turn_outcome").await.pop().unwrap();
        assert_eq!(outcome["reason"], "limit", "{limits}: {outcome}");
        assert_eq!(outcome["error"]["code"], code, "{outcome}");
        let hint = outcome["error"]["hint"].as_str().unwrap();
        let key = limits.split(' ').next().unwrap();
        assert!(hint.contains(&format!("`runtime.{key}`")), "{hint}");
        assert!(hint.contains(next), "{hint}");
        assert_eq!(model.requests().len(), 1, "{limits}");
    }
    let model = ModelServer::start().await.unwrap();
    let daemon = daemon(&model, "[runtime]\nmaxDayCost = 5\n").await;
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    send(&client, id, "go").await;
    let outcome = watch.until("turn_outcome").await.pop().unwrap();
    assert_eq!(outcome["reason"], "error");
    assert_eq!(outcome["error"]["code"], "cost_unknown");
    assert_eq!(model.requests().len(), 0);
}
