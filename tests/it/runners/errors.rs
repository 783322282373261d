//! The errors of turns and of `checkRunner`, with what helps.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use scorel_client::{ClientError, Connection};
use scorel_proto::{
    CheckRunner, CheckRunnerParams, CreateSession, CreateSessionParams, ErrorCode, RpcError,
    SendMessage, SendMessageParams, UpdateSession, UpdateSessionParams,
};
use scorel_testkit::{AgentCli, DaemonUnderTest, ModelServer};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::double::{AcpDouble, acp, script_runner};
use super::{only, send_to};
use crate::under_test::{Watch, daemon, message, new_session, session};

/// A runner that cannot run a turn, and its error.
struct Broken {
    name: &'static str,
    config: String,
    code: &'static str,
    message: &'static str,
    hint: Option<&'static str>,
    /// Whether `checkRunner` finds it out, which sends no prompt.
    is_checked: bool,
}

impl Broken {
    fn new(name: &'static str, config: String, code: &'static str, message: &'static str) -> Self {
        Self {
            name,
            config,
            code,
            message,
            hint: None,
            is_checked: true,
        }
    }

    fn hint(mut self, hint: &'static str) -> Self {
        self.hint = Some(hint);
        self
    }

    fn with_prompt(mut self) -> Self {
        self.is_checked = false;
        self
    }
}

const CHECK: &str = "update it, or check `type` and `command` of its table";

const INITIALIZED: &str = r#"read -r _; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{},"authMethods":[{"id":"a","name":"Log in with A"},{"id":"b","name":"Use a key"}]}}'
read -r _;"#;

/// A program that is nothing but an old version.
fn old_program(directory: &Path) -> PathBuf {
    let path = directory.join("old-agent");
    fs::write(&path, "#!/bin/sh\necho '1.9.9 (Old)'\n").unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
    path
}

fn broken(directory: &Path) -> Vec<Broken> {
    let absent = "[runners.absent]\ntype = \"acp\"\ncommand = [\"no-such-agent\", \"acp\"]\n";
    let old = format!(
        "[runners.old]\ntype = \"claude-code\"\ncommand = {}\nminVersion = \"2.0.0\"\n",
        json!([old_program(directory)])
    );
    let no_secret = r#"baseUrl = "http://127.0.0.1:9/"
        tokenEnv = "NO_SUCH_TOKEN""#;
    let not_logged_in = format!(
        r#"{INITIALIZED} echo '{{"jsonrpc":"2.0","id":2,"error":{{"code":-32000,"message":"Authentication required"}}}}'; cat"#
    );
    let other_error = format!(
        r#"{INITIALIZED} echo '{{"jsonrpc":"2.0","id":2,"error":{{"code":-32603,"message":"out of order"}}}}'; cat"#
    );
    let other_version = r#"read -r _; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":2,"agentCapabilities":{}}}'; cat"#;
    vec![
        Broken::new(
            "absent",
            absent.to_owned(),
            "runner_not_installed",
            "no-such-agent is not installed",
        ),
        Broken::new(
            "claude-code-glm",
            String::new(),
            "runner_not_logged_in",
            "claude-code-glm needs the secret `ZAI_API_KEY`",
        )
        .hint("put `ZAI_API_KEY=…` into HOME/env"),
        Broken::new(
            "codex",
            String::new(),
            "runner_not_installed",
            "codex is not installed",
        )
        .hint("install it with `npm install -g @openai/codex`"),
        Broken::new(
            "old",
            old,
            "runner_too_old",
            "old 1.9.9 is older than 2.0.0, the oldest that is tried",
        )
        .hint("update it, or set `minVersion` of [runners.old]"),
        Broken::new(
            "no-secret",
            script_runner("no-secret", "claude-code", "cat", no_secret),
            "runner_not_logged_in",
            "no-secret needs the secret `NO_SUCH_TOKEN`",
        )
        .hint("put `NO_SUCH_TOKEN=…` into HOME/env"),
        Broken::new(
            "asks-nothing",
            script_runner("asks-nothing", "command", "echo done", "trustOwn = false"),
            "runner_unsuitable",
            "asks-nothing never asks before it acts, and the mode is `readonly`",
        )
        .hint("set `trustOwn = true` in [runners.asks-nothing] if it may do what it likes, or use the mode `full`"),
        Broken::new(
            "kimi-cli",
            script_runner("kimi-cli", "kimi-cli", "echo 'kimi-cli is no longer maintained'", ""),
            "runner_protocol",
            "kimi-cli is no longer maintained",
        )
        .hint(CHECK),
        Broken::new(
            "complains",
            acp("complains", "echo 'this agent is retired' >&2; exit 1", ""),
            "runner_protocol",
            "this agent is retired",
        )
        .hint(CHECK),
        Broken::new(
            "not-logged-in",
            acp("not-logged-in", &not_logged_in, ""),
            "runner_not_logged_in",
            "Authentication required",
        )
        .hint("run it once and log in: Log in with A, Use a key"),
        Broken::new("other-error", acp("other-error", &other_error, ""), "runner_failed", "out of order"),
        Broken::new(
            "other-version",
            acp("other-version", other_version, ""),
            "runner_protocol",
            "the agent speaks another version of the protocol",
        ),
        Broken::new(
            "exits",
            script_runner("exits", "command", "echo partial; echo 'no space' >&2; exit 7", "trustOwn = true"),
            "runner_failed",
            "the runner ended with exit code 7: no space",
        )
        .with_prompt(),
        Broken::new(
            "silent",
            script_runner("silent", "command", "exec sleep 4000", "trustOwn = true\nidleSeconds = 1"),
            "runner_stalled",
            "the runner made no progress for 1 s",
        )
        .with_prompt(),
    ]
}

