//! Servers that are reached by HTTP: their eras, faults and secrets.

use std::time::Instant;

use futures_util::future::join_all;
use scorel_proto::{Cancel, CancelParams, ProcessState};
use serde_json::json;

use super::http_scene::HttpScene;
use super::scene::Scene;
use crate::under_test::{PATIENCE, scorelctl, send, until};

#[tokio::test]
async fn a_request_of_the_newer_era_says_what_it_is_in_headers() {
    let scene = HttpScene::of("modern").await;
    let mut talk = scene.talk().await;
    let result = scene
        .call(&mut talk, "headers", &json!({"text": "grüße"}))
        .await;
    for told in [
        r#"mcp-protocol-version\": \"2026-07-28"#,
        r#"mcp-method\": \"tools/call"#,
        r#"mcp-name\": \"headers"#,
        r#"mcp-param-text\": \"=?base64?Z3LDvMOfZQ==?="#,
    ] {
        assert!(result.contains(told), "{told}: {result}");
    }
    assert_eq!(scene.times("initialize"), 0);
    assert!(!scene.offered().contains(&"mcp__fake__broken".to_owned()));
}

#[tokio::test]
async fn a_session_of_the_older_era_is_used_and_ended() {
    let mut scene = HttpScene::of("session").await;
    let mut talk = scene.talk().await;
    let result = scene.call(&mut talk, "echo", &json!({"text": "a"})).await;
    assert!(result.contains("echo: a"), "{result}");
    let calls = scene.noted("method");
    let call = calls
        .iter()
        .find(|it| it["method"] == "tools/call")
        .unwrap();
    assert_eq!(call["headers"]["mcp-protocol-version"], "2025-11-25");
    let session = call["headers"]["mcp-session-id"].clone();
    scene.daemon.stop().await;
    assert_eq!(scene.noted("ended")[0]["ended"], session);
}

#[tokio::test]
async fn calls_that_find_their_session_gone_share_another_and_run_once() {
    // Those that only read run beside each other.
    let scene = HttpScene::configured("session", "trustReadOnly = true").await;
    let mut talk = scene.talk().await;
    scene.call(&mut talk, "forgets", &json!({})).await;
    for _ in 0..20 {
        scene.will_call("echo", &json!({"text": "b"}));
    }
    talk.turn(&scene.client, "go on").await;
    let results = scene.results();
    let served = results.iter().filter(|it| it.contains("echo: b")).count();
    assert_eq!(served, 20, "{results:?}");
    assert_eq!(scene.times("initialize"), 2);
    let calls = scene.noted("method").into_iter();
    // Refused for want of a session, which is before they run.
    let calls = calls.filter(|it| it["method"] == "tools/call").count();
    assert!((21..=41).contains(&calls), "{calls}");
}

#[tokio::test]
async fn progress_is_shown_and_a_cancelled_call_ends_its_stream() {
    let scene = HttpScene::of("modern").await;
    let mut talk = scene.talk().await;
    scene.will_call("slow", &json!({}));
    send(&scene.client, talk.id, "go on").await;
    let seen = talk.until("tool_execution_update").await;
    assert!(seen.last().unwrap().to_string().contains("working"));
    let params = CancelParams {
        session_id: talk.id,
        expected_turn_id: None,
        clear_queue: None,
        children: None,
        command_id: None,
    };
    scene.client.call::<Cancel>(&params).await.unwrap();
    until(|| !scene.noted("withdrawn").is_empty()).await;
    talk.until("turn_outcome").await;
}

#[tokio::test]
async fn a_change_of_the_tools_is_heard_on_a_stream() {
    for kind in ["modern", "session"] {
        let scene = HttpScene::of(kind).await;
        let mut talk = scene.talk().await;
        scene.call(&mut talk, "grows", &json!({})).await;
        let is_offered = || scene.offered().contains(&"mcp__fake__new".to_owned());
        let began = Instant::now();
        while !is_offered() {
            assert!(began.elapsed() < PATIENCE, "{kind}");
            scene.refresh(&talk).await;
            talk.turn(&scene.client, "more?").await;
        }
    }
}

