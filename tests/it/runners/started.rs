//! The arguments and the environment of runners.

use std::fs;

use scorel_testkit::{DaemonUnderTest, ModelServer};
use serde_json::{Value, json};

use super::double::{AcpDouble, script_runner};
use super::{only, send_to};
use crate::under_test::{SCORELD, Watch, daemon, new_session};

/// Writes what it was started with into `DIR/arguments`, `DIR/umask` and `DIR/request`, and ends.
fn noting(dir: &std::path::Path) -> String {
    let dir = dir.display();
    format!(
        "[ \"$1\" = --version ] && echo 99.0.0 && exit\n\
         printf '%s\\n' \"$@\" >{dir}/arguments; umask >{dir}/umask; head -n 1 >{dir}/request; exit 1"
    )
}

/// The umask of the user, and the instructions that Claude Code does not read itself.
#[tokio::test]
async fn claude_has_the_users_umask_and_the_projects_instructions() {
    let model = ModelServer::start().await.unwrap();
    let noted = tempfile::tempdir().unwrap();
    let runner = script_runner("noting", "claude-code", &noting(noted.path()), "");
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure_model(&model.base_url());
    daemon.configure_more(&runner);
    let user = tempfile::tempdir().unwrap();
    fs::write(user.path().join(".bash_profile"), "umask 027\n").unwrap();
    daemon = daemon
        .with_variable("HOME", user.path().to_str().unwrap())
        .with_variable("SHELL", "/bin/bash");
    daemon.spawn().await;
    daemon.write_project_file("AGENTS.md", "Run `make test`.\n");
    fs::write(daemon.home().join("AGENTS.md"), "Speak plainly.\n").unwrap();
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    send_to(&client, id, "noting", "go").await;
    watch.until("turn_outcome").await;
    let read = |name: &str| fs::read_to_string(noted.path().join(name)).unwrap();
    assert_eq!(read("umask"), "0027\n");
    let request: Value = serde_json::from_str(&read("request")).unwrap();
    let told = request["request"]["appendSystemPrompt"].as_str().unwrap();
    for part in ["Speak plainly.", "/AGENTS.md:\n\nRun `make test`."] {
        assert!(told.contains(part), "{told}");
    }
    // The command line is for every process of the machine, and in the log.
    assert!(!read("arguments").contains("make test"));
}

#[tokio::test]
async fn a_process_is_kept_only_if_it_is() {
    let model = ModelServer::start().await.unwrap();
    let double = AcpDouble {
        resumes: true,
        keys: "keepSeconds = 0",
    };
    let daemon = daemon(&model, &double.config("double")).await;
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    send_to(&client, id, "double", "go").await;
    let events = watch.until("turn_outcome").await;
    assert_eq!(only(&events, "runner_exit")["kept"], json!(false));
}
