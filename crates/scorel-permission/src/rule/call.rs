//! Patterns of calls of outside tools.

use serde_json::Value;

use super::{RuleErrorKind, ToolNamePattern};

/// Hexadecimal digits of a digest in a rule, at least. A tool that changes has another digest; it cannot
/// try many, since each change is asked about.
const DIGEST_DIGITS: usize = 12;

/// Tools, and if the rule says so with which digest and which argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CallPattern {
    tools: ToolNamePattern,
    /// The beginning of the tool's digest.
    digest: Option<String>,
    argument: Option<ArgumentPattern>,
}

/// One argument, and what it is like.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ArgumentPattern {
    name: String,
    /// `*` stands for any text.
    value: String,
}

impl CallPattern {
    /// Parses `NAME`, `NAME#DIGEST` or either with ` ARGUMENT=PATTERN`. `built_in` are the names that have
    /// rules of their own.
    pub(crate) fn parse(
        pattern: Option<&str>,
        built_in: impl IntoIterator<Item = &'static str>,
    ) -> Result<Self, (usize, RuleErrorKind)> {
        let written = pattern.map_or("*", str::trim);
        let (called, argument) = match written.split_once(char::is_whitespace) {
            Some((called, argument)) => (called, Some(argument)),
            None => (written, None),
        };
        let (tools, digest) = match called.split_once('#') {
            Some((tools, digest)) => (tools, Some(digest)),
            None => (called, None),
        };
        let after = |text: &str| text.chars().count() + 1;
        if digest.is_some_and(|it| it.len() < DIGEST_DIGITS || !it.bytes().all(is_digit)) {
            return Err((after(tools), RuleErrorKind::Digest));
        }
        let parsed = argument.map(|text| ArgumentPattern::parse(text.trim_start()));
        if parsed == Some(None) {
            return Err((after(called), RuleErrorKind::Argument));
        }
        Ok(Self {
            tools: ToolNamePattern::parse(Some(tools), built_in)?,
            digest: digest.map(str::to_owned),
            argument: parsed.flatten(),
        })
    }

    /// The pattern that matches this tool only, and with this digest if it has one; `None` if no pattern
    /// can spell its name.
    pub(crate) fn exactly(tool: &str, digest: Option<&str>) -> Option<String> {
        let name = ToolNamePattern::exactly(tool)?;
        Some(match digest.and_then(|it| it.get(..DIGEST_DIGITS)) {
            Some(digest) => format!("{name}#{digest}"),
            None => name.to_owned(),
        })
    }

    pub(crate) fn covers(&self, tool: &str, input: &Value, digest: Option<&str>) -> bool {
        let is_that = |wanted: &String| digest.is_some_and(|it| it.starts_with(wanted.as_str()));
        self.tools.covers(tool)
            && self.digest.as_ref().is_none_or(is_that)
            && self.argument.as_ref().is_none_or(|it| it.covers(input))
    }
}

impl ArgumentPattern {
    fn parse(text: &str) -> Option<Self> {
        let (name, value) = text.split_once('=')?;
        let is_name = !name.is_empty() && !name.contains(char::is_whitespace);
        is_name.then(|| Self {
            name: name.to_owned(),
            value: value.to_owned(),
        })
    }

    /// A text is compared as it is, any other value as its compact JSON. A call without the argument is
    /// not covered.
    fn covers(&self, input: &Value) -> bool {
        match input.get(&self.name) {
            Some(Value::String(text)) => is_like(&self.value, text),
            Some(value) => is_like(&self.value, &value.to_string()),
            None => false,
        }
    }
}

fn is_digit(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}

/// True if `text` is like `pattern`, in which `*` stands for any text.
fn is_like(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let Some(mut text) = text.strip_prefix(start) else {
        return false;
    };
    let (between, end) = rest.rsplit_once('*').unwrap_or(("", rest));
    for part in between.split('*') {
        match text.find(part) {
            Some(at) => text = &text[at + part.len()..],
            None => return false,
        }
    }
    text.ends_with(end)
}
