use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use fs2::FileExt as _;
use scorel_testkit::Deadline;
use serde_json::{Value, json};

use crate::daemon::Daemon;
use crate::program::{Ended, TestHome};

pub(crate) const KEY: &str = "sk-canary-0123456789";

/// A daemon that knows two providers with keys and a server on this machine.
pub(crate) fn daemon(place: &TestHome) -> Daemon {
    let daemon = Daemon::start(place);
    let provider = |name: &str, variable: Option<&str>, live: bool| {
        json!({
            "name": name, "keyVariables": variable.into_iter().collect::<Vec<_>>(), "hasKey": false,
            "local": variable.is_none(), "live": live,
        })
    };
    let model = |provider: &str, id: &str| json!({"provider": provider, "id": id, "contextWindow": 200_000, "live": false});
    daemon.answer(
        "listModels",
        json!({
            "models": [
                model("openai", "gpt-x"), model("openai", "gpt-y"),
                model("anthropic", "claude-x"), model("ollama", "qwen3"),
            ],
            "defaultModel": "demo/demo",
            "providers": [
                provider("openai", Some("OPENAI_API_KEY"), false),
                provider("anthropic", Some("ANTHROPIC_API_KEY"), false),
                provider("ollama", None, true),
                provider("vllm", None, false),
            ],
        }),
    );
    daemon.answer("getStatus", status(None));
    daemon.answer("getConfig", json!({"generation": 1, "settings": []}));
    daemon.answer("listRunners", json!({"runners": []}));
    let checked = json!({
        "model": "openai/gpt-x", "durationMs": 1240,
        "usage": {"inputTokens": 12, "outputTokens": 3},
    });
    daemon.answer("checkModel", checked);
    daemon
}

fn status(problem: Option<&str>) -> Value {
    json!({
        "version": "0.1.0", "protocol": {"min": 1, "max": 1},
        "deviceId": "dev_01ARZ3NDEKTSV4RRFFQ69G5FAV", "displayName": "here", "pid": 1,
        "home": "/h", "startedAt": 0, "connections": 1, "loadedSessions": 0, "active": [],
        "defaultModel": "demo/demo", "draining": false, "configProblem": problem,
    })
}

/// Runs the command with a key in the environment.
fn init(place: &TestHome, arguments: &[&str]) -> Ended {
    run(place, arguments, &[("OPENAI_API_KEY", KEY)])
}

pub(crate) fn run(place: &TestHome, arguments: &[&str], variables: &[(&str, &str)]) -> Ended {
    let mut all = vec!["init"];
    all.extend(arguments);
    let mut command: Command = place.command(&all);
    command.envs(variables.iter().copied());
    let ended = Ended::new(Deadline::output(&mut command).expect("it runs"));
    let shown = format!("{}{}", ended.out, ended.err);
    assert!(!shown.contains("canary"), "the key is shown: {shown}");
    ended
}

pub(crate) fn file(place: &TestHome, name: &str) -> String {
    fs::read_to_string(place.home().join(name)).expect("a usable home")
}

pub(crate) fn mode(path: &Path) -> u32 {
    fs::metadata(path)
        .expect("a usable home")
        .permissions()
        .mode()
        & 0o777
}

pub(crate) fn put(place: &TestHome, name: &str, text: &str) {
    fs::write(place.home().join(name), text).expect("a usable home");
}

pub(crate) fn names(place: &TestHome) -> Vec<String> {
    let entries = fs::read_dir(place.home()).expect("a usable home");
    let names = entries.map(|entry| {
        entry
            .expect("a usable home")
            .file_name()
            .into_string()
            .expect("a usable home")
    });
    let ours = |name: &String| name != "scoreld.sock" && !name.starts_with("client");
    let mut names: Vec<_> = names.filter(ours).collect();
    names.sort();
    names
}

