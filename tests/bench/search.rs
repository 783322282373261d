//! What a large index costs turns while it is made, and how fast it answers.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use scorel_journal::{Durability, FileStorage, Journal};
use scorel_proto::SessionId;
use scorel_testkit::{ScriptedResponse, SeededDice, runs};
use serde_json::{Value, json};

use crate::bench_client::BenchClient;
use crate::bench_daemon::{BenchDaemon, send_message};
use crate::figure::{Figure, Goal, rounded};
use crate::samples::Samples;

/// Turns whose median is compared.
const TURNS: usize = 60;

const QUERIES: [&str; 6] = [
    "word7",
    "word7 word11",
    "\"word1 word2\"",
    "word1*",
    "word3 -word5",
    "解析",
];

/// `SCOREL_SEARCH_SESSIONS` and `SCOREL_SEARCH_MIB` say how much there is to search.
pub(crate) async fn measure(program: &Path) -> Vec<Figure> {
    let sessions = runs("SCOREL_SEARCH_SESSIONS", 500);
    let mib = runs("SCOREL_SEARCH_MIB", 200);
    let mut bench = BenchDaemon::new(program).await;
    let answer = ScriptedResponse::chat().text("word1 seen").finish("stop");
    bench.model.fallback(answer);
    let quiet = turns(&mut bench, TURNS).await;
    let project = bench.client.call("listProjects", &json!({})).await;
    let project = project["projects"][0]["projectId"].clone();
    bench.daemon.stop().await;
    for _ in 0..sessions {
        write_log(
            &bench.daemon.home().join("sessions"),
            &project,
            mib * 1024 * 1024 / sessions,
        );
    }
    bench.restart().await;
    let began = Instant::now();
    let mut busy = Samples::default();
    let mut turns_meanwhile = 0;
    while turns_meanwhile < TURNS && behind(&mut bench.client).await > 0 {
        busy.append(turns(&mut bench, 1).await);
        turns_meanwhile += 1;
    }
    while behind(&mut bench.client).await > 0 {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let indexed = began.elapsed();
    assert!(
        turns_meanwhile > 0,
        "the index was made too fast for a turn: set SCOREL_SEARCH_MIB"
    );
    let mut answers = Samples::default();
    let mut by_query = BTreeMap::<&str, Samples>::new();
    for query in QUERIES.iter().cycle().take(40 * QUERIES.len()) {
        let began = Instant::now();
        search(&mut bench.client, query).await;
        answers.push(began.elapsed());
        by_query.entry(query).or_default().push(began.elapsed());
    }
    let by_query = by_query
        .iter()
        .map(|(query, times)| (*query, rounded(times.p95())));
    let with = json!({
        "sessions": sessions, "mib": mib, "indexedInSeconds": rounded(indexed.as_secs_f64()),
        "p95ByQuery": by_query.collect::<BTreeMap<_, _>>(),
    });
    vec![
        Figure {
            name: "turn while the search index is made / with a quiet one, p50",
            value: busy.p50() / quiet.p50(),
            unit: "",
            goal: Goal::AtMost {
                must: 1.05,
                aim: 1.02,
            },
            with: json!({"quietMs": rounded(quiet.p50()), "busyMs": rounded(busy.p50()), "turns": turns_meanwhile}),
        },
        Figure {
            name: "search for words, newest first, p95",
            value: answers.p95(),
            unit: "ms",
            goal: Goal::AtMost {
                must: 50.0,
                aim: 20.0,
            },
            with,
        },
    ]
}

/// The times of short turns, from the message to the outcome.
async fn turns(bench: &mut BenchDaemon, count: usize) -> Samples {
    let session = bench.new_session().await;
    let mut watch = bench.watch(&session).await;
    let mut samples = Samples::default();
    for number in 0..=count {
        let line = send_message(&session);
        let began = Instant::now();
        bench.client.send(&line).await;
        watch.until("\"turn_outcome\"").await;
        // The first one freezes the session's instructions.
        if number > 0 {
            samples.push(began.elapsed());
        }
        bench.client.until("\"id\":1").await;
    }
    samples
}

async fn search(client: &mut BenchClient, query: &str) -> Value {
    client.call("search", &json!({"query": query})).await
}

async fn behind(client: &mut BenchClient) -> u64 {
    let found = search(client, "word1").await;
    found["behindBytes"].as_u64().unwrap()
}

/// A log of which about half is what tools wrote.
fn write_log(sessions: &Path, project: &Value, bytes: usize) {
    let id = SessionId::generate();
    let header = json!({
        "type": "session", "format": 1, "sessionId": id, "projectId": project,
        "deviceId": "dev_01ARZ3NDEKTSV4RRFFQ69G5FAV", "kind": "user", "createdAt": 1, "version": "0.1.0",
    });
    let (storage, dir) = (Arc::new(FileStorage), sessions.join(id.to_string()));
    let header = header.to_string().into_bytes();
    let mut log = Journal::create(storage, &dir, header, Durability::Flush).unwrap();
    let mut dice = SeededDice::from_seed(bytes as u64);
    let mut written = 0;
    while written < bytes {
        let text = prose(&mut dice);
        let message = if dice.chance(50) {
            json!({"role": "user", "content": [{"type": "text", "text": text}]})
        } else {
            let result = json!({"type": "tool_result", "toolUseId": "c", "isError": false,
                "content": [{"type": "text", "text": text}]});
            json!({"role": "tool_result", "content": [result], "toolName": "Bash", "durationMs": 1})
        };
        let ts = 1_785_542_400_000_u64 + written as u64;
        let encode = |seq| {
            serde_json::to_vec(&json!({
                "id": scorel_proto::EventId::generate(), "parentId": null, "seq": seq,
                "sessionId": id, "clientId": "daemon", "ts": ts, "type": "message",
                "message": message,
            }))
        };
        let _published = log.append(encode).unwrap();
        written += text.len() + 300;
    }
}

/// Words of which few are frequent.
fn prose(dice: &mut SeededDice) -> String {
    let mut text = String::new();
    for _ in 0..dice.index(20..400) {
        let limit = 1 << dice.roll(1..15);
        text.push_str(&format!("word{} ", dice.roll(0..limit)));
    }
    if dice.chance(5) {
        text.push_str("解析器");
    }
    text
}
