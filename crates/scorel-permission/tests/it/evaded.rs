//! Command lines that do more than they seem to, by an option that is easily overlooked.

use scorel_permission::{Decision, Mode, Policy};

use crate::support::{decide, outside, policy};

/// A shell evaluates the subscript in each, or the program writes.
const DO_MORE: [&str; 35] = [
    "test -- = -- -a -v 'x[$(touch PWN)]'",
    "test -- -v 'x[$(touch PWN)]'",
    "test a -a -v 'x[$(touch PWN)]'",
    "test ! -v 'x[$(touch PWN)]'",
    "test '(' -v 'x[$(touch PWN)]' ')'",
    "test -n -o -v 'x[$(touch PWN)]'",
    "test -R 'x[$(touch PWN)]'",
    "test -z '' -a -R 'x[$(touch PWN)]'",
    "test -v -v -o 'x[$(touch PWN)]'",
    "test -- \"$x\" \"$y\"",
    "test -- $x",
    "\\[ -- = -- -a -v 'x[$(touch PWN)]' ]",
    "'[' -v 'x[$(touch PWN)]' ']'",
    "x='-v a[$(touch${IFS}PWN)]'; [ $x ]",
    "x='-v a[$(touch${IFS}PWN)] -o 1'; [ $x = 1 ]",
    "x=-v y='a[$(touch PWN)]'; [ \"$x\" \"$y\" ]",
    "x=-v y='a[$(touch PWN)]'; [ ! \"$x\" \"$y\" ]",
    "[ * ]",
    "command test -- = -- -a -v 'x[$(touch PWN)]'",
    "git symbolic-ref HEAD refs/heads/x",
    "git symbolic-ref -q HEAD refs/heads/x",
    "git symbolic-ref -- HEAD refs/heads/x",
    "git symbolic-ref --delete HEAD",
    "git symbolic-ref -m x HEAD refs/heads/x",
    "git stash -- list",
    "git stash -p list",
    "git stash -q list",
    "git stash show --output=x",
    "git worktree -q list",
    "git reflog -- show",
    "git merge-tree --write-tree main x",
    "git branch --list --edit-description",
    "git tag -l -d v1",
    "git remote -v update",
    "git clean -n --no-dry-run x",
];

/// They only read.
const READ: [&str; 23] = [
    "test -- = --",
    "test a = b -a -n c",
    "test ! -e x",
    "test -f x -a ! -d y",
    "test 1 -lt 2",
    "[ -n \"$x\" ] && echo a",
    "[ \"$x\" = y ] || echo b",
    "[ -e *.rs ]",
    "[ $? -eq 0 ] && echo ok",
    "[ $# -gt 1 ]",
    "git symbolic-ref HEAD",
    "git symbolic-ref --short HEAD",
    "git symbolic-ref -q HEAD",
    "git stash list -p",
    "git stash list",
    "git stash show -p",
    "git worktree list --porcelain",
    "git reflog",
    "git reflog show",
    "git reflog show main",
    "git branch --list -a",
    "git config --get user.name",
    "echo -- -v",
];

#[test]
fn what_is_hidden_behind_dashes_or_in_a_second_operand_is_asked_about() {
    for mode in [Mode::Readonly, Mode::Ask] {
        let policy = policy(mode, &[], &[], &[]);
        assert_eq!(others(&policy, &DO_MORE, Decision::Ask), [""; 0], "{mode}");
        assert_eq!(others(&policy, &READ, Decision::Allow), [""; 0], "{mode}");
    }
}

#[test]
fn what_test_evaluates_is_denied_and_never_a_filter() {
    let denied = policy(Mode::Workspace, &["Bash(rm -r *)"], &[], &[]);
    for command in [
        "test -- = -- -a -v 'x[$(rm -r src)]'",
        "test -n a -a -v 'x[$(rm -r src)]'",
        "'[' -- = -- -a -v 'x[$(rm -r src)]' ']'",
    ] {
        assert_eq!(decide(&denied, command), Decision::Deny, "{command}");
    }
    let allowing = policy(Mode::Ask, &[], &[], &["Outside(git push origin main)"]);
    for (tested, expected) in [
        ("test -- = -- -a -v 'x[$(evil)]'", Decision::Ask),
        ("test -n a", Decision::Allow),
    ] {
        let effect = outside(&format!("git push origin main && {tested}"));
        assert_eq!(allowing.judge(&effect).decision, expected, "{tested}");
    }
}

