//! The configuration of a project.

use std::fs;

use scorel_proto::{GetConfig, GetConfigParams, GetSession, GetSessionParams, ProjectId};
use serde_json::Value;

use super::ConfigScene;

impl ConfigScene {
    async fn project_id(&self) -> ProjectId {
        let params = GetSessionParams {
            session_id: self.session,
        };
        let session = self.client.call::<GetSession>(&params).await.unwrap();
        session.session.project_id
    }
}

#[tokio::test]
async fn a_project_that_was_used_is_watched_also_before_it_has_a_file() {
    let mut scene = ConfigScene::new().await;
    assert_eq!(scene.asked().await.as_deref(), Some("test-model"));
    let project = scene.project_id().await;
    let dir = scene.write_project("[model]\nid = 'of-project'\n");
    let event = scene.told_of("model.id").await;
    assert_eq!(event["layer"], "project", "{event}");
    assert_eq!(event["projectId"], project.to_string(), "{event}");
    assert_eq!(scene.asked().await.as_deref(), Some("of-project"));

    // Another directory in its place, prepared elsewhere.
    let (new, old) = (dir.with_file_name("prepared"), dir.with_file_name("old"));
    fs::create_dir(&new).unwrap();
    fs::write(new.join("config.toml"), "[model]\nid = 'replaced'\n").unwrap();
    fs::rename(&dir, &old).unwrap();
    fs::rename(&new, &dir).unwrap();
    scene.told_of("model.id").await;
    assert_eq!(scene.asked().await.as_deref(), Some("replaced"));
    // The new directory is the one that is watched.
    fs::write(dir.join("config.toml"), "[model]\nid = 'later'\n").unwrap();
    scene.told_of("model.id").await;
    assert_eq!(scene.asked().await.as_deref(), Some("later"));

    fs::remove_dir_all(&dir).unwrap();
    // The file may be told to have changed before its directory is gone.
    while scene.told_of("model.id").await["removed"] != true {}
    assert_eq!(scene.asked().await.as_deref(), Some("test-model"));
    // Made again: it may have the number of the one before.
    scene.write_project("[model]\nid = 'again'\n");
    scene.told_of("model.id").await;
    assert_eq!(scene.asked().await.as_deref(), Some("again"));
}

#[tokio::test]
async fn clients_get_every_setting_with_its_origin_and_no_secret() {
    let scene = ConfigScene::new().await;
    let env = scene.daemon.home().join("env");
    fs::write(&env, "LAB_KEY=sk-very-secret\n").unwrap();
    fs::set_permissions(&env, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    scene
        .daemon
        .configure_more("apiKeyEnv = \"LAB_KEY\"\n[prompt]\ntext = \"sk-very-secret\"\n");
    let dir = scene.write_project("[runtime]\nmaxSteps = 7\n[tools]\npreset = 'all'\n");
    let params = GetConfigParams {
        project_id: Some(scene.project_id().await),
    };
    let config = scene.client.call::<GetConfig>(&params).await.unwrap();
    let config = serde_json::to_value(&config).unwrap();
    let of = |key: &str| {
        let settings = config["settings"].as_array().unwrap();
        settings.iter().find(|it| it["key"] == key).unwrap().clone()
    };
    let place = |setting: &Value| {
        (
            setting["origin"]["path"].clone(),
            setting["origin"]["line"].clone(),
        )
    };
    let file = |dir: &std::path::Path| Value::from(dir.join("config.toml").display().to_string());
    let steps = of("runtime.maxSteps");
    assert_eq!(
        (&steps["value"], place(&steps)),
        (&7.into(), (file(&dir), 2.into()))
    );
    let id = of("model.id");
    assert_eq!(
        (&id["value"], place(&id)),
        (&"test-model".into(), (file(&scene.daemon.home()), 5.into()))
    );
    assert_eq!(of("runtime.retries")["origin"]["layer"], "default");
    assert_eq!(of("model.apiKeyEnv")["secret"], "env_file");
    assert_eq!(of("prompt.text")["hidden"], true);
    assert_eq!(config["ignored"][0]["key"], "tools.preset");
    assert_eq!(config["ignored"][0]["line"], 4);
    assert!(!config.to_string().contains("sk-very-secret"));
}
