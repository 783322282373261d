//! Rules as users write them.

use scorel_permission::{Decision, Mode, Policy, Rule, RuleErrorKind, RuleKind, Rules};

use crate::support::{call, decide, fetch, policy, read, reading_call, renamed_call};

fn error(rule: &str) -> (usize, RuleErrorKind) {
    let error = rule.parse::<Rule>().unwrap_err();
    (error.position, error.kind)
}

fn unknown(name: &str, suggestion: Option<&'static str>) -> RuleErrorKind {
    RuleErrorKind::UnknownTool {
        name: name.to_owned(),
        suggestion,
    }
}

#[test]
fn rules_are_shown_as_they_were_written() {
    for (text, tool) in [
        ("Read", RuleKind::Read),
        ("Grep(src/**)", RuleKind::Read),
        ("Edit(~/x)", RuleKind::Write),
        ("Bash(git log *)", RuleKind::Bash),
        ("Bash(echo 'a) b' (c))", RuleKind::Bash),
        ("WebFetch(domain:*.example.com)", RuleKind::WebFetch),
    ] {
        let rule: Rule = text.parse().unwrap();
        assert_eq!((rule.as_str(), rule.kind()), (text, tool));
        assert_eq!(format!(" {text} ").parse::<Rule>().unwrap(), rule);
    }
}

#[test]
fn invalid_rules_are_refused_with_their_place() {
    assert_eq!(error("Bsh(ls)"), (0, unknown("Bsh", Some("Bash"))));
    assert_eq!(error("bash(ls)"), (0, unknown("bash", Some("Bash"))));
    assert_eq!(error("Fetch"), (0, unknown("Fetch", Some("WebFetch"))));
    assert_eq!(error("Zzz(ls)"), (0, unknown("Zzz", None)));
    assert_eq!(error(""), (0, unknown("", None)));
    assert_eq!(error("(ls)"), (0, unknown("", None)));
    assert_eq!(error("Bash(ls"), (7, RuleErrorKind::Unclosed));
    assert_eq!(error("Bash(ls) x"), (8, RuleErrorKind::Trailing));
    assert_eq!(error("Bash()"), (5, RuleErrorKind::Empty));
    assert_eq!(error("Read( )"), (5, RuleErrorKind::Empty));
    assert_eq!(error("Bash(echo 'a)"), (10, RuleErrorKind::Quotation));
    assert_eq!(error("Bash(echo \\)"), (10, RuleErrorKind::Quotation));
    assert_eq!(error("Read(../x)"), (5, RuleErrorKind::Outside));
    assert_eq!(error("Write(a/../../x)"), (6, RuleErrorKind::Outside));
    assert!(matches!(error("Read([)"), (5, RuleErrorKind::Glob(_))));
    assert_eq!(error("WebFetch(example.com)"), (9, RuleErrorKind::Host));
    assert_eq!(error("WebFetch(domain:a/b)"), (16, RuleErrorKind::Host));
    assert_eq!(error("WebFetch(domain:a.*.b)"), (16, RuleErrorKind::Host));
}

#[test]
fn an_error_says_what_to_write_instead() {
    let error = "Bsh(ls)".parse::<Rule>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "unknown tool `Bsh`, did you mean `Bash`? (at character 1)"
    );
}

