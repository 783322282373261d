//! `[[hooks]]` of the user's file and of a project's.

use scorel_extension::hook::HookEvent;

use super::{user, with_project};
use crate::Config;

const GUARD: &str = "[[hooks]]\nname = 'guard'\nevent = 'PreToolUse'\ncommand = './guard'\n";

#[test]
fn hooks_are_kept_in_their_order_and_those_of_a_project_apart() {
    let own = format!(
        "{GUARD}[[hooks]]\nname = 'a'\nevent = 'Stop'\ncommand = 'make'\nmayAllow = true\n"
    );
    let config = user(&own).unwrap();
    let names: Vec<_> = config.hooks.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["guard", "a"]);
    assert_eq!(config.hooks[0].event, HookEvent::PreToolUse);
    let config = with_project(&config, GUARD).unwrap();
    assert_eq!(config.project_hooks.len(), 1);
    assert!(config.warnings.is_empty(), "{:?}", config.warnings);
}

#[test]
fn a_hook_that_is_none_is_reported_with_its_place() {
    let more = |rest: &str| format!("[runtime]\n{GUARD}{rest}\n");
    for (text, said) in [
        (
            more("matcher = 'Bash(?!x)'"),
            ":6:11: `hooks.matcher`: character 5",
        ),
        (
            more("timeoutSeconds = 9999"),
            ":2:1: `hooks.timeoutSeconds`: it is a whole number",
        ),
        (more("onFailure = 'ignroe'"), "did you mean `ignore`?"),
        (more("onfailure = 'ignore'"), "did you mean `onFailure`?"),
        (
            more(GUARD),
            ":6:1: `hooks.name`: there is another hook `guard`",
        ),
        (
            GUARD.replace("PreToolUse", "PreToolUes"),
            "did you mean `PreToolUse`?",
        ),
    ] {
        let error = user(&text).unwrap_err().to_string();
        assert!(error.contains(said), "{text}: {error}");
    }
    let allowing = format!("{GUARD}mayAllow = true\n");
    let error = with_project(&Config::default(), &allowing).unwrap_err();
    assert!(
        error.to_string().contains("only the user's file"),
        "{error}"
    );
}
