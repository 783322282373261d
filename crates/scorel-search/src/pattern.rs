use regex::{Regex, RegexBuilder};

use crate::SearchError;
use crate::limits::{MAX_PATTERN_BYTES, MAX_QUERY_BYTES};

/// The greatest depth of nested groups.
const MAX_NESTING: u32 = 50;

/// Compiles a regular expression. `^` and `$` match at lines.
pub(crate) fn compile(text: &str) -> Result<Regex, SearchError> {
    if text.len() > MAX_QUERY_BYTES {
        return Err(SearchError::QueryTooLong {
            limit: MAX_QUERY_BYTES,
        });
    }
    check_syntax(text)?;
    let compiled = RegexBuilder::new(text)
        .multi_line(true)
        .nest_limit(MAX_NESTING)
        .size_limit(MAX_PATTERN_BYTES)
        .dfa_size_limit(MAX_PATTERN_BYTES)
        .build();
    compiled.map_err(|_too_large| SearchError::PatternTooLarge {
        limit: MAX_PATTERN_BYTES,
    })
}

/// `regex` describes an error with a drawing for terminals; this one says where it is.
fn check_syntax(text: &str) -> Result<(), SearchError> {
    let mut parser = regex_syntax::ParserBuilder::new();
    let parsed = parser
        .multi_line(true)
        .nest_limit(MAX_NESTING)
        .build()
        .parse(text);
    let (reason, span) = match parsed {
        Ok(_) => return Ok(()),
        Err(regex_syntax::Error::Parse(error)) => (error.kind().to_string(), *error.span()),
        Err(regex_syntax::Error::Translate(error)) => (error.kind().to_string(), *error.span()),
        Err(other) => return Err(invalid(other.to_string(), 0, text.len())),
    };
    let (start, end) = (span.start.offset, span.end.offset);
    Err(invalid(reason, start, end.saturating_sub(start)))
}

const fn invalid(reason: String, offset: usize, length: usize) -> SearchError {
    SearchError::InvalidPattern {
        reason,
        offset,
        length,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invalid_expression_says_where() {
        for (text, place) in [
            ("a(b", (1, 1)),
            ("x[z-a]", (2, 3)),
            ("é*+[", (4, 1)),
            (r"\p{No}\p{X}", (6, 5)),
        ] {
            match compile(text) {
                Err(SearchError::InvalidPattern {
                    offset,
                    length,
                    reason,
                }) => {
                    assert_eq!((offset, length), place, "{text}: {reason}");
                    assert!(!reason.contains('\n'), "{reason}");
                }
                other => panic!("{text}: {other:?}"),
            }
        }
    }

    #[test]
    fn an_expression_has_bounds() {
        let deep = format!("{}a{}", "(".repeat(200), ")".repeat(200));
        assert!(matches!(
            compile(&deep),
            Err(SearchError::InvalidPattern { .. })
        ));
        let large = r"(\pL{100}){100}";
        assert!(matches!(
            compile(large),
            Err(SearchError::PatternTooLarge { .. })
        ));
        let long = "x".repeat(MAX_QUERY_BYTES + 1);
        assert!(matches!(
            compile(&long),
            Err(SearchError::QueryTooLong { .. })
        ));
    }
}
