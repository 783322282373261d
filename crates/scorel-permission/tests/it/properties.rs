//! Properties that hold for any rules and any effect.

use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use scorel_engine::Effect;
use scorel_permission::{Decision, Mode, Policy, Rules, builtin_ask};

use crate::support::{fetch, list, place, read, run, write};

const RULES: [&str; 18] = [
    "Bash",
    "Bash(git *)",
    "Bash(git push *)",
    "Bash(rm *)",
    "Bash(* x)",
    "Bash(ls a)",
    "Bash(sh -c *)",
    "Bash(xargs *)",
    "Read",
    "Read(a/**)",
    "Read(/etc/**)",
    "Read(**/x)",
    "Write",
    "Write(a/*)",
    "Write(/tmp/**)",
    "Write(~/**)",
    "WebFetch",
    "WebFetch(domain:example.com)",
];

const PIECES: [&str; 34] = [
    "ls a",
    "ls a/x",
    "git push",
    "git log",
    "git $x",
    "rm x",
    "rm $y",
    "cat /etc/x",
    "cat $z",
    "xargs rm",
    "sh -c 'rm x'",
    "sh -c \"$x\"",
    "env A=1 rm x",
    "echo $(rm x)",
    "echo x > a/x",
    "echo x > /tmp/x",
    "echo x > $f",
    "find . -exec rm {} +",
    "scorelctl approve x",
    "sudo ls",
    "make",
    "cd a",
    "(",
    ")",
    "'",
    "\"",
    "`",
    "\\",
    "$(",
    "<<E\n",
    "x=1",
    "PATH=x ls",
    "*",
    "{a,b}",
];

const JOINTS: [&str; 8] = [" && ", " || ", "; ", " | ", " & ", "\n", " ", ""];

const PATHS: [&str; 12] = [
    "a/x",
    "x",
    "b",
    "a/b/x",
    "/etc/x",
    "/tmp/x",
    "/home/u/x",
    ".git/config",
    ".scorel/x",
    "/home/u/.bashrc",
    "/",
    "../x",
];

fn any_mode() -> impl Strategy<Value = Mode> {
    select(vec![Mode::Readonly, Mode::Ask, Mode::Workspace, Mode::Full])
}

fn any_command() -> impl Strategy<Value = String> {
    prop::collection::vec((select(PIECES.to_vec()), select(JOINTS.to_vec())), 1..5).prop_map(
        |parts| {
            parts
                .into_iter()
                .flat_map(|(piece, joint)| [piece, joint])
                .collect()
        },
    )
}

fn any_effect() -> impl Strategy<Value = Effect> {
    prop_oneof![
        4 => any_command().prop_map(|command| run(&command)),
        1 => select(PATHS.to_vec()).prop_map(read),
        1 => select(PATHS.to_vec()).prop_map(write),
        1 => select(vec!["https://example.com", "https://a.org", "http://localhost", "ftp://x.y", "?"])
            .prop_map(fetch),
    ]
}

fn any_list() -> impl Strategy<Value = Vec<&'static str>> {
    subsequence(RULES.to_vec(), 0..4)
}

prop_compose! {
    fn any_rules()(deny in any_list(), ask in any_list(), allow in any_list()) -> Rules {
        Rules { deny: list(&deny), ask: list(&ask), allow: list(&allow), builtin_ask: builtin_ask() }
    }
}

fn decide(mode: Mode, rules: &Rules, effect: &Effect) -> Decision {
    Policy::new(mode, rules.clone(), place())
        .judge(effect)
        .decision
}

/// Other ways to write a path, all of the same file.
fn spelling(path: &str) -> impl Strategy<Value = String> + use<> {
    let names: Vec<String> = path.split('/').map(str::to_owned).collect();
    let count = names.len();
    prop::collection::vec(select(vec!["/", "//", "/./", "/q/../", "/././/"]), count).prop_map(
        move |joints| {
            let mut text = String::new();
            for (name, joint) in names.iter().zip(joints) {
                text.push_str(name);
                text.push_str(joint);
            }
            text.trim_end_matches("/q/../")
                .trim_end_matches('.')
                .to_owned()
        },
    )
}

fn path_and_spelling() -> impl Strategy<Value = (&'static str, String)> {
    select(PATHS[..10].to_vec()).prop_flat_map(|path| (Just(path), spelling(path)))
}

