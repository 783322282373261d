//! Mistyped verbs, options, values, keys and names: each is refused with a suggestion.

use scorel_testkit::DaemonUnderTest;
use serde_json::Value;

use crate::under_test::{SCORELD, scorelctl};

/// Words of a command line, the exit code, and what the error suggests.
type Typo = (&'static str, i32, &'static str);

/// `END` is the end of the session's id, with one character wrong.
const TYPOS: &[Typo] = &[
    // Verbs.
    ("sned hello", 2, "'send'"),
    ("satus", 2, "'status'"),
    ("sesions", 2, "'sessions'"),
    ("shwo", 2, "'show'"),
    ("tial", 2, "'tail'"),
    ("projcts", 2, "'projects'"),
    ("undelet", 2, "'undelete'"),
    ("confg show", 2, "'config'"),
    ("completion bash", 2, "'completions'"),
    ("log", 2, "'logs'"),
    ("modles", 2, "'models'"),
    ("aproove", 2, "'approve'"),
    ("login", 2, "'init'"),
    ("setup", 2, "'init'"),
    ("ls", 2, "'sessions'"),
    ("chat", 2, "'attach'"),
    ("queue ad x", 2, "'add'"),
    ("service instal", 2, "'install'"),
    ("projects renam a b", 2, "'rename'"),
    ("config sett runtime.maxSteps 9", 2, "'set'"),
    // Options.
    ("send --sesion new hello", 2, "'--session'"),
    ("send --detatch hello", 2, "'--detach'"),
    ("send --while-runing steer hello", 2, "'--while-running'"),
    ("sessions --archive", 2, "'--archived'"),
    ("show --lst 3", 2, "'--last'"),
    ("tail --nofollow", 2, "'--no-follow'"),
    ("logs --line 3", 2, "'--lines'"),
    ("gc --aply", 2, "'--apply'"),
    ("status --sort", 2, "'--short'"),
    ("status --jsn", 2, "'--json'"),
    ("config --jsno show", 2, "'--json'"),
    ("fsck --repiar", 2, "'--repair'"),
    // Values.
    ("send --while-running stear hello", 2, "'steer'"),
    ("send --on-ask dney hello", 2, "'deny'"),
    ("send --tools redonly hello", 2, "'readonly'"),
    ("wait --for questoin", 2, "'question'"),
    ("usage --by modle", 2, "'model'"),
    ("export --format htlm", 2, "'html'"),
    ("completions zhs", 2, "bash, zsh, fish"),
    ("search --role asistant x", 2, "'assistant'"),
    ("runtimes --status runing", 2, "'running'"),
    ("agents set reviewer --thinking-level hgih", 2, "'high'"),
    ("agents set reviewer --workspace worktre", 2, "'worktree'"),
    ("spawn reviewer --deliver trun x", 2, "'turn'"),
    // Keys and values of the configuration.
    ("config get runtime.maxStep", 2, "`runtime.maxSteps`"),
    ("config get modl.id", 2, "`model.id`"),
    ("config show runtme", 2, "`runtime"),
    ("config set runtime.maxStps 9", 3, "`maxSteps`"),
    ("config set tools.preset redonly", 3, "`readonly`"),
    // What the daemon knows.
    ("show --session END", 3, "did you mean ses_"),
    ("call getStaus", 3, "`getStatus`"),
    ("send --runner codx hello", 3, "codex"),
    ("send --model opnai:gpt hello", 3, "openai"),
    ("spawn reviwer look", 3, "reviewer"),
    ("projects remove prject", 3, "`project`"),
];

#[tokio::test]
async fn a_typo_gets_the_suggestion_that_was_meant() {
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure(
        "[agents.reviewer]\ndescription = \"Reads.\"\n[runners.codex]\ntype = \"codex\"\n",
    );
    daemon.spawn().await;
    let made = scorelctl(
        &daemon,
        &["--json", "send", "--session", "new", "hello"],
        &[],
    )
    .await;
    let first = String::from_utf8(made.stdout).unwrap();
    let first: Value = serde_json::from_str(first.lines().next().unwrap()).unwrap();
    let session = first["sessionId"].as_str().unwrap();
    let end = mistyped(&session[session.len() - 6..]);

    let mut wrong = Vec::new();
    for (line, code, suggestion) in TYPOS {
        let words: Vec<&str> = line
            .split(' ')
            .map(|word| if word == "END" { &end } else { word })
            .collect();
        let ended = scorelctl(&daemon, &words, &[]).await;
        let said = String::from_utf8(ended.stderr).unwrap();
        if ended.status.code() != Some(*code) || !said.contains(suggestion) {
            wrong.push(format!(
                "{line}: {:?} and not {code}, {suggestion}:\n{said}",
                ended.status.code()
            ));
        }
        let with_json = [&["--json"][..], &words].concat();
        let ended = scorelctl(&daemon, &with_json, &[]).await;
        let said = String::from_utf8(ended.stderr).unwrap();
        let error: Value = serde_json::from_str(said.trim()).unwrap_or_default();
        if error["error"]["exitCode"] != *code || !said.contains(&suggestion.replace('"', "\\\"")) {
            wrong.push(format!("--json {line}: not {code}, {suggestion}:\n{said}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(TYPOS.len() >= 40);
}

/// With another character at the second place.
fn mistyped(end: &str) -> String {
    let other = if end.as_bytes()[1] == b'0' { "1" } else { "0" };
    format!("{}{other}{}", &end[..1], &end[2..])
}
