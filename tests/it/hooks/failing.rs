//! Guards that fail: the call does not run, and the reason names the hook.

use super::{hook, records, results, turn, writing};

/// Commands that fail, each with a part of the reason.
const FAILING: [(&str, &str, &str); 17] = [
    ("no-such-guard", "", "exited with 127: "),
    ("/no/such/guard", "args = []", "cannot be started"),
    ("./plain.txt", "", "exited with 126: "),
    ("exit 127", "", "exited with 127"),
    ("exit 139", "", "exited with 139"),
    (
        "echo early >&2; echo late >&2; exit 1",
        "",
        "exited with 1: late",
    ),
    ("exit 255", "", "exited with 255"),
    ("kill -9 $$", "", "signal 9"),
    ("echo '{\"decision\": \"blo'", "", "no JSON"),
    (
        "echo '{\"hookSpecificOutput\":{\"hookEventName\":\"PostToolUse\"}}'",
        "",
        "answered about `PostToolUse`",
    ),
    (
        "echo '{\"hookSpecificOutput\":{\"permissionDecision\":\"maybe\"}}'",
        "",
        "cannot be `maybe`",
    ),
    (
        "echo '{\"hookSpecificOutput\":{\"updatedInput\":[1]}}'",
        "",
        "`updatedInput` of its answer cannot be",
    ),
    ("head -c 1048577 /dev/zero", "", "more than 1048576 bytes"),
    ("printf '\\377'", "", "not UTF-8"),
    ("exec >&- 2>&-; exit 3", "", "exited with 3"),
    ("sleep 1000", "timeoutSeconds = 1", "longer than 1 s"),
    (
        "trap '' TERM; while :; do sleep 1; done",
        "timeoutSeconds = 1",
        "longer than 1 s",
    ),
];

fn hooks(more: &str) -> String {
    let tables = FAILING
        .iter()
        .enumerate()
        .map(|(index, (command, own, _))| {
            let rule = format!("if = 'Write(out{index}.txt)'\n{own}\n{more}");
            hook(&format!("guard-{index}"), "PreToolUse", command, &rule)
        });
    tables.collect()
}

fn calls() -> Vec<(String, &'static str)> {
    let files = 0..FAILING.len();
    files
        .map(|index| (format!("out{index}.txt"), "x"))
        .collect()
}

#[tokio::test]
async fn a_guard_that_fails_denies_and_says_why() {
    let (daemon, _model) = writing(&hooks(""), &calls()).await;
    let id = turn(&daemon).await;
    let log = daemon.log(&id.to_string());
    let results = results(&log);
    assert_eq!(results.len(), FAILING.len());
    for (index, (result, (command, _, reason))) in results.iter().zip(FAILING).enumerate() {
        let begin = format!("E_HOOK_FAILED: not run: guard-{index}: ");
        assert!(
            result.starts_with(&begin) && result.contains(reason),
            "{command}: {result}"
        );
        assert!(!daemon.project().join(format!("out{index}.txt")).exists());
    }
    assert!(records(&log, "tool_started").is_empty());
}

#[tokio::test]
async fn a_guard_that_fails_and_is_ignored_lets_the_call_run() {
    let (daemon, _model) = writing(&hooks("onFailure = 'ignore'"), &calls()).await;
    let id = turn(&daemon).await;
    let log = daemon.log(&id.to_string());
    for index in 0..FAILING.len() {
        let path = daemon.project().join(format!("out{index}.txt"));
        assert!(path.exists(), "{index}: {:?}", results(&log).get(index));
    }
}
