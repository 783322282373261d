use toml::Spanned;
use toml::de::DeValue;

/// A value of a text, with its place.
pub(super) type Parsed<'a> = Spanned<DeValue<'a>>;

/// What the span of a value covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextPlace {
    /// `{ … }`
    Inline,
    /// `[NAME]`, or `[[NAME]]`
    Header,
    /// A part of the name in the header of another table.
    InHeader,
    /// A value that is no table, or the name of a table that is written as `NAME.key = …`.
    Line,
}

impl TextPlace {
    pub(crate) fn of(text: &str, value: &Parsed<'_>) -> Self {
        let span = value.span();
        let begins = |char| text[span.clone()].starts_with(char);
        let is_table = value.get_ref().is_table();
        let before = text[line_start(text, span.start)..span.start].trim_start();
        if is_table && begins('{') {
            Self::Inline
        } else if begins('[') && (is_table || before.is_empty()) {
            Self::Header
        } else if is_table && before.starts_with('[') {
            Self::InHeader
        } else {
            Self::Line
        }
    }
}

/// Where the line with this place begins.
pub(super) fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

/// Where the line with this place ends, with its line break.
pub(super) fn line_end(text: &str, at: usize) -> usize {
    text[at..]
        .find('\n')
        .map_or(text.len(), |newline| at + newline + 1)
}