/// Each with an option that writes, runs or reads something else, and the rule that does not cover it.
const BEYOND_A_RULE: [(&str, &str); 46] = [
    ("wget --warc-file=x https://a.example", "wget *"),
    ("wget --warc-file x https://a.example", "wget *"),
    ("wget --rejected-log=x https://a.example", "wget *"),
    ("wget --rejected x https://a.example", "wget *"),
    ("wget --hsts-file=x https://a.example", "wget *"),
    ("wget --warc-tempdir=x https://a.example", "wget *"),
    ("wget --unknown=x https://a.example", "wget *"),
    ("rsync --write-batch=x a b", "rsync *"),
    ("rsync --only-write-batch x a b", "rsync *"),
    ("rsync -a --backup-dir=x a b", "rsync *"),
    ("rsync --log-fil=x a b", "rsync *"),
    ("rsync -aT x a b", "rsync *"),
    ("rsync -aM--log-file=x a b", "rsync *"),
    ("rsync --daemon", "rsync *"),
    ("rsync --unknown a b", "rsync *"),
    ("tar --index-file=x -tvf a.tar", "tar *"),
    ("tar tf a.tar --index-file x", "tar *"),
    ("tar --volno-file=x -cf a b", "tar *"),
    ("tar -g x -cf a b", "tar *"),
    ("tar --unknown -cf a b", "tar *"),
    ("cargo build --out-dir x", "cargo *"),
    ("cargo build --artifact-dir=x", "cargo *"),
    ("cargo install --root=x ripgrep", "cargo *"),
    ("cargo doc --open", "cargo *"),
    ("cargo build --lockfile-path=x", "cargo *"),
    ("cargo build --unknown=x", "cargo *"),
    ("npm test --userconfig=x", "npm *"),
    ("npm test --globalconfig x", "npm *"),
    ("npm test --script-shell=x", "npm *"),
    ("npm pack --pack-destination=x", "npm *"),
    ("npm ci --cache x", "npm *"),
    ("npm test --unknown=x", "npm *"),
    ("go test -coverprofile=x .", "go *"),
    ("go test --coverprofile x .", "go *"),
    ("go test -test.cpuprofile=x .", "go *"),
    ("go test -outputdir=x .", "go *"),
    ("go build -pkgdir x .", "go *"),
    ("go build -unknown=x .", "go *"),
    ("zip -TT evil a b", "zip *"),
    ("zip --logfile-path=x a b", "zip *"),
    ("zip -lf x a b", "zip *"),
    ("yarn install --modules-folder=x", "yarn *"),
    ("pnpm install --store-dir x", "pnpm *"),
    ("ssh h -oProxyCommand=evil ls", "ssh h *"),
    ("ssh -v h -F x ls", "ssh -v h *"),
    ("scp -oProxyCommand=evil a h:b", "scp *"),
];

/// Ordinary forms of the same programs, under the same rules.
const WITHIN_A_RULE: [(&str, &str); 52] = [
    ("wget -qO- https://a.example", "wget -qO- *"),
    (
        "wget -nc --no-check-certificate https://a.example",
        "wget *",
    ),
    ("wget -r -np -nH -l 2 https://a.example", "wget *"),
    ("wget --tries=3 --timeout 5 -c https://a.example", "wget *"),
    ("rsync -avz --delete --exclude target a b", "rsync *"),
    ("rsync -a --dry-run --stats a/ b/", "rsync *"),
    ("rsync -rlptD --no-owner --no-group a b", "rsync *"),
    ("rsync -ahP --info=progress2 a b", "rsync *"),
    ("tar xzf a.tgz", "tar *"),
    ("tar -czvf a.tgz src", "tar *"),
    ("tar cJf a.txz --exclude=target src", "tar *"),
    ("tar -xf a.tar --strip-components=1", "tar *"),
    ("tar --zstd -tvf a", "tar *"),
    ("tar --create --gzip --file a.tgz src", "tar *"),
    ("cargo build --release --features a,b", "cargo *"),
    (
        "cargo build -p a --all-targets --locked --offline",
        "cargo *",
    ),
    (
        "cargo test --workspace --no-fail-fast -- --nocapture",
        "cargo *",
    ),
    ("cargo test --no-run --message-format=json", "cargo *"),
    ("cargo clippy --fix --allow-dirty --allow-staged", "cargo *"),
    ("cargo clippy --all-features -- -D warnings", "cargo *"),
    ("cargo fmt --all -- --check", "cargo *"),
    ("cargo fmt --all --check", "cargo *"),
    ("cargo tree -i serde -e features", "cargo *"),
    ("cargo tree --duplicates --depth 1", "cargo *"),
    ("cargo add serde --features derive --dev", "cargo *"),
    ("cargo update -p serde --precise 1.0.0", "cargo *"),
    ("cargo nextest run -E 'test(a)' --no-capture", "cargo *"),
    ("cargo insta test --accept", "cargo *"),
    ("cargo metadata --format-version 1 --no-deps", "cargo *"),
    (
        "cargo +nightly doc --no-deps --document-private-items",
        "cargo *",
    ),
    ("cargo run --bin app -- --unknown=x", "cargo *"),
    ("cargo build --timings -vv", "cargo *"),
    ("npm test", "npm *"),
    ("npm install --save-dev jest", "npm *"),
    ("npm i -D jest --legacy-peer-deps", "npm *"),
    ("npm ci --ignore-scripts --no-audit --no-fund", "npm *"),
    ("npm run build --workspaces --if-present", "npm *"),
    ("npm run build -w packages/a", "npm *"),
    ("npm ls --depth=0 --json", "npm *"),
    ("npm test -- --watch=false", "npm *"),
    ("npm run lint --silent", "npm *"),
    ("npm audit --omit=dev", "npm *"),
    ("yarn test --coverage", "yarn test *"),
    ("pnpm test --filter a", "pnpm test *"),
    ("go test ./...", "go *"),
    ("go test -run TestA -count=1 -v ./...", "go *"),
    ("go test -race -timeout 30s -bench=. -benchmem ./a", "go *"),
    ("go build -tags x,y -trimpath ./...", "go *"),
    ("go vet ./...", "go *"),
    ("go list -m -json all", "go *"),
    ("go mod tidy -v", "go *"),
    ("zip -rq9 a.zip src -x '*.o'", "zip *"),
];

