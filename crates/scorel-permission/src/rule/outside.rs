//! Patterns of outside tools, and of agents.

use super::RuleErrorKind;

/// A pattern of the names of outside tools, or of agents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ToolNamePattern {
    Exactly(String),
    Prefix(String),
}

impl ToolNamePattern {
    /// Parses a name with at most one `*`, at its end. `built_in` are the names that have rules of
    /// their own.
    pub(crate) fn parse(
        pattern: Option<&str>,
        built_in: impl IntoIterator<Item = &'static str>,
    ) -> Result<Self, (usize, RuleErrorKind)> {
        let pattern = pattern.map_or("*", str::trim);
        let (name, is_prefix) = match pattern.strip_suffix('*') {
            Some(name) => (name, true),
            None => (pattern, false),
        };
        if let Some(at) = name.chars().position(|letter| !is_name(letter)) {
            return Err((at, RuleErrorKind::ToolName));
        }
        // Such a rule would never match, and a deny that never matches is dangerous.
        if let Some(name) = built_in.into_iter().find(|known| *known == pattern) {
            return Err((0, RuleErrorKind::BuiltIn(name)));
        }
        Ok(if is_prefix {
            Self::Prefix(name.to_owned())
        } else {
            Self::Exactly(name.to_owned())
        })
    }

    /// The pattern that matches this tool only; `None` if no pattern can spell its name.
    pub(crate) fn exactly(tool: &str) -> Option<&str> {
        (!tool.is_empty() && tool.chars().all(is_name)).then_some(tool)
    }

    pub(crate) fn covers(&self, tool: &str) -> bool {
        match self {
            Self::Exactly(name) => tool == name,
            Self::Prefix(prefix) => tool.starts_with(prefix.as_str()),
        }
    }
}

/// The letters of tool names: what providers accept in a function name, and the separators that MCP
/// servers and extensions use.
fn is_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || "_-.:/".contains(letter)
}
