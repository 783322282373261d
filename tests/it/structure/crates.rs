//! The arrows between crates are those of ARCHITECTURE.md, and all of them point one way.

use std::collections::BTreeMap;

use super::page;
use super::source::{Package, collect, packages, root};

#[test]
fn crates_depend_on_each_other_as_the_architecture_says() {
    let declared: BTreeMap<String, Vec<String>> = page::arrows().into_iter().collect();
    for package in packages() {
        let mut named = dependencies(&package, "dependencies");
        // The test package asks itself for a feature.
        named.retain(|name| *name != package.name);
        let allowed = declared
            .get(&package.name)
            .unwrap_or_else(|| panic!("ARCHITECTURE.md does not list {}", package.name));
        assert_eq!(&named, allowed, "{}", package.name);
    }
    assert_eq!(declared.len(), packages().len());
}

#[test]
fn no_arrow_between_crates_points_back() {
    let order: Vec<String> = page::arrows().into_iter().map(|(name, _)| name).collect();
    let place = |name: &str| order.iter().position(|other| other == name);
    for package in packages() {
        for table in ["dependencies", "dev-dependencies", "build-dependencies"] {
            for used in dependencies(&package, table) {
                assert!(
                    place(&used) < place(&package.name) || used == package.name,
                    "{} comes before {used} in ARCHITECTURE.md and must not use it",
                    package.name
                );
            }
        }
    }
}

#[test]
fn every_dependency_is_used() {
    for package in packages() {
        let dir = root().join(&package.dir);
        let (mut delivered, mut all) = (Vec::new(), Vec::new());
        collect(&dir.join("src"), &mut delivered);
        collect(&dir, &mut all);
        for (table, texts) in [("dependencies", &delivered), ("dev-dependencies", &all)] {
            for name in all_dependencies(&package, table) {
                let ident = name.replace('-', "_");
                let used = name == package.name || texts.iter().any(|text| mentions(text, &ident));
                assert!(used, "{} does not use {name} of its {table}", package.name);
            }
        }
    }
}

fn mentions(text: &str, ident: &str) -> bool {
    let is_word = |char: char| char.is_ascii_alphanumeric() || char == '_';
    text.match_indices(ident).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + ident.len()..].chars().next();
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    })
}

/// The crates of the workspace in a table of a manifest, sorted.
fn dependencies(package: &Package, table: &str) -> Vec<String> {
    let mut names = all_dependencies(package, table);
    names.retain(|name| name.starts_with("scorel"));
    names.sort();
    names.dedup();
    names
}

/// The dependencies in a table of a manifest, those of single platforms included.
fn all_dependencies(package: &Package, table: &str) -> Vec<String> {
    let targets = package.manifest.get("target").and_then(|it| it.as_table());
    let platforms = targets.into_iter().flat_map(|targets| targets.values());
    let mut tables: Vec<&toml::Value> = platforms.filter_map(|it| it.get(table)).collect();
    tables.extend(package.manifest.get(table));
    tables
        .iter()
        .filter_map(|table| table.as_table())
        .flat_map(|table| table.keys().cloned())
        .collect()
}

/// A crate without examples saves a run of rustdoc; one with examples runs them.
#[test]
fn every_example_in_docs_is_run() {
    for package in packages() {
        let dir = root().join(&package.dir);
        let mut texts = Vec::new();
        collect(&dir.join("src"), &mut texts);
        let has_examples = texts.iter().any(|text| has_example(text));
        let manifest = std::fs::read_to_string(dir.join("Cargo.toml")).unwrap();
        let runs = !manifest.contains("doctest = false");
        assert_eq!(runs, has_examples, "{}: `doctest`", package.name);
    }
}

/// Rust is what a fence without a language has.
fn has_example(text: &str) -> bool {
    let docs = text.lines().filter_map(|line| {
        let line = line.trim_start();
        line.strip_prefix("///")
            .or_else(|| line.strip_prefix("//!"))
    });
    let fences = docs.map(str::trim).filter(|doc| doc.starts_with("```"));
    // Each second fence closes the one before.
    fences.step_by(2).any(|fence| fence == "```")
}
