//! Programs that start programs, and texts that a shell evaluates: what they run is judged as if it ran.

use scorel_permission::{Decision, Mode};

use crate::support::{decide, different, policy, run};

/// Each runs `rm -r src`.
const STARTED: [&str; 90] = [
    "setsid rm -r src",
    "gcc -wrapper rm,-r,src a.c",
    "setsid -w rm -r src",
    "flock l rm -r src",
    "flock l -c 'rm -r src'",
    "ionice rm -r src",
    "ionice -c3 rm -r src",
    "taskset 1 rm -r src",
    "chrt -b 0 rm -r src",
    "script -qc 'rm -r src' /dev/null",
    "script --command='rm -r src' /dev/null",
    "watch -g rm -r src",
    "watch 'rm -r src'",
    "strace rm -r src",
    "strace -o f -f rm -r src",
    "ltrace rm -r src",
    "zsh -c 'rm -r src'",
    "ksh -c 'rm -r src'",
    "mksh -c 'rm -r src'",
    "fish -c 'rm -r src'",
    "fish --command='rm -r src'",
    "ash -c 'rm -r src'",
    "busybox rm -r src",
    "busybox sh -c 'rm -r src'",
    "npm exec -- rm -r src",
    "npm exec -c 'rm -r src'",
    "npx -c 'rm -r src'",
    "npx rimraf x && npx rm -r src",
    "yarn exec rm -r src",
    "pnpm exec rm -r src",
    "bundle exec rm -r src",
    "poetry run rm -r src",
    "uv run rm -r src",
    "parallel rm -r ::: src",
    "parallel 'rm -r {}' ::: src",
    "unshare -r rm -r src",
    "chroot . rm -r src",
    "systemd-inhibit rm -r src",
    "dbus-run-session rm -r src",
    "perf stat rm -r src",
    "valgrind rm -r src",
    "gdb -ex 'shell rm -r src' a",
    "entr rm -r src",
    "xvfb-run rm -r src",
    "fakeroot rm -r src",
    "proot rm -r src",
    "unbuffer rm -r src",
    "catchsegv rm -r src",
    "expect -c 'spawn rm -r src'",
    "direnv exec . rm -r src",
    "mise exec -- rm -r src",
    "cargo watch -s 'rm -r src'",
    "cargo watch -- rm -r src",
    "git rebase -x 'rm -r src' main",
    "git -c core.pager='rm -r src' log",
    "git submodule foreach 'rm -r src'",
    "git bisect run rm -r src",
    "tar -cf a --checkpoint-action=exec='rm -r src' b",
    "rsync -e 'rm -r src' a b:",
    "fd -x rm -r {}",
    "eval 'rm -r src'",
    "eval rm -r src",
    "trap 'rm -r src' EXIT",
    "alias x='rm -r src'",
    "make CMD='rm -r src'",
    "make SHELL='rm -r src'",
    "make -f - <<'EOF'\nall:\n\t@rm -r src\nEOF",
    "bash <<'EOF'\nrm -r src\nEOF",
    "bash <<< 'rm -r src'",
    "zsh <<< 'rm -r src'",
    "cat <<'EOF' | sh\nrm -r src\nEOF",
    "perl <<'EOF'\nrm -r src\nEOF",
    "setsid flock l ionice rm -r src",
    "setsid zsh -c \"flock l -c 'rm -r src'\"",
    "setsid /bin/rm --recursive src",
    "fish -C 'rm -r src'",
    "zsh -fc 'rm -r src'",
    "ruby -e 'system(\"rm -r src\")'",
    "python3 -c 'import os; os.system(\"rm -r src\")'",
    "node -e 'require(\"child_process\").execSync(\"rm -r src\")'",
    "awk 'BEGIN { system(\"rm -r src\") }'",
    "vim -c '!rm -r src' -c q",
    "git -c alias.x='!rm -r src' x",
    "GIT_SSH_COMMAND='rm -r src' git fetch",
    "npm test --script-shell='rm -r src'",
    "cargo --config 'target.x.runner=\"rm -r src\"' run",
    "/lib64/ld-linux-x86-64.so.2 /bin/rm -r src",
    "docker exec -i c sh <<'EOF'\nrm -r src\nEOF",
    "find . -exec flock l rm -r {} \\;",
    "cmake -E env rm -r src",
];

