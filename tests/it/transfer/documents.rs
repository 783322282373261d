//! Exports for people and programs.

use std::fs;
use std::io::ErrorKind;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use scorel_testkit::ScriptedChat;
use serde_json::{Value, json};

use super::{hostile, with_project};
use crate::raw::RawConnection;
use crate::under_test::{Watch, append, new_session, scorelctl, send, title};

/// The elements of an exported document.
const ELEMENTS: [&str; 15] = [
    "html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "small", "div", "details",
    "summary", "pre", "img",
];

fn browser() -> Option<&'static str> {
    let names = ["chromium", "chromium-browser", "google-chrome", "chrome"];
    names.into_iter().find(|name| {
        let version = Command::new(name).arg("--version").output();
        version.is_ok_and(|output| output.status.success())
    })
}

/// Opens a document without a screen, and returns what became of it.
fn opened(browser: &str, path: &Path) -> String {
    let address = format!("file://{}", path.display());
    let mut command = Command::new(browser);
    command.args([
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--dump-dom",
        &address,
    ]);
    String::from_utf8(command.output().unwrap().stdout).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_html_export_of_hostile_content_runs_and_fetches_nothing() {
    let (daemon, model, _project) = with_project().await;
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    server.set_nonblocking(true).unwrap();
    let address = format!("http://{}", server.local_addr().unwrap());
    let hostile = hostile::contents(&address);
    assert_eq!(hostile.len(), 100);
    let (client, session) = new_session(&daemon).await;
    title(&client, session, &hostile[2]).await;
    for content in &hostile {
        append(&client, session, content.clone()).await;
    }
    // The model, a call and its result say them too.
    let call = json!({"pattern": hostile.concat()}).to_string();
    let chat = ScriptedChat::default()
        .text(&hostile.concat())
        .tool_call("call_a", "Glob", &call);
    model.answer(chat.finish("tool_calls"));
    let mut watch = Watch::from_start(&client, session).await;
    watch.until("sync_end").await;
    send(&client, session, &hostile.concat()).await;
    watch.until("turn_outcome").await;
    let exported = scorelctl(
        &daemon,
        &["export", "--format", "html", "--output", "x.html"],
        &[],
    )
    .await;
    assert!(exported.status.success(), "{exported:?}");
    let path = daemon.project().join("x.html");
    let html = fs::read_to_string(&path).unwrap();
    for tag in html.split('<').skip(1) {
        let name = tag
            .trim_start_matches('/')
            .split([' ', '>', '\n'])
            .next()
            .unwrap();
        assert!(name == "!DOCTYPE" || ELEMENTS.contains(&name), "{name}");
        let (tag, _) = tag.split_once('>').unwrap();
        assert!(!tag.contains("onerror") && !tag.contains("http:"), "{tag}");
    }
    assert!(html.contains("default-src 'none'"), "{html}");
    assert!(html.contains("&lt;script&gt;"), "{html}");
    let Some(browser) = browser() else {
        println!("skipped: there is no Chromium to open the document with");
        return;
    };
    let became = opened(browser, &path);
    assert!(!became.contains("<title>owned"), "{became}");
    let asked = server.accept().map(|_| ());
    assert_eq!(
        asked.unwrap_err().kind(),
        ErrorKind::WouldBlock,
        "nothing was fetched"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_export_is_private_whole_and_replaces_nothing_unasked() {
    let (daemon, _model, _project) = with_project().await;
    let (client, session) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, session).await;
    send(&client, session, "alpha?").await;
    let events = watch.until("turn_outcome").await;
    let first = events
        .iter()
        .find(|event| event["type"] == "message")
        .unwrap();
    let exported = scorelctl(&daemon, &["export"], &[]).await;
    let name = String::from_utf8(exported.stdout).unwrap();
    assert_eq!(name, format!("{session}.md\n"));
    let path = daemon.project().join(name.trim());
    let text = fs::read_to_string(&path).unwrap();
    assert!(
        text.contains("\nalpha?\n") && text.contains("\nYes.\n"),
        "{text}"
    );
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    fs::write(&path, "mine").unwrap();
    let refused = scorelctl(&daemon, &["export"], &[]).await;
    assert_eq!(refused.status.code(), Some(3), "{refused:?}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
    scorelctl(&daemon, &["export", "--force"], &[]).await;
    assert_eq!(fs::read_to_string(&path).unwrap(), text);

    // The conversation alone, and with it what another branch said.
    let back = json!({"sessionId": session, "targetEventId": null, "expectedLeafId": null});
    let mut raw = RawConnection::connect(&daemon);
    let described = raw.call("getSession", &json!({"sessionId": session}));
    let mut back = back;
    back["expectedLeafId"] = described["result"]["session"]["activeLeafId"].clone();
    assert!(raw.call("rewind", &back)["result"]["seq"].is_u64());
    send(&client, session, "beta?").await;
    watch.until("turn_outcome").await;
    let lines = |output: Vec<u8>| -> Vec<Value> {
        let text = String::from_utf8(output).unwrap();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    };
    let path = ["export", "--format", "jsonl", "--output", "-"];
    let path = lines(scorelctl(&daemon, &path, &[]).await.stdout);
    assert!(path.iter().all(|event| event["id"] != first["id"]));
    let all = ["export", "--format", "jsonl", "--all", "--output", "-"];
    let all = lines(scorelctl(&daemon, &all, &[]).await.stdout);
    assert_eq!(all, daemon.log(&session.to_string())[1..]);
    let temporary = fs::read_dir(daemon.project()).unwrap();
    assert_eq!(temporary.count(), 1, "nothing is left over");
}
