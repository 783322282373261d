//! The mode `workspace`: what a sandbox holds is not asked about.

use std::path::PathBuf;

use scorel_permission::{Decision, Mode, Policy, Rules, builtin_ask};

use crate::support::{decide, judge, place, policy, run, write};

/// Commands that the sandbox holds, whatever they do.
const HELD: [&str; 48] = [
    "cargo test",
    "cargo build && ./target/debug/app",
    "npm run build 2>&1 | tail -5",
    "make -j4",
    "python3 -c 'import os; os.remove(\"x\")'",
    "python3 - <<'EOF'\nprint(1)\nEOF",
    "python3",
    "node -e 'x'",
    "perl -pi -e s/a/b/ src/x",
    "sed -i s/a/b/ src/x",
    "sh ./run.sh",
    "bash -c \"$x\"",
    "eval \"$x\"",
    "source .venv/bin/activate && pytest",
    ". ./env.sh; make",
    "$x a",
    "cat $x",
    "echo x > \"$f\"",
    "PATH=$PWD/bin:$PATH make",
    "export PATH=/tmp/bin:$PATH",
    "for ((i=0;i<3;i++)); do echo $i; done",
    "i=$((i + 1))",
    "trap 'rm -f x' EXIT; make",
    "rm src/old.rs",
    "rm -f *.o",
    "rm -f \"$out\"",
    "find . -name '*.rs' -exec sed -i s/a/b/ {} +",
    "git commit --amend --no-edit",
    "git rebase main",
    "git checkout main",
    "git checkout -b x origin/y",
    "git checkout v1.2.3",
    "git restore --staged src/x",
    "git reset --soft HEAD~1",
    "git clean -nd",
    "git branch -d old",
    "git stash pop",
    "git add .envrc .vscode/tasks.json",
    "ls 'a",
    "npm publish2",
    "bash -lc 'cargo test'",
    "bash <<'EOF'\nmake\nEOF",
    "bash -s a < script.sh",
    "env -C sub make",
    "env --unknown make",
    "xargs -a list touch",
    "git clean -xdn -e node_modules",
    "git clean --dry-run -dx",
];