/// Each has a shell evaluate a subscript with `rm -r src` in it.
const EVALUATED: [&str; 48] = [
    "read 'x[$(rm -r src)]' <<< 1",
    "read -r 'x[$(rm -r src)]' <<< 1",
    "read -a 'x[$(rm -r src)]' <<< 1",
    "read x 'y[`rm -r src`]' <<< '1 2'",
    "test -v 'x[$(rm -r src)]'",
    "[ -v 'x[$(rm -r src)]' ]",
    "[[ -v 'x[$(rm -r src)]' ]]",
    "[[ -v x[$(rm -r src)] ]]",
    "test -R 'x[$(rm -r src)]'",
    "[[ 'a[$(rm -r src)]' -eq 0 ]]",
    "[[ 0 -lt 'a[$(rm -r src)]' ]]",
    "printf -v 'x[$(rm -r src)]' 1",
    "printf -v'x[$(rm -r src)]' 1",
    "sleep 0 & wait -np 'a[$(rm -r src)]'",
    "sleep 0 & wait -n -p 'a[$(rm -r src)]'",
    "wait -p'a[$(rm -r src)]' -n",
    "unset 'a[$(rm -r src)]'",
    "unset -v 'a[$(rm -r src)]'",
    "let 'a[$(rm -r src)]=1'",
    "let \"a[\\$(rm -r src)]=1\"",
    "(( a[$(rm -r src)] ))",
    "((a['$(rm -r src)']))",
    "echo $((a[$(rm -r src)]))",
    "echo $[a[$(rm -r src)]]",
    "echo ${x[$(rm -r src)]}",
    "echo ${x:$(rm -r src)}",
    "declare -i x='a[$(rm -r src)]'",
    "declare 'x[$(rm -r src)]=1'",
    "typeset -n r='a[$(rm -r src)]'",
    "local -i x='a[$(rm -r src)]'",
    "export 'x[$(rm -r src)]=1'",
    "x='a[$(rm -r src)]'; test -v $x",
    "x='a[$(rm -r src)]'; [[ -v $x ]]",
    "x='a[$(rm -r src)]'; echo $((x))",
    "x='a[$(rm -r src)]'; (( x ))",
    "x='a[$(rm -r src)]'; [[ $x -eq 0 ]]",
    "x='a[`rm -r src`]'; printf -v $x 1",
    "x='a[$(rm -r src)]' ; read $x <<< 1",
    "getopts a 'x[$(rm -r src)]' -a",
    "mapfile 'x[$(rm -r src)]' <<< 1",
    "mapfile -C 'rm -r src #' -c 1 x <<< 1",
    "for ((i='a[$(rm -r src)]';i<1;i++)); do :; done",
    "x='a[$(rm -r src)]'; y[x]=1",
    "x='a[$(rm -r src)]'; echo ${!x}",
    "declare -n r='a[$(rm -r src)]'; r=1",
    "f() { test -v \"$1\"; }; f 'a[$(rm -r src)]'",
    "export x='a[$(rm -r src)]'; bash -c '((x))'",
    "declare -A m; m['$(rm -r src)']=1; test -v 'm[$(rm -r src)]'",
];

/// Each runs something that throws work away, so that it meets a built-in question.
const DISCARDING: [&str; 17] = [
    "zsh -c 'git clean -fdx'",
    "flock l git reset --hard",
    "setsid git push",
    "strace -f git -C sub push origin main",
    "npm exec -- npm publish",
    "ionice -c3 rm -rf src",
    "bash <<'EOF'\ngit reset --hard\nEOF",
    "eval 'rm -rf src'",
    "watch -g 'git stash clear'",
    "corepack npm publish",
    "npx npm@9 publish",
    "docker run x git push",
    "test -v 'x[$(git clean -fdx)]'",
    "make -f - <<< 'all: ; git push'",
    "yarn workspaces foreach npm publish",
    "lerna exec -- npm publish",
    "uv run twine upload x",
];

