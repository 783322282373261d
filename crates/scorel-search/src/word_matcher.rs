use std::collections::HashMap;
use std::ops::Range;

use crate::word_query::{QueryTerm, WordQuery};
use crate::words::for_each_word;

/// Compares texts with a query.
#[derive(Debug)]
pub(crate) struct WordMatcher<'q> {
    query: &'q WordQuery,
    /// The words of the query, numbered.
    numbers: HashMap<&'q str, u32>,
    /// The words that are beginnings.
    prefixes: Vec<&'q str>,
}

/// The words of a text that the query has.
#[derive(Debug, Default)]
struct WordPositions {
    /// The number of each word in the query; `None` for words that are not in it.
    numbers: Vec<Option<u32>>,
    ranges: Vec<Range<usize>>,
    /// The positions of words that match a prefix, by the index of the prefix in `prefixes`.
    begun: Vec<Vec<usize>>,
}

impl<'q> WordMatcher<'q> {
    pub(crate) fn new(query: &'q WordQuery) -> Self {
        let mut numbers = HashMap::new();
        let mut prefixes = Vec::new();
        for term in query.wanted.iter().chain(&query.unwanted) {
            for word in &term.words {
                let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
                numbers.entry(word.as_str()).or_insert(next);
            }
            if term.is_prefix {
                prefixes.extend(term.words.last().map(String::as_str));
            }
        }
        Self {
            query,
            numbers,
            prefixes,
        }
    }

    /// Where the text matches, in bytes, in order and without overlap; `None` if it does not.
    pub(crate) fn find(&self, text: &str) -> Option<Vec<Range<usize>>> {
        let found = self.words_of(text);
        let has = |term: &QueryTerm| self.matches(term, &found).next().is_some();
        if self.query.wanted.is_empty() || self.query.unwanted.iter().any(has) {
            return None;
        }
        let mut ranges = Vec::new();
        for term in &self.query.wanted {
            let before = ranges.len();
            ranges.extend(self.matches(term, &found));
            if ranges.len() == before {
                return None;
            }
        }
        Some(merged(ranges))
    }

    fn words_of(&self, text: &str) -> WordPositions {
        let mut found = WordPositions {
            begun: vec![Vec::new(); self.prefixes.len()],
            ..WordPositions::default()
        };
        for_each_word(text, |word, range| {
            for (begun, prefix) in found.begun.iter_mut().zip(&self.prefixes) {
                if word.starts_with(prefix) {
                    begun.push(found.ranges.len());
                }
            }
            found.numbers.push(self.numbers.get(word).copied());
            found.ranges.push(range);
        });
        found
    }

    /// Where the words of a term stand side by side.
    fn matches<'a>(
        &'a self,
        term: &'a QueryTerm,
        found: &'a WordPositions,
    ) -> impl Iterator<Item = Range<usize>> + 'a {
        let numbers: Vec<Option<u32>> = term
            .words
            .iter()
            .map(|word| self.numbers.get(word.as_str()).copied())
            .collect();
        let (exact, begun) = match term.words.split_last() {
            Some((last, _)) if term.is_prefix => {
                let mut prefixes = self.prefixes.iter();
                let at = prefixes.position(|prefix| prefix == last);
                (numbers.len() - 1, at.map(|at| &found.begun[at]))
            }
            _ => (numbers.len(), None),
        };
        let len = numbers.len();
        let starts = 0..(found.numbers.len() + 1).saturating_sub(len);
        starts
            .filter(move |start| {
                let last = start + len - 1;
                found.numbers[*start..start + exact] == numbers[..exact]
                    && begun.is_none_or(|begun| begun.binary_search(&last).is_ok())
            })
            .map(move |start| found.ranges[start].start..found.ranges[start + len - 1].end)
    }
}

fn merged(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_unstable_by_key(|range| (range.start, range.end));
    let mut merged: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(query: &str, text: &str) -> Option<Vec<String>> {
        let query = WordQuery::parse(query).expect("valid");
        let ranges = WordMatcher::new(&query).find(text)?;
        Some(
            ranges
                .into_iter()
                .map(|range| text[range].to_owned())
                .collect(),
        )
    }

    #[test]
    fn matches_are_found_where_they_stand() {
        for (query, text, expected) in [
            ("byte", "The last Byte.", Some(vec!["Byte"])),
            ("\"last byte\"", "last, byte", Some(vec!["last, byte"])),
            ("\"last byte\"", "byte last", None),
            ("pars*", "a Parser parses", Some(vec!["Parser", "parses"])),
            ("\"x\" pars*", "parser", None),
            ("foo_ba*", "foo.bar foo.qux", Some(vec!["foo.bar"])),
            ("a -b", "a b", None),
            ("a -b", "a c a", Some(vec!["a", "a"])),
            ("解析", "這個解析器", Some(vec!["解析"])),
            ("解析", "解 x 析", None),
            ("\"a a\"", "a a a", Some(vec!["a a a"])),
            ("cafe", "cafe\u{301}", Some(vec!["cafe\u{301}"])),
            ("*", "*", None),
            ("-b", "a", None),
        ] {
            let expected = expected.map(|words| words.into_iter().map(str::to_owned).collect());
            assert_eq!(found(query, text), expected, "{query} in {text}");
        }
    }
}
