//! A hundred ordinary commands of Rust, Node, Python, git and make.
//!
//! `hundred_commands.txt` has one a line (`\n` stands for a line feed). The figures are in
//! `docs/design/0008-permissions.md`.

use std::path::PathBuf;

use scorel_permission::{Decision, Mode, Policy};

use crate::support::{judge, policy, run};

const COMMANDS: &str = include_str!("hundred_commands.txt");

/// What the mode `ask` needs to be as quiet as `workspace`.
const RULES: [&str; 12] = [
    "Bash(cargo *)",
    "Bash(git *)",
    "Bash(make *)",
    "Bash(mkdir *)",
    "Bash(node *)",
    "Bash(npm *)",
    "Bash(npx *)",
    "Bash(pytest *)",
    "Bash(python3 *)",
    "Bash(python3 -m *)",
    "Bash(rm *)",
    "Bash(sed -i *)",
];

const AT_MOST: usize = 8;

fn commands() -> Vec<String> {
    COMMANDS
        .lines()
        .map(|line| line.replace("\\n", "\n"))
        .collect()
}

fn asked(policy: &Policy) -> Vec<String> {
    let is_asked = |command: &String| judge(policy, command).decision != Decision::Allow;
    commands().into_iter().filter(is_asked).collect()
}

/// As the gate has it: git ignores these directories of the project.
fn ignoring(policy: Policy) -> Policy {
    let ignored = [
        "target",
        "node_modules",
        "dist",
        ".venv",
        "__pycache__",
        ".pytest_cache",
    ];
    let all: Vec<PathBuf> = commands()
        .iter()
        .flat_map(|command| policy.discarded(&run(command)))
        .filter(|path| {
            ignored
                .iter()
                .any(|name| path.starts_with(format!("/p/{name}")))
        })
        .collect();
    policy.ignoring(all)
}

#[test]
fn the_mode_workspace_asks_about_few_of_a_hundred_ordinary_commands() {
    assert_eq!(commands().len(), 100);
    let asked = asked(&ignoring(policy(Mode::Workspace, &[], &[], &[])));
    assert!(asked.len() <= AT_MOST, "{asked:#?}");
    let expected = [
        "git push origin feature/parser",
        "git checkout -- src/lexer.rs",
        "git reset --hard HEAD~1",
        "cargo publish --dry-run",
        "find . -name '*.orig' -delete",
    ];
    assert_eq!(asked, expected);
}

#[test]
fn twelve_rules_make_the_mode_ask_as_quiet() {
    let asked = asked(&policy(Mode::Ask, &[], &[], &RULES));
    assert!(asked.len() <= AT_MOST, "{} {asked:#?}", asked.len());
}
