//! The query language of words.

use crate::SearchError;
use crate::limits::{MAX_QUERY_BYTES, MAX_QUERY_WORDS};
use crate::words::{begins_word, for_each_word};

/// A query: all of `wanted`, none of `unwanted`.
///
/// `word`, `"a phrase"`, `begin*`, and each of them with a `-` before it. Nothing else has a meaning, so
/// nothing is an error: other characters separate words. A query without any word matches nothing, and
/// so does one with unwanted terms only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WordQuery {
    pub(crate) wanted: Vec<QueryTerm>,
    pub(crate) unwanted: Vec<QueryTerm>,
}

/// Words that stand side by side; at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct QueryTerm {
    pub(crate) words: Vec<String>,
    /// The last word is the beginning of one.
    pub(crate) is_prefix: bool,
}

impl WordQuery {
    pub(crate) fn parse(text: &str) -> Result<Self, SearchError> {
        if text.len() > MAX_QUERY_BYTES {
            return Err(SearchError::QueryTooLong {
                limit: MAX_QUERY_BYTES,
            });
        }
        let mut query = Self {
            wanted: Vec::new(),
            unwanted: Vec::new(),
        };
        let mut rest = text.trim_start();
        while !rest.is_empty() {
            let (source, after) = TermSource::take(rest);
            let terms = if source.is_unwanted {
                &mut query.unwanted
            } else {
                &mut query.wanted
            };
            terms.extend(source.term());
            rest = after.trim_start();
        }
        query.check()
    }

    fn check(self) -> Result<Self, SearchError> {
        let terms = self.wanted.iter().chain(&self.unwanted);
        let words: usize = terms.map(|term| term.words.len()).sum();
        if words > MAX_QUERY_WORDS {
            return Err(SearchError::TooManyWords {
                limit: MAX_QUERY_WORDS,
            });
        }
        Ok(self)
    }

    /// The query without beginnings of words, where it has any: it matches all that the query does, and more.
    pub(crate) fn without_prefixes(&self) -> Option<Self> {
        let has_prefix = |terms: &[QueryTerm]| terms.iter().any(|term| term.is_prefix);
        let without = |term: &QueryTerm| QueryTerm {
            words: term.words[..term.words.len() - usize::from(term.is_prefix)].to_vec(),
            is_prefix: false,
        };
        (has_prefix(&self.wanted) || has_prefix(&self.unwanted)).then(|| Self {
            wanted: self
                .wanted
                .iter()
                .map(without)
                .filter(|term| !term.words.is_empty())
                .collect(),
            unwanted: self
                .unwanted
                .iter()
                .filter(|term| !term.is_prefix)
                .cloned()
                .collect(),
        })
    }

    /// The query for the database's column `body`; something must be wanted. All words are quoted, so
    /// that none is an operator.
    pub(crate) fn expression(&self) -> String {
        let wanted = joined(&self.wanted, " AND ");
        if self.unwanted.is_empty() {
            format!("body : ({wanted})")
        } else {
            let unwanted = joined(&self.unwanted, " OR ");
            format!("(body : ({wanted})) NOT (body : ({unwanted}))")
        }
    }
}

fn joined(terms: &[QueryTerm], operator: &str) -> String {
    let terms: Vec<String> = terms.iter().map(QueryTerm::expression).collect();
    terms.join(operator)
}

impl QueryTerm {
    fn expression(&self) -> String {
        let words = self.words.join(" ");
        let prefix = if self.is_prefix { " *" } else { "" };
        format!("(\"{words}\"{prefix})")
    }
}

/// A term as it is written.
struct TermSource<'a> {
    is_unwanted: bool,
    text: &'a str,
    /// True for a word, false for a phrase.
    is_word: bool,
}

