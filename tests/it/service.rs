//! The daemon under the systemd user manager: where one runs, and in a container with one of its own.
//!
//! `SCOREL_CONTAINER=1`, as root, boots the containers.

pub(crate) mod container;
mod dead_socket;
mod installed;
mod supervised;
mod taken_over;

use std::path::PathBuf;
use std::process::Command;

use scorel_testkit::DaemonUnderTest;

use crate::under_test::{SCORELD, connect};

/// Calls `systemctl --user`; `None` if that fails.
fn systemctl(arguments: &[&str]) -> Option<String> {
    let output = Command::new("systemctl")
        .arg("--user")
        .args(arguments)
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    output.status.success().then_some(text)
}

/// A unit that is removed when the test ends, also after a panic.
struct Unit {
    name: String,
    file: PathBuf,
}

impl Unit {
    /// Installs the unit that the program prints, for a temporary home, under a name of its own,
    /// and only until the next boot.
    fn install(runtime_dir: &str, daemon: &DaemonUnderTest) -> Self {
        let printed = Command::new(SCORELD)
            .args(["--print-unit", "systemd-service"])
            .output();
        let printed = String::from_utf8(printed.unwrap().stdout).unwrap();
        let start = format!("ExecStart={SCORELD} --home {}", daemon.home().display());
        let text: Vec<&str> = printed
            .lines()
            .map(|line| {
                if line.starts_with("ExecStart=") {
                    start.as_str()
                } else {
                    line
                }
            })
            .collect();
        let name = format!("scorel-test-{}.service", std::process::id());
        let dir = PathBuf::from(runtime_dir).join("systemd/user");
        std::fs::create_dir_all(&dir).unwrap();
        let file = dir.join(&name);
        std::fs::write(&file, text.join("\n") + "\n").unwrap();
        let unit = Self { name, file };
        systemctl(&["daemon-reload"]).expect("the manager reads units");
        unit
    }
}

impl Drop for Unit {
    fn drop(&mut self) {
        systemctl(&["stop", &self.name]);
        let _gone: std::io::Result<()> = std::fs::remove_file(&self.file);
        systemctl(&["daemon-reload"]);
    }
}

#[tokio::test]
async fn a_user_service_manager_starts_and_stops_the_daemon() {
    let runtime_dir = std::env::var("XDG_RUNTIME_DIR").ok();
    let (Some(runtime_dir), Some(_)) = (runtime_dir, systemctl(&["show-environment"])) else {
        println!("skipped: no user service manager runs here");
        return;
    };
    let daemon = DaemonUnderTest::new(SCORELD);
    let unit = Unit::install(&runtime_dir, &daemon);
    systemctl(&["start", &unit.name]).expect("the unit starts, and says that it is ready");
    let client = connect(&daemon.socket()).await;
    client.hello(None).await.unwrap();
    systemctl(&["stop", &unit.name]).expect("the unit stops");
    assert!(!daemon.socket().exists());
    assert_eq!(systemctl(&["is-failed", &unit.name]), None, "it ended well");
}
