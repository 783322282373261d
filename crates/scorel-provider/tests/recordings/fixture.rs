//! Recorded responses, stored outside the repository.

use std::path::{Path, PathBuf};

use serde_json::Value;

/// The number of recordings, so that none is skipped silently: 203 in all.
const RECORDINGS: [(&str, &str, usize); 8] = [
    ("openai-completions", "sse", 48),
    ("openai-completions", "body", 22),
    ("openai-responses", "sse", 34),
    ("openai-responses", "body", 8),
    ("anthropic-messages", "sse", 40),
    ("anthropic-messages", "body", 6),
    ("google-generative-ai", "sse", 39),
    ("google-generative-ai", "body", 6),
];

const _: () = {
    let (mut place, mut all) = (0, 0);
    while place < RECORDINGS.len() {
        all += RECORDINGS[place].2;
        place += 1;
    }
    assert!(all == 203);
};

/// A recorded response with its expected results.
#[derive(Debug)]
pub(crate) struct Recording {
    pub(crate) name: String,
    pub(crate) body: Vec<u8>,
    sidecar: Value,
}

impl Recording {
    /// The recorded status and headers, and the expected results.
    pub(crate) fn sidecar(&self, field: &str) -> &Value {
        &self.sidecar[field]
    }
}

/// Whether the recordings are here.
///
/// # Panics
///
/// If they are not, although they are required.
pub(crate) fn are_here() -> bool {
    let directory = directory();
    let here = directory.is_dir();
    let required = std::env::var_os("SCOREL_REQUIRE_FIXTURES").is_some_and(|value| value == "1");
    assert!(
        here || !required,
        "no recordings in {}",
        directory.display()
    );
    here
}

/// The recordings of an API with a file extension: `sse` for streams, `body` for failures.
pub(crate) fn load(api: &str, extension: &str) -> Vec<Recording> {
    let entries = std::fs::read_dir(directory().join(api)).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|found| found == extension));
    paths.sort();
    let (.., expected) = RECORDINGS
        .iter()
        .find(|(of, with, _)| (*of, *with) == (api, extension))
        .unwrap();
    assert_eq!(paths.len(), *expected, "{api} .{extension}");
    paths.iter().map(|path| read(path)).collect()
}

fn read(path: &Path) -> Recording {
    let sidecar = std::fs::read(path.with_extension("json")).unwrap();
    Recording {
        name: path.file_stem().unwrap().to_string_lossy().into_owned(),
        body: std::fs::read(path).unwrap(),
        sidecar: serde_json::from_slice(&sidecar).unwrap(),
    }
}

/// One directory for each API.
pub(crate) fn directory() -> PathBuf {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let root = std::env::var_os("SCOREL_FIXTURES").map_or_else(
        || workspace.join("../shared/fixtures"),
        |path| workspace.join(path),
    );
    root.join("providers")
}