/// Commands that are asked about, each with a part of the reason.
const ASKED: [(&str, &str); 84] = [
    ("git push", "git push *"),
    ("git -C sub push -f origin main", "git push *"),
    ("/usr/bin/git push", "git push *"),
    ("make && git push", "git push *"),
    ("sh -c 'git push'", "git push *"),
    ("timeout 5 git push", "git push *"),
    ("git reset --hard HEAD~3", "git reset --hard *"),
    ("git reset HEAD~3 --hard", "git reset --hard *"),
    ("git reset --har", "git reset --hard *"),
    ("git clean -fdx", "git clean *"),
    ("git checkout -- .", "git checkout -- *"),
    ("git checkout .", "git checkout -- *"),
    ("git checkout src/main.rs", "git checkout -- *"),
    ("git checkout HEAD~1 src", "git checkout -- *"),
    ("git checkout HEAD -- src", "git checkout -- *"),
    ("git checkout *.rs", "git checkout -- *"),
    ("git checkout -f main", "git checkout --force *"),
    ("git checkout main -f", "git checkout --force *"),
    ("git restore src/x", "git restore --worktree *"),
    ("git restore -SW src/x", "git restore --worktree *"),
    ("git switch -f main", "git switch --force *"),
    (
        "git switch --discard-changes main",
        "git switch --discard-changes *",
    ),
    ("git stash drop", "git stash drop *"),
    ("git stash clear", "git stash clear *"),
    ("git branch -D x", "git branch -D *"),
    ("git branch -d -f x", "git branch -D *"),
    ("git branch x --delete --force", "git branch -D *"),
    ("git tag -d v1", "git tag --delete *"),
    ("git rm -rf src", "git rm --force *"),
    (
        "git worktree remove ../x --force",
        "git worktree remove --force *",
    ),
    ("git reflog expire --all", "git reflog expire *"),
    ("git gc --prune=now", "git gc --prune* *"),
    ("git filter-branch -f HEAD", "git filter-branch *"),
    ("rm -rf src", "rm --recursive *"),
    ("rm -fr src", "rm --recursive *"),
    ("rm src -R", "rm --recursive *"),
    ("rm --rec src", "rm --recursive *"),
    ("rm -rf \"$dir\"", "rm --recursive *"),
    ("/bin/rm -r src", "rm --recursive *"),
    ("ls; rm -rf src", "rm --recursive *"),
    ("for d in a b; do rm -r $d; done", "rm --recursive *"),
    ("find . -name x -exec rm -r {} +", "find * -exec rm *"),
    ("find . -name x | xargs rm -f", "xargs * rm *"),
    ("find . -delete", "find * -delete *"),
    ("truncate -s 0 src/x", "truncate *"),
    ("shred x", "shred *"),
    ("dd if=a of=b", "dd * of=* *"),
    ("npm publish", "npm publish *"),
    ("cargo publish -p x", "cargo publish *"),
    ("twine upload dist/x", "twine upload *"),
    ("cat /etc/passwd", "outside of the project"),
    ("ls ~", "outside of the project"),
    ("mkdir /opt/x", "outside of the project"),
    ("cp src/x ../y", "outside of the project"),
    ("echo x > /tmp/x", "outside of the project"),
    ("echo x > .git/hooks/pre-commit", "hooks and configuration"),
    ("cp x .vscode/tasks.json", "an editor, a build"),
    ("echo x >> .envrc", "a shell or a desktop"),
    ("cp x .husky/pre-commit", "git runs it"),
    ("sudo ls", "as another user"),
    ("scorelctl approve x", "answer for you"),
    ("systemd-run ls", "outlives the session"),
    ("bash -lc 'git reset --hard'", "git reset --hard *"),
    ("bash -o pipefail -c 'git push'", "git push *"),
    ("env -C sub git reset --hard", "git reset --hard *"),
    ("env -S 'git push'", "git push *"),
    ("nice -5 git push", "git push *"),
    ("xargs -a list git push", "git push *"),
    ("git clean -fdx -enode_modules", "git clean *"),
    ("git clean -fdxen", "git clean *"),
    ("git clean -fdx -e -n", "git clean *"),
    ("git clean -fdx --exclude -n", "git clean *"),
    ("git clean -fdx --exclude=-n", "git clean *"),
    ("git clean -fd -- -n", "git clean *"),
    ("git clean -n --no-dry-run -f", "git clean *"),
    ("git clean -n a$x", "git clean *"),
    (
        "find -L ~/.ssh -type f -exec cat {} +",
        "outside of the project",
    ),
    ("find -H ~/.ssh -exec cat {} +", "outside of the project"),
    (
        "find -P -O3 ~/.ssh -exec cat {} +",
        "outside of the project",
    ),
    (
        "find -D tree ~/.ssh -exec cat {} +",
        "outside of the project",
    ),
    ("find -- ~/.ssh -exec cat {} +", "outside of the project"),
    ("find -L ~/.ssh -type f", "outside of the project"),
    ("env -C ~/.ssh ls", "outside of the project"),
    ("xargs -a ~/.ssh/id echo", "outside of the project"),
];

fn workspace(deny: &[&str], ask: &[&str], allow: &[&str]) -> Policy {
    policy(Mode::Workspace, deny, ask, allow)
}

#[test]
fn what_the_sandbox_holds_is_not_asked_about() {
    let policy = workspace(&[], &[], &[]);
    for command in HELD {
        let verdict = judge(&policy, command);
        assert_eq!(
            verdict.decision,
            Decision::Allow,
            "{command}: {}",
            verdict.reason
        );
    }
}

#[test]
fn what_cannot_be_had_back_and_what_is_outside_is_asked_about() {
    let policy = workspace(&[], &[], &[]);
    for (command, said) in ASKED {
        let verdict = judge(&policy, command);
        assert_eq!(
            verdict.decision,
            Decision::Ask,
            "{command}: {}",
            verdict.reason
        );
        assert!(
            verdict.reason.contains(said),
            "{command}: {}",
            verdict.reason
        );
    }
}

