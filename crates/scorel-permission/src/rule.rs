//! Rules as users write them.

mod call;
mod command;
mod error;
mod host;
mod outside;
mod parse;
mod path;

use std::fmt;

use serde::{Deserialize, Serialize};

pub(crate) use self::call::CallPattern;
pub(crate) use self::command::{CommandPattern, Likeness};
pub use self::error::{RuleError, RuleErrorKind};
pub(crate) use self::host::HostPattern;
pub(crate) use self::outside::ToolNamePattern;
pub(crate) use self::path::PathPattern;

/// The kind of action that a rule is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RuleKind {
    /// Files read: `Read`, `Glob`, `Grep`.
    Read,
    /// Files written: `Write`, `Edit`.
    Write,
    /// Shell commands: `Bash`.
    Bash,
    /// Shell commands without the sandbox: `Outside`.
    Unsandboxed,
    /// URLs fetched: `WebFetch`.
    WebFetch,
    /// Calls of outside tools: `Tool`.
    Outside,
    /// Tasks for agents: `AgentSpawn`.
    SpawnAgent,
}

/// A rule such as `Bash(git log *)`; see the [crate's documentation](crate). Parsed with [`str::parse`] and
/// displayed as it was written.
#[derive(Clone, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Rule {
    written: String,
    scope: RuleScope,
}

#[derive(Debug, Clone)]
pub(crate) enum RuleScope {
    Read(PathPattern),
    Write(PathPattern),
    Run(CommandPattern),
    RunUnsandboxed(CommandPattern),
    Fetch(HostPattern),
    CallTool(CallPattern),
    SpawnAgent(ToolNamePattern),
}

impl Rule {
    pub const fn kind(&self) -> RuleKind {
        match self.scope {
            RuleScope::Read(_) => RuleKind::Read,
            RuleScope::Write(_) => RuleKind::Write,
            RuleScope::Run(_) => RuleKind::Bash,
            RuleScope::RunUnsandboxed(_) => RuleKind::Unsandboxed,
            RuleScope::Fetch(_) => RuleKind::WebFetch,
            RuleScope::CallTool(_) => RuleKind::Outside,
            RuleScope::SpawnAgent(_) => RuleKind::SpawnAgent,
        }
    }

    pub fn as_str(&self) -> &str {
        &self.written
    }

    pub(crate) const fn scope(&self) -> &RuleScope {
        &self.scope
    }

    /// The pattern of a rule about commands in the sandbox.
    pub(crate) const fn command(&self) -> Option<&CommandPattern> {
        match &self.scope {
            RuleScope::Run(pattern) => Some(pattern),
            _ => None,
        }
    }

    /// A rule about unsandboxed commands as one about commands, displayed as it was written; `None` for
    /// other rules.
    pub(crate) fn as_command_rule(&self) -> Option<Self> {
        let RuleScope::RunUnsandboxed(pattern) = &self.scope else {
            return None;
        };
        Some(Self {
            written: self.written.clone(),
            scope: RuleScope::Run(pattern.clone()),
        })
    }
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.written == other.written
    }
}

impl Eq for Rule {}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)
    }
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rule({})", self.written)
    }
}

impl From<Rule> for String {
    fn from(rule: Rule) -> Self {
        rule.written
    }
}
