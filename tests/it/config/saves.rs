//! The ways in which programs save a file: the next turn has the new content, and clients are told.

use std::fs::{self, OpenOptions, Permissions};
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use super::ConfigScene;

/// A way to give a file another content.
type Save = fn(&Path, &str);

const WAYS: [(&str, Save); 7] = [
    ("in place", in_place),
    ("a new file in its place", renamed),
    ("another target of a link", relinked),
    ("the target of a link, in place", behind_link),
    ("as vim does", as_vim),
    ("as Emacs does", as_emacs),
    ("deleted and made again", made_again),
];

fn write(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, Permissions::from_mode(0o600)).unwrap();
}

fn in_place(path: &Path, text: &str) {
    write(path, text);
}

pub(super) fn renamed(path: &Path, text: &str) {
    let new = path.with_file_name("config.toml.new");
    write(&new, text);
    fs::rename(new, path).unwrap();
}

fn relinked(path: &Path, text: &str) {
    // Another directory, as that of a collection of dotfiles.
    let dir = path.parent().unwrap().with_file_name("dotfiles");
    fs::create_dir_all(&dir).unwrap();
    let number = fs::read_dir(&dir).unwrap().count();
    let target = dir.join(format!("scorel-{number}.toml"));
    write(&target, text);
    let link = path.with_file_name("link");
    symlink(&target, &link).unwrap();
    fs::rename(link, path).unwrap();
}

fn behind_link(path: &Path, text: &str) {
    write(&fs::canonicalize(path).unwrap(), text);
}

/// `backupcopy=no`: the old file becomes the backup, and a new one is written.
fn as_vim(path: &Path, text: &str) {
    let backup = path.with_file_name("config.toml~");
    fs::rename(path, &backup).unwrap();
    write(path, text);
    fs::remove_file(backup).unwrap();
}

/// The first save: a lock, a copy as backup, the file in place.
fn as_emacs(path: &Path, text: &str) {
    let lock = path.with_file_name(".#config.toml");
    symlink("user@host.1:1", &lock).unwrap();
    fs::copy(path, path.with_file_name("config.toml~")).unwrap();
    write(path, text);
    fs::remove_file(lock).unwrap();
}

fn made_again(path: &Path, text: &str) {
    fs::remove_file(path).unwrap();
    write(path, text);
}

#[tokio::test]
async fn however_a_file_is_saved_the_next_turn_has_it_and_clients_are_told() {
    let mut scene = ConfigScene::new().await;
    let path = scene.path();
    for (number, (way, save)) in WAYS.into_iter().enumerate() {
        println!("{way}");
        let (first, second) = (format!("first-{number}"), format!("second-{number}"));
        // Told without a use.
        save(&path, &scene.text(&first));
        let event = scene.told_of("model.id").await;
        assert_eq!(
            (&event["layer"], &event["restartNeeded"]),
            (&"user".into(), &false.into())
        );
        assert_eq!(scene.asked().await, Some(first), "{way}");
        // Used without being told.
        save(&path, &scene.text(&second));
        assert_eq!(scene.asked().await, Some(second), "{way}");
        scene.told_of("model.id").await;
    }
}

#[tokio::test]
async fn a_file_that_is_written_in_two_steps_counts_at_each() {
    let mut scene = ConfigScene::new().await;
    let (path, text) = (scene.path(), scene.text("whole"));
    fs::write(&path, "").unwrap();
    scene.told_of("model.id").await;
    assert_eq!(scene.asked().await, None);
    // Half of the file is not valid here: the previous configuration stays.
    let (half, rest) = text.split_at(text.find("\"openai").unwrap() + 3);
    let mut file = OpenOptions::new().append(true).open(&path).unwrap();
    file.write_all(half.as_bytes()).unwrap();
    scene.told("config_invalid").await;
    assert_eq!(scene.asked().await, None);
    file.write_all(rest.as_bytes()).unwrap();
    scene.told_of("model.id").await;
    assert_eq!(scene.asked().await.as_deref(), Some("whole"));
}

#[tokio::test]
async fn a_removed_file_means_the_defaults_and_a_new_one_counts() {
    let mut scene = ConfigScene::new().await;
    fs::remove_file(scene.path()).unwrap();
    let event = scene.told_of("model.id").await;
    assert_eq!(event["removed"], true, "{event}");
    assert_eq!(scene.asked().await, None);
    renamed(&scene.path(), &scene.text("new"));
    let event = scene.told_of("model.id").await;
    assert_eq!(event.get("removed"), None, "{event}");
    assert_eq!(scene.asked().await.as_deref(), Some("new"));
}

#[tokio::test]
async fn a_mode_that_lets_others_write_makes_the_file_invalid_until_it_is_taken_back() {
    let mut scene = ConfigScene::new().await;
    let mode = |mode| fs::set_permissions(scene.path(), Permissions::from_mode(mode)).unwrap();
    mode(0o666);
    let path = scene.path().display().to_string();
    let event = scene.told("config_invalid").await;
    assert_eq!(
        (&event["path"], event.get("line")),
        (&path.as_str().into(), None)
    );
    assert!(
        event["message"].as_str().unwrap().contains("chmod 600"),
        "{event}"
    );
    assert_eq!(scene.asked().await.as_deref(), Some("test-model"));
    fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
    let event = scene.told("config_changed").await;
    assert_eq!(event["keys"], serde_json::json!([]), "{event}");
    assert_eq!(scene.asked().await.as_deref(), Some("test-model"));
}

#[tokio::test]
async fn of_a_thousand_writes_the_last_one_counts() {
    let mut scene = ConfigScene::new().await;
    let path = scene.path();
    for number in 0..1000 {
        let save = if number % 2 == 0 { in_place } else { renamed };
        save(&path, &scene.text(&format!("m{number}")));
    }
    assert_eq!(scene.asked().await.as_deref(), Some("m999"));
    scene.told_of("model.id").await;
    // The feed goes on.
    in_place(
        &path,
        &format!("{}[rpc]\nmaxCalls = 9\n", scene.text("m999")),
    );
    let event = scene.told_of("rpc.maxCalls").await;
    assert_eq!(event["restartNeeded"], true, "{event}");
}

#[tokio::test]
async fn an_invalid_file_is_told_with_its_place_and_what_was_before_stays() {
    let mut scene = ConfigScene::new().await;
    let text = scene.text("valid");
    renamed(&scene.path(), &format!("{text}[runtime]\nmaxStep = 5\n"));
    let event = scene.told("config_invalid").await;
    assert_eq!(event["path"], scene.path().display().to_string());
    assert_eq!(
        (&event["line"], &event["column"]),
        (&8.into(), &1.into()),
        "{event}"
    );
    assert_eq!(event["suggestion"], "maxSteps", "{event}");
    assert_eq!(scene.asked().await.as_deref(), Some("test-model"));
    in_place(&scene.path(), &format!("{text}[runtime]\nmaxSteps = 5\n"));
    scene.told_of("runtime.maxSteps").await;
    assert_eq!(scene.asked().await.as_deref(), Some("valid"));
}

#[tokio::test]
async fn a_change_of_the_secrets_is_told_without_them() {
    let mut scene = ConfigScene::new().await;
    write(&scene.daemon.home().join("env"), "A_KEY=sk-secret\n");
    let event = scene.told("config_changed").await;
    assert_eq!(event["layer"], "env", "{event}");
    assert_eq!(event["keys"], serde_json::json!([]), "{event}");
    assert!(!event.to_string().contains("A_KEY") && !event.to_string().contains("sk-secret"));
}
