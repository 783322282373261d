//! Logins to servers, at an authorization server on this machine.

use std::fs;
use std::process::Stdio;

use scorel_client::ClientError;
use scorel_proto::{
    ErrorCode, McpLogin, McpLoginParams, McpLoginResult, McpLogout, McpLogoutParams,
    McpLogoutResult,
};
use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::process::Command;
use tokio::time::timeout;

use super::http_scene::HttpScene;
use crate::under_test::{PATIENCE, SCORELCTL, SCORELD, scorelctl};

/// The address to which a page sends a browser; empty if it sends it nowhere.
async fn visit(address: &str) -> String {
    let rest = address.strip_prefix("http://").unwrap();
    let (host, target) = rest.split_once('/').unwrap();
    let mut stream = TcpStream::connect(host).await.unwrap();
    let ask = format!("GET /{target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    stream.write_all(ask.as_bytes()).await.unwrap();
    let mut answer = String::new();
    timeout(PATIENCE, stream.read_to_string(&mut answer))
        .await
        .unwrap()
        .unwrap();
    let mut lines = answer.lines().map(str::to_owned);
    let place = lines.find_map(|it| it.strip_prefix("Location: ").map(str::to_owned));
    place.unwrap_or_default()
}

fn parameter(address: &str, name: &str) -> Option<String> {
    let (_, query) = address.split_once('?')?;
    let mut pairs = query.split('&').filter_map(|it| it.split_once('='));
    let value = pairs.find(|(key, _)| *key == name)?.1;
    Some(value.replace("%3A", ":").replace("%2F", "/"))
}

/// Logs in as a client does that has a browser.
pub(super) async fn log_in(scene: &HttpScene) -> Result<(), ClientError> {
    let begun = begin(scene).await?;
    finish(scene, begun).await
}

pub(super) async fn begin(scene: &HttpScene) -> Result<McpLoginResult, ClientError> {
    let begin = McpLoginParams {
        name: Some("fake".to_owned()),
        redirect_uri: Some("http://127.0.0.1:9/callback".to_owned()),
        ..McpLoginParams::default()
    };
    scene.client.call::<McpLogin>(&begin).await
}

/// Goes to the page as a browser does, and ends the login with its answer.
pub(super) async fn finish(scene: &HttpScene, begun: McpLoginResult) -> Result<(), ClientError> {
    let back = visit(&begun.url.unwrap()).await;
    let end = McpLoginParams {
        login_id: begun.login_id,
        code: parameter(&back, "code"),
        state: parameter(&back, "state"),
        iss: parameter(&back, "iss"),
        ..McpLoginParams::default()
    };
    scene.client.call::<McpLogin>(&end).await.map(drop)
}

/// Logs in as a person does at a terminal, with a browser beside it. Returns what the command says.
pub(super) async fn log_in_at_terminal(scene: &HttpScene, options: &[&str]) -> String {
    let mut child = Command::new(SCORELCTL)
        .args(["mcp", "login", "fake"])
        .args(options)
        .env_clear()
        .env("SCORELD", SCORELD)
        .env("SCOREL_HOME", scene.daemon.home())
        .current_dir(scene.daemon.project())
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    assert_eq!(lines.next_line().await.unwrap().unwrap(), "Log in at");
    let page = lines.next_line().await.unwrap().unwrap();
    // As a browser does.
    let back = visit(&page).await;
    assert_eq!(visit(&back).await, "");
    let output = timeout(PATIENCE, child.wait_with_output())
        .await
        .unwrap()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[tokio::test]
async fn a_server_that_wants_a_login_says_which_command_logs_in() {
    let scene = HttpScene::configured("login", "auth = \"oauth\"").await;
    let mut talk = scene.talk().await;
    let seen = talk.turn(&scene.client, "hi").await;
    let told = seen
        .iter()
        .find(|it| it["code"] == "tools_missing.mcp:fake");
    let told = told.unwrap()["text"].as_str().unwrap();
    assert!(
        told.contains("`scorelctl mcp login fake` logs in"),
        "{told}"
    );
    log_in(&scene).await.unwrap();
    scene.until_ready().await;
    scene.refresh(&talk).await;
    let result = scene.call(&mut talk, "echo", &json!({"text": "a"})).await;
    assert!(result.contains("echo: a"), "{result}");
    assert_eq!(scene.noted("registered")[0]["registered"], "native");
    assert_eq!(
        scene.noted("authorized")[0]["authorized"],
        scene.address().as_str()
    );
}

#[tokio::test]
async fn a_person_logs_in_and_out_in_a_terminal() {
    let scene = HttpScene::configured("login", "auth = \"oauth\"").await;
    assert_eq!(log_in_at_terminal(&scene, &[]).await, "logged in to fake\n");
    let mut talk = scene.talk().await;
    let result = scene.call(&mut talk, "echo", &json!({"text": "b"})).await;
    assert!(result.contains("echo: b"), "{result}");
    let out = scorelctl(&scene.daemon, &["mcp", "logout", "fake"], &[]).await;
    assert_eq!(
        String::from_utf8(out.stdout).unwrap(),
        "logged out of fake\n"
    );
    let kept = fs::read_to_string(scene.daemon.home().join("credentials.json")).unwrap();
    assert!(!kept.contains("access-"), "{kept}");
}

#[tokio::test]
async fn twenty_calls_refresh_a_token_once() {
    // Those that only read run beside each other, eight at a time.
    let keys = "auth = \"oauth\"\ntrustReadOnly = true";
    let scene = HttpScene::configured("login", keys).await;
    log_in(&scene).await.unwrap();
    let mut talk = scene.talk().await;
    scene.call(&mut talk, "expires", &json!({"calls": 8})).await;
    scene.will_call_at_once("echo", &json!({"text": "c"}), 20);
    talk.turn(&scene.client, "go on").await;
    let results = scene.results();
    let served = results.iter().filter(|it| it.contains("echo: c")).count();
    assert_eq!(served, 20, "{results:?}");
    assert!(scene.noted("refused").len() >= 8);
    assert_eq!(scene.noted("refreshed").len(), 1);
    let is_echo = |it: &&serde_json::Value| it["headers"]["mcp-name"] == "echo";
    let calls = scene.noted("method");
    assert_eq!(calls.iter().filter(is_echo).count(), 20, "none ran twice");
}

#[tokio::test]
async fn a_login_that_was_taken_back_is_told_with_the_command() {
    let scene = HttpScene::logged_in("login").await;
    let mut talk = scene.talk().await;
    scene.call(&mut talk, "revokes", &json!({})).await;
    scene.will_call("echo", &json!({}));
    let seen = talk.turn(&scene.client, "go on").await;
    let result = scene.results().pop().unwrap();
    assert!(result.contains("E_UNAVAILABLE"), "{result}");
    assert!(
        result.contains("`scorelctl mcp login fake` logs in"),
        "{result}"
    );
    let told = serde_json::to_string(&seen).unwrap();
    assert!(
        told.contains(r#""login":"scorelctl mcp login fake""#),
        "{told}"
    );
    log_in(&scene).await.unwrap();
    scene.until_ready().await;
    let result = scene.call(&mut talk, "echo", &json!({"text": "d"})).await;
    assert!(result.contains("echo: d"), "{result}");
}

#[tokio::test]
async fn another_authorization_server_than_before_is_refused() {
    let scene = HttpScene::logged_in("elsewhere").await;
    let mut talk = scene.talk().await;
    scene.call(&mut talk, "revokes", &json!({})).await;
    let refused = log_in(&scene).await.unwrap_err();
    assert!(refused.to_string().contains("log out first"), "{refused}");
    let name = "fake".to_owned();
    let project_id = None;
    let out = McpLogoutParams { project_id, name };
    let out = scene.client.call::<McpLogout>(&out).await.unwrap();
    assert_eq!(
        out,
        McpLogoutResult {
            was_logged_in: true
        }
    );
    assert!(begin(&scene).await.is_ok());
}

#[tokio::test]
async fn an_answer_of_a_stranger_is_refused() {
    let scene = HttpScene::configured("stranger", "auth = \"oauth\"").await;
    let ClientError::Rpc(refused) = log_in(&scene).await.unwrap_err() else {
        panic!("it is refused by the daemon");
    };
    assert_eq!(refused.code, ErrorCode::AuthFailed);
    assert!(
        refused.message.contains("another authorization server"),
        "{refused:?}"
    );
}

#[tokio::test]
async fn tokens_are_kept_for_the_owner_alone_and_are_in_no_log() {
    use std::os::unix::fs::PermissionsExt as _;
    let scene = HttpScene::logged_in("login").await;
    let mut talk = scene.talk().await;
    let result = scene.call(&mut talk, "headers", &json!({})).await;
    assert!(result.contains("Bearer [secret]"), "{result}");
    let path = scene.daemon.home().join("credentials.json");
    let mode = fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let kept: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let grant = &kept["credentials"][0]["grant"];
    let log = crate::under_test::logged(&scene.daemon);
    for secret in ["accessToken", "refreshToken"] {
        let secret = grant[secret].as_str().unwrap();
        assert!(!log.contains(secret), "{log}");
        assert!(!result.contains(secret), "{result}");
    }
}
