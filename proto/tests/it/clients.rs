//! `docs/clients.md` shows an example client as it is run, and names the others.

use std::fs;
use std::path::{Path, PathBuf};

const PAGE: &str = include_str!("../../../docs/clients.md");

/// An example is read from its begin to its end.
const MAX_LINES: usize = 120;

fn examples() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/clients");
    let entries = fs::read_dir(directory).unwrap();
    let files = entries.map(|entry| entry.unwrap().path());
    files.filter(|path| path.is_file()).collect()
}

#[test]
fn the_example_on_the_page_is_the_file() {
    let (_, block) = PAGE.split_once("```python\n").unwrap();
    let (block, _) = block.split_once("```\n").unwrap();
    let file = include_str!("../../../docs/clients/ask.py");
    assert!(
        block == file,
        "docs/clients.md does not show docs/clients/ask.py as it is"
    );
}

#[test]
fn examples_are_short_and_named() {
    let examples = examples();
    assert_eq!(examples.len(), 4, "{examples:?}");
    for path in examples {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        assert!(PAGE.contains(&format!("](clients/{name})")), "{name}");
        let lines = fs::read_to_string(&path).unwrap().lines().count();
        assert!(lines <= MAX_LINES, "{name} has {lines} lines");
    }
}
