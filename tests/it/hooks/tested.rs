//! `scorelctl hooks test`.

use serde_json::{Value, json};

use super::{hook, writing};
use crate::under_test::scorelctl;

#[tokio::test]
async fn a_hook_is_tried_with_a_sample_and_all_that_it_says_is_shown() {
    let hooks = [
        hook(
            "guard",
            "PreToolUse",
            "grep -q '\"rm -rf' || exit 0; echo too much >&2; exit 2",
            "matcher = 'Bash'",
        ),
        hook(
            "rename",
            "PreToolUse",
            r#"echo '{"hookSpecificOutput": {"permissionDecision": "allow", "updatedInput": {"content": "x"}}}'"#,
            "matcher = 'Write'",
        ),
        hook("git", "PreToolUse", "true", "if = 'Bash(git *)'"),
        hook("remind", "UserPromptSubmit", "echo be brief", ""),
        hook("tests", "Stop", "echo they fail >&2; exit 2", ""),
        hook("gone", "PostToolUse", "no-such-formatter", "onFailure = 'fail'"),
        hook("tell", "Notification", "cat >told", "matcher = 'idle_prompt'"),
        hook("later", "PostToolUse", "echo noted >&2; exit 2", "async = true"),
    ]
    .concat();
    let (daemon, _model) = writing(&hooks, &[]).await;
    daemon.write_project_file("more.json", r#"{"tool_input": {"command": "rm -rf /"}}"#);
    let project = daemon.project().to_str().unwrap().to_owned();
    let more = daemon.project().join("more.json");
    let more = more.to_str().unwrap();
    let test = async |name: &str, arguments: &[&str]| -> Value {
        let line = ["--json", "hooks", "test", name, "--project", &project];
        let ran = scorelctl(&daemon, &[&line, arguments].concat(), &[]).await;
        assert!(ran.status.success(), "{name}: {ran:?}");
        serde_json::from_slice(&ran.stdout).unwrap()
    };
    let harmless = test("guard", &[]).await;
    assert_eq!(harmless["runs"][0]["stdin"]["tool_name"], "Bash");
    assert_eq!(
        (&harmless["matched"], &harmless["effects"]),
        (&json!(true), &json!([]))
    );
    let denied = test("guard", &["--input", more]).await;
    let run = &denied["runs"][0];
    assert_eq!(run["stdin"]["tool_input"]["command"], "rm -rf /");
    assert_eq!(
        (&run["exitCode"], &run["stderr"]),
        (&json!(2), &json!("too much"))
    );
    assert_eq!(
        denied["effects"],
        json!([{"kind": "denied", "text": "too much"}])
    );
    let other = test("guard", &["--tool", "Read"]).await;
    assert_eq!(
        (&other["matched"], &other["runs"]),
        (&json!(false), &json!([]))
    );
    assert_eq!(other["reason"], "its matcher `Bash` does not match `Read`");
    let changed = test("rename", &[]).await;
    let kinds = changed["effects"].as_array().unwrap().iter();
    let kinds: Vec<_> = kinds.map(|it| it["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["allow_ignored", "input_changed"], "{changed:#}");
    let git = test("git", &[]).await;
    assert!(
        git["reason"].as_str().unwrap().contains("its `if`"),
        "{git:#}"
    );
    let told = |text: &str| json!([{"kind": "told", "text": text}]);
    assert_eq!(test("remind", &[]).await["effects"], told("be brief"));
    let stop = test("tests", &[]).await;
    assert_eq!(
        stop["effects"],
        json!([{"kind": "turn_goes_on", "text": "they fail"}])
    );
    let gone = test("gone", &[]).await;
    assert!(
        gone["failure"]
            .as_str()
            .unwrap()
            .contains("exited with 127"),
        "{gone:#}"
    );
    assert_eq!(gone["effects"][0]["kind"], "result_failed");
    let idle = test("tell", &[]).await;
    assert_eq!(idle["runs"][0]["stdin"]["notification_type"], "idle_prompt");
    assert!(
        daemon.project().join("told").exists(),
        "it was run in the project"
    );
    assert_eq!(test("later", &[]).await["effects"], told("noted"));

    let list = ["--json", "hooks", "list", "--project", &project];
    let listed = scorelctl(&daemon, &list, &[]).await;
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    let counts = listed["hooks"].as_array().unwrap().iter();
    let counts: Vec<_> = counts.map(|it| (&it["matched"], &it["ran"])).collect();
    assert!(
        counts.iter().all(|it| *it == (&json!(0), &json!(0))),
        "{counts:?}"
    );
}

#[tokio::test]
async fn a_hook_that_is_not_trusted_is_not_run_and_an_unknown_name_has_a_suggestion() {
    let (daemon, _model) = writing("", &[]).await;
    std::fs::create_dir(daemon.project().join(".scorel")).unwrap();
    daemon.write_project_file(
        ".scorel/config.toml",
        &hook("format", "PostToolUse", "touch ran", ""),
    );
    let project = daemon.project().to_str().unwrap().to_owned();
    let line = ["hooks", "test", "format", "--project", &project];
    let tested = scorelctl(&daemon, &line, &[]).await;
    let said = String::from_utf8(tested.stdout).unwrap();
    assert!(
        tested.status.success() && said.contains("not run: it is not run"),
        "{said}"
    );
    assert!(said.contains("scorelctl trust add hook:format"), "{said}");
    assert!(!daemon.project().join("ran").exists());
    let line = ["hooks", "test", "fromat", "--project", &project];
    let unknown = scorelctl(&daemon, &line, &[]).await;
    let said = String::from_utf8(unknown.stderr).unwrap();
    assert!(
        said.contains("there is no hook `fromat`") && said.contains("did you mean format?"),
        "{said}"
    );
}
