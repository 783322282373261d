//! The rules that an answer "always" makes.

use scorel_permission::{Action, Decision, Mode, Policy, Rule, Rules};

use crate::support::{call, decide, fetch, list, place, policy, read, run, write};

fn granted(mode: Mode, action: &Action) -> Vec<String> {
    let rules = policy(mode, &[], &[], &[]).rule_for(action);
    rules.iter().map(Rule::to_string).collect()
}

#[test]
fn an_answer_makes_the_narrowest_rules() {
    for (command, rules) in [
        ("cargo test --lib", &["Bash(cargo test --lib)"][..]),
        (
            "cargo build && ls && cargo test",
            &["Bash(cargo build)", "Bash(cargo test)"],
        ),
        ("echo 'a b' | foo '*' 'x y' ''", &["Bash(foo \\* x\\ y '')"]),
        ("A=1 foo", &["Bash(A=1 foo)"]),
        ("RUST_LOG=x foo", &["Bash(foo)"]),
        ("sed -i s/a/b/ x", &["Bash(sed -i s/a/b/ x)"]),
        ("python -c 'print(1)'", &["Bash(python -c print\\(1\\))"]),
        ("timeout 5 foo", &["Bash(foo)"]),
        ("ls > /tmp/x", &["Write(/tmp/x)"]),
        ("foo *.rs", &["Bash(foo \\*.rs)"]),
    ] {
        assert_eq!(granted(Mode::Workspace, &run(command)), rules, "{command}");
    }
    assert_eq!(
        granted(Mode::Workspace, &write("/tmp/a*b")),
        ["Write(/tmp/a\\*b)"]
    );
    assert_eq!(
        granted(Mode::Workspace, &read("/etc/hosts")),
        ["Read(/etc/hosts)"]
    );
    assert_eq!(
        granted(Mode::Workspace, &fetch("https://Example.com/x?y")),
        ["WebFetch(domain:example.com)"]
    );
    assert_eq!(
        granted(Mode::Readonly, &call("mcp__git__log")),
        ["Tool(mcp__git__log)"]
    );
    assert_eq!(granted(Mode::Workspace, &call("a b")), [""; 0]);
}

#[test]
fn granted_rules_allow_the_command_and_hardly_anything_else() {
    for (command, other) in [
        ("cargo test --lib", "cargo test --lib x"),
        ("cargo build && cargo test", "cargo build && cargo run"),
        ("foo '*'", "foo x"),
        ("foo *.rs", "foo x.rs"),
        ("foo 'a b'", "foo a b"),
        ("sed -i s/a/b/ x", "sed -i s/a/b/ y"),
    ] {
        let allow = policy(Mode::Workspace, &[], &[], &[]).rule_for(&run(command));
        let text: Vec<String> = allow.iter().map(Rule::to_string).collect();
        let again = list(&text.iter().map(String::as_str).collect::<Vec<_>>());
        let rules = Rules {
            allow: again,
            ..Rules::default()
        };
        let granted = Policy::new(Mode::Workspace, rules, place());
        assert_eq!(decide(&granted, command), Decision::Allow, "{command}");
        assert_eq!(decide(&granted, other), Decision::Ask, "{other}");
    }
}

#[test]
fn some_answers_cannot_be_remembered() {
    for command in [
        "sudo ls",
        "scorelctl approve x",
        "eval ls",
        "foo $x",
        "foo $(",
        "echo x > .git/config",
        "crontab -e",
        "echo x | sh",
        "python",
        "",
    ] {
        assert_eq!(
            granted(Mode::Workspace, &run(command)),
            [""; 0],
            "{command}"
        );
    }
    for path in [
        ".git/hooks/x",
        "/home/u/.scorel/config.toml",
        "/home/u/.bashrc",
    ] {
        assert_eq!(granted(Mode::Workspace, &write(path)), [""; 0], "{path}");
    }
    assert_eq!(granted(Mode::Readonly, &write("x")), [""; 0]);
    assert_eq!(granted(Mode::Full, &fetch("file:///etc/passwd")), [""; 0]);
    let denied = policy(Mode::Full, &["Bash(foo *)"], &[], &[]);
    assert!(denied.rule_for(&run("foo")).is_empty());
}
