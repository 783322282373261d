//! How much code there is, and in what portions.

use proc_macro2::LineColumn;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Block, Signature};

use super::source::{SourceFile, Target, production};

/// Lines of production code that are neither blank nor comments. 52,000 was the aim when the crates
/// got their present shape; each feature since raises it by what it needs: the last for parking, restarts,
/// idle exit, the guard of recovery, the service's verbs, metrics and waiting; then attachments, completions,
/// manual pages, logs and the pager; then the place of invalid params, without a layer around every type; the
/// protocol's own coding of calls, the newest records of a search, and what a refused command leaves; then waits
/// that say why, a daemon that hangs, and conversations with a damaged message; then what reviews of every part found.
/// `docs/design/0041-size.md` says what the last step is for, and what was considered instead.
const MAX_CODE: usize = 123_700;
/// Lines of the daemon's process, of every kind; 640 of them are the command `config`, and 330 the takeover
/// by a managed start; completions and manual pages are 60, the watchdog is 240, and what `doctor` says of units 60.
const MAX_DAEMON: usize = 4_080;
const MAX_FILE_P90: usize = 300;
const MAX_FILE: usize = 500;
const MAX_FUNCTION_MEDIAN: usize = 9;
const MAX_FUNCTION_P90: usize = 25;

#[test]
fn code_comes_in_small_portions() {
    let targets: Vec<Target> = production().iter().flat_map(|it| it.targets()).collect();
    let files = || targets.iter().flat_map(|target| &target.files);
    let code: usize = files().map(code_lines).sum();
    let files = Sizes::of(files().map(|file| lines(file).count()));
    let functions = Sizes::of(targets.iter().flat_map(function_sizes));
    println!("production code: {code} lines");
    println!("{} files: {files:?}", files.count);
    println!("{} functions: {functions:?}", functions.count);
    assert!(code <= MAX_CODE, "{code} lines of code");
    assert!(files.p90 <= MAX_FILE_P90, "files: {files:?}");
    assert!(files.max <= MAX_FILE, "files: {files:?}");
    assert!(functions.median <= MAX_FUNCTION_MEDIAN, "{functions:?}");
    assert!(functions.p90 <= MAX_FUNCTION_P90, "{functions:?}");
}

#[test]
fn the_process_of_the_daemon_is_small() {
    let packages = production();
    let daemon = packages.iter().find(|it| it.name == "scoreld").unwrap();
    let targets = daemon.targets();
    let files = targets.iter().flat_map(|target| &target.files);
    let count: usize = files.map(|file| lines(file).count()).sum();
    println!("scoreld: {count} lines");
    assert!(count <= MAX_DAEMON, "{count} lines in scoreld/src");
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
