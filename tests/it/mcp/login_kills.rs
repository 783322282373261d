//! `kill -9` between the steps of a login, and while a token is renewed.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use super::http_scene::HttpScene;
use super::logins::{begin, finish, log_in};
use crate::under_test::until;

/// The daemons that are killed while a login ends. With `SCOREL_LONG` set it is ten times as many.
const KILLS: usize = 4;

/// The logins that are kept, in a file that is whole and its owner's alone.
fn kept(scene: &HttpScene) -> Vec<Value> {
    let path = scene.daemon.home().join("credentials.json");
    let Ok(bytes) = fs::read(&path) else {
        return Vec::new();
    };
    let mode = fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let file: Value = serde_json::from_slice(&bytes).expect("it is whole");
    file["credentials"].as_array().unwrap().clone()
}

#[tokio::test]
async fn a_login_outlives_the_daemon_and_is_renewed_after_it() {
    let mut scene = HttpScene::logged_in("login").await;
    let mut talk = scene.talk().await;
    scene.call(&mut talk, "expires", &json!({})).await;
    scene.kill_daemon().await;
    talk.look_again(&scene.client).await;
    let result = scene.call(&mut talk, "echo", &json!({"text": "a"})).await;
    assert!(result.contains("echo: a"), "{result}");
    assert_eq!(scene.noted("refreshed").len(), 1);
    assert_eq!(scene.noted("authorized").len(), 1, "there is one login");
    // The tokens that it was renewed with are kept.
    scene.kill_daemon().await;
    talk.look_again(&scene.client).await;
    let result = scene.call(&mut talk, "echo", &json!({"text": "b"})).await;
    assert!(result.contains("echo: b"), "{result}");
    assert_eq!(scene.noted("refreshed").len(), 1);
}

#[tokio::test]
async fn a_daemon_that_is_killed_in_a_renewal_asks_for_a_login_and_takes_it() {
    let mut scene = HttpScene::logged_in("login").await;
    let mut talk = scene.talk().await;
    scene.call(&mut talk, "expires", &json!({})).await;
    scene.will_call("echo", &json!({}));
    crate::under_test::send(&scene.client, talk.id, "go on").await;
    // The server has voided the old tokens, and its answer is under way.
    until(|| !scene.noted("refreshed").is_empty()).await;
    scene.kill_daemon().await;
    assert_eq!(kept(&scene).len(), 1);
    talk.look_again(&scene.client).await;
    let result = scene.call(&mut talk, "echo", &json!({})).await;
    assert!(
        result.contains("`scorelctl mcp login fake` logs in"),
        "{result}"
    );
    log_in(&scene).await.unwrap();
    scene.until_ready().await;
    let result = scene.call(&mut talk, "echo", &json!({"text": "c"})).await;
    assert!(result.contains("echo: c"), "{result}");
}

#[tokio::test]
async fn a_login_that_a_kill_interrupts_is_made_again() {
    let mut scene = HttpScene::configured("login", "auth = \"oauth\"").await;
    let begun = begin(&scene).await.unwrap();
    scene.kill_daemon().await;
    let unknown = finish(&scene, begun).await.unwrap_err().to_string();
    assert!(unknown.contains("there is no such login"), "{unknown}");
    let kills = match std::env::var_os("SCOREL_LONG") {
        Some(_) => KILLS * 10,
        None => KILLS,
    };
    for kill in 1..=kills {
        let begun = begin(&scene).await.unwrap();
        let ending = finish(&scene, begun);
        let exchanged = until(|| scene.noted("exchanged").len() == kill);
        // At some step between the answer of the server and that of the daemon.
        tokio::select! {
            _ = ending => {}
            () = exchanged => {}
        }
        scene.kill_daemon().await;
        assert!(kept(&scene).len() <= 1);
    }
    log_in(&scene).await.unwrap();
    assert_eq!(kept(&scene).len(), 1);
    let mut talk = scene.talk().await;
    let result = scene.call(&mut talk, "echo", &json!({"text": "d"})).await;
    assert!(result.contains("echo: d"), "{result}");
}