#[tokio::test]
async fn a_turn_says_why_its_runner_cannot_run_it_and_so_does_the_check() {
    let model = ModelServer::start().await.unwrap();
    let programs = TempDir::new().unwrap();
    let broken = broken(programs.path());
    let mut config = "[permissions]\nmode = \"readonly\"\n".to_owned();
    config.extend(broken.iter().map(|it| it.config.as_str()));
    let daemon = daemon(&model, &config).await;
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    for case in &broken {
        let hint = case
            .hint
            .map(|it| it.replace("HOME", &daemon.home().display().to_string()));
        send_to(&client, id, case.name, "go").await;
        let events = watch.until("turn_outcome").await;
        let outcome = only(&events, "turn_outcome");
        let error = &outcome["error"];
        assert_eq!(outcome["reason"], "error", "{}: {outcome}", case.name);
        assert_eq!(
            (&error["code"], &error["message"], &error["hint"]),
            (&json!(case.code), &json!(case.message), &json!(hint)),
            "{}",
            case.name
        );
        let checked = check(&client, case.name).await;
        if !case.is_checked {
            assert!(checked.is_ok(), "{}: {checked:?}", case.name);
            continue;
        }
        let error = checked.unwrap_err();
        assert_eq!(error.code, ErrorCode::RunnerError);
        assert_eq!(error.message, case.message);
        let kind = case.code;
        let details = json!({"runner": case.name, "kind": kind, "hint": hint});
        assert_eq!(error.details, details, "{}", case.name);
    }
}

#[tokio::test]
async fn a_context_that_is_lost_ends_the_turn_if_that_is_wanted() {
    let model = ModelServer::start().await.unwrap();
    let keys = "keepSeconds = 0\nonContextLost = \"fail\"";
    let double = AcpDouble {
        resumes: false,
        keys,
    };
    let daemon = daemon(&model, &double.config("double")).await;
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    send_to(&client, id, "double", "first").await;
    watch.until("turn_outcome").await;
    let before = session(&client, id).await.runner_contexts;
    send_to(&client, id, "double", "second").await;
    let events = watch.until("turn_outcome").await;
    let error = &only(&events, "turn_outcome")["error"];
    assert_eq!(error["code"], "runner_context_lost", "{error}");
    assert_eq!(error["message"], "the agent does not resume sessions");
    assert_eq!(session(&client, id).await.runner_contexts, before);
}

#[tokio::test]
async fn codex_without_an_account_says_so() {
    without_account(
        AgentCli::Codex,
        "codex",
        ("codex is not logged in", "log in with `codex login`"),
    )
    .await;
}

