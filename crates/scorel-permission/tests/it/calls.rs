//! Rules about calls of tools from outside.

use scorel_permission::{Decision, Mode, Rule, RuleErrorKind};
use serde_json::{Value, json};

use crate::support::{call, call_with, policy};

const DIGEST: &str = "3f2a90c1d87e5b64";

/// The decision in the mode `ask`, where a rule denies `denied` and another allows the rest.
fn denying(denied: &str, input: Value) -> Decision {
    let policy = policy(Mode::Ask, &[denied], &[], &["Tool(db)"]);
    policy.judge(&call_with("db", input, None)).decision
}

#[test]
fn a_rule_may_be_about_one_argument() {
    for (rule, input, expected) in [
        (
            "Tool(db sql=drop *)",
            json!({"sql": "drop x"}),
            Decision::Deny,
        ),
        (
            "Tool(d* sql=*drop*x*)",
            json!({"sql": "a; drop my x"}),
            Decision::Deny,
        ),
        (
            "Tool(db sql=drop *)",
            json!({"sql": "DROP x"}),
            Decision::Allow,
        ),
        (
            "Tool(db sql=drop *)",
            json!({"other": "drop x"}),
            Decision::Allow,
        ),
        (
            "Tool(db sql=drop)",
            json!({"sql": "drop x"}),
            Decision::Allow,
        ),
        (
            "Tool(db sql=*ab*ba)",
            json!({"sql": "aba"}),
            Decision::Allow,
        ),
        ("Tool(db sql=*)", json!({"sql": ""}), Decision::Deny),
        ("Tool(db sql=*)", json!({}), Decision::Allow),
        (
            "Tool(db sql=f(*)=1)",
            json!({"sql": "f(x)=1"}),
            Decision::Deny,
        ),
        (
            "Tool(db force=true)",
            json!({"force": true}),
            Decision::Deny,
        ),
        (
            "Tool(db ids=*12*)",
            json!({"ids": [11, 12]}),
            Decision::Deny,
        ),
    ] {
        assert_eq!(denying(rule, input.clone()), expected, "{rule} {input}");
    }
    let untold = scorel_engine::Effect::CallUntold {
        tool: "db".to_owned(),
    };
    let policy = policy(Mode::Ask, &[], &[], &["Tool(db sql=*)"]);
    assert_eq!(policy.judge(&untold).decision, Decision::Ask);
}

#[test]
fn a_grant_holds_until_the_tool_changes() {
    let asking = policy(Mode::Ask, &[], &[], &[]);
    let known = call_with("db", json!({}), Some(DIGEST));
    let rules = asking.offer(&known).rules;
    let written: Vec<String> = rules.iter().map(Rule::to_string).collect();
    assert_eq!(written, ["Tool(db#3f2a90c1d87e)"]);
    let granted = asking.allowing(rules);
    assert_eq!(granted.judge(&known).decision, Decision::Allow);
    let changed = call_with("db", json!({}), Some("3f2a90c1d87f5b64"));
    for other in [changed, call("db")] {
        assert_eq!(granted.judge(&other).decision, Decision::Ask, "{other:?}");
    }
    let by_name = policy(Mode::Ask, &[], &[], &["Tool(db)"]);
    assert_eq!(by_name.judge(&known).decision, Decision::Allow);
}

#[test]
fn a_rule_that_says_something_else_after_the_name_is_an_error() {
    for (text, position, kind) in [
        ("Tool(db#12)", 8, RuleErrorKind::Digest),
        ("Tool(db#3F2A90C1D87E)", 8, RuleErrorKind::Digest),
        ("Tool(db sql)", 8, RuleErrorKind::Argument),
        ("Tool(db =x)", 8, RuleErrorKind::Argument),
        ("Tool(db sql x=y)", 8, RuleErrorKind::Argument),
        ("Tool(d*b sql=x)", 6, RuleErrorKind::ToolName),
        ("Tool(Bash command=x)", 5, RuleErrorKind::BuiltIn("Bash")),
    ] {
        let error = text.parse::<Rule>().unwrap_err();
        assert_eq!((error.position, error.kind), (position, kind), "{text}");
    }
}
