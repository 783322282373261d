//! Deleted sessions: they come back byte for byte, and are never half there.

mod gc;
mod kills;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use scorel_testkit::{DaemonUnderTest, ModelServer, ScriptedChat};
use serde_json::{Value, json};

use crate::raw::RawConnection;
use crate::under_test::{SCORELD, Watch, new_session, scorelctl, send};

pub(crate) const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// A daemon with a session that has a conversation and a blob.
pub(crate) async fn with_session() -> (DaemonUnderTest, ModelServer, String) {
    let model = ModelServer::start().await.unwrap();
    model.fallback(ScriptedChat::default().text("Yes.").finish("stop"));
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure_model(&model.base_url());
    daemon.spawn().await;
    let (client, session) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, session).await;
    send(&client, session, "Hello?").await;
    watch.until("turn_outcome").await;
    let session = session.to_string();
    put_blob(&mut RawConnection::connect(&daemon), &session, "YWJj");
    (daemon, model, session)
}

/// Stores a blob, given in base64, and returns its hash.
pub(crate) fn put_blob(raw: &mut RawConnection, session: &str, data: &str) -> String {
    let put = raw.call("putBlob", &json!({"sessionId": session, "data": data}));
    put["result"]["sha256"].as_str().unwrap().to_owned()
}

/// The content of all files in a directory that the daemon does not derive, by name.
pub(crate) fn files(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_owned();
        if path.is_dir() {
            let inner = files(&path).into_iter();
            found.extend(inner.map(|(inner, bytes)| (Path::new(&name).join(inner), bytes)));
        } else if name != "checkpoint" {
            found.insert(name.into(), fs::read(path).unwrap());
        }
    }
    found
}

/// The directories of a session in the trash.
pub(crate) fn in_trash(daemon: &DaemonUnderTest, session: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(daemon.home().join("trash"));
    let paths = entries
        .into_iter()
        .flatten()
        .map(|entry| entry.unwrap().path());
    let is_its = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap();
        name.starts_with(session)
    };
    paths.filter(is_its).collect()
}

fn listed(raw: &mut RawConnection, params: &Value) -> Vec<Value> {
    let page = raw.call("listSessions", params);
    page["result"]["sessions"].as_array().unwrap().clone()
}

