//! `scorelctl config`, without a daemon; and what `send` says of a file that became invalid.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::process::Output;

use scorel_testkit::DaemonUnderTest;
use serde_json::Value;

use super::ConfigScene;
use crate::under_test::{SCORELD, scorelctl};

const PATH: (&str, &str) = ("PATH", "/usr/bin:/bin");

async fn config(daemon: &DaemonUnderTest, arguments: &[&str]) -> Output {
    let arguments = [&["config"][..], arguments].concat();
    let output = scorelctl(daemon, &arguments, &[PATH]).await;
    assert!(!daemon.socket().exists(), "no daemon is started");
    output
}

async fn ok(daemon: &DaemonUnderTest, arguments: &[&str]) -> String {
    let output = config(daemon, arguments).await;
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The exit code and the text of stderr.
async fn refused(daemon: &DaemonUnderTest, arguments: &[&str]) -> (i32, String) {
    let output = config(daemon, arguments).await;
    assert!(!output.status.success(), "{arguments:?}: {output:?}");
    let code = output.status.code().unwrap();
    (code, String::from_utf8(output.stderr).unwrap())
}

fn file(daemon: &DaemonUnderTest) -> String {
    fs::read_to_string(daemon.home().join("config.toml")).unwrap()
}

/// 300 lines, most of them comments, with odd spaces and quotes, and tables in no usual order.
fn commented() -> String {
    let mut lines = vec![
        "# my configuration".to_owned(),
        "[runtime]   # limits".to_owned(),
        "  maxSteps   =   0x20   # steps".to_owned(),
        "retries=3".to_owned(),
        String::new(),
        "[tools.limits]".to_owned(),
        "openFiles = 2_048 # files".to_owned(),
        "[tools]".to_owned(),
        "preset = 'coding'".to_owned(),
        "caches = [ # caches".to_owned(),
        "  '~/.cache/x',".to_owned(),
        "]".to_owned(),
        "[model]".to_owned(),
        "provider = 'demo' \t# \u{fc}".to_owned(),
    ];
    while lines.len() < 300 {
        lines.push(format!("# line {}: [a] b = 'c' \"\"\"", lines.len()));
    }
    lines.join("\n") + "\n"
}

#[tokio::test]
async fn setting_a_key_changes_one_line_and_no_other_byte() {
    let daemon = DaemonUnderTest::new(SCORELD);
    let before = commented();
    for (key, value, old, new) in [
        ("runtime.maxSteps", "64", "=   0x20   #", "=   64   #"),
        ("runtime.retries", "7", "retries=3", "retries=7"),
        ("tools.limits.openFiles", "4_096", "2_048", "4_096"),
        ("tools.preset", "all", "'coding'", "\"all\""),
        (
            "runtime.maxToolCalls",
            "9",
            "retries=3\n",
            "retries=3\nmaxToolCalls = 9\n",
        ),
        (
            "tools.limits.fileSize",
            "2000000",
            "# files\n",
            "# files\nfileSize = 2000000\n",
        ),
    ] {
        daemon.configure(&before);
        ok(&daemon, &["set", key, value]).await;
        assert_eq!(file(&daemon), before.replacen(old, new, 1), "{key}");
    }
    daemon.configure(&before);
    ok(&daemon, &["unset", "tools.caches"]).await;
    let without = before.replacen("caches = [ # caches\n  '~/.cache/x',\n]\n", "", 1);
    assert_eq!(file(&daemon), without);
    ok(&daemon, &["set", "runtime.maxSteps", "32"]).await;
    assert_eq!(file(&daemon), without, "it says so already");
}

#[tokio::test]
async fn a_section_goes_with_its_last_key_unless_it_has_more_to_say() {
    let daemon = DaemonUnderTest::new(SCORELD);
    for before in ["", "[runtime]\nretries = 3\n", "# mine\n"] {
        daemon.configure(before);
        ok(&daemon, &["set", "permissions.ask", "['Read(**)']"]).await;
        ok(&daemon, &["unset", "permissions.ask"]).await;
        assert_eq!(file(&daemon), before);
    }
    for (before, after) in [
        (
            "[tools]\npreset = 'all'\n\n[runtime]\nretries = 3\n\n[rpc]\n",
            "[tools]\npreset = 'all'\n\n[rpc]\n",
        ),
        ("# few\n[runtime]\nretries = 3\n", "# few\n[runtime]\n"),
        ("[runtime]\n# few\nretries = 3\n", "[runtime]\n# few\n"),
        ("[runtime]\nretries = 3\n# few\n", "[runtime]\n# few\n"),
    ] {
        daemon.configure(before);
        ok(&daemon, &["unset", "runtime.retries"]).await;
        assert_eq!(file(&daemon), after);
    }
}

#[tokio::test]
async fn the_mode_and_the_target_of_a_link_stay() {
    let daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure("");
    let (path, target) = (
        daemon.home().join("config.toml"),
        daemon.root().join("dotfile"),
    );
    fs::rename(&path, &target).unwrap();
    fs::set_permissions(&target, Permissions::from_mode(0o640)).unwrap();
    symlink(&target, &path).unwrap();
    ok(&daemon, &["set", "prompt.text", "5"]).await;
    assert_eq!(fs::read_link(&path).unwrap(), target);
    assert_eq!(
        fs::read_to_string(&target).unwrap(),
        "[prompt]\ntext = \"5\"\n"
    );
    assert_eq!(
        fs::metadata(&target).unwrap().permissions().mode() & 0o777,
        0o640
    );
}

#[tokio::test]
async fn a_home_is_made_for_what_is_set_and_for_nothing_else() {
    let daemon = DaemonUnderTest::new(SCORELD);
    for arguments in [&["show"][..], &["check"], &["get", "runtime.maxSteps"]] {
        ok(&daemon, arguments).await;
        assert!(!daemon.home().exists(), "{arguments:?}");
    }
    ok(&daemon, &["set", "runtime.maxSteps", "5"]).await;
    assert_eq!(file(&daemon), "[runtime]\nmaxSteps = 5\n");
    assert_eq!(ok(&daemon, &["get", "runtime.maxSteps"]).await, "5\n");
}

#[tokio::test]
async fn what_the_loader_would_refuse_is_not_written() {
    let daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure("# mine\n[runtime]\nmaxSteps = 5\n");
    let before = file(&daemon);
    for (arguments, code, words) in [
        (
            ["set", "runtime.maxSteps", "0"],
            3,
            "config.toml:3:12: `runtime.maxSteps`",
        ),
        (
            ["set", "runtime.maxStep", "5"],
            3,
            "did you mean `maxSteps`?",
        ),
        (
            ["set", "runtme.maxSteps", "5"],
            3,
            "did you mean `runtime`?",
        ),
        (
            ["set", "permissions.mode", "wrkspace"],
            3,
            "did you mean `workspace`?",
        ),
        (["set", "runtime", "5"], 3, "is a table"),
        (["set", "runtime..x", "5"], 2, "is not a key"),
        (["unset", "runtime.retries", "--json"], 3, "\"exitCode\":3"),
        (
            ["get", "runtime.maxSteeps", "--json"],
            2,
            "did you mean `runtime.maxSteps`?",
        ),
    ] {
        let (exit, said) = refused(&daemon, &arguments).await;
        assert!(said.contains(words), "{arguments:?}: {said}");
        assert_eq!(exit, code, "{arguments:?}: {said}");
        assert_eq!(file(&daemon), before, "{arguments:?}");
    }
    // A line that is not written is not pointed to.
    let (_, said) = refused(&daemon, &["set", "bogus.key", "5"]).await;
    assert!(said.contains("config.toml: "), "{said}");
    // If another key is invalid, the refusal points to it. The invalid key itself can be corrected.
    daemon.configure("[runtime]\nretries = 1000\nmaxSteps = 5\n");
    let (_, said) = refused(&daemon, &["set", "runtime.maxSteps", "6"]).await;
    assert!(
        said.contains("config.toml:2:11: `runtime.retries`"),
        "{said}"
    );
    ok(&daemon, &["set", "runtime.retries", "6"]).await;
    assert_eq!(file(&daemon), "[runtime]\nretries = 6\nmaxSteps = 5\n");
}

#[tokio::test]
async fn a_check_lists_every_problem() {
    let daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure("[runtime]\nmaxStep = 5\nretries = 'x'\n[permissions]\nmode = 'wrkspace'\n");
    let output = config(&daemon, &["check"]).await;
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    for (line, words) in [
        (0, "config.toml:2:1: "),
        (0, "did you mean `maxSteps`?"),
        (1, ":3:11: "),
        (2, ":5:8: "),
    ] {
        assert!(lines[line].contains(words), "{text}");
    }
    assert_eq!(lines.len(), 3, "{text}");
    let output = config(&daemon, &["check", "--json"]).await;
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["problems"][2]["suggestion"], "workspace", "{report}");
    let file = daemon.home().join("config.toml").display().to_string();
    daemon.configure("");
    ok(&daemon, &["check"]).await;
    ok(&daemon, &["check", &file]).await;
    let other = daemon.root().join("other.toml");
    fs::write(&other, "[runtime]\nretries = 'x'\n").unwrap();
    fs::set_permissions(&other, Permissions::from_mode(0o600)).unwrap();
    let other = other.display().to_string();
    let output = config(&daemon, &["check", &other]).await;
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with(&format!("{other}:2:11: ")), "{text}");
    assert!(text.contains("expected a whole number"), "{text}");
}

