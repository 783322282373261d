//! The rules that an answer "always" makes.

use scorel_engine::Effect;
use scorel_permission::{Decision, Mode, Policy, Rule, Rules};

use crate::support::{call, decide, fetch, list, place, policy, read, run, write};

fn granted(mode: Mode, effect: &Effect) -> Vec<String> {
    let offer = policy(mode, &[], &[], &[]).offer(effect);
    offer.rules.iter().map(Rule::to_string).collect()
}

#[test]
fn an_answer_makes_the_rules_that_a_person_would_write() {
    for (command, rules) in [
        ("cargo test --lib", &["Bash(cargo test *)"][..]),
        (
            "cargo build && ls && cargo test; cargo build -q",
            &["Bash(cargo build *)", "Bash(cargo test *)"],
        ),
        ("cargo +nightly fmt --all", &["Bash(cargo +nightly fmt *)"]),
        ("git commit -m 'a b'", &["Bash(git commit *)"]),
        ("git checkout -b x", &["Bash(git checkout -b *)"]),
        ("npm run test -- a", &["Bash(npm run test *)"]),
        ("npm test", &["Bash(npm test *)"]),
        ("python3 -m pytest -x tests", &["Bash(python3 -m pytest *)"]),
        ("pytest tests", &["Bash(pytest *)"]),
        ("touch x", &["Bash(touch *)"]),
        ("./run.sh a", &["Bash(./run.sh a)"]),
        ("cd sub && ./run.sh a", &["Bash(./sub/run.sh a)"]),
        ("/opt/x/run a", &["Bash(/opt/x/run a)"]),
        ("foo 'a&&b' '|' '#'", &["Bash(foo a\\&\\&b \\| \\#)"]),
        ("echo 'a b' | foo '*' 'x y' ''", &["Bash(foo \\* x\\ y '')"]),
        ("A=1 foo", &["Bash(A=1 foo)"]),
        ("RUST_LOG=x foo", &["Bash(foo)"]),
        ("sed -i s/a/b/ x", &["Bash(sed -i *)"]),
        ("sed -i 'w y' x", &["Bash(sed -i w\\ y x)"]),
        ("python -c 'print(1)'", &["Bash(python -c print\\(1\\))"]),
        ("timeout 5 foo", &["Bash(foo)"]),
        ("ls > /tmp/x", &["Write(/tmp/x)"]),
        ("foo *.rs", &["Bash(foo \\*.rs)"]),
    ] {
        assert_eq!(granted(Mode::Ask, &run(command)), rules, "{command}");
    }
    assert_eq!(
        granted(Mode::Ask, &write("/tmp/a*b")),
        ["Write(/tmp/a\\*b)"]
    );
    assert_eq!(
        granted(Mode::Ask, &read("/etc/hosts")),
        ["Read(/etc/hosts)"]
    );
    assert_eq!(
        granted(Mode::Ask, &fetch("https://Example.com/x?y")),
        ["WebFetch(domain:example.com)"]
    );
    assert_eq!(
        granted(Mode::Readonly, &call("mcp__git__log")),
        ["Tool(mcp__git__log)"]
    );
    assert_eq!(granted(Mode::Ask, &call("a b")), [""; 0]);
}

