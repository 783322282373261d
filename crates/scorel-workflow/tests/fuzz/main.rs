//! Changed texts for the parsers of heads and packages: none of them panics, and memory stays bounded. A program of its own,
//! since its memory is measured.
//!
//! Some seconds; with `SCOREL_LONG=1` ten minutes. `SCOREL_SEED` repeats a run.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(
    clippy::print_stdout,
    reason = "the seed is for those who repeat the test"
)]

mod changes;

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::hash::{BuildHasher as _, RandomState};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use changes::Changes;
use scorel_frontmatter::{Document, Frontmatter};
use scorel_workflow::{MAX_TEXT_BYTES, Package, PackageFiles, Plan, RunDocument, StateUpdate};
use serde_json::json;

/// KiB that the process may have at its largest.
const MAX_KIB: u64 = 64 * 1024;

fn time() -> Duration {
    match env::var_os("SCOREL_LONG") {
        Some(_) => Duration::from_secs(600),
        None => Duration::from_secs(3),
    }
}

fn changes(test: &str) -> Changes {
    let seed = env::var("SCOREL_SEED").ok().and_then(|it| it.parse().ok());
    let seed = seed.unwrap_or_else(|| RandomState::new().hash_one(test));
    println!("{test}: SCOREL_SEED={seed}");
    Changes::new(seed)
}

/// The files of the packages in `docs/workflows`, by package.
fn packages() -> Vec<BTreeMap<String, String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/workflows");
    let dirs = fs::read_dir(root).unwrap().map(|it| it.unwrap().path());
    dirs.map(|dir| {
        let mut files = BTreeMap::new();
        add_below(&dir, &dir, &mut files);
        files
    })
    .collect()
}

fn add_below(root: &Path, dir: &Path, files: &mut BTreeMap<String, String>) {
    let paths = fs::read_dir(dir).unwrap().map(|it| it.unwrap().path());
    let (dirs, texts): (Vec<PathBuf>, Vec<PathBuf>) = paths.partition(|it| it.is_dir());
    for path in texts {
        let name = path.strip_prefix(root).unwrap().to_str().unwrap();
        files.insert(name.to_owned(), fs::read_to_string(&path).unwrap());
    }
    dirs.iter().for_each(|dir| add_below(root, dir, files));
}

fn check_memory() {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|it| it.starts_with("VmHWM:")).unwrap();
    let kib: u64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    assert!(kib <= MAX_KIB, "{kib} KiB");
}

/// A head that is read is edited too: the values are those that were set, and the body stays.
fn read_and_edit(text: &str, update: &StateUpdate) {
    drop(Frontmatter::parse(text));
    if let Ok(run) = RunDocument::parse(text)
        && let Ok(updated) = run.updated(update, "2026-01-02T03:04:05Z")
    {
        let again = RunDocument::parse(updated.text()).unwrap();
        assert_eq!(again.state(), updated.state(), "{text:?}");
    }
    let Ok(document) = Document::parse(text) else {
        return;
    };
    for (key, value) in [("new", json!(["x"])), ("title", json!({"a": null}))] {
        if let Ok(edited) = document.set(key, &value) {
            assert_eq!(edited.values()[key], value, "{text:?}");
            assert_eq!(edited.body(), document.body(), "{text:?}");
        }
    }
}

#[test]
fn changed_texts_are_read_or_refused_within_memory() {
    let packages = packages();
    let heads = packages.iter().flat_map(BTreeMap::values);
    let mut heads: Vec<&str> = heads
        .map(String::as_str)
        .filter(|it| it.starts_with("---"))
        .collect();
    let nested = format!(
        "---\na: {}{}\nb: [&x 1, *x]\nc: !!str |\n  x\n---\n",
        "[{b: ".repeat(9),
        "}]".repeat(9)
    );
    heads.push(&nested);
    let update = json!({"stepsCompleted": {"append": ["a"]}, "variables": {"set": {"b": 1.5}}});
    let update: StateUpdate = serde_json::from_value(update).unwrap();
    let mut changes = changes("fuzz");
    let (begin, mut read) = (Instant::now(), 0_u64);
    while begin.elapsed() < time() {
        read_and_edit(&changes.of(&heads), &update);
        let files = &packages[changes.below(packages.len())];
        let chosen = changes.below(files.len());
        let mut given = PackageFiles::default();
        for (index, (path, text)) in files.iter().enumerate() {
            let bytes = match index == chosen {
                true => changes.of(&[text]).into_bytes(),
                false => text.clone().into_bytes(),
            };
            given.insert(path, bytes).unwrap();
        }
        if let Ok(package) = Package::read(&given).package {
            for workflow in &package.workflows {
                drop(Plan::of(&package, workflow).lines());
            }
        }
        read += 1;
    }
    println!("{read} changed texts and packages");
    check_memory();
}

/// The largest texts that are taken, of the shapes that cost most.
#[test]
fn large_texts_stay_within_memory() {
    let long = 256 * 1024;
    for line in [
        "a: 1\n",
        "- ",
        "[",
        "{",
        "a: &a ",
        "? ",
        "'",
        "\"\\",
        "a: |\n",
        "#",
        "\t",
        "k: [1, 2, 3]\n",
        "é: ü\n",
    ] {
        for head in [60 * 1024, 64 * 1024, long] {
            let text = format!("---\n{}\n---\n", line.repeat(head / line.len()));
            read_and_edit(&text, &StateUpdate::default());
        }
    }
    for text in ["[", "{\"a\":", "[[],", "1", "\"\\ud800\","] {
        let mut files = PackageFiles::default();
        let bytes = text.repeat(MAX_TEXT_BYTES / text.len()).into_bytes();
        files.insert("bmad.json", bytes).unwrap();
        assert!(Package::read(&files).package.is_err());
    }
    check_memory();
}
