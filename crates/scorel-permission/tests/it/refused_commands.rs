//! Commands that no rule allows, dressed up as ones that a rule does.

mod tables;

use scorel_permission::{Decision, Mode, Policy};

use crate::support::{decide, policy};

use tables::{ALWAYS, ARGUMENTS, ENVIRONMENT, INTERPRETERS, REDIRECTIONS, SYNTAX, tables};

/// Rules that a user might well write.
const ALLOW: [&str; 22] = [
    "Bash(git *)",
    "Bash(cargo *)",
    "Bash(ls *)",
    "Bash(cat *)",
    "Bash(echo *)",
    "Bash(find *)",
    "Bash(sed *)",
    "Bash(awk *)",
    "Bash(tar *)",
    "Bash(ssh *)",
    "Bash(rg *)",
    "Bash(sort *)",
    "Bash(xargs *)",
    "Bash(env *)",
    "Bash(timeout *)",
    "Bash(nice *)",
    "Bash(sh *)",
    "Bash(bash *)",
    "Bash(python *)",
    "Bash(node *)",
    "Bash(perl *)",
    "Bash(mkdir *)",
];

fn allowed_of<'a>(policy: &Policy, commands: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    commands
        .filter(|command| decide(policy, command) == Decision::Allow)
        .collect()
}

#[test]
fn no_command_is_allowed_of_which_a_part_is_not() {
    let policy = policy(Mode::Ask, &[], &[], &ALLOW);
    let commands: Vec<&str> = tables().concat();
    assert!(commands.len() >= 150, "{}", commands.len());
    assert_eq!(allowed_of(&policy, commands.into_iter()), [""; 0]);
}

#[test]
fn a_rule_for_every_command_allows_no_hidden_ones() {
    let policy = policy(Mode::Ask, &[], &[], &["Bash"]);
    let tables: Vec<&str> = [
        &ARGUMENTS[..],
        &INTERPRETERS,
        &ENVIRONMENT,
        &ALWAYS,
        &SYNTAX,
    ]
    .concat();
    assert_eq!(allowed_of(&policy, tables.into_iter()), [""; 0]);
}

#[test]
fn nothing_that_is_always_asked_is_allowed_in_any_mode() {
    for mode in [Mode::Readonly, Mode::Ask, Mode::Workspace, Mode::Full] {
        let policy = policy(mode, &[], &[], &["Bash"]);
        assert_eq!(allowed_of(&policy, ALWAYS.into_iter()), [""; 0], "{mode}");
    }
}

/// The sandbox holds the rest, also where the file is only known when the command runs.
#[test]
fn files_outside_and_protected_ones_are_asked_about_where_a_sandbox_holds_commands() {
    let policy = policy(Mode::Workspace, &[], &[], &["Bash"]);
    let is_named = |command: &&&str| !command.contains(['$', '*']) && !command.contains("/dev/tcp");
    let named = REDIRECTIONS.iter().filter(is_named).copied();
    assert!(named.clone().count() >= 14);
    assert_eq!(allowed_of(&policy, named), [""; 0]);
}

