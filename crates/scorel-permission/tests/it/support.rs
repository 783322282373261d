//! Policies for tests. The project is `/p`, the home is `/home/u`.

use std::path::{Path, PathBuf};

use scorel_engine::Effect;
use scorel_permission::{
    BaseDirs, Decision, Mode, Policy, PolicyVerdict, Rule, Rules, builtin_ask,
};
use serde_json::Value;

pub(crate) fn place() -> BaseDirs {
    BaseDirs::new(
        Path::new("/p"),
        Path::new("/home/u"),
        Path::new("/home/u/.scorel"),
    )
}

pub(crate) fn list(rules: &[&str]) -> Vec<Rule> {
    rules.iter().map(|rule| rule.parse().unwrap()).collect()
}

pub(crate) fn rules(deny: &[&str], ask: &[&str], allow: &[&str]) -> Rules {
    Rules {
        deny: list(deny),
        ask: list(ask),
        allow: list(allow),
        builtin_ask: builtin_ask(),
    }
}

pub(crate) fn policy(mode: Mode, deny: &[&str], ask: &[&str], allow: &[&str]) -> Policy {
    Policy::new(mode, rules(deny, ask, allow), place())
}

pub(crate) fn run(command: &str) -> Effect {
    run_in("/p", command)
}

pub(crate) fn run_in(directory: impl Into<PathBuf>, command: &str) -> Effect {
    Effect::RunCommand {
        command: command.to_owned(),
        directory: directory.into(),
        network: false,
    }
}

pub(crate) fn outside(command: &str) -> Effect {
    Effect::RunUnsandboxed {
        command: command.to_owned(),
        directory: "/p".into(),
        reason: String::new(),
    }
}

pub(crate) fn read(path: &str) -> Effect {
    Effect::ReadPath { path: path.into() }
}

pub(crate) fn write(path: &str) -> Effect {
    Effect::WritePath {
        path: path.into(),
        named: path.to_owned(),
        protection: None,
    }
}

pub(crate) fn fetch(url: &str) -> Effect {
    Effect::FetchUrl {
        url: url.to_owned(),
        is_private: false,
    }
}

pub(crate) fn private(url: &str) -> Effect {
    Effect::FetchUrl {
        url: url.to_owned(),
        is_private: true,
    }
}

pub(crate) fn call(tool: &str) -> Effect {
    call_with(tool, Value::Null, None)
}

pub(crate) fn call_with(tool: &str, input: Value, digest: Option<&str>) -> Effect {
    Effect::CallOutside {
        tool: tool.to_owned(),
        also: Vec::new(),
        input,
        digest: digest.map(str::to_owned),
        reads_only: false,
    }
}

pub(crate) fn renamed_call(tool: &str, also: &str) -> Effect {
    Effect::CallOutside {
        tool: tool.to_owned(),
        also: vec![also.to_owned()],
        input: Value::Null,
        digest: None,
        reads_only: false,
    }
}

pub(crate) fn reading_call(tool: &str) -> Effect {
    Effect::CallOutside {
        tool: tool.to_owned(),
        also: Vec::new(),
        input: Value::Null,
        digest: None,
        reads_only: true,
    }
}

pub(crate) fn judge(policy: &Policy, command: &str) -> PolicyVerdict {
    policy.judge(&run(command))
}

pub(crate) fn decide(policy: &Policy, command: &str) -> Decision {
    judge(policy, command).decision
}

/// The commands about which the decision is another one than expected.
pub(crate) fn different<'a>(
    policy: &Policy,
    commands: &[&'a str],
    expected: Decision,
) -> Vec<&'a str> {
    let all = commands.iter().copied();
    all.filter(|command| decide(policy, command) != expected)
        .collect()
}

/// A command that asks to run without the sandbox.
pub(crate) fn decide_outside(policy: &Policy, command: &str) -> Decision {
    policy.judge(&outside(command)).decision
}
