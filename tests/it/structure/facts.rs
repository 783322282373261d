//! The facts about targets that several tests look at: all code is parsed once.

use std::num::NonZero;
use std::sync::LazyLock;
use std::thread;

use proc_macro2::LineColumn;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Block, Signature};

use super::source::{Package, SourceFile, Target, packages};
use super::uses::{Arrows, arrows};

static FACTS: LazyLock<Vec<TargetFacts>> = LazyLock::new(read);

pub(crate) struct TargetFacts {
    /// The package that it is of.
    pub(crate) package: String,
    /// Its files, relative to the root of the workspace.
    pub(crate) paths: Vec<String>,
    /// Which of these uses names of which.
    pub(crate) arrows: Arrows,
    /// The modules at the top of the crate, with the crate's root as the first, and the one that each file belongs to.
    pub(crate) rooms: (Vec<String>, Vec<usize>),
    /// The lines that are neither blank nor comments nor for tests.
    pub(crate) code_lines: usize,
    /// The lines of each file that are not for tests.
    pub(crate) files: Vec<usize>,
    /// The lines of each function.
    pub(crate) functions: Vec<usize>,
}

/// The targets of all packages.
pub(crate) fn facts() -> &'static [TargetFacts] {
    &FACTS
}

fn read() -> Vec<TargetFacts> {
    let packages = packages();
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let read = |first: usize| -> Vec<TargetFacts> {
        let packages = packages.iter().skip(first).step_by(threads);
        packages.flat_map(facts_of).collect()
    };
    thread::scope(|scope| {
        let read = &read;
        let readers: Vec<_> = (0..threads)
            .map(|first| scope.spawn(move || read(first)))
            .collect();
        let read = readers.into_iter().map(|reader| reader.join().unwrap());
        read.flatten().collect()
    })
}

fn facts_of(package: &Package) -> Vec<TargetFacts> {
    let targets = package.targets();
    let facts = targets.iter().map(|target| TargetFacts {
        package: package.name.clone(),
        paths: target
            .files
            .iter()
            .map(|it| it.path.display().to_string())
            .collect(),
        arrows: arrows(target),
        rooms: rooms(target),
        code_lines: target.files.iter().map(code_lines).sum(),
        files: target.files.iter().map(|it| lines(it).count()).collect(),
        functions: function_sizes(target),
    });
    facts.collect()
}

fn rooms(target: &Target) -> (Vec<String>, Vec<usize>) {
    let root = target.files[0].path.display().to_string();
    let mut names = vec![root.clone()];
    let mut rooms = vec![0; target.files.len()];
    for module in &target.modules {
        let Some(top) = module.path.first() else {
            continue;
        };
        let name = format!("{root}::{top}");
        let room = names.iter().position(|it| *it == name);
        rooms[module.file] = room.unwrap_or_else(|| {
            names.push(name);
            names.len() - 1
        });
    }
    // A module that is written inside of the root's file does not move that file.
    rooms[0] = 0;
    (names, rooms)
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
