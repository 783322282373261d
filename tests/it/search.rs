//! Searching conversations, over real processes.

mod full_disk;

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use scorel_client::{ClientError, Connection};
use scorel_proto::{ErrorCode, Role, Search, SearchHit, SearchMode, SearchParams, SearchResult};
use scorel_testkit::{DaemonUnderTest, ModelServer, ScriptedChat, SeededDice, runs};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::under_test::{
    INDEX_PATIENCE, Watch, append, connect, create_session, daemon, new_session, scorelctl, send,
    title,
};

/// How large a message is that takes the index some time, in bytes.
const LONG: usize = 400_000;

async fn call(client: &Connection, params: &SearchParams) -> SearchResult {
    client.call::<Search>(params).await.unwrap()
}

fn words(query: &str) -> SearchParams {
    SearchParams {
        query: query.to_owned(),
        ..SearchParams::default()
    }
}

fn regex(query: &str) -> SearchParams {
    SearchParams {
        mode: SearchMode::Regex,
        ..words(query)
    }
}

/// Asks until the index has everything.
async fn found(client: &Connection, params: &SearchParams) -> Vec<SearchHit> {
    let asking = async {
        loop {
            let result = call(client, params).await;
            if result.behind_bytes == 0 {
                return result.hits;
            }
            tokio::task::yield_now().await;
        }
    };
    timeout(INDEX_PATIENCE, asking)
        .await
        .expect("it is indexed in time")
}

/// Asks until there are so many hits.
async fn wait_for(client: &Connection, params: &SearchParams, count: usize) -> Vec<SearchHit> {
    let asking = async {
        loop {
            let hits = call(client, params).await.hits;
            if hits.len() == count {
                return hits;
            }
            tokio::task::yield_now().await;
        }
    };
    let asked = timeout(INDEX_PATIENCE, asking).await;
    asked.unwrap_or_else(|_| panic!("{params:?} has not {count} hits"))
}

