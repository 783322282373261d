//! Policies for tests. The project is `/p`, the home is `/home/u`.

use std::path::Path;

use scorel_permission::{
    Action, BaseDirs, Decision, Mode, Policy, PolicyVerdict, Rule, Rules, builtin_ask,
};

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

pub(crate) fn run(command: &str) -> Action {
    Action::Run {
        command: command.to_owned(),
        directory: "/p".into(),
    }
}

pub(crate) fn read(path: &str) -> Action {
    Action::Read { path: path.into() }
}

pub(crate) fn write(path: &str) -> Action {
    Action::Write { path: path.into() }
}

pub(crate) fn fetch(url: &str) -> Action {
    Action::Fetch {
        url: url.to_owned(),
    }
}

pub(crate) fn call(tool: &str) -> Action {
    Action::CallTool {
        tool: tool.to_owned(),
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
pub(crate) fn outside(command: &str) -> Action {
    Action::RunUnsandboxed {
        command: command.to_owned(),
        directory: "/p".into(),
    }
}

pub(crate) fn decide_outside(policy: &Policy, command: &str) -> Decision {
    policy.judge(&outside(command)).decision
}
