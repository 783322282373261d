//! Homes with unusual paths.

use std::path::{Path, PathBuf};
use std::process::Output;
use std::process::Stdio;

use tokio::process::Command;
use tokio::time::timeout;

use crate::under_test::{PATIENCE, SCORELCTL, SCORELD};

struct Place {
    root: tempfile::TempDir,
    home: PathBuf,
}

impl Place {
    fn new(name: &str) -> Self {
        let root = tempfile::tempdir().unwrap();
        for directory in ["work dir", "run"] {
            std::fs::create_dir(root.path().join(directory)).unwrap();
        }
        let home = root.path().join(name);
        Self { root, home }
    }

    fn work(&self) -> PathBuf {
        self.root.path().join("work dir")
    }

    async fn run(&self, home: &Path, arguments: &[&str]) -> Output {
        let mut command = Command::new(SCORELCTL);
        command
            .env_clear()
            .env("SCORELD", SCORELD)
            .env("HOME", self.root.path())
            .env("PATH", "/usr/bin:/bin")
            .env("XDG_RUNTIME_DIR", self.root.path().join("run"))
            .arg("--home")
            .arg(home)
            .args(arguments)
            .current_dir(self.work())
            .stdin(Stdio::null())
            .kill_on_drop(true);
        timeout(PATIENCE, command.output())
            .await
            .expect("it ends")
            .unwrap()
    }

    async fn ok(&self, arguments: &[&str]) -> String {
        let output = self.run(&self.home, arguments).await;
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }
}

#[tokio::test]
async fn a_home_with_spaces_and_one_of_200_characters_work() {
    for name in ["my home of scorel", &"h".repeat(200)] {
        let place = Place::new(name);
        let answer = place.ok(&["send", "--session", "new", "hello"]).await;
        assert!(answer.contains("not a language model"), "{answer}");
        let status = place.ok(&["status"]).await;
        assert!(status.contains(name), "{status}");
        assert_eq!(place.ok(&["status", "--short"]).await, "idle\n");
        assert!(
            place.ok(&["logs", "-n", "50"]).await.contains("starting"),
            "{name}"
        );
        place.ok(&["config", "set", "runtime.maxSteps", "9"]).await;
        assert_eq!(
            place.ok(&["config", "get", "runtime.maxSteps"]).await,
            "9\n"
        );
        let refused = place.run(&place.home, &["service", "install"]).await;
        assert_eq!(refused.status.code(), Some(3), "{refused:?}");
        let text = String::from_utf8(refused.stderr).unwrap();
        assert!(
            text.contains("default home only") && text.contains(name),
            "{text}"
        );
        place.ok(&["stop"]).await;
        let stopped = place.run(&place.home, &["status"]).await;
        assert_eq!(stopped.status.code(), Some(7), "{stopped:?}");
    }
}

#[tokio::test]
async fn a_home_is_named_relative_to_the_working_directory_too() {
    let place = Place::new("there");
    let absolute = place
        .ok(&["send", "--detach", "--session", "new", "hello"])
        .await;
    assert!(absolute.starts_with("ses_"));
    let output = place
        .run(Path::new("../there"), &["status", "--short"])
        .await;
    assert!(output.status.success(), "{output:?}");
    place.ok(&["stop"]).await;
}