impl<'a> TermSource<'a> {
    /// Takes the first term of a text that does not begin with a space. Returns the rest, too.
    fn take(text: &'a str) -> (Self, &'a str) {
        let negated = text.strip_prefix('-').filter(|rest| {
            let begins = rest.chars().next().is_some_and(begins_word);
            begins || quoted(rest).is_some()
        });
        let is_unwanted = negated.is_some();
        let text = negated.unwrap_or(text);
        if let Some((phrase, rest)) = quoted(text) {
            let source = Self {
                is_unwanted,
                text: phrase,
                is_word: false,
            };
            return (source, rest);
        }
        let end = text.find(char::is_whitespace).unwrap_or(text.len());
        let source = Self {
            is_unwanted,
            text: &text[..end],
            is_word: true,
        };
        (source, &text[end..])
    }

    /// `None` if there is no word in it.
    fn term(&self) -> Option<QueryTerm> {
        let mut words = Vec::new();
        let mut end = 0;
        for_each_word(self.text, |word, range| {
            words.push(word.to_owned());
            end = range.end;
        });
        // One letter begins too many words, and a character of a script without spaces is a word.
        let last = words.last()?.chars().count();
        Some(QueryTerm {
            is_prefix: self.is_word && &self.text[end..] == "*" && last > 1,
            words,
        })
    }
}

/// The quoted phrase at the beginning of a text, and the rest of the text.
fn quoted(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix('"')?.split_once('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expression(text: &str) -> String {
        let query = WordQuery::parse(text).expect("no text is an error");
        if query.wanted.is_empty() {
            "nothing".to_owned()
        } else {
            query.expression()
        }
    }

    #[test]
    fn words_phrases_prefixes_and_exclusions_are_understood() {
        for (text, expected) in [
            ("Fix parser", r#"body : (("fix") AND ("parser"))"#),
            (r#""last byte" x"#, r#"body : (("last byte") AND ("x"))"#),
            ("pars*", r#"body : (("pars" *))"#),
            (
                r#"a -b -"c d" -e-f"#,
                r#"(body : (("a"))) NOT (body : (("b") OR ("c d") OR ("e f")))"#,
            ),
            ("snake_case", r#"body : (("snake case"))"#),
            ("foo_ba*", r#"body : (("foo ba" *))"#),
            ("解析 器*", r#"body : (("解 析") AND ("器"))"#),
        ] {
            assert_eq!(expression(text), expected, "{text}");
        }
    }

    #[test]
    fn nothing_else_has_a_meaning() {
        for (text, expected) in [
            ("NEAR(a b, 2)", r#"body : (("near a") AND ("b") AND ("2"))"#),
            (
                "a AND NOT b",
                r#"body : (("a") AND ("and") AND ("not") AND ("b"))"#,
            ),
            (
                "body:x ^y {z}",
                r#"body : (("body x") AND ("y") AND ("z"))"#,
            ),
            (r#"a" "b"#, r#"body : (("a") AND ("b"))"#),
            (r#""a b"#, r#"body : (("a") AND ("b"))"#),
            (r#""a"b"#, r#"body : (("a") AND ("b"))"#),
            (r#"x"y z""#, r#"body : (("x y") AND ("z"))"#),
            ("--verbose - -- a", r#"body : (("verbose") AND ("a"))"#),
            (
                "a* b** *c d *",
                r#"body : (("a") AND ("b") AND ("c") AND ("d"))"#,
            ),
            (
                "a\0b;DROP TABLE\u{0}",
                r#"body : (("a b drop") AND ("table"))"#,
            ),
            ("", "nothing"),
            (r#"* " "" -* () ::"#, "nothing"),
            ("-only", "nothing"),
        ] {
            assert_eq!(expression(text), expected, "{text}");
        }
    }

    #[test]
    fn a_query_has_bounds() {
        let long = "x".repeat(MAX_QUERY_BYTES + 1);
        let many = "解".repeat(MAX_QUERY_WORDS + 1);
        let error = |text: &str| WordQuery::parse(text).expect_err("too much");
        assert!(matches!(error(&long), SearchError::QueryTooLong { .. }));
        assert!(matches!(error(&many), SearchError::TooManyWords { .. }));
    }
}
