//! Logins as a client that was registered by hand, at an authorization server that registers none by itself.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::net::TcpListener;

use serde_json::json;

use super::http_scene::HttpScene;
use super::logins::{log_in, log_in_at_terminal};
use super::scene::Scene;
use crate::under_test::scorelctl;

const KEYS: &str = "auth = \"oauth\"\nclientId = \"hand made\"\nclientSecretEnv = \"CLIENT_KEY\"";

/// The secret of the registration, as the server knows it.
const SECRET: &str = "of/hand-12345";

fn keep_secret(scene: &HttpScene) {
    let file = OpenOptions::new()
        .append(true)
        .open(scene.daemon.home().join("env"));
    writeln!(file.unwrap(), "\nCLIENT_KEY={SECRET}").unwrap();
}

/// A port that nothing uses.
fn free_port() -> u16 {
    let free = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    free.local_addr().unwrap().port()
}

#[tokio::test]
async fn a_client_that_is_known_logs_in_and_renews_by_its_secret() {
    let scene = HttpScene::configured("known", KEYS).await;
    let refused = log_in(&scene).await.unwrap_err().to_string();
    assert!(
        refused.contains("needs the secret `CLIENT_KEY`"),
        "{refused}"
    );
    assert!(scene.noted("authorized").is_empty(), "before the browser");
    keep_secret(&scene);
    log_in(&scene).await.unwrap();
    assert_eq!(scene.noted("client")[0]["client"], "hand made");
    let mut talk = scene.talk().await;
    let result = scene.call(&mut talk, "echo", &json!({"text": "a"})).await;
    assert!(result.contains("echo: a"), "{result}");
    scene.call(&mut talk, "expires", &json!({})).await;
    let result = scene.call(&mut talk, "echo", &json!({"text": "b"})).await;
    assert!(result.contains("echo: b"), "{result}");
    assert_eq!(scene.noted("refreshed").len(), 1);
    let kept = fs::read_to_string(scene.daemon.home().join("credentials.json")).unwrap();
    assert!(kept.contains("CLIENT_KEY"), "{kept}");
    let log = crate::under_test::logged(&scene.daemon);
    for text in [&kept, &log] {
        assert!(!text.contains(SECRET), "{text}");
    }
}

#[tokio::test]
async fn a_client_that_must_be_registered_by_hand_is_told_how() {
    let scene = HttpScene::configured("known", "auth = \"oauth\"").await;
    let refused = log_in(&scene).await.unwrap_err().to_string();
    assert!(refused.contains("register one there by hand"), "{refused}");
    assert!(refused.contains("`clientId`"), "{refused}");
}

#[tokio::test]
async fn the_browser_comes_back_to_the_port_of_the_registration() {
    let scene = HttpScene::configured("known", KEYS).await;
    keep_secret(&scene);
    let port = free_port();
    let said = log_in_at_terminal(&scene, &["--port", &port.to_string()]).await;
    assert_eq!(said, "logged in to fake\n");
    let redirect = scene.noted("redirect").remove(0);
    assert_eq!(
        redirect["redirect"],
        format!("http://127.0.0.1:{port}/callback")
    );
    let taken = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let login = ["mcp", "login", "fake", "--port", &port];
    let output = scorelctl(&scene.daemon, &login, &[]).await;
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success());
    assert!(
        said.contains(&format!("port {port} of 127.0.0.1 cannot be used")),
        "{said}"
    );
}

#[tokio::test]
async fn a_client_that_is_known_is_added_by_its_name() {
    let scene = Scene::of("modern").await;
    let add = |more: &[&str]| {
        let add = ["mcp", "add", "far", "--url", "https://a.example/mcp"];
        [&add[..], more]
            .concat()
            .iter()
            .map(|it| (*it).to_owned())
            .collect::<Vec<_>>()
    };
    let named = ["--client-id", "us", "--client-secret-env", "CLIENT_KEY"];
    for (arguments, code) in [
        (add(&named), 2),
        (add(&[&["--oauth"], &named[..]].concat()), 0),
    ] {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let output = scorelctl(&scene.daemon, &arguments, &[]).await;
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{said}");
    }
    let file = fs::read_to_string(scene.daemon.home().join("config.toml")).unwrap();
    let entry = "url = \"https://a.example/mcp\"\nauth = \"oauth\"\nclientId = \"us\"\nclientSecretEnv = \"CLIENT_KEY\"\n";
    assert!(file.ends_with(entry), "{file}");
}
