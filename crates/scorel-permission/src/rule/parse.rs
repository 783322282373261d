//! The parser of rules.

use std::str::FromStr;

use super::{
    CallPattern, CommandPattern, HostPattern, PathPattern, Rule, RuleError, RuleErrorKind,
    RuleKind, RuleScope, ToolNamePattern,
};

/// The name of rules about outside tools.
const OUTSIDE: &str = "Tool";

/// The name of rules about commands without the sandbox. No tool has it.
const UNSANDBOXED: &str = "Outside";

/// The names of rules.
const NAMES: [(&str, RuleKind); 10] = [
    ("Read", RuleKind::Read),
    ("Glob", RuleKind::Read),
    ("Grep", RuleKind::Read),
    ("Write", RuleKind::Write),
    ("Edit", RuleKind::Write),
    ("Bash", RuleKind::Bash),
    (UNSANDBOXED, RuleKind::Unsandboxed),
    ("WebFetch", RuleKind::WebFetch),
    ("AgentSpawn", RuleKind::SpawnAgent),
    (OUTSIDE, RuleKind::Outside),
];

impl FromStr for Rule {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        let written = text.trim();
        let at = |position: usize, kind| RuleError {
            position: text[..text.len() - text.trim_start().len()].chars().count() + position,
            kind,
        };
        let (name, pattern) = match written.split_once('(') {
            None => (written, None),
            Some((name, rest)) => {
                // The last one: patterns may contain some.
                let end = rest
                    .rfind(')')
                    .ok_or_else(|| at(written.chars().count(), RuleErrorKind::Unclosed))?;
                if end + 1 < rest.len() {
                    let position = name.chars().count() + rest[..end].chars().count() + 2;
                    return Err(at(position, RuleErrorKind::Trailing));
                }
                (name, Some(&rest[..end]))
            }
        };
        let Some((_, kind)) = NAMES.iter().find(|(known, _)| *known == name) else {
            return Err(at(0, unknown_tool(name)));
        };
        let start = name.chars().count() + 1;
        let scope = scope(*kind, pattern).map_err(|(offset, kind)| at(start + offset, kind))?;
        Ok(Self {
            written: written.to_owned(),
            scope,
        })
    }
}

impl TryFrom<String> for Rule {
    type Error = RuleError;

    fn try_from(text: String) -> Result<Self, RuleError> {
        text.parse()
    }
}

fn unknown_tool(name: &str) -> RuleErrorKind {
    let lower = name.to_lowercase();
    let suggestion = NAMES
        .iter()
        .map(|(known, _)| (strsim::jaro_winkler(&lower, &known.to_lowercase()), *known))
        .filter(|(likeness, _)| *likeness > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, known)| known);
    RuleErrorKind::UnknownTool {
        name: name.to_owned(),
        suggestion,
    }
}

/// The tools that rules are named after.
fn built_in() -> impl Iterator<Item = &'static str> {
    let names = NAMES.iter().map(|(name, _)| *name);
    names.filter(|name| ![OUTSIDE, UNSANDBOXED].contains(name))
}

fn scope(kind: RuleKind, pattern: Option<&str>) -> Result<RuleScope, (usize, RuleErrorKind)> {
    if pattern.is_some_and(|pattern| pattern.trim().is_empty()) {
        return Err((0, RuleErrorKind::Empty));
    }
    Ok(match kind {
        RuleKind::Read => RuleScope::Read(PathPattern::parse(pattern)?),
        RuleKind::Write => RuleScope::Write(PathPattern::parse(pattern)?),
        RuleKind::Bash => RuleScope::Run(CommandPattern::parse(pattern)?),
        RuleKind::Unsandboxed => RuleScope::RunUnsandboxed(CommandPattern::parse(pattern)?),
        RuleKind::WebFetch => RuleScope::Fetch(HostPattern::parse(pattern)?),
        RuleKind::SpawnAgent => RuleScope::SpawnAgent(ToolNamePattern::parse(pattern, [])?),
        RuleKind::Outside => RuleScope::CallTool(CallPattern::parse(pattern, built_in())?),
    })
}
