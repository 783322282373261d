//! Decisions about many actions, in each of the modes.

use std::path::Path;

use scorel_engine::Effect;
use scorel_permission::{BaseDirs, Decision, Mode, Policy, Rules};

use crate::support::{fetch, policy, private, read, run, run_in, write};

const DENY: [&str; 4] = [
    "Bash(rm *)",
    "Read(secret/**)",
    "Write(vendor/**)",
    "WebFetch(domain:evil.org)",
];
const ASK: [&str; 4] = [
    "Bash(git push *)",
    "Read(private/*)",
    "Write(Cargo.lock)",
    "WebFetch(domain:*.ask.org)",
];
const ALLOW: [&str; 8] = [
    "Bash(git *)",
    "Bash(cargo test *)",
    "Bash(cp *)",
    "Read(/usr/include/**)",
    "Read(secret/public)",
    "Write(/tmp/out/**)",
    "Write(.git/**)",
    "WebFetch(domain:docs.rs)",
];

/// An action, and its decisions in the modes readonly, ask and full: `+` allow, `?` ask, `-` deny.
const ROWS: &str = r"
read src/main.rs                        + + +
read .                                  + + +
read /p                                 + + +
read /p/src                             + + +
read ./src/../src/main.rs               + + +
read .git/config                        + + +
read .scorel/config.toml                + + +
read ../other                           ? ? +
read /p2/x                              ? ? +
read /                                  ? ? +
read /etc/passwd                        ? ? +
read /home/u/.bashrc                    ? ? +
read /usr/include/stdio.h               + + +
read /usr/include/../bin/x              ? ? +
read /usr/include2/x                    ? ? +
read secret                             - - -
read secret/key                         - - -
read secret/public                      - - -
read secret//a/./key                    - - -
read src/../secret/key                  - - -
read /p/secret/key                      - - -
read secrets/key                        + + +
read private/x                          ? ? ?
read private/a/x                        + + +
read vendor/x                           + + +
write src/main.rs                       - + +
write /p/new/file                       - + +
write ../x                              - ? +
write /etc/x                            - ? +
write /tmp/x                            - ? +
write /tmp/out/a/b                      - + +
write /tmp/out/../x                     - ? +
write vendor/x                          - - -
write src/../vendor/x                   - - -
write vendored                          - + +
write Cargo.lock                        - ? ?
write ./Cargo.lock                      - ? ?
write sub/Cargo.lock                    - + +
write .git                              - ? ?
write .git/hooks/pre-commit             - ? ?
write .git/config                       - ? ?
write .GIT/Config                       - ? ?
write sub/.git/hooks/x                  - ? ?
write .gitignore                        - + +
write .github/workflows/ci.yml          - + +
write .scorel/config.toml               - ? ?
write /home/u/.scorel/grants.json       - ? ?
write /home/u/.bashrc                   - ? ?
write /home/u/.gitconfig                - ? ?
write .config/git/config                - ? ?
write .gitconfig/x                      - + +
write /home/u/.config/fish/config.fish  - ? ?
write /home/u/.config/autostart/x       - ? ?
write /home/u/.ssh/authorized_keys      - ? ?
write /home/u/x                         - ? +
write .profile                          - ? ?
write .envrc                            - ? ?
fetch https://docs.rs/x                 + + +
fetch https://docs.rs.evil.net          ? ? +
fetch https://evil.org/x                - - -
fetch https://EVIL.org./x               - - -
fetch https://a.ask.org                 ? ? ?
fetch https://ask.org                   ? ? +
fetch https://example.com               ? ? +
fetch http://localhost:8080             ? ? +
fetch http://127.0.0.1..                ? ? +
private http://localhost:8080           ? ? ?
private http://127.0.0.1../             ? ? ?
private http://intranet                 ? ? ?
private https://EVIL.org../x            - - -
private https://a.ASK.org。/            ? ? ?
fetch https://evil.org../x              - - -
fetch https://ｅｖｉｌ.org               - - -
fetch https://%65vil.org                - - -
fetch https://docs.rs../                + + +
fetch https://docs.rs:8443/             + + +
fetch https://docs..rs/                 ? ? +
private file:///etc/passwd              - - -
private http://1.2.3.4.5../             - - -
fetch file:///etc/passwd                - - -
fetch ftp://example.com                 - - -
fetch nonsense                          - - -
run ls                                  + + +
run ls /etc                             ? ? +
run cat src/main.rs                     + + +
run cat /usr/include/stdio.h            + + +
run cat /etc/passwd                     ? ? +
run cat secret/key                      - - -
run cat private/x                       ? ? ?
run cat .git/config                     + + +
run head -5 ~/.bashrc                   ? ? +
run cat $x                              ? ? ?
run cargo test                          + + +
run cargo test --lib && ls              + + +
run cargo build                         ? ? +
run cargo test && cargo build           ? ? +
run git commit -m x                     + + +
run git push                            ? ? ?
run git -C x push                       ? ? ?
run git -c a=b log                      ? ? +
run rm x                                - - -
run ls; rm x                            - - -
run env rm x                            - - -
run echo $(rm x)                        - - -
run cp a b                              + + +
run cp a .git/hooks/x                   ? ? ?
run cp a vendor/x                       - - -
run cp secret/key x                     - - -
run cp secret/k* x                      - - -
run cp private/k* x                     ? ? ?
run cp s*/key x                         ? ? ?
run cd src && cp ../secret/* x          - - -
run cp a $x                             ? ? ?
run mv a .git/config                    ? ? ?
run echo a > x                          - + +
run echo a > /tmp/x                     - ? +
run echo a > /tmp/out/x                 - + +
run echo a > vendor/x                   - - -
run echo a > .git/config                - ? ?
run echo a > /dev/null                  + + +
run echo a >> ~/.bashrc                 - ? ?
run cat < secret/key                    - - -
run cat < /etc/passwd                   ? ? +
run python x.py                         ? ? +
run make                                ? ? +
run curl http://x                       ? ? +
run scorelctl approve x                 ? ? ?
run sudo ls                             ? ? ?
run sudo rm x                           - - -
run crontab -l                          ? ? ?
run systemd-run ls                      ? ? ?
run eval ls                             ? ? ?
run $x                                  ? ? ?
run ls 'a                               ? ? ?
run cd /tmp && ls                       ? ? +
run cd secret && cat key                - - -
run cd vendor && echo a > x             - - -
run cd src && cat ../x                  + + +
run cd src; cat ../x                    ? ? +
run ! cd src && cat ../x                ? ? +
run true || cd src && cat ../x          ? ? +
run ls | cd src && cat ../x             ? ? +
run env cd src && cat ../x              ? ? +
run cd src; > a && cat ../x             - ? +
run cd src || cd b && cat ../x          ? ? +
run (cd src) && cat ../x                ? ? +
run pushd src && cat ../x               ? ? ?
run for i in a; do cd b; done           ? ? ?
run PATH=/x ls                          ? ? +
";

fn effect(text: &str) -> Effect {
    let (kind, about) = text.split_once(' ').unwrap();
    match kind {
        "read" => read(about),
        "write" => write(about),
        "fetch" => fetch(about),
        "private" => private(about),
        "run" => run(about),
        _ => panic!("{text}"),
    }
}

#[test]
fn every_row_of_the_table_is_decided_as_it_says() {
    let policies =
        [Mode::Readonly, Mode::Ask, Mode::Full].map(|mode| policy(mode, &DENY, &ASK, &ALLOW));
    let mut rows = 0;
    let mut wrong = Vec::new();
    for line in ROWS.lines().filter(|line| !line.is_empty()) {
        let (about, decisions) = line.split_at(line.len() - 5);
        for (policy, expected) in policies.iter().zip(decisions.split(' ')) {
            rows += 1;
            let verdict = policy.judge(&effect(about.trim()));
            let decided = match verdict.decision {
                Decision::Allow => "+",
                Decision::Ask => "?",
                Decision::Deny => "-",
            };
            if decided != expected {
                wrong.push(format!(
                    "{} is {decided} instead of {expected}: {}",
                    about.trim(),
                    verdict.reason
                ));
            }
        }
    }
    assert!(rows >= 200, "{rows}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_command_outside_of_the_project_is_asked_about() {
    let effect = run_in("/p2", "cargo test");
    for (mode, expected) in [
        (Mode::Readonly, Decision::Ask),
        (Mode::Ask, Decision::Ask),
        (Mode::Workspace, Decision::Ask),
        (Mode::Full, Decision::Allow),
    ] {
        assert_eq!(
            policy(mode, &[], &[], &ALLOW).judge(&effect).decision,
            expected
        );
    }
}

#[test]
fn a_verdict_says_why_and_which_rule_decided() {
    let policy = policy(Mode::Ask, &DENY, &ASK, &ALLOW);
    for (about, reason, rule) in [
        (
            "run ls; rm x",
            "the rule Bash(rm *) denies it",
            Some("Bash(rm *)"),
        ),
        (
            "run git push",
            "the rule Bash(git push *) asks about it",
            Some("Bash(git push *)"),
        ),
        (
            "run cargo test",
            "the rule Bash(cargo test *) allows it",
            Some("Bash(cargo test *)"),
        ),
        (
            "run cargo test && git add x",
            "every part of it is allowed",
            None,
        ),
        ("run cargo build", "no rule allows `cargo build`", None),
        ("run ls", "it only reads", None),
        (
            "run eval x",
            "what `eval` does is only known at run time",
            None,
        ),
        (
            "run sudo ls",
            "`sudo ls`: it runs something as another user",
            None,
        ),
        (
            "write .git/config",
            "`/p/.git/config`: it is part of git's own data, such as hooks and configuration",
            None,
        ),
        ("write /etc/x", "`/etc/x` is outside of the project", None),
        ("read src", "it is in the project", None),
        (
            "private http://10.0.0.1",
            "10.0.0.1 is not a public address",
            None,
        ),
    ] {
        let verdict = policy.judge(&effect(about));
        let decided = verdict.rule.as_ref().map(|rule| rule.as_str());
        assert_eq!(
            (verdict.reason.as_str(), decided),
            (reason, rule),
            "{about}"
        );
    }
}

#[test]
fn modes_are_read_from_their_names() {
    for mode in [Mode::Readonly, Mode::Ask, Mode::Workspace, Mode::Full] {
        assert_eq!(mode.to_string().parse(), Ok(mode));
    }
    assert_eq!(Mode::default(), Mode::Workspace);
    let error = "Full".parse::<Mode>().unwrap_err().to_string();
    assert_eq!(
        error,
        "unknown mode `Full`: expected readonly, ask, workspace or full"
    );
}

#[test]
fn files_of_a_search_are_judged_by_the_rules_that_deny_and_ask() {
    let rule = |text: &str| text.parse().unwrap();
    let place = BaseDirs::new(Path::new("/p"), Path::new("/home/u"), Path::new("/s"));
    let rules = Rules {
        deny: vec![rule("Read(secrets/**)"), rule("Write(out/**)")],
        ask: vec![rule("Read(notes/**)"), rule("Read(secrets/open)")],
        allow: vec![rule("Read(notes/mine)")],
        ..Rules::default()
    };
    let policy = Policy::new(Mode::Full, rules, place.clone());
    assert!(policy.restricts_reading());
    for (path, decision) in [
        ("/p/secrets/key", Some(Decision::Deny)),
        ("/p/secrets/open", Some(Decision::Deny)),
        ("/p/secrets", Some(Decision::Deny)),
        ("/p/notes/mine", Some(Decision::Ask)),
        ("/p/out/x", None),
        ("/p/src/secrets/key", None),
        ("/etc/passwd", None),
    ] {
        assert_eq!(
            policy.reading_restricted(Path::new(path)),
            decision,
            "{path}"
        );
    }
    let rules = Rules {
        deny: vec![rule("Write(out/**)")],
        allow: vec![rule("Read(notes/mine)")],
        ..Rules::default()
    };
    assert!(!Policy::new(Mode::Ask, rules, place).restricts_reading());
}
