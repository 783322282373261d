//! Commands that ask to run without the sandbox.

use scorel_permission::{Decision, Mode, Rule};

use crate::support::{decide, decide_outside, outside, policy};

#[test]
fn no_mode_but_full_allows_it_and_readonly_denies_it() {
    for command in ["docker ps", "ls", "echo x", "true", "git status"] {
        let by = |mode| decide_outside(&policy(mode, &[], &[], &[]), command);
        assert_eq!(by(Mode::Workspace), Decision::Ask, "{command}");
        assert_eq!(by(Mode::Readonly), Decision::Deny, "{command}");
        assert_eq!(by(Mode::Full), Decision::Allow, "{command}");
    }
    let ruled = policy(Mode::Readonly, &[], &[], &["Outside"]);
    assert_eq!(decide_outside(&ruled, "docker ps"), Decision::Deny);
}

#[test]
fn rules_about_commands_never_allow_it_and_rules_about_it_allow_nothing_else() {
    let bash = policy(Mode::Workspace, &[], &[], &["Bash", "Bash(docker *)"]);
    assert_eq!(decide_outside(&bash, "docker ps"), Decision::Ask);
    assert_eq!(decide(&bash, "docker ps"), Decision::Allow);
    let outside = policy(Mode::Workspace, &[], &[], &["Outside(docker *)"]);
    assert_eq!(decide_outside(&outside, "docker ps"), Decision::Allow);
    let sandboxed = policy(Mode::Readonly, &[], &[], &["Outside(docker *)"]);
    assert_eq!(decide(&sandboxed, "docker ps"), Decision::Ask);
}

#[test]
fn every_part_needs_a_rule() {
    let docker = policy(Mode::Workspace, &[], &[], &["Outside(docker *)"]);
    for command in [
        "docker ps",
        "docker compose up",
        "docker ps && docker images",
        "docker ps | grep web | head -5",
        "docker ps 2>&1 | wc -l",
        "docker ps > /dev/null",
        "echo start; docker ps",
        "timeout 5 docker ps",
        "sh -c 'docker ps'",
        "for i in 1 2; do docker ps; done",
    ] {
        assert_eq!(
            decide_outside(&docker, command),
            Decision::Allow,
            "{command}"
        );
    }
    for command in [
        "docker compose up -d",
        "docker ps; ls",
        "docker ps && git status",
        "docker ps | cat link",
        "docker ps; cat /home/u/.ssh/id_rsa",
        "docker ps | grep -R key",
        "docker ps | grep --dereference-recursive key",
        "docker ps; grep -flink x",
        "docker ps | xargs rm",
        "docker ps | jq 'import \"x\" as $x {search: \"/\"}; $x'",
        "docker ps | jq -n --rawfile x link '$x'",
        "docker ps > link",
        "docker load < link",
        "docker ps $(evil)",
        "docker ps; $x",
        "docker ps | sh",
        "sudo docker ps",
        "docker run -v /x:/x y; scorelctl approve x",
        "echo x",
        "head -5",
        "",
        "> x",
    ] {
        assert_eq!(decide_outside(&docker, command), Decision::Ask, "{command}");
    }
}

#[test]
fn denying_and_asking_rules_of_both_kinds_count() {
    let allow = ["Outside"];
    let denied = policy(Mode::Workspace, &["Bash(docker rm *)"], &[], &allow);
    assert_eq!(decide_outside(&denied, "docker rm x"), Decision::Deny);
    assert_eq!(
        decide_outside(&denied, "docker ps && docker rm x"),
        Decision::Deny
    );
    let denied = policy(Mode::Full, &["Outside(docker *)"], &[], &[]);
    assert_eq!(
        decide_outside(&denied, "/usr/bin/docker ps"),
        Decision::Deny
    );
    assert_eq!(decide(&denied, "docker ps"), Decision::Allow);
    let asked = policy(Mode::Full, &[], &["Outside(ssh *)"], &[]);
    assert_eq!(decide_outside(&asked, "ssh host"), Decision::Ask);
    let read = policy(Mode::Workspace, &["Read(secrets/**)"], &[], &allow);
    assert_eq!(
        decide_outside(&read, "scp secrets/key host:"),
        Decision::Deny
    );
}

#[test]
fn what_is_always_asked_about_stays_so() {
    let all = policy(Mode::Full, &[], &[], &["Outside"]);
    for command in [
        "sudo ls",
        "scorelctl approve x",
        "crontab -e",
        "systemctl restart x",
    ] {
        assert_eq!(decide_outside(&all, command), Decision::Ask, "{command}");
    }
    let protected = decide_outside(&all, "cp x .git/hooks/pre-commit");
    assert_eq!(protected, Decision::Ask);
}

#[test]
fn an_answer_offers_rules_of_its_own_kind() {
    let rules = |command: &str| {
        let policy = policy(Mode::Workspace, &[], &[], &["Outside(gh auth status)"]);
        let rules = policy.offer(&outside(command)).rules;
        rules.iter().map(Rule::to_string).collect::<Vec<_>>()
    };
    assert_eq!(rules("docker ps"), ["Outside(docker ps)"]);
    assert_eq!(rules("docker ps | grep web"), ["Outside(docker ps)"]);
    assert_eq!(
        rules("gh auth status && gh pr list"),
        ["Outside(gh pr list)"]
    );
    for command in ["docker ps > x", "sudo ls", "docker ps | sh", "eval x", ""] {
        assert_eq!(rules(command), [""; 0], "{command}");
    }
}

#[test]
fn the_rule_is_written_as_it_was_read() {
    let rule: Rule = "Outside(docker compose *)".parse().unwrap();
    assert_eq!(rule.to_string(), "Outside(docker compose *)");
    let allowed = policy(Mode::Workspace, &[], &[], &["Outside(docker *)"]);
    let verdict = allowed.judge(&outside("docker ps"));
    assert_eq!(verdict.decision, Decision::Allow);
    let denied = policy(Mode::Full, &["Outside(docker *)"], &[], &[]);
    let verdict = denied.judge(&outside("docker ps"));
    assert_eq!(verdict.reason, "the rule Outside(docker *) denies it");
}