#[test]
fn a_denied_program_is_denied_however_it_is_called() {
    let policy = policy(Mode::Full, &["Bash(rm *)"], &[], &["Bash"]);
    for command in [
        "rm x",
        "/bin/rm x",
        "./rm x",
        "r\\m x",
        "'rm' x",
        "r\"\"m x",
        "A=1 rm x",
        "PATH=x rm x",
        "ls; rm x",
        "ls && (rm x)",
        "echo $(rm x)",
        "env rm x",
        "env A=1 rm x",
        "nohup rm x &",
        "timeout 5 rm x",
        "xargs rm",
        "find . -exec rm {} +",
        "sh -c 'rm x'",
        "bash -c 'sh -c \"rm x\"'",
        "sudo rm x",
        "sudo -u root rm x",
        "if ls; then rm x; fi",
        "f() { rm x; }",
        "for i in a; do rm $i; done",
        "cat <<EOF\n$(rm x)\nEOF",
        "cat <(rm x)",
        "time rm x",
        "exec rm x",
        "command rm x",
        "bash -lc 'rm x'",
        "bash --login -c 'rm x'",
        "bash -o pipefail -c 'rm x'",
        "bash -euo pipefail -c 'rm x'",
        "bash -ceo pipefail 'rm x'",
        "bash -O extglob +o posix -c 'rm x'",
        "bash -c -- 'rm x'",
        "env -C infra rm x",
        "env --chdir=infra rm x",
        "env -iC infra A=1 rm x",
        "env -S 'rm x'",
        "env -iS 'A=1 rm' x",
        "env --split-string='-C infra rm x'",
        "nice -5 rm x",
        "nice --5 rm x",
        "xargs -a f rm",
        "xargs --arg-file=f -0r rm",
        "exec -a n rm x",
        "exec -cla n rm x",
        "bash <<'EOF'\nrm x\nEOF",
        "bash <<< 'rm x'",
        "bash --unknown -c 'rm x'",
        "env A=$x rm",
        "bash -o $x 'rm x'",
        "env --unknown rm x",
        "nice -x rm x",
        "xargs --unknown rm",
    ] {
        assert_eq!(decide(&policy, command), Decision::Deny, "{command}");
    }
}

/// Where a wrapper or a shell is not understood, the denied command may be what it runs.
#[test]
fn what_may_hide_a_denied_program_is_asked_about() {
    for mode in [Mode::Ask, Mode::Workspace, Mode::Full] {
        let policy = policy(mode, &["Bash(rm *)"], &[], &["Bash"]);
        for command in [
            "bash <<'EOF'\n$x\nEOF",
            "bash <<< \"$x\"",
            "echo 'rm x' | bash",
            "echo 'rm x' | sh -s a",
            "bash -l",
            "bash --unknown -c \"$x\"",
            "bash -o $x script",
            "bash $x",
            "env --unknown $x",
            "env -S 'r\\_m x'",
            "env -S \"$x\"",
            "env A=$x $y",
            "nice -x $x",
            "nice -n $x ls",
            "timeout $x ls",
            "xargs --unknown $x",
            "xargs -I A -I true sh -c true",
            "exec -a $x ls",
        ] {
            assert_eq!(decide(&policy, command), Decision::Ask, "{mode}: {command}");
        }
    }
    let policy = policy(Mode::Workspace, &["Bash(rm *)"], &[], &[]);
    for command in [
        "bash script.sh",
        "bash -x script.sh a",
        "sh ./run.sh",
        "python3 - <<'EOF'\nprint(1)\nEOF",
        "bash -lc 'cargo test'",
        "env -C sub TERM=\"$x\" make",
        "nice -5 make",
        "ls | xargs -0n1 -P \"$(nproc)\" touch",
    ] {
        assert_eq!(decide(&policy, command), Decision::Allow, "{command}");
    }
}

#[test]
fn a_directory_that_env_enters_is_the_one_of_its_program() {
    let policy = policy(Mode::Full, &["Read(secret/**)"], &[], &["Bash"]);
    for command in [
        "env -C secret cat key",
        "env -C a -S 'cat ../secret/key'",
        "xargs -a secret/key echo",
    ] {
        assert_eq!(decide(&policy, command), Decision::Deny, "{command}");
    }
    for command in ["env -C secret/.. ls; cat key", "env -C a cat secret/key"] {
        assert_eq!(decide(&policy, command), Decision::Allow, "{command}");
    }
}

#[test]
fn a_word_that_is_not_known_may_be_a_denied_one() {
    let policy = policy(
        Mode::Full,
        &["Bash(git push *)", "Read(secret/**)"],
        &[],
        &["Bash"],
    );
    for command in [
        "git $x",
        "git $x origin",
        "$x push",
        "cat $x",
        "cp $x y",
        "cat s*/x",
        "xargs git",
    ] {
        assert_eq!(decide(&policy, command), Decision::Ask, "{command}");
    }
    for command in [
        "git push",
        "git -C x push",
        "git --no-pager push -f",
        "cat secret/key",
        "cat secret/*",
        "cp secret/k* y",
        "cp secret/key x",
        "cat ./a/../secret/key",
    ] {
        assert_eq!(decide(&policy, command), Decision::Deny, "{command}");
    }
}