#[test]
fn granted_rules_allow_the_command_and_hardly_anything_else() {
    for (command, other) in [
        ("cargo test --lib", "cargo build"),
        ("git commit -m x", "git push"),
        ("git stash pop", "git stash drop"),
        ("./run.sh", "cd sub && ./run.sh"),
        ("cd sub && ./run.sh", "./run.sh"),
        ("cd sub; ./run.sh", "cd src && ./run.sh"),
        ("cargo build && cargo test", "cargo build && cargo run"),
        ("foo '*'", "foo x"),
        ("foo *.rs", "foo x.rs"),
        ("foo 'a b'", "foo a b"),
        ("sed -i s/a/b/ x", "sed -i 'w z' y"),
    ] {
        let allow = policy(Mode::Ask, &[], &[], &[]).offer(&run(command)).rules;
        let text: Vec<String> = allow.iter().map(Rule::to_string).collect();
        let again = list(&text.iter().map(String::as_str).collect::<Vec<_>>());
        let rules = Rules {
            allow: again,
            ..Rules::default()
        };
        let granted = Policy::new(Mode::Ask, rules, place());
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
        assert_eq!(granted(Mode::Ask, &run(command)), [""; 0], "{command}");
    }
    for path in [
        ".git/hooks/x",
        "/home/u/.scorel/config.toml",
        "/home/u/.bashrc",
    ] {
        assert_eq!(granted(Mode::Ask, &write(path)), [""; 0], "{path}");
    }
    assert_eq!(granted(Mode::Readonly, &write("x")), [""; 0]);
    assert_eq!(granted(Mode::Full, &fetch("file:///etc/passwd")), [""; 0]);
    let denied = policy(Mode::Full, &["Bash(foo *)"], &[], &[]);
    assert!(denied.offer(&run("foo")).rules.is_empty());
}

/// A prefix of what runs its arguments would allow everything.
#[test]
fn no_prefix_of_a_program_that_runs_its_arguments_is_offered() {
    for command in [
        "env -C sub foo",
        "xargs -a x foo",
        "sh -x run.sh a",
        "bash run.sh",
        "python run.py a",
        "python -c x",
        "node -e x",
        "perl -ne x y",
        "make test",
        "npx vitest run",
        "npm exec x",
        "pnpm dlx x",
        "uv run x",
        "poetry run x",
        "cargo watch -x test",
        "git bisect run x",
        "git -c a=b commit",
        "docker run x",
        "watch ls",
        "flock x foo",
        "setsid foo a",
        "find . -exec foo {} +",
        "python -m timeit x",
        "git checkout main",
        "git branch -m x",
        "git push origin main",
        "rm x",
        "curl https://example.com",
        "foo a",
        "A=1 cargo test",
        "PATH=x git commit",
    ] {
        for rule in granted(Mode::Ask, &run(command)) {
            assert!(!rule.replace("\\*", "").contains('*'), "{command}: {rule}");
        }
    }
}

#[test]
fn an_interpreter_with_a_here_document_is_granted_for_the_session() {
    let policy = policy(Mode::Ask, &[], &[], &[]);
    for (command, rule) in [
        ("python3 <<'EOF'\nprint(1)\nEOF", "Bash(python3)"),
        ("python3 - <<EOF\nprint(1)\nEOF", "Bash(python3 -)"),
        ("node <<'EOF'\nx\nEOF", "Bash(node)"),
        (
            "python3 - a < x <<'EOF'\nprint(1)\nEOF",
            "Bash(python3 - a)",
        ),
    ] {
        let offer = policy.offer(&run(command));
        let rules: Vec<String> = offer.rules.iter().map(Rule::to_string).collect();
        assert_eq!(
            (rules.as_slice(), offer.is_for_session),
            (&[rule.to_owned()][..], true),
            "{command}"
        );
        let granted = policy.clone().allowing(offer.rules);
        assert_eq!(decide(&granted, command), Decision::Allow, "{command}");
        assert_eq!(decide(&granted, "python3 x.py"), Decision::Ask);
    }
    for command in [
        "sh <<'EOF'\nrm x\nEOF",
        "bash -s <<'EOF'\nrm x\nEOF",
        "cat x | python3",
        "python3 < x",
        "python3 <<< x",
        "python3 $(python3) <<'EOF'\nx\nEOF",
        "echo $(python3) <<'EOF'\nx\nEOF",
        "sudo python3 <<'EOF'\nx\nEOF",
    ] {
        let offer = policy.offer(&run(command));
        assert!(offer.rules.is_empty(), "{command}: {offer:?}");
    }
}

#[test]
fn an_answer_adds_no_more_rules_than_a_person_reads() {
    let of = |count: usize| {
        let parts: Vec<String> = (0..count).map(|index| format!("a{index} x")).collect();
        granted(Mode::Ask, &run(&parts.join("; "))).len()
    };
    assert_eq!((of(50), of(51)), (50, 0));
}
