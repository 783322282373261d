//! A session out of one project and into another, with everything that belongs to it.

use std::fs;
use std::path::Path;
use std::process::Command;

use scorel_testkit::{DaemonUnderTest, ScriptedChat};
use serde_json::{Value, json};

use super::{PNG, import, refusal, with_project};
use crate::raw::RawConnection;
use crate::trash::files;
use crate::under_test::{Watch, new_session, scorelctl, send};

/// What differs between a session and its copy.
const OF_THE_COPY: [&str; 9] = [
    "id",
    "parentId",
    "seq",
    "prev",
    "crc",
    "sessionId",
    "origin",
    "ts",
    "clientId",
];

/// The records of a log that a copy has, without what differs.
fn copied(daemon: &DaemonUnderTest, session: &str) -> Vec<Value> {
    let mut records = daemon.log(session).split_off(1);
    let wanted = ["message", "turn_outcome", "session_info"];
    records.retain(|record| wanted.iter().any(|wanted| record["type"] == *wanted));
    for record in &mut records {
        let fields = record.as_object_mut().unwrap();
        fields.retain(|name, _| !OF_THE_COPY.contains(&name.as_str()));
    }
    records
}

/// A session with two turns, calls of tools, an image and a title.
async fn with_conversation(
    daemon: &DaemonUnderTest,
    model: &scorel_testkit::ModelServer,
) -> String {
    let looks = ScriptedChat::default().tool_call("call_a", "Glob", r#"{"pattern":"*"}"#);
    model.answer(looks.finish("tool_calls"));
    let (client, session) = new_session(daemon).await;
    let mut watch = Watch::from_start(&client, session).await;
    send(&client, session, "alpha?").await;
    watch.until("turn_outcome").await;
    let id = session.to_string();
    let mut raw = RawConnection::connect(daemon);
    let image = crate::trash::put_blob(&mut raw, &id, PNG);
    let content = json!([
        {"type": "text", "text": "beta?"},
        {"type": "image", "mediaType": "image/png", "blob": image},
    ]);
    let sent = raw.call("sendMessage", &json!({"sessionId": id, "content": content}));
    assert!(sent["result"]["seq"].is_u64(), "{sent}");
    watch.until("turn_outcome").await;
    raw.call(
        "updateSession",
        &json!({"sessionId": id, "title": "A title"}),
    );
    id
}

async fn export(daemon: &DaemonUnderTest, session: &str, path: &Path) {
    let path = path.to_str().unwrap();
    let arguments = [
        "export",
        "--session",
        session,
        "--format",
        "bundle",
        "--output",
        path,
    ];
    let exported = scorelctl(daemon, &arguments, &[]).await;
    assert!(exported.status.success(), "{exported:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bundle_comes_in_as_a_clone_would() {
    let (daemon, model, project) = with_project().await;
    let id = with_conversation(&daemon, &model).await;
    let mut raw = RawConnection::connect(&daemon);
    let described = raw.call("getSession", &json!({"sessionId": id}));
    let leaf = &described["result"]["session"]["activeLeafId"];
    let clone = raw.call("cloneSession", &json!({"sessionId": id, "eventId": leaf}));
    let clone = clone["result"]["sessionId"].as_str().unwrap().to_owned();
    let path = daemon.root().join("b.tar.gz");
    export(&daemon, &id, &path).await;

    let reply = import(&mut raw, &project, &path);
    let imported = reply["result"]["sessionId"].as_str().unwrap().to_owned();
    assert_eq!(
        copied(&daemon, &imported),
        copied(&daemon, &clone),
        "{reply}"
    );
    let blobs = |session: &str| files(&daemon.session_dir(session).join("blobs"));
    assert_eq!(blobs(&imported), blobs(&clone));
    assert_eq!(blobs(&imported).len(), 1);
    let session = &reply["result"]["session"];
    assert_eq!(session["title"], "A title");
    assert_eq!(session["origin"]["tool"], "scorel");
    assert_eq!(session["origin"]["id"], json!(id));
    assert_eq!(reply["result"]["report"]["images"], 1);
    let again = import(&mut raw, &project, &path);
    assert_eq!(again["result"]["sessionId"], json!(imported), "{again}");

    // Packed again, with the directory of the blobs.
    let dir = daemon.root().join("unpacked");
    fs::create_dir(&dir).unwrap();
    let repack =
        "tar -xzf ../b.tar.gz && tar -czf ../b.tar.gz SHA256SUMS blobs bundle.json events.jsonl";
    let packed = Command::new("sh")
        .current_dir(&dir)
        .args(["-c", repack])
        .status();
    assert!(packed.unwrap().success());
    let again = import(&mut raw, &project, &path);
    let repacked = again["result"]["sessionId"].as_str().unwrap();
    assert_eq!(copied(&daemon, repacked), copied(&daemon, &clone));

    // Also without the session that it was made of.
    let elsewhere = daemon.project().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    raw.call("deleteSession", &json!({"sessionId": id, "now": true}));
    let other = raw.call("registerProject", &json!({"workDir": elsewhere}));
    let other = other["result"]["project"]["projectId"].as_str().unwrap();
    let third = import(&mut raw, other, &path);
    let third_id = third["result"]["sessionId"].as_str().unwrap();
    assert_ne!(third_id, imported, "{third}");
    assert_eq!(copied(&daemon, third_id), copied(&daemon, &clone));
    let sent = raw.call(
        "sendMessage",
        &json!({"sessionId": third_id, "content": "more"}),
    );
    assert!(sent["result"]["seq"].is_u64(), "{sent}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bundle_with_an_altered_byte_is_refused() {
    let (daemon, model, project) = with_project().await;
    let id = with_conversation(&daemon, &model).await;
    let mut raw = RawConnection::connect(&daemon);
    let path = daemon.root().join("b.tar.gz");
    export(&daemon, &id, &path).await;
    let bundle = fs::read(&path).unwrap();
    let altered = daemon.root().join("altered.tar.gz");
    let before = raw.call("listSessions", &json!({}))["result"]["sessions"].clone();
    // The first ten bytes are the compressor's header, which says nothing of the content.
    for part in 0..40 {
        let at = 10 + (bundle.len() - 10) * part / 40;
        let mut bytes = bundle.clone();
        bytes[at] ^= 0x20;
        fs::write(&altered, bytes).unwrap();
        let reply = import(&mut raw, &project, &altered);
        let expected = ("invalid_params".to_owned(), "damaged".to_owned());
        assert_eq!(refusal(&reply), expected, "byte {at}: {reply}");
    }
    for end in [11, bundle.len() / 2, bundle.len() - 1] {
        fs::write(&altered, &bundle[..end]).unwrap();
        assert_eq!(
            refusal(&import(&mut raw, &project, &altered)).1,
            "damaged",
            "cut at {end}"
        );
    }
    // Packed again, so that only the list of hashes can tell.
    let dir = daemon.root().join("unpacked");
    fs::create_dir(&dir).unwrap();
    let tar = |arguments: &[&str]| {
        let status = Command::new("tar")
            .current_dir(&dir)
            .args(arguments)
            .status();
        assert!(status.unwrap().success());
    };
    tar(&["-xzf", path.to_str().unwrap()]);
    let log = fs::read_to_string(dir.join("events.jsonl")).unwrap();
    fs::write(dir.join("events.jsonl"), log.replace("alpha?", "omega?")).unwrap();
    let names = ["SHA256SUMS", "bundle.json", "events.jsonl", "blobs"];
    let mut arguments = vec!["--no-recursion", "-czf", altered.to_str().unwrap()];
    let blobs: Vec<String> = fs::read_dir(dir.join("blobs"))
        .unwrap()
        .map(|entry| format!("blobs/{}", entry.unwrap().file_name().to_str().unwrap()))
        .collect();
    arguments.extend(&names[..3]);
    arguments.extend(blobs.iter().map(String::as_str));
    tar(&arguments);
    let reply = import(&mut raw, &project, &altered);
    assert!(
        reply["error"]["message"].as_str().unwrap().contains("hash"),
        "{reply}"
    );
    fs::remove_file(dir.join("events.jsonl")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", dir.join("events.jsonl")).unwrap();
    tar(&arguments);
    assert_eq!(refusal(&import(&mut raw, &project, &altered)).1, "damaged");
    let after = raw.call("listSessions", &json!({}))["result"]["sessions"].clone();
    assert_eq!(after, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bundle_with_a_log_of_a_greater_format_is_refused() {
    let (daemon, model, project) = with_project().await;
    let id = with_conversation(&daemon, &model).await;
    let mut raw = RawConnection::connect(&daemon);
    let path = daemon.root().join("b.tar.gz");
    export(&daemon, &id, &path).await;
    let dir = daemon.root().join("unpacked");
    fs::create_dir(&dir).unwrap();
    // As a log has it, and not as `export` writes it.
    let repack = r#"tar -xzf ../b.tar.gz && sed -i '1i {"type":"session","format":99}' events.jsonl &&
        sha256sum bundle.json events.jsonl blobs/* > SHA256SUMS &&
        tar -czf ../b.tar.gz SHA256SUMS bundle.json events.jsonl blobs"#;
    let packed = Command::new("sh")
        .current_dir(&dir)
        .args(["-c", repack])
        .status();
    assert!(packed.unwrap().success());
    let reply = import(&mut raw, &project, &path);
    assert_eq!(reply["error"]["data"]["code"], "invalid_params", "{reply}");
    let message = reply["error"]["message"].as_str().unwrap();
    assert!(message.contains("format 99"), "{reply}");
}

/// Commands for a bundle whose picture was cut off, and one that has another type than it says.
const DAMAGE: &str = "\
    old=$(ls blobs) && head -c 40 blobs/$old >cut && new=$(sha256sum <cut | head -c 64) && mv cut blobs/$new && \
    rm blobs/$old && sed \"s/$old/$new/\" events.jsonl >new && mv new events.jsonl && \
    sha256sum bundle.json events.jsonl blobs/$new >SHA256SUMS && \
    tar -czf ../other.tar.gz SHA256SUMS bundle.json events.jsonl blobs/$new";
const RENAME: &str = "\
    sed 's,image/png,image/gif,' events.jsonl >new && mv new events.jsonl && \
    sha256sum bundle.json events.jsonl blobs/* >SHA256SUMS && \
    tar -czf ../other.tar.gz SHA256SUMS bundle.json events.jsonl blobs/*";

#[tokio::test(flavor = "multi_thread")]
async fn a_picture_of_a_bundle_is_what_its_bytes_are() {
    let (daemon, model, project) = with_project().await;
    let id = with_conversation(&daemon, &model).await;
    let mut raw = RawConnection::connect(&daemon);
    let path = daemon.root().join("b.tar.gz");
    export(&daemon, &id, &path).await;
    let whole = import(&mut raw, &project, &path);
    let whole = copied(&daemon, whole["result"]["sessionId"].as_str().unwrap());
    let is_it = |it: &Value| it["message"]["content"][1]["type"] == "image";
    let place = whole
        .iter()
        .position(is_it)
        .expect("a message with a picture");
    let note = json!({"type": "text", "text": "[image/png]"});
    for (change, kept, block) in [(DAMAGE, 0, Some(note)), (RENAME, 1, None)] {
        let dir = daemon.root().join("changed");
        fs::create_dir(&dir).unwrap();
        let changed = Command::new("sh")
            .current_dir(&dir)
            .args(["-ec", &format!("tar -xzf ../b.tar.gz; {change}")])
            .status();
        assert!(changed.unwrap().success());
        fs::remove_dir_all(&dir).unwrap();
        let reply = import(&mut raw, &project, &daemon.root().join("other.tar.gz"));
        let report = &reply["result"]["report"];
        assert_eq!(report["images"], kept, "{reply}");
        assert_eq!(report["droppedImages"], 1 - kept, "{reply}");
        let imported = reply["result"]["sessionId"].as_str().unwrap();
        let mut expected = whole.clone();
        if let Some(block) = block {
            expected[place]["message"]["content"][1] = block;
        }
        assert_eq!(copied(&daemon, imported), expected, "nothing else is lost");
    }
}
