use serde::Deserialize;

/// The tools of a server that are offered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct McpToolFilter {
    /// `None` allows all.
    pub allow: Option<Vec<McpToolPattern>>,
    pub deny: Vec<McpToolPattern>,
}

/// The name of a tool as its server has it, or its beginning followed by `*`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct McpToolPattern(String);

impl McpToolFilter {
    /// Returns whether a tool, by the name that its server has for it, is offered.
    pub fn offers(&self, tool: &str) -> bool {
        let covers = |patterns: &[McpToolPattern]| patterns.iter().any(|it| it.covers(tool));
        self.allow.as_deref().is_none_or(covers) && !covers(&self.deny)
    }
}

impl McpToolPattern {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn covers(&self, tool: &str) -> bool {
        match self.0.strip_suffix('*') {
            Some(beginning) => tool.starts_with(beginning),
            None => self.0 == tool,
        }
    }
}

impl TryFrom<String> for McpToolPattern {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, &'static str> {
        let name = text.strip_suffix('*').unwrap_or(&text);
        match text.is_empty() || name.contains('*') || name.contains(char::is_whitespace) {
            true => Err("expected the name of a tool, or its beginning and `*`"),
            false => Ok(Self(text)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patterns(texts: &[&str]) -> Vec<McpToolPattern> {
        let parsed = texts
            .iter()
            .map(|it| McpToolPattern::try_from((*it).to_owned()));
        parsed.collect::<Result<_, _>>().unwrap()
    }

    #[test]
    fn what_is_allowed_and_not_denied_is_offered() {
        let all = McpToolFilter::default();
        assert!(all.offers("read"));
        let some = McpToolFilter {
            allow: Some(patterns(&["read*", "list"])),
            deny: patterns(&["read_secret"]),
        };
        for (tool, offered) in [
            ("read", true),
            ("read_file", true),
            ("list", true),
            ("lists", false),
            ("write", false),
            ("read_secret", false),
        ] {
            assert_eq!(some.offers(tool), offered, "{tool}");
        }
        let none = McpToolFilter {
            allow: Some(Vec::new()),
            ..McpToolFilter::default()
        };
        assert!(!none.offers("read"));
        for text in ["", "*a", "a*b", "a b"] {
            assert!(McpToolPattern::try_from(text.to_owned()).is_err(), "{text}");
        }
    }
}