fn code(reply: &Value) -> &str {
    let code = reply["error"]["data"]["code"].as_str();
    code.unwrap_or("no error")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_session_comes_back_with_the_same_bytes() {
    let (mut daemon, _model, id) = with_session().await;
    let its = json!({"sessionId": id});
    let mut host = RawConnection::connect(&daemon);
    host.call("subscribeHost", &json!({}));
    let before = files(&daemon.session_dir(&id));
    let mut raw = RawConnection::connect(&daemon);
    let deleted = raw.call("deleteSession", &its);
    assert_eq!(deleted["result"]["sessionId"], json!(id), "{deleted}");
    assert_eq!(listed(&mut raw, &json!({})), [] as [Value; 0]);
    let trashed = listed(&mut raw, &json!({"deleted": true}));
    assert_eq!(trashed[0]["sessionId"], json!(id));
    let (at, until) = (
        &trashed[0]["deleted"]["at"],
        &trashed[0]["deleted"]["until"],
    );
    assert_eq!(until.as_u64().unwrap() - at.as_u64().unwrap(), 7 * DAY_MS);
    assert_eq!(code(&raw.call("getSession", &its)), "session_not_found");
    assert_eq!(code(&raw.call("deleteSession", &its)), "session_not_found");

    daemon.stop().await;
    daemon.spawn().await;
    let mut raw = RawConnection::connect(&daemon);
    let back = raw.call("undeleteSession", &its);
    assert_eq!(back["result"]["sessionId"], json!(id), "{back}");
    assert_eq!(files(&daemon.session_dir(&id)), before);
    assert_eq!(listed(&mut raw, &json!({}))[0]["sessionId"], json!(id));
    assert_eq!(
        listed(&mut raw, &json!({"deleted": true})),
        [] as [Value; 0]
    );
    assert_eq!(code(&raw.call("undeleteSession", &its)), "conflict");
    let sent = raw.call("sendMessage", &json!({"sessionId": id, "content": "more"}));
    assert!(sent["result"]["seq"].is_u64(), "{sent}");
}

#[tokio::test(flavor = "multi_thread")]
async fn host_subscribers_see_a_session_go_and_come_back() {
    let (daemon, _model, id) = with_session().await;
    let mut host = RawConnection::connect(&daemon);
    host.call("subscribeHost", &json!({}));
    let mut next = |wanted: &str| {
        loop {
            let item = host.read().unwrap();
            let change = &item["params"]["result"];
            if change["type"] == wanted {
                return change.clone();
            }
        }
    };
    next("snapshot");
    let mut raw = RawConnection::connect(&daemon);
    raw.call("deleteSession", &json!({"sessionId": id}));
    assert_eq!(next("session_removed")["sessionId"], json!(id));
    raw.call("undeleteSession", &json!({"sessionId": id}));
    assert_eq!(next("session_changed")["session"]["sessionId"], json!(id));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_deleted_long_ago_or_at_once_does_not_come_back() {
    let (mut daemon, _model, id) = with_session().await;
    let its = json!({"sessionId": id});
    let mut raw = RawConnection::connect(&daemon);
    raw.call("deleteSession", &its);
    daemon.stop().await;
    // As if it had been deleted eight days ago.
    let trashed = in_trash(&daemon, &id).pop().unwrap();
    let at: u64 = trashed
        .extension()
        .unwrap()
        .to_str()
        .unwrap()
        .parse()
        .unwrap();
    let old = trashed.with_extension((at - 8 * DAY_MS).to_string());
    fs::rename(&trashed, &old).unwrap();
    // With its log the conversation would be lost for usage, too.
    daemon.spawn().await;
    let mut raw = RawConnection::connect(&daemon);
    let refused = raw.call("undeleteSession", &its);
    assert_eq!(code(&refused), "session_not_found", "{refused}");
    while old.exists() {
        tokio::task::yield_now().await;
    }
    assert_eq!(
        code(&raw.call("undeleteSession", &its)),
        "session_not_found"
    );

    let project = raw.call("listProjects", &json!({}));
    let project = &project["result"]["projects"][0]["projectId"];
    let made = raw.call(
        "createSession",
        &json!({"projectId": project, "title": "x"}),
    );
    let other = made["result"]["sessionId"].as_str().unwrap().to_owned();
    // From the trash, too.
    raw.call("deleteSession", &json!({"sessionId": other}));
    let now = json!({"sessionId": other, "now": true});
    assert_eq!(
        raw.call("deleteSession", &now)["result"]["sessionId"],
        json!(other)
    );
    assert_eq!(in_trash(&daemon, &other), [] as [PathBuf; 0]);
    assert_eq!(code(&raw.call("deleteSession", &now)), "session_not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_command_line_asks_before_it_deletes_and_brings_the_last_one_back() {
    let (daemon, _model, id) = with_session().await;
    let refused = scorelctl(&daemon, &["delete"], &[]).await;
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    let deleted = scorelctl(&daemon, &["delete", "--yes"], &[]).await;
    let said = String::from_utf8(deleted.stderr).unwrap();
    assert!(said.contains(&format!("undelete --session {id}")), "{said}");
    let listed = scorelctl(&daemon, &["sessions", "--deleted"], &[]).await;
    assert!(
        String::from_utf8(listed.stdout)
            .unwrap()
            .starts_with(&id[id.len() - 6..])
    );
    let back = scorelctl(&daemon, &["undelete"], &[]).await;
    assert_eq!(String::from_utf8(back.stdout).unwrap(), format!("{id}\n"));
    let none = scorelctl(&daemon, &["undelete"], &[]).await;
    assert_eq!(none.status.code(), Some(3), "{none:?}");
}