#[tokio::test]
async fn a_call_that_was_lost_says_so_and_is_not_made_again() {
    let scene = HttpScene::of("modern").await;
    let mut talk = scene.talk().await;
    let result = scene.call(&mut talk, "drops", &json!({})).await;
    assert!(result.contains("E_UNAVAILABLE"), "{result}");
    assert!(result.contains("its outcome is unknown"), "{result}");
    assert_eq!(scene.times("tools/call"), 1);
    let result = scene.call(&mut talk, "echo", &json!({"text": "c"})).await;
    assert!(result.contains("echo: c"), "{result}");
}

#[tokio::test]
async fn a_server_that_is_replaced_serves_the_next_call() {
    for kind in ["modern", "session"] {
        let mut scene = HttpScene::of(kind).await;
        let mut talk = scene.talk().await;
        scene.call(&mut talk, "echo", &json!({})).await;
        scene.stop().await;
        scene.start().await;
        let result = scene.call(&mut talk, "echo", &json!({"text": "d"})).await;
        assert!(result.contains("echo: d"), "{kind}: {result}");
        let calls = scene.noted("method").into_iter();
        let calls = calls.filter(|it| it["method"] == "tools/call");
        assert!(calls.count() <= 3, "{kind}");
    }
}

#[tokio::test]
async fn a_server_that_is_gone_fails_at_once_and_has_the_states_of_a_process() {
    let mut scene = HttpScene::of("modern").await;
    let mut talk = scene.talk().await;
    scene.call(&mut talk, "echo", &json!({})).await;
    assert_eq!(scene.process().await.state, ProcessState::Ready);
    scene.stop().await;
    let result = scene.call(&mut talk, "echo", &json!({})).await;
    assert!(result.contains("E_UNAVAILABLE"), "{result}");
    assert!(result.contains("connection refused"), "{result}");
    assert!(
        !result.contains("outcome is unknown"),
        "it was not made: {result}"
    );
    scene.start().await;
    scene.until_ready().await;
    let result = scene.call(&mut talk, "echo", &json!({"text": "e"})).await;
    assert!(result.contains("echo: e"), "{result}");
}

#[tokio::test]
async fn a_redirect_to_another_host_is_not_followed() {
    let scene = HttpScene::of("redirects").await;
    let mut talk = scene.talk().await;
    let seen = talk.turn(&scene.client, "hi").await;
    let told = seen
        .iter()
        .find(|it| it["code"] == "tools_missing.mcp:fake");
    let told = told.unwrap()["text"].as_str().unwrap();
    assert!(told.contains("redirects to another host"), "{told}");
}

#[tokio::test]
async fn a_secret_in_a_header_comes_back_masked() {
    let scene = HttpScene::configured("modern", "secretHeaders = { X-Key = \"KEY\" }").await;
    let mut talk = scene.talk().await;
    let result = scene.call(&mut talk, "secret", &json!({})).await;
    assert!(result.contains("[secret KEY]"), "{result}");
    let key = scene.secret();
    let calls = scene.noted("method");
    assert_eq!(calls.last().unwrap()["headers"]["x-key"], key.as_str());
    assert!(!result.contains(&key[..8]), "{result}");
    assert!(!result.contains(&key[8..]), "{result}");
}

#[tokio::test]
async fn sessions_of_all_directories_share_one_connection() {
    let scene = HttpScene::of("session").await;
    let mut talks = join_all((0..10).map(|_| scene.talk())).await;
    for talk in &mut talks {
        scene.call(talk, "echo", &json!({})).await;
    }
    assert_eq!(scene.times("initialize"), 1);
}

#[tokio::test]
async fn a_server_is_added_by_its_address() {
    let other = HttpScene::of("modern").await;
    let scene = Scene::of("modern").await;
    let address = other.address();
    let add = [
        "mcp",
        "add",
        "far",
        "--url",
        &address,
        "--header",
        "X-Team=red",
    ];
    let output = scorelctl(&scene.daemon, &add, &[]).await;
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(told.contains("MCP 2026-07-28, 10 tools"), "{told}");
    assert!(told.contains("left out: `broken`"), "{told}");
    assert!(told.contains("added far: "), "{told}");
    let listed = scorelctl(&scene.daemon, &["mcp", "list"], &[]).await;
    let listed = String::from_utf8(listed.stdout).unwrap();
    let row = format!("far                   user    available   http   {address}");
    assert!(listed.contains(&row), "{listed}");
    let calls = other.noted("method");
    assert_eq!(calls[0]["headers"]["x-team"], "red");
}