#[test]
fn a_change_of_the_configuration_by_another_program_is_waited_for_but_not_for_ever() {
    let place = TestHome::new();
    let _daemon = daemon(&place);
    let dir = fs::File::open(place.home()).expect("a usable home");
    dir.lock_exclusive().expect("locked");
    let ended = init(&place, &["--yes"]);
    ended.assert_code(3);
    assert!(
        ended.err.contains("another program is still changing"),
        "{}",
        ended.err
    );
    assert_eq!(names(&place), [""; 0]);
    drop(dir);
    init(&place, &["--yes"]).assert_code(0);
}

#[test]
fn a_key_in_the_environment_becomes_a_configuration_that_is_tried() {
    let place = TestHome::new();
    let daemon = daemon(&place);
    let ended = init(&place, &["--yes"]);
    ended.assert_code(0);
    let expected = "[model]\nprovider = \"openai\"\nid = \"gpt-x\"\n";
    assert_eq!(file(&place, "config.toml"), expected);
    assert_eq!(file(&place, "env"), format!("OPENAI_API_KEY={KEY}\n"));
    for name in ["config.toml", "env"] {
        assert_eq!(mode(&place.home().join(name)), 0o600, "{name}");
    }
    assert_eq!(
        names(&place),
        ["config.toml", "env"],
        "nothing else is left"
    );
    assert_eq!(daemon.calls("checkModel").len(), 1);
    assert!(
        ended
            .out
            .contains("openai/gpt-x answered in 1.2 s (12 tokens in, 3 out)")
    );
    assert!(ended.out.contains("next: scorelctl send"), "{}", ended.out);
}

#[test]
fn programs_get_one_report() {
    let place = TestHome::new();
    let _daemon = daemon(&place);
    let ended = init(
        &place,
        &["--json", "--provider", "openai", "--model", "gpt-y"],
    );
    ended.assert_code(0);
    let report = &ended.lines()[0];
    assert_eq!(ended.lines().len(), 1);
    assert_eq!(report["model"], "gpt-y");
    assert_eq!(report["keyVariable"], "OPENAI_API_KEY");
    assert_eq!(report["check"]["durationMs"], 1240);
    assert!(
        report["env"]
            .as_str()
            .expect("a usable home")
            .ends_with("/env")
    );
}

#[test]
fn a_configuration_that_is_there_stays() {
    let place = TestHome::new();
    let daemon = daemon(&place);
    let mine = "# mine\n[model]\nid = 'old'\n";
    put(&place, "config.toml", mine);
    let ended = init(&place, &["--yes"]);
    ended.assert_code(3);
    assert!(ended.err.contains("--force"), "{}", ended.err);
    assert_eq!(file(&place, "config.toml"), mine);
    assert_eq!(names(&place), ["config.toml"]);
    assert!(
        daemon.methods().is_empty(),
        "it is seen before anything is asked"
    );
}

#[test]
fn keys_that_are_there_stay_and_then_the_configuration_is_not_written() {
    let place = TestHome::new();
    let _daemon = daemon(&place);
    put(&place, "env", "OTHER=1\n");
    let ended = init(&place, &["--yes"]);
    ended.assert_code(3);
    assert!(
        ended.err.contains("--force adds OPENAI_API_KEY"),
        "{}",
        ended.err
    );
    assert_eq!(file(&place, "env"), "OTHER=1\n");
    assert_eq!(names(&place), ["env"]);
}

#[test]
fn with_force_only_the_model_and_its_key_change() {
    let place = TestHome::new();
    let _daemon = daemon(&place);
    put(
        &place,
        "config.toml",
        "# mine\n[model]\nid = 'old'\n[runtime]\nmaxSteps = 3\n",
    );
    put(&place, "env", "OTHER=1\nOPENAI_API_KEY=old\n");
    init(&place, &["--yes", "--force"]).assert_code(0);
    let expected = "# mine\n[runtime]\nmaxSteps = 3\n\n\
        [model]\nprovider = \"openai\"\nid = \"gpt-x\"\n";
    assert_eq!(file(&place, "config.toml"), expected);
    assert_eq!(
        file(&place, "env"),
        format!("OTHER=1\nOPENAI_API_KEY={KEY}\n")
    );
}

