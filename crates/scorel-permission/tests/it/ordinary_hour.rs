//! What reading commands as a shell does saves in questions, over the commands of an ordinary hour.
//!
//! `ordinary_hour.txt` has one command a line (`\n` stands for a line feed), as a coding agent runs them.
//! The figures are in `docs/design/0008-permissions.md`.

use scorel_permission::{Decision, Mode};

use crate::support::{decide, policy};

const HOUR: &str = include_str!("ordinary_hour.txt");

/// What a user of this project allows.
const RULES: [&str; 3] = ["Bash(cargo *)", "Bash(npm test)", "Bash(make test)"];

/// What takes the place of the judge: programs that only read, whatever their arguments, as a list of
/// prefixes has to say it. Generous: it has all those that occur in the hour, and leaves out only
/// programs, such as `find` and `sed`, that write or run others when an argument says so.
const PREFIXES: [&str; 28] = [
    "ls",
    "pwd",
    "git status",
    "git diff",
    "git log",
    "git show",
    "git branch",
    "git blame",
    "git stash list",
    "git rev-parse",
    "git ls-files",
    "git grep",
    "cat",
    "head",
    "tail",
    "wc",
    "rg",
    "grep",
    "du",
    "df",
    "ps",
    "which",
    "file",
    "stat",
    "diff",
    "echo",
    "date",
    "test",
];

fn commands() -> impl Iterator<Item = String> {
    HOUR.lines().map(|line| line.replace("\\n", "\n"))
}

/// Returns whether a list of prefixes allows a command. Without a grammar anything that a shell may treat
/// specially has to be refused, wherever it stands.
fn has_prefix(command: &str) -> bool {
    let plain = !command.contains([
        '|', '&', ';', '<', '>', '$', '`', '(', ')', '{', '}', '\n', '\\',
    ]);
    let allowed = PREFIXES.iter().chain(&["cargo", "npm test", "make test"]);
    let begins = |prefix: &&str| {
        let rest = command.strip_prefix(*prefix);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    plain && allowed.clone().any(begins)
}

#[test]
fn the_judge_asks_about_18_of_84_where_prefixes_ask_about_50() {
    let policy = policy(Mode::Ask, &[], &[], &RULES);
    let is_allowed = |command: &String| decide(&policy, command) == Decision::Allow;
    let total = commands().count();
    let judged = commands().filter(is_allowed).count();
    let prefixed = commands().filter(|command| has_prefix(command)).count();
    let lost: Vec<String> = commands()
        .filter(|command| has_prefix(command) && !is_allowed(command))
        .collect();
    let asked: Vec<String> = commands().filter(|command| !is_allowed(command)).collect();
    assert_eq!(
        (total, judged, prefixed),
        (84, 66, 34),
        "asked about: {asked:#?}"
    );
    assert!(lost.is_empty(), "only prefixes allow {lost:#?}");
}

#[test]
fn the_mode_workspace_asks_about_3_of_the_same_84_without_any_rule() {
    let policy = policy(Mode::Workspace, &[], &[], &[]);
    let is_asked = |command: &String| decide(&policy, command) != Decision::Allow;
    let asked: Vec<String> = commands().filter(is_asked).collect();
    let expected = [
        "git push origin main",
        "find target -name '*.d' -delete",
        "rm -rf target/tmp",
    ];
    assert_eq!(asked, expected);
}