#[tokio::test]
async fn a_value_that_is_not_printed_is_explained() {
    let daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure(
        "[runners.lab]\ntype = 'command'\ncommand = ['lab']\nenv = { LAB_TOKEN = 'x' }\n",
    );
    let (code, said) = refused(&daemon, &["get", "runners.lab.env.LAB_TOKEN"]).await;
    assert_eq!(code, 1, "{said}");
    assert!(
        said.contains("is hidden") && said.contains("config.toml:4"),
        "{said}"
    );
}

#[tokio::test]
async fn every_setting_is_shown_with_its_origin_and_secrets_by_name() {
    let daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure(
        "[model]\nprovider = 'openai'\nid = 'gpt'\napiKeyEnv = 'LAB_KEY'\n[runtime]\nmaxSteps = 9\n",
    );
    let env = daemon.home().join("env");
    fs::write(&env, "LAB_KEY=sk-very-secret\n").unwrap();
    fs::set_permissions(&env, Permissions::from_mode(0o600)).unwrap();
    fs::create_dir(daemon.project().join(".scorel")).unwrap();
    daemon.write_project_file(".scorel/config.toml", "[permissions]\nmode = 'full'\n");
    let text = ok(&daemon, &["show"]).await;
    let line = |key: &str| text.lines().find(|line| line.starts_with(key)).unwrap();
    let home = daemon.home().display().to_string();
    assert!(
        line("model.apiKeyEnv ").ends_with(&format!("{home}/config.toml:4  set (env file)")),
        "{text}"
    );
    assert!(line("runtime.maxSteps ").contains(" 9 "), "{text}");
    assert!(line("runtime.retries ").ends_with("default"), "{text}");
    assert!(
        line("permissions.mode ").contains("\"workspace\""),
        "{text}"
    );
    let ignored = text.lines().last().unwrap();
    assert!(
        ignored.contains("config.toml:2: `permissions.mode` has no effect"),
        "{text}"
    );
    assert!(!text.contains("sk-very-secret"), "{text}");
}