#[test]
fn lists_of_rules_are_read_from_configuration() {
    let rules: Rules =
        serde_json::from_str(r#"{"deny": ["Read(secret/**)"], "allow": ["Bash(ls *)"]}"#).unwrap();
    assert_eq!(rules.deny[0].as_str(), "Read(secret/**)");
    assert!(rules.ask.is_empty());
    assert!(serde_json::from_str::<Rules>(r#"{"denied": []}"#).is_err());
    assert!(serde_json::from_str::<Rules>(r#"{"deny": ["Bsh"]}"#).is_err());
    let again = serde_json::to_string(&rules).unwrap();
    assert_eq!(serde_json::from_str::<Rules>(&again).unwrap(), rules);
}

#[test]
fn a_pattern_covers_words_and_not_letters() {
    for (rule, covered, others) in [
        (
            "Bash(go log *)",
            &["go log", "go log -n 1"][..],
            &["go logout", "go", "go -x log", "gogo log"][..],
        ),
        (
            "Bash(go log)",
            &["go log", "go  log", "'go' l\\og"],
            &["go log -n 1", "go log ''"],
        ),
        (
            "Bash(go * x)",
            &["go x", "go a x", "go a b x"],
            &["go", "go x a"],
        ),
        (
            "Bash(go test:*)",
            &["go test", "go test a b", "go test:a", "go test:a b"],
            &["go testa", "go"],
        ),
        ("Bash(touch:*)", &["touch", "touch a b"], &["touchx a"]),
        ("Bash(go 'test:*')", &["go 'test:*'"], &["go test"]),
        (
            "Bash(./run.sh *)",
            &[
                "./run.sh",
                "../p/run.sh a",
                "/p/run.sh",
                "cd a && ../run.sh",
            ],
            &["run.sh", "cd a && ./run.sh", "a/run.sh", "/q/run.sh"],
        ),
        (
            "Bash(bin/run)",
            &["bin/run", "./bin/run", "cd bin && ./run"],
            &["run", "cd bin && bin/run"],
        ),
        (
            "Bash(~/bin/run)",
            &["~/bin/run", "/home/u/bin/run"],
            &["bin/run"],
        ),
        (
            "Bash(/p/run.sh)",
            &["./run.sh", "cd a && /p/run.sh"],
            &["cd a; ./run.sh"],
        ),
        ("Bash(go a?c)", &["go abc"], &["go ac", "go abbc"]),
        (
            "Bash(go 'a b')",
            &["go 'a b'", "go a\\ b", "go \"a b\""],
            &["go a b"],
        ),
        ("Bash(go \\*)", &["go '*'", "go \\*", "go *"], &["go x"]),
        (
            "Bash(X=* go *)",
            &["X=1 go", "X= go a"],
            &["go", "Y=1 go", "X=1 Y=2 go"],
        ),
    ] {
        let policy = policy(Mode::Ask, &[], &[], &[rule]);
        for command in covered {
            assert_eq!(
                decide(&policy, command),
                Decision::Allow,
                "{rule}: {command}"
            );
        }
        for command in others {
            assert_eq!(decide(&policy, command), Decision::Ask, "{rule}: {command}");
        }
    }
}

#[test]
fn a_pattern_of_paths_is_a_glob() {
    for (rule, covered, others) in [
        (
            "Read(a/**)",
            &["a", "a/b", "a/b/c", "/p/a/b"][..],
            &["ab", "b/a/c", "/a/b"][..],
        ),
        ("Read(./a//b/../c/)", &["a/c", "a/c/d"], &["a/b", "a"]),
        ("Read(*.rs)", &["x.rs"], &["a/x.rs"]),
        ("Read(**/*.rs)", &["x.rs", "a/b/x.rs"], &["x.c"]),
        (
            "Read(~/x/*)",
            &["/home/u/x/y"],
            &["/home/u/x/y/z", "x/y", "~/x/y"],
        ),
        (
            "Read(/etc/{a,b})",
            &["/etc/a", "/etc/b"],
            &["/etc/c", "etc/a"],
        ),
        ("Read(/p/a)", &["a", "/p/a"], &["a/b"]),
    ] {
        let policy = policy(Mode::Full, &[rule], &[], &[]);
        for path in covered {
            assert_eq!(
                policy.judge(&read(path)).decision,
                Decision::Deny,
                "{rule}: {path}"
            );
        }
        for path in others {
            assert_eq!(
                policy.judge(&read(path)).decision,
                Decision::Allow,
                "{rule}: {path}"
            );
        }
    }
}

#[test]
fn a_pattern_of_hosts_is_about_whole_labels() {
    for (rule, covered, others) in [
        (
            "WebFetch(domain:example.com)",
            &[
                "https://example.com/x",
                "http://EXAMPLE.com:8080",
                "https://example.com.",
                "https://u:p@example.com",
            ][..],
            &[
                "https://a.example.com",
                "https://example.com.evil.org",
                "https://evil.org/example.com",
                "https://example.com@evil.org",
                "https://evilexample.com",
            ][..],
        ),
        (
            "WebFetch(domain:*.example.com)",
            &["https://a.example.com", "https://a.b.example.com"],
            &["https://example.com", "https://aexample.com"],
        ),
        (
            "WebFetch(domain:127.0.0.1)",
            &["http://127.0.0.1", "http://0x7f.1", "http://2130706433"],
            &["http://127.0.0.2"],
        ),
    ] {
        let policy = policy(Mode::Ask, &[], &[], &[rule]);
        for url in covered {
            assert_eq!(
                policy.judge(&fetch(url)).decision,
                Decision::Allow,
                "{rule}: {url}"
            );
        }
        for url in others {
            assert_eq!(
                policy.judge(&fetch(url)).decision,
                Decision::Ask,
                "{rule}: {url}"
            );
        }
    }
}

#[test]
fn a_tool_that_is_believed_to_only_read_is_allowed_unless_a_rule_says_otherwise() {
    let call = reading_call("mcp__git__log");
    let decision = |policy: &Policy| policy.judge(&call).decision;
    for mode in [Mode::Ask, Mode::Readonly, Mode::Workspace] {
        assert_eq!(decision(&policy(mode, &[], &[], &[])), Decision::Allow);
    }
    let rule = &["Tool(mcp__git__*)"];
    assert_eq!(decision(&policy(Mode::Ask, rule, &[], &[])), Decision::Deny);
    assert_eq!(decision(&policy(Mode::Ask, &[], rule, &[])), Decision::Ask);
}

#[test]
fn a_rule_that_forbids_finds_a_tool_by_its_other_names_and_one_that_allows_does_not() {
    let call = renamed_call("mcp__db__drop_all_12ab34", "mcp__db__drop.all");
    let decision = |policy: &Policy| policy.judge(&call).decision;
    let rule = &["Tool(mcp__db__drop.all)"];
    assert_eq!(
        decision(&policy(Mode::Full, rule, &[], &[])),
        Decision::Deny
    );
    assert_eq!(decision(&policy(Mode::Full, &[], rule, &[])), Decision::Ask);
    assert_eq!(decision(&policy(Mode::Ask, &[], &[], rule)), Decision::Ask);
}

#[test]
fn a_rule_about_outside_tools_names_one_or_those_that_begin_alike() {
    for (rule, covered, others) in [
        (
            "Tool(mcp__git__log)",
            &["mcp__git__log"][..],
            &["mcp__git__log2", "mcp__git__lo", "MCP__git__log"][..],
        ),
        (
            "Tool(mcp__git__*)",
            &["mcp__git__log", "mcp__git__"],
            &["mcp__gitx", "x_mcp__git__log"],
        ),
        ("Tool", &["anything"], &[]),
        ("Tool(*)", &["anything"], &[]),
    ] {
        let policy = policy(Mode::Ask, &[], &[], &[rule]);
        for tool in covered {
            assert_eq!(
                policy.judge(&call(tool)).decision,
                Decision::Allow,
                "{rule}: {tool}"
            );
        }
        for tool in others {
            assert_eq!(
                policy.judge(&call(tool)).decision,
                Decision::Ask,
                "{rule}: {tool}"
            );
        }
        assert_eq!(rule.parse::<Rule>().unwrap().to_string(), rule);
    }
}

#[test]
fn a_rule_about_outside_tools_that_could_not_match_is_refused() {
    for (rule, position, said) in [
        ("Tool(a b)", 7, "expected `ARGUMENT=PATTERN`"),
        ("Tool(a*b)", 6, "expected a tool's name"),
        ("Tool(Bash)", 5, "write `Bash` or `Bash(…)`"),
        ("Tool()", 5, "empty"),
        ("tool(x)", 0, "did you mean `Tool`?"),
    ] {
        let error = rule.parse::<Rule>().unwrap_err();
        assert_eq!(error.position, position, "{rule}: {error}");
        assert!(error.to_string().contains(said), "{rule}: {error}");
    }
}

/// A rule that no command matches is an error, which says what to write.
#[test]
fn a_pattern_that_could_not_match_is_refused() {
    for (rule, position, said) in [
        ("Bash(cd x && ls)", 10, "one rule with `cd x`"),
        ("Bash(ls | wc -l)", 8, "one rule with `ls`"),
        ("Bash(ls; rm x)", 5, "one rule with `ls`"),
        ("Bash(cargo test 2>&1)", 16, "`2>&1` is no part of one"),
        ("Bash(echo x > y)", 12, "one rule with `echo x`"),
        ("Bash(echo >y)", 10, "never matches"),
        ("Bash(make &)", 10, "never matches"),
        (
            "Bash(RUST_LOG=debug cargo test *)",
            5,
            "write `cargo test *`",
        ),
        ("Bash(CI=* npm test)", 5, "write `npm test`"),
        ("Bash(echo $HOME)", 10, "only known when the command runs"),
        ("Bash(echo $(date))", 10, "only known when the command runs"),
        ("Bash('git push' *)", 5, "write `git push *`"),
        ("Bash(../x/run *)", 5, "absolute path"),
        ("Read(~root/x)", 5, "only `~/` stands for a home"),
        ("Write(~x)", 6, "only `~/` stands for a home"),
    ] {
        let error = rule.parse::<Rule>().unwrap_err();
        assert_eq!(error.position, position, "{rule}: {error}");
        assert!(error.to_string().contains(said), "{rule}: {error}");
    }
    for rule in [
        "Bash(echo '&&' \\| \";\")",
        "Bash(curl https://x/?a=1&b=2)",
        "Bash(find * -exec wc {} ;)",
        "Bash(echo '$x' \\$y)",
        "Bash(A=1 cargo test)",
        "Bash('/opt/my tool/run' *)",
        "Bash(echo #1)",
        "Bash(git log a..b *)",
        "Read(~)",
    ] {
        assert_eq!(
            rule.parse::<Rule>()
                .map_err(|it| it.to_string())
                .unwrap()
                .as_str(),
            rule
        );
    }
}