#[test]
fn a_rule_for_a_program_covers_the_options_that_the_table_has() {
    let decided = |(command, rule): &(&str, &str)| {
        let rule = format!("Bash({rule})");
        decide(&policy(Mode::Ask, &[], &[], &[&rule]), command)
    };
    let wrong: Vec<_> = BEYOND_A_RULE
        .iter()
        .filter(|it| decided(it) != Decision::Ask)
        .collect();
    assert!(wrong.is_empty(), "allowed: {wrong:#?}");
    let wrong: Vec<_> = WITHIN_A_RULE
        .iter()
        .filter(|it| decided(it) != Decision::Allow)
        .collect();
    assert!(wrong.is_empty(), "asked about: {wrong:#?}");
}

#[test]
fn an_option_of_a_program_costs_no_question_in_the_sandbox() {
    let policy = policy(Mode::Workspace, &[], &[], &[]);
    let all = BEYOND_A_RULE.iter().chain(&WITHIN_A_RULE);
    // They name a place outside of the project, or run what is always asked about.
    let asked: Vec<_> = all
        .map(|(command, _)| *command)
        .filter(|command| decide(&policy, command) != Decision::Allow)
        .collect();
    assert_eq!(asked, [""; 0]);
}

/// The file that an option names, attached or behind it, in a row that has the option and in one that has not.
#[test]
fn a_file_that_any_option_names_falls_under_rules_and_protection() {
    let denied = policy(Mode::Workspace, &["Write(migrations/**)"], &[], &[]);
    let full = policy(Mode::Full, &[], &[], &[]);
    for option in [
        "go test -coverprofile=FILE .",
        "go test -coverprofile FILE .",
        "go test --coverprofile=FILE .",
        "go test -test.memprofile=FILE .",
        "go test -trace=FILE .",
        "go build -unknown=FILE .",
        "go build --unknown=FILE .",
        "go build -debug-trace=FILE .",
        "wget --warc-file=FILE https://a.example",
        "wget --rejected-log FILE https://a.example",
        "wget --unknown=FILE https://a.example",
        "wget --unknown FILE https://a.example",
        "curl --unknown FILE https://a.example",
        "curl --unknown=FILE https://a.example",
        "rsync --write-batch=FILE a b",
        "rsync --unknown=FILE a b",
        "tar --index-file=FILE -tf a",
        "tar --unknown=FILE -tf a",
        "tar --one-top-level=FILE -xf a",
        "cargo build --out-dir=FILE",
        "cargo build --unknown=FILE",
        "npm test --unknown=FILE",
        "npm pack --pack-destination FILE",
        "yarn install --unknown=FILE",
        "zip --unknown=FILE a b",
        "zip -O FILE a",
        "sort --unknown=FILE a",
    ] {
        let command = option.replace("FILE", "migrations/x");
        assert_eq!(decide(&denied, &command), Decision::Deny, "{command}");
        let command = option.replace("FILE", "/home/u/.bashrc");
        assert_eq!(decide(&full, &command), Decision::Ask, "{command}");
    }
}

fn others<'a>(policy: &Policy, commands: &[&'a str], expected: Decision) -> Vec<&'a str> {
    let all = commands.iter().copied();
    all.filter(|command| decide(policy, command) != expected)
        .collect()
}
