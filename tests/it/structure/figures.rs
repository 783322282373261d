//! How much code there is, and in what portions.

use std::collections::BTreeMap;

use super::facts::{TargetFacts, facts};
use super::source::production;

/// The record with a table of crates and the lines of production code, neither blank nor comments, that each may have.
const BUDGETS: &str = include_str!("../../../docs/design/0041-size.md");
const MAX_FILE_P90: usize = 300;
const MAX_FILE: usize = 500;
const MAX_FUNCTION_MEDIAN: usize = 9;
const MAX_FUNCTION_P90: usize = 25;

/// A crate that needs more than its budget says so in the record, with what was considered instead.
#[test]
fn every_crate_keeps_to_its_budget() {
    let budgets = budgets();
    let mut sizes: BTreeMap<String, usize> = BTreeMap::new();
    for target in delivered() {
        *sizes.entry(target.package.clone()).or_default() += target.code_lines;
    }
    println!("production code: {} lines", sizes.values().sum::<usize>());
    for (name, lines) in &sizes {
        println!("{name}: {lines} of {:?}", budgets.get(name));
    }
    let named: Vec<&String> = budgets.keys().collect();
    assert_eq!(
        named,
        sizes.keys().collect::<Vec<_>>(),
        "crates with a budget"
    );
    let over: Vec<&String> = sizes
        .keys()
        .filter(|name| sizes[*name] > budgets[*name])
        .collect();
    assert!(over.is_empty(), "over budget: {over:?}");
}

fn budgets() -> BTreeMap<String, usize> {
    let table = BUDGETS.split_once("\n## Budgets\n").unwrap().1;
    let table = table.split("\n## ").next().unwrap();
    let rows = table.lines().filter(|line| line.starts_with("| `"));
    let row = |row: &str| {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let lines = cells[1].replace(',', "").parse().unwrap();
        (cells[0].trim_matches('`').to_owned(), lines)
    };
    rows.map(row).collect()
}

/// The targets of production code.
fn delivered() -> impl Iterator<Item = &'static TargetFacts> {
    let names: Vec<String> = production().into_iter().map(|it| it.name).collect();
    let all = facts().iter();
    all.filter(move |target| names.contains(&target.package))
}

#[test]
fn code_comes_in_small_portions() {
    let files = Sizes::of(delivered().flat_map(|target| target.files.clone()));
    let functions = Sizes::of(delivered().flat_map(|target| target.functions.clone()));
    println!("{} files: {files:?}", files.count);
    println!("{} functions: {functions:?}", functions.count);
    assert!(files.p90 <= MAX_FILE_P90, "files: {files:?}");
    assert!(files.max <= MAX_FILE, "files: {files:?}");
    assert!(functions.median <= MAX_FUNCTION_MEDIAN, "{functions:?}");
    assert!(functions.p90 <= MAX_FUNCTION_P90, "{functions:?}");
}

#[derive(Debug)]
struct Sizes {
    count: usize,
    median: usize,
    p90: usize,
    max: usize,
}

impl Sizes {
    fn of(sizes: impl Iterator<Item = usize>) -> Self {
        let mut sizes: Vec<usize> = sizes.collect();
        sizes.sort_unstable();
        Self {
            count: sizes.len(),
            median: sizes[sizes.len() / 2],
            p90: sizes[sizes.len() * 9 / 10],
            max: sizes[sizes.len() - 1],
        }
    }
}
