//! Generated queries, most of them hostile, against a scan of the same conversations.

use std::fs::{self, OpenOptions};
use std::io::Write as _;

use regex::Regex;
use scorel_proto::{ProjectId, Role, SearchHit};
use scorel_search::{SearchError, SearchFilter, SearchedSession};
use scorel_testkit::{SeededDice, runs};

use crate::corpus::{Corpus, CorpusText, PIECES};
use crate::search_home::{SearchHome, everything};

/// What a query language might read something into, and the words in it. Some are at the end only: a
/// quotation mark would find its partner.
const TRAPS: &[(&str, &[&str])] = &[
    ("*", &[]),
    ("**", &[]),
    ("-*", &[]),
    ("-", &[]),
    ("--flag", &["flag"]),
    ("+x", &["x"]),
    ("^body", &["body"]),
    ("body:x", &["body", "x"]),
    ("{body", &["body"]),
    ("-:a", &["a"]),
    ("NEAR(", &["near"]),
    ("near/2", &["near", "2"]),
    ("AND", &["and"]),
    ("OR", &["or"]),
    ("NOT", &["not"]),
    ("()", &[]),
    (");", &[]),
    ("';", &[]),
    ("x*y", &["x", "y"]),
    ("a*", &["a"]),
    ("解*", &["解"]),
    ("%_?", &[]),
    ("\\", &[]),
    ("\u{0}", &[]),
    ("a\u{0}x", &["a", "x"]),
    ("\u{301}", &[]),
    ("\u{feff}\u{202e}", &[]),
];

const LAST_TRAPS: &[(&str, &[&str])] = &[
    ("\"", &[]),
    ("\"last", &["last"]),
    ("-\"x", &["x"]),
    ("x\"", &["x"]),
];

/// A query with what it means.
#[derive(Debug, Default)]
struct KnownQuery {
    text: String,
    wanted: Vec<KnownTerm>,
    unwanted: Vec<KnownTerm>,
}

#[derive(Debug)]
struct KnownTerm {
    words: Vec<String>,
    is_prefix: bool,
}

impl KnownTerm {
    fn is_in(&self, words: &[&str]) -> bool {
        words.windows(self.words.len()).any(|window| {
            let last = self.words.len() - 1;
            window[..last].iter().zip(&self.words).all(|(a, b)| a == b)
                && (window[last] == self.words[last]
                    || (self.is_prefix && window[last].starts_with(&self.words[last])))
        })
    }
}

impl KnownQuery {
    fn roll(dice: &mut SeededDice) -> Self {
        let mut query = Self::default();
        for _ in 0..dice.roll(1..4) {
            match dice.roll(0..10) {
                0..4 => query.word(dice),
                4..6 => query.phrase(dice),
                6..8 => query.prefix(dice),
                _ => query.trap(TRAPS, dice),
            }
            query.text.push(' ');
        }
        if dice.chance(20) {
            query.trap(LAST_TRAPS, dice);
        }
        query
    }

    fn add(&mut self, is_unwanted: bool, words: Vec<String>, is_prefix: bool) {
        let term = KnownTerm { words, is_prefix };
        if is_unwanted {
            self.unwanted.push(term);
        } else {
            self.wanted.push(term);
        }
    }

    fn sign(&mut self, dice: &mut SeededDice) -> bool {
        let is_unwanted = dice.chance(15);
        if is_unwanted {
            self.text.push('-');
        }
        is_unwanted
    }

    fn word(&mut self, dice: &mut SeededDice) {
        let (piece, words) = PIECES[dice.index(0..PIECES.len())];
        if piece.contains(' ') {
            return self.phrase(dice);
        }
        let is_unwanted = self.sign(dice);
        self.text.push_str(piece);
        self.add(is_unwanted, owned(words), false);
    }

    fn phrase(&mut self, dice: &mut SeededDice) {
        let is_unwanted = self.sign(dice);
        let (first, mut words) = {
            let (piece, words) = PIECES[dice.index(0..PIECES.len())];
            (piece, owned(words))
        };
        let (second, more) = PIECES[dice.index(0..PIECES.len())];
        self.text.push_str(&format!("\"{first} {second}\""));
        words.extend(owned(more));
        self.add(is_unwanted, words, false);
    }

