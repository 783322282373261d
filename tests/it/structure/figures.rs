//! How much code there is, and in what portions.

use std::collections::BTreeMap;

use proc_macro2::LineColumn;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Block, Signature};

use super::source::{Package, SourceFile, Target, production};

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
    let sizes: BTreeMap<String, usize> = production().iter().map(size).collect();
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

fn size(package: &Package) -> (String, usize) {
    let targets = package.targets();
    let files = targets.iter().flat_map(|target| &target.files);
    (package.name.clone(), files.map(code_lines).sum())
}

#[test]
fn code_comes_in_small_portions() {
    let targets: Vec<Target> = production().iter().flat_map(|it| it.targets()).collect();
    let files = || targets.iter().flat_map(|target| &target.files);
    let files = Sizes::of(files().map(|file| lines(file).count()));
    let functions = Sizes::of(targets.iter().flat_map(function_sizes));
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

/// The lines of a file that are not there for tests alone.
fn lines(file: &SourceFile) -> impl Iterator<Item = &str> {
    let is_test = |number: usize| file.test_lines.iter().any(|lines| lines.contains(&number));
    let numbered = file.text.lines().zip(1..);
    numbered
        .filter(move |(_, number)| !is_test(*number))
        .map(|(line, _)| line)
}

fn code_lines(file: &SourceFile) -> usize {
    lines(file)
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with("//"))
        .count()
}

/// The lines of each function from `fn` to its closing brace.
fn function_sizes(target: &Target) -> Vec<usize> {
    let mut functions = Functions(Vec::new());
    for item in target.modules.iter().flat_map(|module| &module.items) {
        functions.visit_item(item);
    }
    functions.0
}

struct Functions(Vec<usize>);

impl Functions {
    fn add(&mut self, signature: &Signature, body: &Block) {
        let first: LineColumn = signature.span().start();
        let last = body.span().end();
        self.0.push(last.line - first.line + 1);
    }
}

impl<'ast> Visit<'ast> for Functions {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.add(&item.sig, &item.block);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.add(&item.sig, &item.block);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(body) = &item.default {
            self.add(&item.sig, body);
        }
        visit::visit_trait_item_fn(self, item);
    }
}
