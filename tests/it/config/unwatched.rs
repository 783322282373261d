//! Where the system watches nothing for us, the look at each use is enough.

use std::fs;
use std::process::Command;

use super::ConfigScene;
use super::saves::renamed;

/// Runs the daemon in a user namespace in which a kind of watches is used up; `None` where that cannot
/// be arranged.
fn without(limit: &str) -> Option<Vec<String>> {
    let script = format!("echo 0 > /proc/sys/user/{limit} && exec \"$@\"");
    let wrapper = [
        "/usr/bin/unshare",
        "--user",
        "--map-root-user",
        "/bin/sh",
        "-c",
        &script,
        "sh",
    ];
    let tried = Command::new(wrapper[0])
        .args(&wrapper[1..])
        .arg("/bin/true")
        .status();
    if !tried.is_ok_and(|status| status.success()) {
        println!("skipped: no user namespaces with limits of their own");
        return None;
    }
    Some(wrapper.map(str::to_owned).to_vec())
}

#[tokio::test]
async fn without_watches_the_next_turn_has_the_new_content_and_clients_are_told_then() {
    for limit in ["max_inotify_instances", "max_inotify_watches"] {
        let Some(wrapper) = without(limit) else {
            return;
        };
        let mut scene = ConfigScene::under(wrapper).await;
        fs::write(scene.path(), scene.text("changed")).unwrap();
        assert_eq!(scene.asked().await.as_deref(), Some("changed"), "{limit}");
        let event = scene.told_of("model.id").await;
        assert_eq!(event["layer"], "user", "{event}");
        // At once: a look between the steps of a write in place would find an empty file, which is valid.
        renamed(&scene.path(), "[nonsense]\n");
        assert_eq!(scene.asked().await.as_deref(), Some("changed"), "{limit}");
        scene.told("config_invalid").await;
        assert!(
            scene
                .daemon
                .errors()
                .contains("cannot watch the configuration"),
            "{limit}"
        );
    }
}
