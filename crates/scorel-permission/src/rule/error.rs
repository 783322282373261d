//! Parse errors of rules.

/// A rule does not parse.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind} (at character {})", position + 1)]
pub struct RuleError {
    /// In characters from 0.
    pub position: usize,
    pub kind: RuleErrorKind,
}

/// The reason why a rule does not parse.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleErrorKind {
    /// No rules have this name.
    #[error("unknown tool `{name}`{}", suggestion.map(|s| format!(", did you mean `{s}`?")).unwrap_or_default())]
    UnknownTool {
        name: String,
        /// The most similar known name.
        suggestion: Option<&'static str>,
    },
    /// The parenthesis is not closed.
    #[error("`)` is missing")]
    Unclosed,
    /// Something follows the closing parenthesis.
    #[error("nothing may follow the closing `)`")]
    Trailing,
    /// Nothing stands in the parentheses.
    #[error("the pattern is empty; without parentheses the rule covers everything")]
    Empty,
    /// A quote is not closed, or nothing follows a backslash.
    #[error("a quotation mark is not closed, or a backslash ends the pattern")]
    Quotation,
    /// A path pattern that is not a glob.
    #[error("the path pattern is not a glob: {0}")]
    Glob(String),
    /// A path pattern that leads out of where it starts.
    #[error("`..` leads out of the project; write an absolute path or one that begins with `~/`")]
    Outside,
    /// A character that no tool's name has, or a `*` that is not the last.
    #[error("expected a tool's name, which may end with `*`, such as `Tool(mcp__github__*)`")]
    ToolName,
    /// The text after `#` is not the beginning of a digest.
    #[error("expected the first 12 hexadecimal digits of the tool's digest, or more, after `#`")]
    Digest,
    /// The text after the name is not an argument with a pattern.
    #[error("expected `ARGUMENT=PATTERN`, such as `Tool(mcp__db__query sql=select *)`")]
    Argument,
    /// A tool that rules are named after.
    #[error("`Tool(…)` is about tools from outside; write `{0}` or `{0}(…)`")]
    BuiltIn(&'static str),
    /// A program named by a path that leads out of the project.
    #[error("`..` leads out of the project; write the program's absolute path")]
    ProgramOutside,
    /// An operator of the shell: a rule is about one command of a line.
    #[error(
        "it never matches: a rule is about one command of a line, and `{operator}` is no part of one{}",
        suggested(suggestion.as_deref())
    )]
    Operator {
        operator: String,
        suggestion: Option<String>,
    },
    /// An assignment that is taken away before a command is judged.
    #[error(
        "it never matches: `{name}` is harmless and not part of what is judged; write `{suggestion}`"
    )]
    Assignment { name: String, suggestion: String },
    /// An expansion of the shell.
    #[error(
        "it never matches: `{0}` is only known when the command runs; write `*` for what may be anything, or quote it"
    )]
    Expansion(String),
    /// A program's name that contains a space.
    #[error("it never matches: no program is called `{name}`; write `{suggestion}`")]
    Spaces { name: String, suggestion: String },
    /// `~` and a name.
    #[error("it never matches: only `~/` stands for a home directory; write an absolute path")]
    OtherHome,
    /// Not `domain:` and a host.
    #[error("expected `domain:` and a host name, such as `domain:example.com`")]
    Host,
}

fn suggested(pattern: Option<&str>) -> String {
    pattern
        .map(|pattern| format!("; write one rule with `{pattern}` and another for the rest"))
        .unwrap_or_default()
}
