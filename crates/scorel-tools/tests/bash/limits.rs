//! Limits of commands, as the model sees them.

use libtest_mimic::Trial;
use scorel_exec::ResourceLimits;
use serde_json::json;

use crate::session::{Session, ToolAnswer, canary, processes};
use crate::trial;

const MIB: u64 = 1 << 20;

const LIMITS: ResourceLimits = ResourceLimits {
    memory: 200 * MIB,
    processes: 60,
    open_files: 200,
    file_size: 10 * MIB,
    scratch_space: 50 * MIB,
};

/// By the key of the limit: its value, and a command that reaches it. `$C` is a number of seconds.
const RUNAWAYS: [(&str, u64, &str); 5] = [
    (
        "memory",
        LIMITS.memory,
        "perl -e 'my @x; push @x, \"x\" x (1 << 20) for 1..2000; sleep 1000 # $C'",
    ),
    (
        "processes",
        LIMITS.processes,
        "for i in {1..1000}; do sleep $C & done; wait",
    ),
    (
        "openFiles",
        LIMITS.open_files,
        "perl -e 'for (0..2000) { open($f[$_], \"<\", \"/dev/null\") or die \"$!\" }'",
    ),
    (
        "fileSize",
        LIMITS.file_size,
        "head -c 100M /dev/zero > large",
    ),
    (
        "scratchSpace",
        LIMITS.scratch_space,
        "for i in {1..100}; do head -c 5M /dev/zero > $TMPDIR/$i; done; sleep $C",
    ),
];

pub(crate) fn trials() -> Vec<Trial> {
    let foreground = RUNAWAYS.map(|(key, value, script)| {
        let name = format!("limits::{key}_in_the_foreground");
        trial(&name, move || in_foreground(key, value, script))
    });
    let background = RUNAWAYS.map(|(key, value, script)| {
        let name = format!("limits::{key}_in_the_background");
        trial(&name, move || in_background(key, value, script))
    });
    foreground.into_iter().chain(background).collect()
}

async fn in_foreground(key: &str, value: u64, script: &str) {
    let session = Session::with_limits(LIMITS);
    let canary = canary();
    let answer = session.bash(&script.replace("$C", &canary)).await;
    assert_eq!(answer.code(), "E_LIMIT_REACHED", "{answer:?}");
    told(&answer, key, value);
    assert_eq!(answer.details["limit"]["scope"], "command");
    assert_eq!(processes(&canary), [0; 0]);
    // The session goes on.
    let answer = session.bash("rm -f large $TMPDIR/*; echo on").await;
    assert_eq!((answer.text.as_str(), answer.is_error), ("on\n", false));
}

async fn in_background(key: &str, value: u64, script: &str) {
    let session = Session::with_limits(LIMITS);
    let canary = canary();
    let command = script.replace("$C", &canary);
    let input = json!({ "command": command, "background": true });
    let id = session.call("Bash", input).await.details["id"].clone();
    let answer = loop {
        let answer = session
            .call("BashOutput", json!({ "id": id, "sinceBytes": 0 }))
            .await;
        if answer.details["running"] == false {
            break answer;
        }
        tokio::task::yield_now().await;
    };
    told(&answer, key, value);
    assert_eq!(processes(&canary), [0; 0]);
}

fn told(answer: &ToolAnswer, key: &str, value: u64) {
    assert_eq!(answer.details["limit"]["key"], key, "{answer:?}");
    assert_eq!(answer.details["limit"]["value"], value, "{answer:?}");
    for part in [&format!("`{key}`"), "[tools.limits]"] {
        assert!(answer.text.contains(part), "{answer:?}");
    }
}
