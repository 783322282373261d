//! Endpoints that are not built in, and agents with a login of their own.

use scorel_testkit::Terminal;
use serde_json::{Value, json};

use crate::daemon::Daemon;
use crate::init::{KEY, daemon, file, names, put, run};
use crate::program::TestHome;

/// The description of a custom endpoint and of one of its models.
const LAB: &str = "[providers.lab]\napi = \"openai-completions\"\n\
    baseUrl = \"https://lab.example/v1\"\napiKeyEnv = \"LAB_KEY\"\n\n\
    [model]\nprovider = \"lab\"\nid = \"big\"\n";

#[test]
fn the_models_of_a_custom_endpoint_are_listed_once_it_is_described() {
    let place = TestHome::new();
    let daemon = daemon(&place);
    let mut listed = daemon.answered("listModels");
    let model = json!({"provider": "lab", "id": "big", "live": true});
    listed["models"].as_array_mut().expect("a list").push(model);
    daemon.answer("listModels", listed);
    let arguments = [
        "--yes",
        "--provider",
        "lab",
        "--api",
        "openai-completions",
        "--base-url",
        "https://lab.example/v1",
        "--key-env",
        "LAB_KEY",
    ];
    run(&place, &arguments, &[("LAB_KEY", KEY)]).assert_code(0);
    assert_eq!(file(&place, "config.toml"), LAB);
    assert_eq!(file(&place, "env"), format!("LAB_KEY={KEY}\n"));
    assert_eq!(daemon.calls("listModels")[1]["provider"], "lab");
}

#[test]
fn a_custom_endpoint_that_cannot_be_asked_stays_described() {
    let place = TestHome::new();
    let _daemon = daemon(&place);
    let arguments = [
        "--yes",
        "--provider",
        "lab",
        "--api",
        "openai-completions",
        "--base-url",
        "https://lab.example/v1",
    ];
    let ended = run(&place, &arguments, &[]);
    ended.assert_code(2);
    assert!(ended.err.contains("no models of lab"), "{}", ended.err);
    let table = LAB.split("apiKeyEnv").next().expect("a table");
    assert_eq!(file(&place, "config.toml"), table);
}

/// A configuration as an earlier version wrote it: the model's section describes the endpoint. The daemon lists
/// its provider first.
fn put_described_model(place: &TestHome, daemon: &Daemon) {
    let section = "[model]\ntype = \"custom\"\napi = \"openai-completions\"\nprovider = \"lab\"\n\
        id = \"big\"\nbaseUrl = \"https://lab.example/v1\"\napiKeyEnv = \"LAB_KEY\"\n";
    put(place, "config.toml", section);
    let mut listed = daemon.answered("listModels");
    let lab = json!({
        "name": "lab", "keyVariables": ["LAB_KEY"], "hasKey": true, "local": false, "live": true,
    });
    listed["providers"]
        .as_array_mut()
        .expect("a list")
        .insert(0, lab);
    let model = json!({"provider": "lab", "id": "big", "live": true});
    listed["models"].as_array_mut().expect("a list").push(model);
    daemon.answer("listModels", listed);
    let setting = |(key, value): (&str, &str)| json!({"key": format!("model.{key}"), "value": value, "origin": {"layer": "user"}});
    let settings = [
        ("type", "custom"),
        ("provider", "lab"),
        ("api", "openai-completions"),
        ("baseUrl", "https://lab.example/v1"),
    ];
    let settings: Vec<Value> = settings.into_iter().map(setting).collect();
    daemon.answer("getConfig", json!({"generation": 1, "settings": settings}));
}

#[test]
fn an_endpoint_that_the_models_section_describes_can_be_chosen_again() {
    let place = TestHome::new();
    let daemon = daemon(&place);
    put_described_model(&place, &daemon);
    run(&place, &["--yes", "--force"], &[]).assert_code(0);
    assert_eq!(file(&place, "config.toml"), LAB);
}

#[test]
fn a_custom_endpoint_is_described_on_the_command_line() {
    let place = TestHome::new();
    let daemon = daemon(&place);
    let arguments = [
        "--provider",
        "lab",
        "--api",
        "openai-completions",
        "--base-url",
        "https://lab.example/v1",
        "--model",
        "big",
        "--key-env",
        "LAB_KEY",
    ];
    run(&place, &arguments, &[("LAB_KEY", KEY)]).assert_code(0);
    assert_eq!(file(&place, "config.toml"), LAB);
    assert_eq!(file(&place, "env"), format!("LAB_KEY={KEY}\n"));
    assert_eq!(
        daemon.calls("listModels")[0]["live"],
        false,
        "no provider has to be queried"
    );
}

/// The answer to `listModels` with two providers of `[providers.NAME]` tables: one has a key of its
/// own, one needs none.
fn add_tables(daemon: &Daemon) {
    let mut listed = daemon.answered("listModels");
    let table = |name: &str, variables: &[&str], has_key: bool| {
        json!({
            "name": name, "keyVariables": variables, "hasKey": has_key, "local": false,
            "custom": true, "live": true,
        })
    };
    let providers = listed["providers"].as_array_mut().expect("a list");
    providers.insert(0, table("lab", &["LAB_KEY"], false));
    providers.insert(1, table("house", &[], false));
    let models = listed["models"].as_array_mut().expect("a list");
    for (provider, id) in [("lab", "big"), ("house", "small")] {
        models.push(json!({"provider": provider, "id": id, "live": true}));
    }
    daemon.answer("listModels", listed);
}