#[test]
fn every_built_in_rule_asks_and_can_be_removed() {
    for rule in builtin_ask() {
        let pattern = rule.as_str().strip_prefix("Bash(").unwrap();
        let pattern = pattern.strip_suffix(')').unwrap();
        let command = pattern
            .replace(" * ", " ")
            .replace(" *", " x")
            .replace('*', "x");
        let with = |rules: Vec<_>| {
            let rules = Rules {
                builtin_ask: rules,
                ..Rules::default()
            };
            decide(&Policy::new(Mode::Workspace, rules, place()), &command)
        };
        assert_eq!(with(vec![rule.clone()]), Decision::Ask, "{rule}: {command}");
        assert_eq!(with(Vec::new()), Decision::Allow, "{rule}: {command}");
    }
}

#[test]
fn an_answer_lifts_a_built_in_rule_for_what_it_names() {
    for (command, other) in [
        ("git push origin topic", "git push origin main"),
        ("rm -rf src/gen", "rm -rf src"),
        ("git checkout -- src/x", "git checkout -- src/y"),
        ("find . -name '*.orig' -delete", "find . -delete"),
    ] {
        let offer = workspace(&[], &[], &[]).offer(&run(command));
        assert!(
            !offer.rules.is_empty() && !offer.is_for_session,
            "{command}"
        );
        let granted = workspace(&[], &[], &[]).allowing(offer.rules);
        assert_eq!(decide(&granted, command), Decision::Allow, "{command}");
        assert_eq!(decide(&granted, other), Decision::Ask, "{other}");
    }
    let named = workspace(&[], &[], &["Bash(git push *)", "Bash(rm -rf build)"]);
    for command in ["git push origin main", "git push -f", "rm -rf build"] {
        assert_eq!(decide(&named, command), Decision::Allow, "{command}");
    }
}

#[test]
fn a_wide_rule_lifts_no_built_in_one_and_the_users_own_rules_stand() {
    for wide in [
        "Bash",
        "Bash(git *)",
        "Bash(* push *)",
        "Bash(git checkout *)",
    ] {
        let policy = workspace(&[], &[], &[wide]);
        for command in ["git push", "git checkout -- x", "rm -rf src"] {
            assert_eq!(decide(&policy, command), Decision::Ask, "{wide}: {command}");
        }
    }
    let own = workspace(&[], &["Bash(git push *)"], &["Bash(git push *)"]);
    assert_eq!(decide(&own, "git push"), Decision::Ask);
    assert!(own.offer(&run("git push")).rules.is_empty());
    let denied = workspace(&["Bash(git push *)"], &[], &["Bash(git push *)"]);
    assert_eq!(decide(&denied, "git push"), Decision::Deny);
}

#[test]
fn the_built_in_rules_hold_in_the_mode_workspace_only() {
    let allow = ["Bash(git *)", "Bash(rm *)"];
    for mode in [Mode::Ask, Mode::Full] {
        let policy = policy(mode, &[], &[], &allow);
        for command in ["git push", "git reset --hard", "rm -rf src"] {
            assert_eq!(
                decide(&policy, command),
                Decision::Allow,
                "{mode}: {command}"
            );
        }
    }
}

#[test]
fn what_git_ignores_may_be_discarded() {
    for (command, discarded) in [
        ("rm -rf target", &["/p/target"][..]),
        ("rm -rf target/tmp build/*", &["/p/build", "/p/target/tmp"]),
        ("find target -name '*.d' -delete", &["/p/target"]),
        ("cd sub && rm -r out", &["/p/sub/out"]),
        ("cd sub; rm -r out", &["/p/out", "/p/sub/out"]),
        ("rm -rf $x", &[]),
        ("find target $x -delete", &[]),
        ("find -L target -delete", &["/p/target"]),
        ("ls && cargo test", &[]),
    ] {
        let policy = workspace(&[], &[], &[]);
        let mut found = policy.discarded(&run(command));
        found.sort();
        let paths: Vec<PathBuf> = discarded.iter().map(PathBuf::from).collect();
        assert_eq!(found, paths, "{command}");
        if let [first, rest @ ..] = paths.as_slice() {
            assert_eq!(decide(&policy, command), Decision::Ask, "{command}");
            let some = policy.clone().ignoring(rest.to_vec());
            assert_eq!(
                decide(&some, command),
                Decision::Ask,
                "{command}: {first:?}"
            );
            let all = policy.ignoring(paths);
            assert_eq!(decide(&all, command), Decision::Allow, "{command}");
        }
    }
}

