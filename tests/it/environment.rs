//! What commands and tools get of the user's environment: variables, umask, and no credentials.

mod slow_shell;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use scorel_testkit::{DaemonUnderTest, ModelServer, ScriptedChat};
use serde_json::{Value, json};

use crate::under_test::{SCORELD, Watch, has_sandbox, new_session, send};

/// Allows commands in a sandbox.
const ALLOWED: &str = "[permissions]\nmode = \"workspace\"\nallow = [\"Bash\"]\n\
                       timeoutSeconds = 1\natTimeout = \"allow\"\n";

/// A daemon whose user has a start-up file of the login shell.
struct Stage {
    daemon: DaemonUnderTest,
    model: ModelServer,
}

impl Stage {
    async fn new(config: &str, profile: &str) -> Self {
        Self::with_home(config, profile, "../user").await
    }

    /// The user's home is at this path, seen from the project.
    async fn with_home(config: &str, profile: &str, home: &str) -> Self {
        let model = ModelServer::start().await.unwrap();
        let mut daemon = DaemonUnderTest::new(SCORELD);
        daemon.configure_model(&model.base_url());
        daemon.configure_more(config);
        let home = daemon.project().join(home);
        fs::create_dir_all(&home).unwrap();
        let home = home.canonicalize().unwrap();
        fs::write(home.join(".bash_profile"), profile).unwrap();
        daemon = daemon
            .with_variable("HOME", home.to_str().unwrap())
            .with_variable("SHELL", "/bin/bash")
            .with_variable("PATH", "/usr/bin:/bin:/of/the/daemon");
        daemon.spawn().await;
        Self { daemon, model }
    }

    /// The result of one call.
    async fn call(&self, name: &str, input: &Value) -> String {
        let call = ScriptedChat::default().tool_call("call_a", name, &input.to_string());
        self.model
            .answer(call.finish("tool_calls"))
            .answer(ScriptedChat::default().text("Done.").finish("stop"));
        let (client, id) = new_session(&self.daemon).await;
        let mut watch = Watch::from_start(&client, id).await;
        send(&client, id, "Do it.").await;
        watch.until("turn_outcome").await;
        let log = self.daemon.log(&id.to_string());
        let mut results = log
            .iter()
            .filter(|line| line["message"]["role"] == "tool_result");
        let result = &results.next().unwrap()["message"]["content"][0]["content"][0];
        result["text"].as_str().unwrap().to_owned()
    }

    async fn command(&self, command: &str) -> String {
        self.call("Bash", &json!({ "command": command })).await
    }
}

#[tokio::test]
async fn commands_get_the_login_shells_environment_and_the_users_umask() {
    if !has_sandbox() {
        return;
    }
    let profile = "echo 'Welcome, A=noise!'\nsleep 1000 &\numask 027\n\
                   export FROM_LOGIN=1 GITHUB_TOKEN=secret PATH=/of/the/shell:/usr/bin:/bin\n";
    let stage = Stage::new(ALLOWED, profile).await;
    let shown = stage
        .command("env; umask; mkdir d; touch d/f; stat -c %a d d/f")
        .await;
    for line in [
        "FROM_LOGIN=1",
        "PATH=/of/the/shell:/usr/bin:/bin:/of/the/daemon",
        "TERM=dumb",
        "0027\n750\n640",
    ] {
        assert!(shown.contains(line), "{line} in {shown}");
    }
    for absent in ["GITHUB_TOKEN", "noise", "NOTIFY_SOCKET", "SCOREL_RESOLVING"] {
        assert!(!shown.contains(absent), "{absent} in {shown}");
    }
    let written = json!({ "path": "new/file", "content": "x" });
    stage.call("Write", &written).await;
    let mode = |path: &str| {
        let metadata = fs::metadata(stage.daemon.project().join(path)).unwrap();
        metadata.permissions().mode() & 0o777
    };
    assert_eq!((mode("new"), mode("new/file")), (0o750, 0o640));
    // What the daemon writes for itself stays private.
    let log = fs::metadata(stage.daemon.home().join("config.toml")).unwrap();
    assert_eq!(log.permissions().mode() & 0o077, 0);
}

#[tokio::test]
async fn the_configuration_passes_sets_and_removes_variables() {
    if !has_sandbox() {
        return;
    }
    let config = format!(
        "{ALLOWED}[tools.environment]\npass = [\"GITHUB_TOKEN\"]\nremove = [\"FROM_*\"]\n\
         set = {{ GIVEN = \"by hand\" }}\n"
    );
    let profile = "export FROM_LOGIN=1 GITHUB_TOKEN=passed NPM_TOKEN=kept\n";
    let stage = Stage::new(&config, profile).await;
    let shown = stage.command("env").await;
    assert!(shown.contains("GITHUB_TOKEN=passed"), "{shown}");
    assert!(shown.contains("GIVEN=by hand"), "{shown}");
    assert!(
        !shown.contains("FROM_LOGIN") && !shown.contains("NPM_TOKEN"),
        "{shown}"
    );
}

#[tokio::test]
async fn a_project_runs_nothing_in_the_login_shell_unless_the_user_wants_that() {
    if !has_sandbox() {
        return;
    }
    let profile = "[ -f hook.sh ] && . ./hook.sh\n";
    for (config, expected) in [
        ("", false),
        ("[tools.environment]\nloginShell = \"project\"\n", true),
    ] {
        let stage = Stage::new(&format!("{ALLOWED}{config}"), profile).await;
        let hook = "export OF_THE_PROJECT=1\n";
        stage.daemon.write_project_file("hook.sh", hook);
        let shown = stage.command("env").await;
        assert_eq!(shown.contains("OF_THE_PROJECT"), expected, "{shown}");
    }
}

#[tokio::test]
async fn credentials_are_kept_from_tools_and_commands() {
    if !has_sandbox() {
        return;
    }
    let stage = Stage::with_home(ALLOWED, "", ".").await;
    let project = stage.daemon.project();
    fs::create_dir_all(project.join(".aws")).unwrap();
    fs::write(project.join(".aws/credentials"), "aws_needle").unwrap();
    fs::write(project.join(".pgpass"), "pg_needle").unwrap();
    fs::write(project.join("visible"), "a needle to find").unwrap();
    let read = json!({ "path": ".aws/credentials" });
    let refused = stage.call("Read", &read).await;
    assert!(
        refused.contains("cloud service") && refused.contains("`shown`"),
        "{refused}"
    );
    let written = json!({ "path": ".pgpass", "content": "x" });
    let refused = stage.call("Write", &written).await;
    assert!(refused.contains("passwords of databases"), "{refused}");
    let found = stage.call("Grep", &json!({ "pattern": "needle" })).await;
    assert!(
        found.contains("visible") && !found.contains("_needle"),
        "{found}"
    );
    let shown = stage
        .command("cat .aws/credentials .pgpass; grep -rs needle .; echo x > .pgpass")
        .await;
    assert!(
        shown.contains("a needle to find") && !shown.contains("_needle"),
        "{shown}"
    );
    assert_eq!(
        fs::read_to_string(project.join(".pgpass")).unwrap(),
        "pg_needle"
    );
    stage
        .daemon
        .configure_more("[tools]\nshown = [\"~/.aws\"]\n");
    let shown = stage.call("Read", &read).await;
    assert!(shown.contains("aws_needle"), "{shown}");
    let shown = stage.command("cat .aws/credentials .pgpass").await;
    assert!(
        shown.contains("aws_needle") && !shown.contains("pg_needle"),
        "{shown}"
    );
}