#[test]
fn a_provider_of_a_table_is_chosen_by_its_name() {
    let place = TestHome::new();
    let daemon = daemon(&place);
    add_tables(&daemon);
    let tables = "[providers.lab]\napi = \"openai-completions\"\n\
        baseUrl = \"https://lab.example/v1\"\napiKeyEnv = \"LAB_KEY\"\n\
        [providers.house]\napi = \"openai-completions\"\nbaseUrl = \"http://house.example/v1\"\n";
    put(&place, "config.toml", tables);
    let arguments = ["--force", "--provider", "lab", "--model", "big"];
    run(&place, &arguments, &[("LAB_KEY", KEY)]).assert_code(0);
    let expected = format!("{tables}\n[model]\nprovider = \"lab\"\nid = \"big\"\n");
    assert_eq!(file(&place, "config.toml"), expected);
    assert_eq!(file(&place, "env"), format!("LAB_KEY={KEY}\n"));
    run(&place, &["--yes", "--force"], &[]).assert_code(0);
    let expected = format!("{tables}\n[model]\nprovider = \"house\"\nid = \"small\"\n");
    assert_eq!(file(&place, "config.toml"), expected, "it needs no key");
}

#[test]
fn a_table_is_not_described_a_second_time() {
    for (arguments, says) in [
        (
            &[
                "--api",
                "openai-completions",
                "--base-url",
                "https://x.example",
            ][..],
            "leave out --api",
        ),
        (&["--base-url", "https://x.example"], "config.toml"),
        (&["--key-env", "OTHER_KEY"], "config.toml"),
    ] {
        let place = TestHome::new();
        let daemon = daemon(&place);
        add_tables(&daemon);
        let mut all = vec!["--provider", "lab", "--model", "big"];
        all.extend(arguments);
        let ended = run(&place, &all, &[("LAB_KEY", KEY), ("OTHER_KEY", KEY)]);
        ended.assert_code(2);
        assert!(ended.err.contains(says), "{}", ended.err);
        assert!(names(&place).is_empty());
    }
    let place = TestHome::new();
    let daemon = daemon(&place);
    add_tables(&daemon);
    let unknown = run(&place, &["--provider", "lbb", "--model", "x"], &[]);
    assert!(
        unknown.err.contains("in config.toml are lab, house"),
        "{}",
        unknown.err
    );
}

#[test]
fn at_a_terminal_every_provider_can_be_chosen_again() {
    let place = TestHome::new();
    let daemon = daemon(&place);
    put_described_model(&place, &daemon);
    let Some(mut terminal) = Terminal::start(&place.command(&["init", "--force"])) else {
        return;
    };
    terminal.until("provider [1]: ");
    terminal.types("anthropic\n");
    terminal.until("ANTHROPIC_API_KEY (paste it, it is not shown): ");
    terminal.types(&format!("{KEY}\n"));
    let (code, shown) = terminal.ended();
    assert_eq!(code, Some(0), "{shown}");
    let expected = "[model]\nprovider = \"anthropic\"\nid = \"claude-x\"\n";
    assert_eq!(file(&place, "config.toml"), expected);
}

/// Programs that are found, and one that is not.
fn put_runners(daemon: &Daemon) {
    let runner = |name: &str, label: &str, installed: bool| {
        json!({
            "name": name, "label": label, "type": "codex", "installed": installed,
            "capabilities": {
                "permissions": true, "steer": true, "resume": true, "images": true, "usage": true, "cost": false,
                "cancel": true,
            },
        })
    };
    let runners = [
        runner("codex", "Codex", true),
        runner("gemini", "Gemini", false),
    ];
    daemon.answer("listRunners", json!({"runners": runners}));
    daemon.answer(
        "checkRunner",
        json!({"runner": runners[0], "durationMs": 5}),
    );
}

#[test]
fn an_agent_that_is_installed_can_be_chosen_and_needs_no_key() {
    let place = TestHome::new();
    let daemon = daemon(&place);
    put_runners(&daemon);
    let Some(mut terminal) = Terminal::start(&place.command(&["init"])) else {
        return;
    };
    terminal.until("provider [1]: ");
    terminal.types("codex\n");
    let (code, shown) = terminal.ended();
    assert_eq!(code, Some(0), "{shown}");
    assert!(
        shown.contains("Codex is installed and can be used"),
        "{shown}"
    );
    assert!(!shown.contains("Gemini"), "{shown}");
    let next = "next: scorelctl send --session new --runner codex";
    assert!(shown.contains(next), "{shown}");
    assert_eq!(daemon.calls("checkRunner")[0]["runner"], "codex");
    assert!(names(&place).is_empty());
}

#[test]
fn where_nothing_else_is_found_an_agent_that_is_installed_is_named() {
    let place = TestHome::new();
    let daemon = daemon(&place);
    put_runners(&daemon);
    let mut listed = daemon.answered("listModels");
    listed["providers"][2]["live"] = false.into();
    daemon.answer("listModels", listed);
    let ended = run(&place, &["--yes"], &[]);
    ended.assert_code(2);
    assert!(ended.err.contains("send --runner codex"), "{}", ended.err);
}
