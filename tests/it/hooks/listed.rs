//! `scorelctl hooks list`.

use serde_json::Value;

use super::{hook, turn, writing};
use crate::under_test::scorelctl;

#[tokio::test]
async fn what_each_hook_has_done_and_why_it_may_do_nothing_is_listed() {
    let hooks = [
        hook(
            "guard",
            "PreToolUse",
            "echo no >&2; exit 2",
            "matcher = 'Write'",
        ),
        hook("typo", "PreToolUse", "true", "matcher = 'Wirte'"),
        hook("gone", "PostToolUse", "no-such-formatter --all", ""),
    ]
    .concat();
    let (daemon, _model) = writing(&hooks, &[("out.txt".to_owned(), "x")]).await;
    std::fs::create_dir(daemon.project().join(".claude")).unwrap();
    daemon.write_project_file(
        ".claude/settings.json",
        r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "touch ran"},
            {"type": "http", "url": "http://127.0.0.1"}]}]}}"#,
    );
    turn(&daemon).await;
    assert!(!daemon.project().join("ran").exists(), "it is not trusted");
    let project = daemon.project();
    let project = project.to_str().unwrap();
    let arguments = ["--json", "hooks", "list", "--project", project];
    let listed = scorelctl(&daemon, &arguments, &[]).await;
    assert!(listed.status.success(), "{listed:?}");
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    let hooks = listed["hooks"].as_array().unwrap();
    let of = |name: &str| hooks.iter().find(|it| it["name"] == name).unwrap();
    assert_eq!(hooks[0]["state"], "untrusted", "{listed:#}");
    assert!(
        hooks[0]["warnings"]
            .to_string()
            .contains("scorelctl trust add hook:pre-tool-use-")
    );
    let guard = of("guard");
    assert_eq!(
        (&guard["matched"], &guard["denied"]),
        (&1.into(), &1.into())
    );
    let is_sound = guard["p95Ms"].is_u64() && guard["warnings"] == serde_json::json!([]);
    assert!(is_sound, "{guard:#}");
    assert!(
        of("typo")["warnings"]
            .to_string()
            .contains("none of the tools")
    );
    assert!(
        of("gone")["warnings"]
            .to_string()
            .contains("no program `no-such-formatter`")
    );
    assert!(listed["leftOut"].to_string().contains("`http` are not run"));
}