#[test]
fn a_key_that_is_in_its_file_already_is_used_as_it_is() {
    let place = TestHome::new();
    let _daemon = daemon(&place);
    put(&place, "env", "OPENAI_API_KEY=mine\n");
    init(&place, &["--yes"]).assert_code(0);
    assert_eq!(file(&place, "env"), "OPENAI_API_KEY=mine\n");
    assert_eq!(names(&place), ["config.toml", "env"]);
}

#[test]
fn a_server_on_this_machine_needs_no_key() {
    let place = TestHome::new();
    let daemon = daemon(&place);
    run(&place, &["--yes"], &[]).assert_code(0);
    assert_eq!(
        file(&place, "config.toml"),
        "[model]\nprovider = \"ollama\"\nid = \"qwen3\"\n"
    );
    assert_eq!(names(&place), ["config.toml"]);
    assert_eq!(daemon.calls("listModels")[0]["live"], true);
}

#[test]
fn nothing_is_written_where_something_is_missing() {
    for (arguments, variables, expected) in [
        (
            &["--yes", "--provider", "anthropic"][..],
            &[][..],
            "export ANTHROPIC_API_KEY",
        ),
        (
            &["--yes", "--provider", "opnai"],
            &[],
            "built in are openai, anthropic",
        ),
        (
            &["--yes", "--provider", "vllm"],
            &[],
            "pass one with --model",
        ),
        (&[], &[("OPENAI_API_KEY", KEY)], "--yes"),
        (
            &["--provider", "openai"],
            &[("OPENAI_API_KEY", KEY)],
            "--model",
        ),
        (
            &["--yes", "--provider", "openai"],
            &[("OPENAI_API_KEY", "sk\u{7}canary")],
            "control",
        ),
        (
            &["--yes", "--provider", "openai", "--key-env", "NONE"],
            &[("OPENAI_API_KEY", KEY)],
            "export NONE",
        ),
        (
            &["--yes", "--provider", "openai", "--key-env", KEY],
            &[],
            "letters, digits",
        ),
    ] {
        let place = TestHome::new();
        let _daemon = daemon(&place);
        let ended = run(&place, arguments, variables);
        ended.assert_code(2);
        assert!(ended.err.contains(expected), "{arguments:?}: {}", ended.err);
        assert!(names(&place).is_empty(), "{arguments:?}");
    }
}

#[test]
fn a_model_that_does_not_answer_is_reported_and_the_files_stay() {
    let place = TestHome::new();
    let daemon = daemon(&place);
    daemon.refuse("checkModel", 1018, "provider_error");
    let ended = init(&place, &["--yes"]);
    ended.assert_code(1);
    assert!(ended.err.contains("it is provider_error"), "{}", ended.err);
    assert!(ended.err.contains("init --force"), "{}", ended.err);
    assert_eq!(names(&place), ["config.toml", "env"]);
}

#[test]
fn a_configuration_that_the_daemon_refuses_is_reported() {
    let place = TestHome::new();
    let daemon = daemon(&place);
    daemon.answer("getStatus", status(Some("config.toml:1:1: no")));
    let ended = init(&place, &["--yes"]);
    ended.assert_code(1);
    assert!(ended.err.contains("config.toml:1:1: no"), "{}", ended.err);
    assert!(daemon.calls("checkModel").is_empty());
}

#[test]
fn the_option_no_check_skips_the_trial_of_the_model() {
    let place = TestHome::new();
    let daemon = daemon(&place);
    init(&place, &["--yes", "--no-check"]).assert_code(0);
    assert!(daemon.calls("checkModel").is_empty());
}

#[test]
fn the_trials_limits_are_named() {
    let place = TestHome::new();
    let daemon = daemon(&place);
    let cut_off = json!({
        "model": "openai/gpt-x", "durationMs": 800, "cutOffAt": 64,
        "usage": {"inputTokens": 12, "outputTokens": 64},
    });
    daemon.answer("checkModel", cut_off);
    let ended = init(&place, &["--yes"]);
    ended.assert_code(0);
    let expected = "answered in 0.8 s (12 tokens in, 64 out); the trial's limit of 64 tokens cut the \
        answer off";
    assert!(ended.out.contains(expected), "{}", ended.out);
}