#[tokio::test]
async fn claude_without_an_account_says_so() {
    let hint = "log in with `claude` and `/login`, or name a token with `tokenEnv`";
    without_account(
        AgentCli::Claude,
        "claude-code",
        ("Not logged in · Please run /login", hint),
    )
    .await;
}

async fn without_account(cli: AgentCli, name: &str, (text, hint): (&str, &str)) {
    let Some(program) = cli.program() else {
        println!(
            "skipped: {} is not installed in SCOREL_RUNNER_PROGRAMS",
            cli.name()
        );
        return;
    };
    let home = TempDir::new().unwrap();
    cli.prepare_home(home.path());
    let model = ModelServer::start().await.unwrap();
    let variables = cli.variables(home.path(), "").into_iter();
    let variables: String = variables
        .map(|(name, value)| format!("{name} = \"{value}\"\n"))
        .collect();
    let config = format!(
        "[runners.{name}]\ncommand = {}\n[runners.{name}.env]\n{variables}",
        json!([program])
    );
    let path = std::env::var("PATH").unwrap();
    let mut daemon = DaemonUnderTest::new(crate::under_test::SCORELD).with_variable("PATH", &path);
    daemon.configure_model(&model.base_url());
    daemon.configure_more(&config);
    daemon.spawn().await;
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    send_to(&client, id, name, "go").await;
    let events = watch.until("turn_outcome").await;
    let error = &only(&events, "turn_outcome")["error"];
    let expected = (&json!("runner_not_logged_in"), &json!(text), &json!(hint));
    assert_eq!(
        (&error["code"], &error["message"], &error["hint"]),
        expected,
        "{error}"
    );
    let checked = check(&client, name).await;
    // Claude Code tells with its first answer only.
    assert_eq!(checked.is_ok(), cli == AgentCli::Claude, "{checked:?}");
    if let Err(error) = checked {
        assert_eq!(error.details["kind"], "runner_not_logged_in");
    }
}

#[tokio::test]
async fn an_unknown_name_is_refused_wherever_it_is_given() {
    let model = ModelServer::start().await.unwrap();
    let daemon = daemon(&model, "").await;
    let (client, id) = new_session(&daemon).await;
    let runner = Some("claude-cod".to_owned());
    let send = SendMessageParams {
        runner: runner.clone(),
        ..message(id, "go")
    };
    let project_id = session(&client, id).await.project_id;
    let create = CreateSessionParams {
        project_id,
        title: None,
        runner: runner.clone(),
        model: None,
        thinking_level: None,
        tools: None,
        command_id: None,
    };
    let update = UpdateSessionParams {
        session_id: id,
        title: None,
        runner,
        model: None,
        thinking_level: None,
        tools: None,
        on_restart: None,
        refresh_instructions: None,
        command_id: None,
    };
    let errors = [
        client.call::<SendMessage>(&send).await.unwrap_err(),
        client.call::<CreateSession>(&create).await.unwrap_err(),
        client.call::<UpdateSession>(&update).await.unwrap_err(),
    ];
    for error in errors.map(rpc) {
        assert_eq!(error.code, ErrorCode::InvalidParams);
        let text = "no runner `claude-cod` is configured; did you mean `claude-code`?";
        assert_eq!(error.message, text);
        assert_eq!(error.details, json!({"field": "runner"}));
    }
    let error = check(&client, "claude-cod").await.unwrap_err();
    let details = json!({
        "runner": "claude-cod",
        "kind": "runner_not_installed",
        "hint": "did you mean `claude-code`?",
    });
    assert_eq!(
        (error.code, error.details),
        (ErrorCode::RunnerError, details)
    );
    assert_eq!(session(&client, id).await.runner, "scorel");
}

async fn check(client: &Connection, runner: &str) -> Result<Value, RpcError> {
    let params = CheckRunnerParams {
        runner: runner.to_owned(),
    };
    let checked = client.call::<CheckRunner>(&params).await;
    checked.map(|result| json!(result)).map_err(rpc)
}

fn rpc(error: ClientError) -> RpcError {
    match error {
        ClientError::Rpc(error) => error,
        error => panic!("{error}"),
    }
}