/// Ordinary commands, whose arguments only speak of such commands, or hold none.
const DATA: [&str; 60] = [
    "echo 'rm -r src'",
    "printf '%s\\n' 'rm -r src'",
    "printf 'git push\\n'",
    "grep -rn 'rm -r src' docs",
    "grep -e 'git push' -e 'rm -r src' README.md",
    "rg 'git reset --hard' src",
    "rg -e 'rm -r' -g '*.sh'",
    "git commit -m 'rm -r src is asked about'",
    "git commit -am 'ask before git push'",
    "git commit -m 'x' -m 'git push and rm -r src'",
    "git log --grep='rm -r src'",
    "git log -S 'git push'",
    "git grep -n 'git push'",
    "git tag -m 'git push' v1",
    "git stash push -m 'rm -r src'",
    "sed -n '/rm -r src/p' x.sh",
    "awk '/git push/ { print }' x",
    "jq '.[\"rm -r src\"]' x.json",
    "cat rm git",
    "ls git rm npm",
    "touch rm",
    "mkdir git",
    "cp rm git",
    "mv truncate shred",
    "chmod +x rm",
    "find . -name rm",
    "find . -name shred -newer git",
    "wc -l rm",
    "head -5 truncate",
    "diff rm git",
    "test -f rm && echo 'git push'",
    "[ \"$x\" = 'git push' ]",
    "[[ $x == rm ]]",
    "read -r -p 'git push' x",
    "read -r line",
    "test -v x",
    "printf -v out '%s' x",
    "wait -n -p pid",
    "unset x",
    "x='a[1]'; echo \"$x\"",
    "x='(rm)'; echo \"$x\"",
    "cat > notes.md <<'EOF'\ngit push\nrm -r src\nEOF",
    "cat <<EOF\nrm -r src\nEOF",
    "cargo test rm",
    "cargo test truncate -- --nocapture",
    "cargo build --features git",
    "pytest -k 'rm or truncate'",
    "python3 -m pytest -k truncate",
    "pip install twine",
    "npm install rm git",
    "npm run build -- --out rm",
    "go test ./rm",
    "make docker",
    "python3 manage.py migrate",
    "./configure --with-git",
    "node scripts/gen.js git npm",
    "python3 -c 'print(1)'",
    "tar -czf rm.tgz git",
    "curl -d 'rm -r src' https://example.org",
    "timeout 5 echo 'rm -r src'",
];

#[test]
fn what_an_unknown_program_may_start_is_denied() {
    for mode in [Mode::Ask, Mode::Workspace, Mode::Full] {
        let policy = policy(mode, &["Bash(rm -r *)"], &[], &["Bash"]);
        assert_eq!(
            different(&policy, &STARTED, Decision::Deny),
            [""; 0],
            "{mode}"
        );
    }
}

#[test]
fn what_a_shell_evaluates_is_denied() {
    for mode in [Mode::Ask, Mode::Workspace] {
        let policy = policy(mode, &["Bash(rm -r *)"], &[], &["Bash"]);
        assert_eq!(
            different(&policy, &EVALUATED, Decision::Deny),
            [""; 0],
            "{mode}"
        );
    }
    for mode in [Mode::Readonly, Mode::Ask] {
        let policy = policy(mode, &[], &[], &[]);
        assert_eq!(
            different(&policy, &EVALUATED, Decision::Ask),
            [""; 0],
            "{mode}"
        );
    }
}

/// A rule about a program may be about a name that is only known when the command runs.
#[test]
fn a_name_that_may_have_a_subscript_is_not_understood() {
    let policy = policy(Mode::Workspace, &["Bash(rm -r *)"], &[], &[]);
    for command in [
        "test -v \"$x\"",
        "[ -v $x ]",
        "read \"$x\"",
        "printf -v \"$x\" 1",
        "wait -np $x",
        "read 'x[y]'",
    ] {
        assert_eq!(decide(&policy, command), Decision::Ask, "{command}");
    }
}

#[test]
fn what_a_program_may_start_meets_the_built_in_question() {
    let policy = policy(Mode::Workspace, &[], &[], &[]);
    assert_eq!(different(&policy, &DISCARDING, Decision::Ask), [""; 0]);
    for command in DISCARDING.into_iter().filter(|it| !it.contains("<<")) {
        let offer = policy.offer(&run(command));
        let granted = policy.clone().allowing(offer.rules);
        assert_eq!(decide(&granted, command), Decision::Allow, "{command}");
    }
}

#[test]
fn arguments_that_are_data_are_not_searched() {
    let policies = [
        policy(Mode::Workspace, &["Bash(rm -r *)"], &[], &[]),
        policy(Mode::Workspace, &[], &[], &[]),
    ];
    for policy in policies {
        assert_eq!(different(&policy, &DATA, Decision::Allow), [""; 0]);
    }
}
