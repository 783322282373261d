//! ARCHITECTURE.md names what exists.

use std::collections::HashSet;
use std::fs;

use super::source::{collect, root};

const PAGE: &str = include_str!("../../../ARCHITECTURE.md");

/// Crates and what each may use, in the order of the page.
pub(crate) fn arrows() -> Vec<(String, Vec<String>)> {
    let block = section("Which crate may use which");
    let block = block.split("```text\n").nth(1).unwrap();
    let lines = block.split("```").next().unwrap().lines();
    let arrow = |line: &str| {
        let (name, used) = line.split_once(':').unwrap();
        let used = used.split(',').map(|name| name.trim().to_owned());
        let mut used: Vec<String> = used.filter(|name| !name.is_empty()).collect();
        used.sort();
        (name.trim().to_owned(), used)
    };
    lines.map(arrow).collect()
}

/// What stands between a heading and the next.
fn section(heading: &str) -> &'static str {
    let begin = format!("## {heading}\n");
    let text = PAGE.split_once(&begin).map(|(_, text)| text);
    let text = text.unwrap_or_else(|| panic!("ARCHITECTURE.md has no section {heading:?}"));
    text.split("\n## ").next().unwrap()
}

/// The rows of the table of a section, as cells.
fn rows(heading: &str) -> Vec<Vec<&'static str>> {
    let rows = section(heading)
        .lines()
        .filter(|line| line.starts_with('|'));
    let cells = |row: &'static str| row.trim_matches('|').split('|').map(str::trim).collect();
    rows.skip(2).map(cells).collect()
}

/// What stands between backticks.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

#[test]
fn the_page_answers_the_questions_of_a_newcomer_with_a_file_and_its_names() {
    let rows = rows("Questions of a newcomer");
    assert_eq!(rows.len(), 17);
    for row in rows {
        let [question, answer, file] = row[..] else {
            panic!("{row:?}: a question, an answer and where to read on");
        };
        let files: Vec<&str> = code(file).collect();
        assert!((1..=2).contains(&files.len()), "{question}: {files:?}");
        let texts: Vec<String> = files.iter().map(|file| read(file)).collect();
        let declared: HashSet<&str> = texts.iter().flat_map(|text| declarations(text)).collect();
        let symbols: Vec<&str> = code(answer).filter(|code| is_symbol(code)).collect();
        assert!(!symbols.is_empty(), "{question}: no name to look for");
        for symbol in symbols {
            let found = declare(&declared, symbol);
            assert!(found, "{question}: {files:?} do not declare {symbol}");
        }
    }
}

#[test]
fn every_path_that_the_page_names_exists() {
    for row in rows("Code map") {
        let dir = code(row[0]).next().unwrap();
        for file in code(row[2]) {
            let found = [format!("{dir}/src/{file}"), format!("{dir}/{file}")]
                .iter()
                .any(|path| root().join(path).exists());
            assert!(found, "{dir} has no {file}");
        }
    }
    let tops = [
        "proto/",
        "crates/",
        "scoreld/",
        "scorelctl/",
        "tests/",
        "docs/",
        "systemd/",
    ];
    for path in code(PAGE).filter(|code| tops.iter().any(|top| code.starts_with(top))) {
        assert!(root().join(path).exists(), "ARCHITECTURE.md names {path}");
    }
    for link in PAGE.split("](").skip(1) {
        let link = link.split([')', '#']).next().unwrap();
        assert!(
            root().join(link).exists(),
            "ARCHITECTURE.md links to {link}"
        );
    }
}

#[test]
fn every_name_of_the_code_that_the_page_uses_is_declared() {
    let mut sources = Vec::new();
    for dir in [
        "proto/src",
        "crates",
        "scoreld/src",
        "scorelctl/src",
        "tests",
    ] {
        collect(&root().join(dir), &mut sources);
    }
    let declared: HashSet<&str> = sources.iter().flat_map(|text| declarations(text)).collect();
    for symbol in code(PAGE).filter(|code| is_symbol(code)) {
        assert!(
            declare(&declared, symbol),
            "ARCHITECTURE.md names {symbol}, which nothing declares"
        );
    }
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// `Type`, `Type::function`, `CONSTANT` or `function()`.
fn is_symbol(code: &str) -> bool {
    let name = code.strip_suffix("()").unwrap_or(code);
    let is_word = |part: &str| {
        !part.is_empty()
            && part
                .chars()
                .all(|char| char.is_ascii_alphanumeric() || char == '_')
    };
    name.split("::").all(is_word) && (name != code || code.starts_with(char::is_uppercase))
}

/// Returns whether a symbol is declared: of `Type::function`, each part.
fn declare(declared: &HashSet<&str>, symbol: &str) -> bool {
    let symbol = symbol.strip_suffix("()").unwrap_or(symbol);
    symbol.split("::").all(|name| declared.contains(name))
}

/// The names that a text declares.
fn declarations(text: &str) -> impl Iterator<Item = &str> {
    let keywords = [
        "struct ",
        "enum ",
        "trait ",
        "type ",
        "fn ",
        "const ",
        "static ",
        "macro_rules! ",
    ];
    let is_end = |char: char| !char.is_ascii_alphanumeric() && char != '_';
    let behind = move |keyword: &'static str| text.split(keyword).skip(1);
    let rests = keywords.into_iter().flat_map(behind);
    rests.filter_map(move |rest| rest.split(is_end).next())
}
