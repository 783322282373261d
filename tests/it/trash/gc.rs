//! `gc` removes what nothing names, and nothing else.

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

use scorel_testkit::{DaemonUnderTest, ResponseGate, ScriptedChat};
use serde_json::{Value, json};

use super::{put_blob, with_session};
use crate::raw::RawConnection;
use crate::under_test::{Watch, new_session, scorelctl, send};

const TURNS: usize = 8;

fn row(answer: &Value, kind: &str) -> (u64, u64) {
    let rows = answer["result"]["rows"].as_array().unwrap();
    let row = rows.iter().find(|row| row["kind"] == kind).unwrap();
    let number = |name: &str| row[name].as_u64().unwrap();
    (number("items"), number("bytes"))
}

fn gc(raw: &mut RawConnection, apply: bool) -> Value {
    let answer = raw.call("gc", &json!({"apply": apply}));
    assert_eq!(answer["result"]["applied"], json!(apply), "{answer}");
    assert!(answer["result"]["problems"].is_null(), "{answer}");
    answer
}

fn age(path: &Path, days: u64) {
    let time = SystemTime::now() - Duration::from_secs(days * 24 * 60 * 60);
    File::options()
        .write(true)
        .open(path)
        .unwrap()
        .set_modified(time)
        .unwrap();
}

fn blob(daemon: &DaemonUnderTest, session: &str, hash: &str) -> std::path::PathBuf {
    daemon.session_dir(session).join("blobs").join(hash)
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_named_or_young_stays_and_the_rest_goes() {
    let (mut daemon, _model, id) = with_session().await;
    // The task of the turn may still be ending.
    daemon.stop().await;
    daemon.spawn().await;
    let mut raw = RawConnection::connect(&daemon);
    let [named, unnamed, again, young] =
        ["YQ==", "YmI=", "Y2Nj", "ZGRkZA=="].map(|data| put_blob(&mut raw, &id, data));
    let image = json!({"type": "image", "mediaType": "image/png", "blob": named});
    let custom = json!({"sessionId": id, "kind": "a.b", "data": image});
    assert!(raw.call("appendCustom", &custom)["result"]["seq"].is_u64());
    for hash in [&named, &unnamed, &again] {
        age(&blob(&daemon, &id, hash), 8);
    }
    // It is about to be used.
    put_blob(&mut raw, &id, "Y2Nj");
    let dir = daemon.session_dir(&id);
    let (old, new) = (
        dir.join("events.jsonl.torn-7"),
        dir.join("events.jsonl.torn-8"),
    );
    for copy in [&old, &new] {
        fs::write(copy, "{\"half").unwrap();
    }
    age(&old, 31);
    let item = daemon.home().join("store").join("0".repeat(64));
    fs::create_dir_all(&item).unwrap();
    fs::write(item.join("SKILL.md"), "four").unwrap();

    let found = gc(&mut raw, false);
    assert_eq!(row(&found, "blobs"), (1, 2), "{found}");
    assert_eq!(row(&found, "copies"), (1, 6), "{found}");
    assert_eq!(row(&found, "store"), (1, 4), "{found}");
    assert!(blob(&daemon, &id, &unnamed).exists() && old.exists() && item.exists());
    let removed = gc(&mut raw, true);
    assert_eq!(removed["result"]["rows"], found["result"]["rows"]);
    assert!(!blob(&daemon, &id, &unnamed).exists() && !old.exists() && !item.exists());
    for hash in [&named, &again, &young] {
        assert!(blob(&daemon, &id, hash).exists());
    }
    assert!(new.exists());
    let listed = scorelctl(&daemon, &["--json", "gc"], &[]).await;
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    let items = listed["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| &row["items"]);
    assert!(items.clone().all(|items| *items == 0), "{listed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn while_turns_run_nothing_that_they_use_goes() {
    let (daemon, model, _) = with_session().await;
    let mut raw = RawConnection::connect(&daemon);
    let mut gates = Vec::new();
    for _ in 0..TURNS {
        let gate = ResponseGate::default();
        model.answer(
            ScriptedChat::default()
                .text("Yes.")
                .wait(&gate)
                .finish("stop"),
        );
        gates.push(gate);
    }
    let mut running = Vec::new();
    for _ in 0..TURNS {
        let (client, id) = new_session(&daemon).await;
        let hash = put_blob(&mut raw, &id.to_string(), "YQ==");
        age(&blob(&daemon, &id.to_string(), &hash), 8);
        let watch = Watch::from_start(&client, id).await;
        send(&client, id, "go").await;
        running.push((client, id, hash, watch));
    }
    for gate in &gates {
        gate.reached().await;
    }
    let removed = gc(&mut raw, true);
    assert_eq!(row(&removed, "blobs"), (0, 0), "{removed}");
    for gate in &gates {
        gate.open();
    }
    for (_client, id, hash, watch) in &mut running {
        let events = watch.until("turn_outcome").await;
        assert_eq!(events.last().unwrap()["reason"], "completed");
        assert!(blob(&daemon, &id.to_string(), hash).exists());
    }
    // Their garbage goes when they are idle.
    let removed = loop {
        let removed = gc(&mut raw, true);
        if row(&removed, "blobs").0 > 0 {
            break removed;
        }
    };
    assert!(row(&removed, "blobs").0 <= TURNS as u64, "{removed}");
}