async fn cli(daemon: &DaemonUnderTest, arguments: &[&str]) -> Value {
    let arguments = [&["--json", "search"][..], arguments].concat();
    let output = scorelctl(daemon, &arguments, &[]).await;
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[tokio::test]
async fn what_was_said_is_found_until_it_is_deleted() {
    let model = ModelServer::start().await.unwrap();
    let looks = ScriptedChat::default()
        .text("I look for the walrus.")
        .tool_call("call_a", "Glob", r#"{"pattern":"*.txt"}"#);
    model.answer(looks.finish("tool_calls"));
    let answer = ScriptedChat::default().text("The Walrus 🚀 sits; 海象在冰上。");
    model.answer(answer.finish("stop"));
    let mut daemon = daemon(&model, "").await;
    daemon.write_project_file("zebra.txt", "");
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    send(&client, id, "Where is the walrus?").await;
    watch.until("turn_outcome").await;

    let hits = wait_for(&client, &words("walrus"), 3).await;
    let authors: Vec<_> = hits.iter().map(|hit| hit.role.unwrap()).collect();
    assert_eq!(
        authors,
        [Role::Assistant, Role::Assistant, Role::User],
        "the newest first"
    );
    let [start, end] = hits[0].ranges[0];
    assert_eq!(&hits[0].snippet[start as usize..end as usize], "Walrus");
    assert_eq!(hits[2].title.as_deref(), Some("Where is the walrus?"));
    for query in ["海象", "\"冰上\"", "🚀", "walr* -look -where"] {
        assert_eq!(found(&client, &words(query)).await.len(), 1, "{query}");
    }
    assert!(
        found(&client, &words("zebra")).await.is_empty(),
        "only a tool wrote it"
    );
    let by_tool = SearchParams {
        role: Some(Role::ToolResult),
        ..regex(r"z[eb]+ra\.\w+")
    };
    assert_eq!(call(&client, &by_tool).await.hits.len(), 1);

    title(&client, id, "Pinnipeds").await;
    let hits = wait_for(&client, &words("pinnipeds"), 1).await;
    assert_eq!(hits[0].role, None);
    let listed = cli(&daemon, &["walrus", "--role", "user", "--since", "1h"]).await;
    assert_eq!(listed["hits"][0]["title"], "Pinnipeds");
    for (words, count) in [(&["PINNI", "peds"][..], 1), (&["pinnipeds", "x"][..], 0)] {
        let listed = [&["--json", "sessions"][..], words].concat();
        let listed = scorelctl(&daemon, &listed, &[]).await;
        let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
        assert_eq!(
            listed["sessions"].as_array().unwrap().len(),
            count,
            "{words:?}"
        );
    }
    let printed = scorelctl(
        &daemon,
        &["search", "--regex", "^Where", "--project", "."],
        &[],
    )
    .await;
    let printed = String::from_utf8(printed.stdout).unwrap();
    assert!(
        printed.ends_with("user       Pinnipeds\n    Where is the walrus?\n"),
        "{printed}"
    );

    let archive = json!({ "sessionId": id }).to_string();
    let archive = ["--json", "call", "archiveSession", &archive];
    assert!(scorelctl(&daemon, &archive, &[]).await.status.success());
    wait_for(&client, &words("walrus"), 0).await;
    assert!(call(&client, &regex("alrus")).await.hits.is_empty());
    let archived = cli(&daemon, &["--archived", "walrus"]).await;
    assert_eq!(archived["hits"].as_array().unwrap().len(), 3);
    daemon.stop().await;
    daemon.spawn().await;
    let client = connect(&daemon.socket()).await;
    let archived = SearchParams {
        archived: Some(true),
        ..words("walrus")
    };
    assert_eq!(found(&client, &archived).await.len(), 3);
    let delete = json!({ "sessionId": id }).to_string();
    let delete = ["--json", "call", "deleteSession", &delete];
    assert!(scorelctl(&daemon, &delete, &[]).await.status.success());
    assert!(call(&client, &archived).await.hits.is_empty());
    for name in ["search.db", "search.db-wal", "search.db-shm"] {
        let mode = fs::metadata(daemon.home().join(name))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}

/// `SCOREL_SEARCH_KILLS` says how often, `SCOREL_SEED` repeats a run.
#[tokio::test]
async fn a_daemon_that_is_killed_while_it_indexes_loses_nothing() {
    let mut dice = SeededDice::for_test("search::kills");
    let model = ModelServer::start().await.unwrap();
    let mut daemon = daemon(&model, "").await;
    let mut said = 0;
    for _ in 0..runs("SCOREL_SEARCH_KILLS", 6) {
        let client = connect(&daemon.socket()).await;
        let id = create_session(&client, &daemon).await;
        for _ in 0..3 {
            append(
                &client,
                id,
                format!("common unique{said} {}", dice.text(LONG)),
            )
            .await;
            said += 1;
        }
        // Anywhere between a batch that is collected and one that is written.
        let later = dice.time_up_to(Duration::from_millis(600));
        let _looked = timeout(later, found(&client, &words("common"))).await;
        daemon.kill().await;
        match dice.roll(0..3) {
            0 => drop(fs::remove_file(daemon.home().join("search.db"))),
            1 => spoil(&daemon, &mut dice),
            _ => {}
        }
        daemon.spawn().await;
    }
    let client = connect(&daemon.socket()).await;
    for number in 0..said {
        let hits = found(&client, &words(&format!("unique{number}"))).await;
        assert_eq!(hits.len(), 1, "unique{number}");
    }
    assert!(!daemon.errors().contains("panicked"), "{}", daemon.errors());
}

/// Overwrites the beginning of the index, which is where it cannot go unnoticed.
fn spoil(daemon: &DaemonUnderTest, dice: &mut SeededDice) {
    let file = OpenOptions::new()
        .write(true)
        .open(daemon.home().join("search.db"));
    let Ok(mut file) = file else { return };
    file.write_all(dice.text(10_000).as_bytes()).unwrap();
}

#[tokio::test]
async fn an_index_that_is_deleted_under_the_daemon_comes_back() {
    let model = ModelServer::start().await.unwrap();
    let daemon = daemon(&model, "").await;
    let (client, id) = new_session(&daemon).await;
    append(&client, id, "the only otter".to_owned()).await;
    wait_for(&client, &words("otter"), 1).await;
    for name in ["search.db", "search.db-wal", "search.db-shm"] {
        fs::remove_file(daemon.home().join(name)).unwrap();
    }
    wait_for(&client, &words("otter"), 1).await;
    append(&client, id, "another otter".to_owned()).await;
    wait_for(&client, &words("otter"), 2).await;
}

#[tokio::test]
async fn a_search_that_is_refused_says_why_and_where() {
    let model = ModelServer::start().await.unwrap();
    let daemon = daemon(&model, "").await;
    let (client, _) = new_session(&daemon).await;
    let refused = async |params: SearchParams| match client.call::<Search>(&params).await {
        Err(ClientError::Rpc(error)) => error,
        other => panic!("{params:?}: {other:?}"),
    };
    let error = refused(regex("walrus(")).await;
    assert_eq!(error.code, ErrorCode::InvalidParams);
    assert_eq!(error.details["field"], "query");
    assert_eq!(error.details["offset"], 6);
    let error = refused(regex(r"(\pL{100}){100}")).await;
    assert_eq!(error.details["limit"], 1024 * 1024);
    let wrong = SearchParams {
        cursor: Some("words.1".to_owned()),
        ..regex("x")
    };
    assert_eq!(refused(wrong).await.details["field"], "cursor");
    let none = SearchParams {
        limit: Some(0),
        ..words("x")
    };
    assert_eq!(refused(none).await.code, ErrorCode::InvalidParams);
    let unknown = SearchParams {
        project_id: Some("prj_01ARZ3NDEKTSV4RRFFQ69G5FAV".parse().unwrap()),
        ..words("x")
    };
    assert_eq!(refused(unknown).await.code, ErrorCode::ProjectNotFound);
    let printed = scorelctl(&daemon, &["search", "-e", "walrus("], &[]).await;
    assert_eq!(printed.status.code(), Some(3), "{printed:?}");
    let printed = String::from_utf8(printed.stderr).unwrap();
    assert!(printed.contains("at byte 6: unclosed group"), "{printed}");
    for query in ["*", "\"", "NEAR(", "-", "\u{1}"] {
        let nothing = cli(&daemon, &["--", query]).await;
        assert_eq!(nothing["hits"], json!([]), "{query}");
    }
}
