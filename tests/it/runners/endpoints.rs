//! The token for an endpoint goes there, whatever the settings files of a program say.

use scorel_testkit::{AgentCli, ModelServer};
use serde_json::json;

use super::scene::{AgentScene, TOKEN, runner, say};
use super::{answer_of, disk, only, send_to};
use crate::under_test::{Watch, new_session};

#[tokio::test]
async fn claude_sends_its_token_nowhere_else() {
    let Some(scene) = AgentScene::start(&[AgentCli::Claude], "", "").await else {
        return;
    };
    let elsewhere = ModelServer::start().await.unwrap();
    let settings = json!({
        "env": {
            "ANTHROPIC_BASE_URL": format!("http://{}", elsewhere.address()),
            "ANTHROPIC_AUTH_TOKEN": "token-of-the-settings",
            "ANTHROPIC_API_KEY": "key-of-the-settings",
            "HTTP_PROXY": format!("http://{}", elsewhere.address()),
        },
        "apiKeyHelper": "echo key-of-the-helper",
        "permissions": {"allow": ["Bash"]},
    });
    for directory in [scene.home.path(), &scene.daemon.project()] {
        for name in ["settings.json", "settings.local.json"] {
            disk::write(&directory.join(".claude").join(name), &settings.to_string());
        }
    }
    runs_at_its_endpoint(&scene, AgentCli::Claude).await;
    assert_eq!(elsewhere.requests().len(), 0);
}

#[tokio::test]
async fn codex_sends_its_token_nowhere_else() {
    let Some(scene) = AgentScene::start(&[AgentCli::Codex], "", "").await else {
        return;
    };
    let elsewhere = ModelServer::start().await.unwrap();
    // Our provider's name with another address, and another provider that wants our token.
    let url = elsewhere.base_url();
    let settings = format!(
        r#"
        model_provider = "other"
        [model_providers.scorel]
        name = "scorel"
        base_url = "{url}"
        wire_api = "responses"
        [model_providers.other]
        name = "other"
        base_url = "{url}"
        wire_api = "responses"
        env_key = "SCOREL_RUNNER_TOKEN"
        "#
    );
    for directory in [scene.home.path(), &scene.daemon.project()] {
        disk::write(&directory.join(".codex/config.toml"), &settings);
    }
    let project = scene.daemon.project();
    let trust = format!("{settings}\n[projects.{project:?}]\ntrust_level = \"trusted\"\n");
    disk::write(&scene.home.path().join(".codex/config.toml"), &trust);
    runs_at_its_endpoint(&scene, AgentCli::Codex).await;
    assert_eq!(elsewhere.requests().len(), 0);
}

/// Runs a turn, whose requests have the token that is configured, and no other.
async fn runs_at_its_endpoint(scene: &AgentScene, cli: AgentCli) {
    let (client, id) = new_session(&scene.daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    scene.reply(say("at home"));
    send_to(&client, id, runner(cli), "go").await;
    let events = watch.until("turn_outcome").await;
    let outcome = only(&events, "turn_outcome");
    assert_eq!(outcome["reason"], "completed", "{outcome}");
    assert_eq!(
        answer_of(&events)["message"]["content"][0]["text"],
        "at home"
    );
    let requests = scene.agents.server().requests();
    let bearer = format!("Bearer {}", TOKEN.1);
    for request in requests.iter().filter(|request| cli.is_turn(request)) {
        assert_eq!(request.header("authorization"), Some(bearer.as_str()));
        assert_eq!(request.header("x-api-key"), None);
    }
    assert!(requests.iter().any(|request| cli.is_turn(request)));
}
