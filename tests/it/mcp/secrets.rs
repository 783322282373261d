//! Secrets in what a server says: in each of its texts, escaped, and in several texts that are read as one.

use std::fs;

use serde_json::json;

use super::http_scene::HttpScene;
use super::offers::{commands, library, run};

#[tokio::test]
async fn no_text_of_a_server_brings_a_secret_back() {
    let scene = library("full", "wet", "secretEnv = { KEY = \"KEY\" }").await;
    let key = scene.secret();
    let mut talk = scene.talk().await;
    talk.turn(&scene.client, "hi").await;
    let body = scene.model.requests().last().unwrap().json().to_string();
    for told in ["None.[secret KEY]", "Look things up [secret KEY]"] {
        assert!(body.contains(told), "{told}: {body}");
    }
    let list = scene.read(&mut talk, &json!({"server": "fake"})).await;
    assert!(list.contains("About one[secret KEY]"), "{list}");
    let listed = commands(&scene.client, talk.id).await;
    let review = listed.iter().find(|it| it.name.ends_with("review"));
    assert_eq!(review.unwrap().description, "Review a file[secret KEY]");
    let mut errors = Vec::new();
    for command in listed.iter().filter(|it| it.name.contains("a_b")) {
        errors.extend(run(&scene.client, talk.id, &command.name, "").await.err());
    }
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(
        errors[0].message.contains("not today[secret KEY]"),
        "{errors:?}"
    );
    // The other one is a message in two parts.
    talk.until("turn_outcome").await;
    let body = scene.model.requests().last().unwrap().json().to_string();
    assert!(body.contains("key [secret KEY]"), "{body}");
    assert!(!body.contains(&key[6..]), "{body}");
    let parts = json!({"server": "fake", "uri": "doc://secret"});
    let parts = scene.read(&mut talk, &parts).await;
    assert!(parts.contains("key [secret KEY]"), "{parts}");
    let log = crate::under_test::logged(&scene.daemon);
    for text in [&parts, &log] {
        assert!(!text.contains(&key[6..]), "{text}");
    }
}

#[tokio::test]
async fn a_token_of_a_login_does_not_come_back_in_parts() {
    let scene = HttpScene::logged_in("login").await;
    let mut talk = scene.talk().await;
    let result = scene.call(&mut talk, "secret", &json!({})).await;
    assert!(result.contains("key [secret]"), "{result}");
    let kept = fs::read(scene.daemon.home().join("credentials.json")).unwrap();
    let kept: serde_json::Value = serde_json::from_slice(&kept).unwrap();
    let token = kept["credentials"][0]["grant"]["accessToken"]
        .as_str()
        .unwrap();
    assert!(!result.contains(&token[8..]), "{result}");
}