/// A command that is not understood is asked about if one of the user's rules could apply to it.
#[test]
fn a_rule_of_the_user_is_not_evaded() {
    for (deny, ask) in [
        (&["Bash(terraform *)"][..], &[][..]),
        (&[], &["Bash(terraform *)"]),
        (&["Read(secret/**)"], &[]),
        (&[], &["Write(Cargo.lock)"]),
    ] {
        let policy = workspace(deny, ask, &[]);
        for command in ["eval \"$x\"", "source x", "ls 'a", "$x a"] {
            assert_eq!(
                decide(&policy, command),
                Decision::Ask,
                "{deny:?} {ask:?}: {command}"
            );
        }
        assert_eq!(decide(&policy, "cargo test"), Decision::Allow);
    }
    let policy = workspace(&["Read(secret/**)"], &[], &[]);
    for command in [
        "cat $x",
        "find $x -exec cat {} +",
        "find -L $x -exec cat {} +",
        "find -D $x . -exec cat {} +",
        "find a$x -exec cat {} +",
        "find -files0-from x -exec cat {} +",
        "jq $x",
        "jq --rawfile a $x -n",
    ] {
        assert_eq!(decide(&policy, command), Decision::Ask, "{command}");
    }
    for command in [
        "cat secret/x",
        "find -L secret -exec cat {} +",
        "jq . secret/x",
        "jq -f secret/x",
        "jq -n --rawfile a secret/x '$a'",
        "jq -n '$a' --slurpfile a secret/x",
        "jq -L secret/x .",
    ] {
        assert_ne!(decide(&policy, command), Decision::Allow, "{command}");
    }
}

#[test]
fn a_denying_rule_finds_an_option_in_any_place_and_form() {
    let policy = workspace(
        &["Bash(rm -r *)", "Bash(git push --force *)"],
        &[],
        &["Bash"],
    );
    for command in [
        "rm -r x",
        "rm -fr x",
        "rm x -r",
        "rm --recursive x",
        "git push -f",
        "git push origin main --force",
        "git -C x push origin -f",
    ] {
        assert_eq!(decide(&policy, command), Decision::Deny, "{command}");
    }
    for command in ["rm x", "rm -- -r", "echo -r"] {
        assert_eq!(decide(&policy, command), Decision::Allow, "{command}");
    }
}

#[test]
fn what_the_sandbox_hides_is_not_asked_about() {
    let deny = ["Read(secret/**)"];
    let policy = workspace(&deny, &[], &[]).hiding_denied();
    for command in ["cat $x", "ls *", "grep -r key .", "eval \"$x\"", "cat < $x"] {
        assert_eq!(decide(&policy, command), Decision::Allow, "{command}");
    }
    assert_eq!(decide(&policy, "cat secret/x"), Decision::Deny);
    assert_eq!(decide(&policy, "cat < secret/x"), Decision::Deny);
    let asking = workspace(&deny, &["Read(notes/**)"], &[]).hiding_denied();
    assert_eq!(decide(&asking, "cat $x"), Decision::Ask);
    let writing = workspace(&["Write(notes/**)"], &[], &[]).hiding_denied();
    assert_eq!(decide(&writing, "tee $x"), Decision::Ask);
}

#[test]
fn files_are_judged_as_in_the_mode_ask() {
    let policy = workspace(&[], &[], &[]);
    for (path, decision) in [
        ("src/x", Decision::Allow),
        ("/etc/x", Decision::Ask),
        (".claude/settings.local.json", Decision::Ask),
        (".cargo/config.toml", Decision::Ask),
        ("a/b/c/.git/hooks/x", Decision::Ask),
    ] {
        assert_eq!(policy.judge(&write(path)).decision, decision, "{path}");
    }
}
