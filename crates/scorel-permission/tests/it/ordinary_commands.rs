//! Commands that the user should not be asked about.

use scorel_permission::{Decision, Mode};

use crate::support::{judge, policy};

/// They only read, so that no rule is needed.
const READING: [&str; 84] = [
    "ls",
    "ls -la src",
    "ls *.rs",
    "cat README.md",
    "cat src/main.rs src/lib.rs",
    "cat src/*.rs",
    "head -n 20 src/lib.rs",
    "tail -5 log.txt",
    "wc -l src/*.rs",
    "pwd",
    "cd src && ls",
    "cd src && cat ../Cargo.toml",
    "cd src/a && cd b && cat ../../x",
    "(cd src; ls); ls",
    "git status",
    "git --no-pager status --short",
    "git diff",
    "git diff --stat HEAD~2",
    "git diff HEAD -- src/lib.rs",
    "git log --oneline -n 5",
    "git log --format='%h %s' main..HEAD",
    "git show HEAD:src/lib.rs",
    "git branch -a",
    "git branch --show-current",
    "git blame src/lib.rs",
    "git ls-files",
    "git rev-parse --show-toplevel",
    "git remote -v",
    "git stash list",
    "git config --get user.name",
    "git grep -n TODO",
    "git log | head",
    "rg TODO",
    "rg -n 'fn main' src",
    "rg --files -g '*.rs'",
    "rg '/api/v1' src",
    "grep -rn \"a b\" src",
    "grep -E '^(a|b)$' x | sort | uniq -c | sort -rn | head -5",
    "find . -name '*.rs' -type f",
    "find src -maxdepth 2 -mtime -7 ! -path '*/target/*'",
    "find . -name '*.rs' -exec wc -l {} +",
    "find . -type f -print0",
    "sed -n '1,20p' src/lib.rs",
    "sed -e 's/[0-9]*//g' x",
    "sed 's|a/b|c|; /x/d' y",
    "awk '{ print $1 }' x",
    "awk -F: '$3 == 0 { print $1 }' x",
    "cut -d/ -f1 x",
    "tr a-z A-Z < x",
    "jq .name package.json",
    "diff a b",
    "echo hello",
    "echo \"$HOME is $x\" 'and $y'",
    "printf '%s\\n' a b",
    "test -f x && echo yes || echo no",
    "[ -d src ] && ls src",
    "[[ -n $x && $y == a* ]]",
    "[[ ! -f x || ( $x =~ a|b && $x < b ) ]]",
    "[ 1 -eq 2 ] || [ ! -f x ]",
    "[ \"$x\" = a ] && [ \"$x\" != b ] && [ \"$x\" == c ]",
    "[ -f a -a -f b ]",
    "if [ -f Cargo.toml ]; then cat Cargo.toml; fi",
    "for f in a b; do echo \"$f\"; done",
    "ls 2>/dev/null",
    "ls > /dev/null 2>&1",
    "cat <<'EOF'\n$(not run)\nEOF",
    "cat <<EOF\nhello $x\nEOF",
    "echo $(git rev-parse HEAD)",
    "x=$(git rev-parse HEAD); echo \"$x\"",
    "timeout 5 git status",
    "time ls",
    "sh -c 'ls; git status'",
    "which cargo; cargo --version; date; uname -a",
    "command -v rg",
    "jq -r '.a[] | select(.b)' x",
    "jq --arg a \"$x\" '.b[$a]' x",
    "jq -n --slurpfile a x '$a'",
    "find -L src -name '*.rs'",
    "find -H -O3 . -type f",
    "env TERM=\"$x\" ls",
    "env -C src ls",
    "nice -5 ls",
    "bash -euo pipefail -c 'ls | wc -l'",
    "ls | xargs -I% -P4 basename src/%",
];

/// A rule set for working on a Rust project.
const RULES: [&str; 9] = [
    "Bash(cargo *)",
    "Bash(git add *)",
    "Bash(git commit *)",
    "Bash(mkdir *)",
    "Bash(npm run test)",
    "Bash(make test)",
    "Bash(sed -i *)",
    "Bash(python -m pytest *)",
    "Bash(xargs -n1 wc *)",
];

const WORKING: [&str; 25] = [
    "cargo build",
    "cargo test -p x --lib",
    "cargo test 2>&1 | tail -20",
    "cargo build \\\n  --release \\\n  --features 'a b'",
    "RUST_BACKTRACE=1 cargo test",
    "cargo fmt && cargo clippy -- -D warnings",
    "cargo test > out.txt 2>&1; tail out.txt",
    "npm run test 2>&1 | grep -v warning",
    "cd sub && cargo check",
    "env RUST_LOG=debug cargo run",
    "timeout 60 cargo test",
    "nice -n 10 cargo build",
    "git add -A && git commit -m 'a message'",
    "git commit -m \"$(cat <<'EOF'\na message\n\nwith a body\nEOF\n)\"",
    "mkdir -p a/b",
    "npm run test",
    "make test",
    "sed -i 's/a/b/' src/lib.rs",
    "python -m pytest tests -x",
    "ls | xargs -n1 wc -l",
    "cargo build || echo failed",
    "for i in 1 2 3; do cargo test; done",
    "while ! cargo check; do sleep 1; done",
    "echo text > notes.md",
    "cat > src/new.rs <<'EOF'\nfn main() {}\nEOF",
];

#[test]
fn commands_that_only_read_need_no_rule() {
    for mode in [Mode::Readonly, Mode::Ask, Mode::Workspace, Mode::Full] {
        let policy = policy(mode, &[], &[], &[]);
        for command in READING {
            let verdict = judge(&policy, command);
            assert_eq!(
                verdict.decision,
                Decision::Allow,
                "{command}: {}",
                verdict.reason
            );
        }
    }
}

#[test]
fn a_sensible_set_of_rules_allows_a_days_work() {
    let policy = policy(Mode::Ask, &[], &[], &RULES);
    for command in WORKING {
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
fn without_the_rules_the_same_work_is_asked_about() {
    let policy = policy(Mode::Ask, &[], &[], &[]);
    for command in WORKING
        .into_iter()
        .filter(|command| !command.contains(".md") && !command.contains(".rs <<"))
    {
        let verdict = judge(&policy, command);
        assert_eq!(
            verdict.decision,
            Decision::Ask,
            "{command}: {}",
            verdict.reason
        );
    }
}