proptest! {
    // PROPTEST_CASES asks for more.
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases.max(400), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn another_deny_never_weakens(mode in any_mode(), rules in any_rules(), more in select(RULES.to_vec()), effect in any_effect()) {
        let before = decide(mode, &rules, &effect);
        let mut rules = rules;
        rules.deny.extend(list(&[more]));
        prop_assert!(decide(mode, &rules, &effect) >= before);
    }

    #[test]
    fn another_ask_never_weakens(mode in any_mode(), rules in any_rules(), more in select(RULES.to_vec()), effect in any_effect()) {
        let before = decide(mode, &rules, &effect);
        let mut rules = rules;
        rules.ask.extend(list(&[more]));
        prop_assert!(decide(mode, &rules, &effect) >= before);
    }

    #[test]
    fn another_allow_never_undoes_a_deny(mode in any_mode(), rules in any_rules(), more in select(RULES.to_vec()), effect in any_effect()) {
        let before = decide(mode, &rules, &effect);
        let mut rules = rules;
        rules.allow.extend(list(&[more]));
        let after = decide(mode, &rules, &effect);
        prop_assert!(after <= before);
        prop_assert!(before != Decision::Deny || after == Decision::Deny);
    }

    #[test]
    fn a_command_is_never_weaker_than_its_parts(mode in any_mode(), rules in any_rules(), one in select(PIECES[..22].to_vec()), other in select(PIECES[..21].to_vec()), joint in select(JOINTS[..6].to_vec())) {
        let whole = decide(mode, &rules, &run(&format!("{one}{joint}{other}")));
        prop_assert!(whole >= decide(mode, &rules, &run(one)));
        if one != "cd a" {
            prop_assert!(whole >= decide(mode, &rules, &run(other)));
        }
    }

    #[test]
    fn spellings_of_a_path_do_not_matter(mode in any_mode(), rules in any_rules(), (path, spelled) in path_and_spelling()) {
        prop_assert_eq!(decide(mode, &rules, &read(path)), decide(mode, &rules, &read(&spelled)));
        prop_assert_eq!(decide(mode, &rules, &write(path)), decide(mode, &rules, &write(&spelled)));
        let redirected = |path: &str| run(&format!("echo x > {path}"));
        prop_assert_eq!(decide(mode, &rules, &redirected(path)), decide(mode, &rules, &redirected(&spelled)));
    }

    #[test]
    fn what_a_grant_allows_is_allowed(mode in any_mode(), rules in any_rules(), effect in any_effect()) {
        let grant = Policy::new(mode, rules.clone(), place()).offer(&effect).rules;
        let before = decide(mode, &rules, &effect);
        prop_assert!(before != Decision::Deny || grant.is_empty());
        if !grant.is_empty() {
            let mut rules = rules;
            rules.allow.extend(grant);
            prop_assert_eq!(decide(mode, &rules, &effect), Decision::Allow);
        }
    }

    #[test]
    fn any_syntax_is_judged(mode in any_mode(), rules in any_rules(), text in "[-a-z01 \t\n$'\"`\\\\(){}<>|&;#*?~=!@%^,.é\u{31860}\u{0}]{0,60}") {
        let _ = decide(mode, &rules, &run(&text));
    }

    #[test]
    fn any_text_is_judged(mode in any_mode(), rules in any_rules(), text in ".{0,60}") {
        let _ = decide(mode, &rules, &run(&text));
        let _ = decide(mode, &rules, &read(&text));
        let _ = decide(mode, &rules, &fetch(&text));
        let _ = text.parse::<scorel_permission::Rule>();
    }
}

#[test]
fn commands_that_are_very_long_or_deep_are_asked_about() {
    let rules = Rules {
        allow: list(&["Bash"]),
        ..Rules::default()
    };
    for command in [
        "(".repeat(30_000),
        format!("{}ls{}", "(".repeat(5_000), ")".repeat(5_000)),
        format!("echo {}ls{}", "$(".repeat(5_000), ")".repeat(5_000)),
        "ls;".repeat(100_000),
        format!("ls {}", "a ".repeat(40_000)),
        "env ".repeat(200) + "ls",
        format!("{}ls{}", "env ".repeat(50), " a".repeat(2_000)),
        "find . -exec ".repeat(2_000) + "ls",
        format!("unknown {}", "@".repeat(30_000)),
        "! ".repeat(10_000) + "ls",
        "cat <<EOF ".repeat(2_000),
        format!("cat <<{}\n", "A".repeat(5_000)),
        "cat <<A\n$(".repeat(500),
        "{\u{31860}".to_owned(),
        "a=(".repeat(10_000),
        "ls | ".repeat(6_000),
        "cd a;".repeat(6_000),
        format!("({})", "cd a&&ls;".repeat(3_500)),
        format!("cd {}; {}", "a".repeat(16_000), "ls a;".repeat(3_000)),
    ] {
        let start: String = command.chars().take(20).collect();
        assert_eq!(
            decide(Mode::Ask, &rules, &run(&command)),
            Decision::Ask,
            "{start}"
        );
    }
    assert_eq!(
        decide(Mode::Ask, &rules, &run(&"ls;".repeat(5_000))),
        Decision::Allow
    );
    let many = format!("rm {}", "* ".repeat(16_000));
    assert_eq!(decide(Mode::Ask, &rules, &run(&many)), Decision::Allow);
}
