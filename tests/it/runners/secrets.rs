//! Secrets: a runner gets those that it is given, and none stands anywhere else.

use scorel_testkit::{AgentCli, DaemonUnderTest, SeededDice};
use serde_json::Value;

use super::command_lines::CommandLines;
use super::pipes::NamedPipe;
use super::scene::{AgentScene, TOKEN, runner, say};
use super::{disk, processes, send_to};
use crate::under_test::{Watch, create_session};

/// Variables of the daemon. One that a shell hands on must not either, if its value has a secret in it.
const IN_ENVIRONMENT: [&str; 15] = [
    "AWS_SECRET_ACCESS_KEY",
    "AZURE_CLIENT_SECRET",
    "CI_JOB_TOKEN",
    "DB_PASSWORD",
    "DOCKER_AUTH_CONFIG",
    "FAVOURITE_COLOUR",
    "GITHUB_TOKEN",
    "GREETING",
    "MAVEN_PASSWD",
    "NPM_TOKEN",
    "PGPASSWORD",
    "SIGNING_PRIVATE",
    "SSH_PASSPHRASE",
    "STRIPE_API_KEY",
    "VAULT_CREDENTIALS",
];

/// Lines of the `env` file.
const IN_FILE: [&str; 15] = [
    "ANTHROPIC_API_KEY",
    "COFFEE",
    "DECLARED",
    "EDITOR",
    "GEMINI_API_KEY",
    "LANG",
    "LC_NOTE",
    "MOONSHOT_API_KEY",
    "OPENAI_API_KEY",
    "PLAIN",
    "TEAM_PASSWORD",
    "TEAM_SECRET",
    "TZ",
    "WEATHER",
    "ZAI_API_KEY",
];

/// The one that runners are given, and under which name.
const DECLARED: &str = "DECLARED";
const GIVEN: &str = "GIVEN_TO_IT";

/// Under these names an agent gets the token of its endpoint.
const TOKEN_NAMES: [&str; 2] = ["ANTHROPIC_AUTH_TOKEN", "SCOREL_RUNNER_TOKEN"];

#[tokio::test(flavor = "multi_thread")]
async fn codex_gets_the_secrets_that_it_is_given_and_shows_none() {
    gets_what_it_is_given(AgentCli::Codex).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn claude_gets_the_secrets_that_it_is_given_and_shows_none() {
    gets_what_it_is_given(AgentCli::Claude).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn gemini_gets_the_secrets_that_it_is_given_and_shows_none() {
    gets_what_it_is_given(AgentCli::Gemini).await;
}

async fn gets_what_it_is_given(cli: AgentCli) {
    let keys = format!("secretEnv = {{ {GIVEN} = \"{DECLARED}\" }}");
    let config = "[permissions]\nmode = \"full\"\n";
    let Some(mut scene) = AgentScene::prepare(&[cli], &keys, config).await else {
        return;
    };
    let canaries = Canaries::roll(cli.name());
    scene.daemon = canaries.place(scene.daemon);
    let client = scene.spawn().await;
    let id = create_session(&client, &scene.daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    let project = scene.daemon.project();
    let mut begun = NamedPipe::make(&project.join("begun"));
    let mut go = NamedPipe::make(&project.join("go"));
    let lines = CommandLines::watch();

    // What a tool prints reaches the events and the log.
    let command = "env; env >&2; echo >begun; read -r _ <go";
    scene.reply(cli.command("call_1", command));
    scene.reply(say("MARKER"));
    send_to(&client, id, runner(cli), "go").await;
    begun.written().await;
    let environments = processes::environments(scene.home.path());
    go.write_line().await;
    let mut events = Vec::new();
    while !ends_turn(events.last()) {
        events.push(watch.next_text().await);
    }

    for (pid, variables) in &environments {
        canaries.check_environment(*pid, variables);
    }
    let given = format!("{GIVEN}={}", canaries.value(DECLARED));
    assert!(environments.iter().any(|(_, it)| it.contains(&given)));
    let lines = lines.end();
    assert!(lines.iter().any(|line| line.contains(cli.name())));
    canaries.check_absent("an argument", lines.iter().map(String::as_str));
    // Gemini gives its commands no variables but usual ones.
    let is_printed = events.iter().any(|event| event.contains("[secret]"));
    assert!(is_printed || cli == AgentCli::Gemini);
    canaries.check_absent("an event", events.iter().map(String::as_str));
    let files = disk::below(scene.daemon.root());
    assert!(files.iter().any(|(_, text)| text.contains("MARKER")));
    for (name, text) in &files {
        if name != "home/env" {
            canaries.check_absent(name, [text.as_str()]);
        }
    }
}

fn ends_turn(event: Option<&String>) -> bool {
    event.is_some_and(|event| {
        let event: Value = serde_json::from_str(event).unwrap();
        let is_end = event["type"] == "turn_outcome";
        assert!(!is_end || event["reason"] == "completed", "{event}");
        is_end
    })
}

/// Random values by their names.
struct Canaries {
    environment: Vec<(&'static str, String)>,
    file: Vec<(&'static str, String)>,
}

impl Canaries {
    fn roll(test: &str) -> Self {
        let mut dice = SeededDice::for_test(test);
        let mut with_value = |name| {
            let value = format!(
                "canary{:016x}{:016x}",
                dice.roll(0..u64::MAX),
                dice.roll(0..u64::MAX)
            );
            (name, value)
        };
        Self {
            environment: IN_ENVIRONMENT.map(&mut with_value).into(),
            file: IN_FILE.map(&mut with_value).into(),
        }
    }

    fn all(&self) -> impl Iterator<Item = &(&'static str, String)> {
        self.environment.iter().chain(&self.file)
    }

    fn value(&self, name: &str) -> &str {
        let mut all = self.all();
        &all.find(|(it, _)| *it == name).unwrap().1
    }

    /// Sets the variables, and writes the file.
    fn place(&self, mut daemon: DaemonUnderTest) -> DaemonUnderTest {
        for (name, value) in &self.environment {
            daemon = daemon.with_variable(name, value);
        }
        // One that is handed on, but for the secret in it.
        let url = format!("https://user:{}@host/", self.value("PLAIN"));
        daemon = daemon.with_variable("LC_PLACE", &url);
        let lines = self
            .file
            .iter()
            .map(|(name, value)| format!("{name}={value}\n"));
        disk::write_private(&daemon.home().join("env"), &lines.collect::<String>());
        daemon
    }

    fn check_environment(&self, pid: i32, variables: &[String]) {
        for (name, value) in variables.iter().filter_map(|it| it.split_once('=')) {
            for (canary, secret) in self.all() {
                let is_given = (name, *canary) == (GIVEN, DECLARED);
                assert!(
                    is_given || !value.contains(secret),
                    "{canary} is {name} of {pid}"
                );
            }
            let is_endpoint = TOKEN_NAMES.contains(&name);
            assert!(is_endpoint || !value.contains(TOKEN.1), "{name} of {pid}");
        }
    }

    fn check_absent<'a>(&self, place: &str, texts: impl IntoIterator<Item = &'a str>) {
        let secrets: Vec<_> = self
            .all()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        for text in texts {
            for (name, value) in secrets.iter().copied().chain([TOKEN]) {
                assert!(!text.contains(value), "{name} is in {place}: {text}");
            }
        }
    }
}