    fn prefix(&mut self, dice: &mut SeededDice) {
        let beginnings = ["pars", "caf", "Ca", "e3b0", "한국", "σι", "last_by"];
        let beginning = beginnings[dice.index(0..beginnings.len())];
        let is_unwanted = self.sign(dice);
        self.text.push_str(&format!("{beginning}*"));
        let words = beginning.to_lowercase();
        self.add(
            is_unwanted,
            words.split('_').map(str::to_owned).collect(),
            true,
        );
    }

    fn trap(&mut self, traps: &[(&str, &[&str])], dice: &mut SeededDice) {
        let (trap, words) = traps[dice.index(0..traps.len())];
        self.text.push_str(trap);
        if !words.is_empty() {
            self.add(false, owned(words), false);
        }
    }

    fn matches(&self, words: &[&str]) -> bool {
        !self.wanted.is_empty()
            && self.wanted.iter().all(|term| term.is_in(words))
            && !self.unwanted.iter().any(|term| term.is_in(words))
    }
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// Filters are rare enough that most queries find something.
fn roll_filter(corpus: &Corpus, dice: &mut SeededDice) -> SearchFilter {
    let mut filter = everything();
    if dice.chance(30) {
        filter.project_id = Some(corpus.sessions[dice.index(0..corpus.sessions.len())].project_id);
    }
    filter.archived = dice.chance(20);
    if dice.chance(30) {
        filter.role = Some([Role::User, Role::Assistant, Role::ToolResult][dice.index(0..3)]);
    }
    if dice.chance(30) {
        filter.since = corpus.texts[dice.index(0..corpus.texts.len())].ts;
    }
    filter.limit = dice.index(1..20);
    filter
}

fn passes(corpus: &Corpus, text: &CorpusText, filter: &SearchFilter) -> bool {
    let session = &corpus.sessions[text.session];
    session.archived == filter.archived
        && filter.project_id.is_none_or(|id| id == session.project_id)
        && filter.role.is_none_or(|role| role == text.role)
        && text.ts >= filter.since
}

fn places(hits: &[SearchHit]) -> Vec<(String, u64)> {
    let places = hits
        .iter()
        .map(|hit| (hit.session_id.to_string(), hit.seq.get()));
    let mut places: Vec<_> = places.collect();
    places.sort();
    places
}

fn expected(
    corpus: &Corpus,
    filter: &SearchFilter,
    matches: impl Fn(&CorpusText) -> bool,
) -> Vec<(String, u64)> {
    let texts = corpus.texts.iter();
    let found = texts.filter(|text| passes(corpus, text, filter) && matches(text));
    let places = found.map(|text| (corpus.sessions[text.session].id.to_string(), text.seq));
    let mut places: Vec<_> = places.collect();
    places.sort();
    places
}

fn check_ranges(hit: &SearchHit, query: &str) {
    assert!(!hit.ranges.is_empty(), "{query}: {hit:?}");
    let mut end = 0;
    for range in &hit.ranges {
        let part = hit.snippet.get(range[0] as usize..range[1] as usize);
        assert!(
            part.is_some_and(|part| !part.is_empty()),
            "{query}: {hit:?}"
        );
        assert!(range[0] >= end, "{query}: {hit:?}");
        end = range[1];
    }
}

#[test]
fn words_find_what_a_scan_finds() {
    let mut dice = SeededDice::for_test("search::words");
    let home = SearchHome::new();
    let corpus = Corpus::write(&home, &mut dice);
    home.start();
    let mut found = 0;
    for _ in 0..runs("SCOREL_SEARCH_QUERIES", 500) {
        let query = KnownQuery::roll(&mut dice);
        let filter = roll_filter(&corpus, &mut dice);
        let hits = home.words(&query.text, &filter);
        let of_people = |text: &CorpusText| matches!(text.role, Role::User | Role::Assistant);
        let all = expected(&corpus, &filter, |text| {
            of_people(text) && query.matches(&text.words)
        });
        assert_eq!(places(&hits), all, "{query:?} {filter:?}");
        assert!(hits.iter().map(|hit| hit.ts).rev().is_sorted(), "{query:?}");
        hits.iter().for_each(|hit| check_ranges(hit, &query.text));
        found += usize::from(!hits.is_empty());
    }
    println!("{found} queries have found something");
    assert!(found > 100, "the queries test little");
}

#[test]
fn regular_expressions_find_what_a_scan_finds() {
    let patterns = [
        "parser|解析",
        r"(?i)cafe\u{301}?s",
        r"^\S+ last",
        r"byte.*🚀",
        r"\bfn \w+\(&self\)",
        r"(?s)drop.+table",
        r"\x00",
        r"[\u{0e00}-\u{0eff}]{3}",
        r#"" "#,
        "x*",
        "does not occur",
    ];
    let mut dice = SeededDice::for_test("search::regex");
    let home = SearchHome::new();
    let corpus = Corpus::write(&home, &mut dice);
    let mut found = 0;
    for pattern in patterns {
        let regex = Regex::new(&format!("(?m){pattern}")).unwrap();
        for _ in 0..4 {
            let filter = roll_filter(&corpus, &mut dice);
            let sessions = corpus.scanned(filter.archived, filter.project_id);
            let hits = home.regex(pattern, &filter, &sessions);
            let all = expected(&corpus, &filter, |text| {
                regex.find_iter(&text.text).any(|found| !found.is_empty())
            });
            assert_eq!(places(&hits), all, "{pattern} {filter:?}");
            hits.iter().for_each(|hit| check_ranges(hit, pattern));
            found += hits.len();
        }
    }
    assert!(found > 100, "{found} hits");
}

#[test]
fn a_log_with_a_long_run_of_other_bytes_is_scanned_to_its_beginning() {
    // How much of a log is read at a time, in bytes.
    const BLOCK: usize = 8 * 1024 * 1024;
    for len in [BLOCK - 1, BLOCK, 2 * BLOCK + 5] {
        let home = SearchHome::new();
        let project_id = ProjectId::generate();
        let mut log = home.log(project_id);
        let before = log.say(Role::User, "one apple", 1);
        let path = home.log_path(log.id);
        let line = {
            let text = fs::read(&path).unwrap();
            let start = text[..text.len() - 1].iter().rposition(|it| *it == b'\n');
            text[start.unwrap() + 1..].to_vec()
        };
        let mut file = OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(&vec![b'x'; len]).unwrap();
        file.write_all(b"\n").unwrap();
        file.write_all(&line).unwrap();
        let session = SearchedSession {
            session_id: log.id,
            project_id,
            title: None,
        };
        let mut filter = everything();
        let mut seqs = Vec::new();
        for _ in 0..5 {
            let scanned = vec![session.clone()];
            let page = home.index.regex("apple", &filter, scanned).unwrap();
            seqs.extend(page.hits.iter().map(|hit| hit.seq));
            filter.cursor = page.next_cursor;
            if filter.cursor.is_none() {
                break;
            }
        }
        assert_eq!(filter.cursor, None, "{len}: the scan does not end");
        assert_eq!(seqs, [before.seq, before.seq], "{len}");
    }
}

#[test]
fn the_longest_queries_are_answered() {
    let home = SearchHome::new();
    home.log(ProjectId::generate()).say(Role::User, "a 解", 1);
    home.start();
    for (query, count) in [
        ("a 解 ".repeat(128), 1),
        ("a -b ".repeat(128), 1),
        ("\"解 a\" ".repeat(128), 0),
        ("解".repeat(256), 0),
        ("-\"b b\" ".repeat(127) + "a", 1),
    ] {
        assert_eq!(home.words(&query, &everything()).len(), count, "{query}");
    }
}

#[test]
fn a_query_that_is_refused_says_why() {
    let home = SearchHome::new();
    home.start();
    let words = |query: &str, cursor: Option<&str>| {
        let cursor = cursor.map(str::to_owned);
        home.index
            .words(
                query,
                &SearchFilter {
                    cursor,
                    ..everything()
                },
            )
            .unwrap_err()
    };
    assert!(matches!(
        words(&"解".repeat(300), None),
        SearchError::TooManyWords { .. }
    ));
    assert!(matches!(
        words("x", Some("regex.1")),
        SearchError::InvalidCursor
    ));
    let broken = home
        .index
        .regex("(", &everything(), Vec::new())
        .unwrap_err();
    assert_eq!(
        broken.to_string(),
        "the regular expression is invalid at byte 0: unclosed group"
    );
}