#[tokio::test]
async fn the_file_of_a_project_takes_what_a_project_may_set() {
    let daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure("[runtime]\nmaxSteps = 9\n");
    ok(&daemon, &["set", "--project", "runtime.maxSteps", "3"]).await;
    let path = daemon.project().join(".scorel/config.toml");
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        "[runtime]\nmaxSteps = 3\n"
    );
    assert_eq!(ok(&daemon, &["get", "runtime.maxSteps"]).await, "3\n");
    let (code, said) = refused(&daemon, &["set", "--project", "permissions.mode", "full"]).await;
    assert_eq!(code, 3);
    assert!(said.contains("a project may not set it"), "{said}");
    ok(&daemon, &["unset", "--project", "runtime.maxSteps"]).await;
    assert_eq!(ok(&daemon, &["get", "runtime.maxSteps"]).await, "9\n");
}

#[tokio::test]
async fn an_edited_copy_is_put_in_place_only_if_it_is_valid() {
    let daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure("# mine\n[runtime]\nmaxSteps = 9\n");
    let edit = |script: &'static str| {
        let daemon = &daemon;
        async move {
            let variables = [PATH, ("EDITOR", "false"), ("VISUAL", script)];
            scorelctl(daemon, &["config", "edit"], &variables).await
        }
    };
    let output = edit("sed -i s/9/8/").await;
    assert!(output.status.success(), "{output:?}");
    assert_eq!(file(&daemon), "# mine\n[runtime]\nmaxSteps = 8\n");
    let output = edit("sed -i s/maxSteps/maxStep/").await;
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("config.toml:3:1: ") && said.contains("did you mean `maxSteps`?"),
        "{said}"
    );
    assert_eq!(file(&daemon), "# mine\n[runtime]\nmaxSteps = 8\n");
    let kept = said
        .split_whitespace()
        .find(|word| word.contains("scorel-config"));
    let kept = kept.expect("the copy is kept").trim_end_matches(',');
    assert!(fs::read_to_string(kept).unwrap().contains("maxStep = 8"));
    fs::remove_dir_all(std::path::Path::new(kept).parent().unwrap()).unwrap();
    assert_eq!(edit("true").await.status.code(), Some(0));
    assert_eq!(edit("false").await.status.code(), Some(3));
}

#[tokio::test]
async fn a_message_that_runs_on_the_configuration_from_before_says_so_with_the_place() {
    let scene = ConfigScene::new().await;
    scene.daemon.configure_more("[nonsense]\n");
    let output = scorelctl(&scene.daemon, &["send", "hello"], &[]).await;
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8(output.stderr).unwrap();
    let place = format!("{}:8:2: unknown section", scene.path().display());
    assert!(
        said.contains("configuration from before") && said.contains(&place),
        "{said}"
    );
    scene.daemon.configure_model(&scene.model.base_url());
    let output = scorelctl(&scene.daemon, &["send", "hello"], &[]).await;
    assert!(output.stderr.is_empty(), "{output:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_by_several_programs_at_once_are_all_made() {
    let daemon = DaemonUnderTest::new(SCORELD);
    let keys = ["maxSteps", "retries", "maxTurnSeconds", "maxTurnTokens"];
    for value in 1..=6_u32 {
        let sets = keys.map(|key| format!("runtime.{key}")).map(|key| {
            let value = (60 + value).to_string();
            let daemon = &daemon;
            async move { ok(daemon, &["set", &key, &value]).await }
        });
        futures_util::future::join_all(sets).await;
        let text = file(&daemon);
        for key in keys {
            let line = format!("{key} = {}", 60 + value);
            assert!(text.lines().any(|it| it == line), "{line}: {text}");
        }
    }
}
