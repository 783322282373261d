use std::sync::Arc;
use std::time::Instant;

use scorel_journal::{Durability, FileStorage, Journal};
use serde_json::json;

use crate::disk_probe::{DiskProbe, RECORD};
use crate::figure::{Figure, Goal, rounded};
use crate::samples::Samples;

const RECORDS: usize = 1_000;

/// Appends to a journal beside the same bytes to a plain file, in alternation.
pub(crate) fn measure() -> Vec<Figure> {
    let directory = tempfile::tempdir_in("/tmp").unwrap();
    let mut disk = DiskProbe::new(directory.path());
    let header = br#"{"format":1}"#.to_vec();
    let storage = Arc::new(FileStorage);
    let mut journal = Journal::create(
        storage,
        &directory.path().join("journal"),
        header,
        Durability::Sync,
    )
    .unwrap();
    // The journal adds the envelope.
    let text = "x".repeat(RECORD - 70);
    let (mut appended, mut bare) = (Samples::default(), Samples::default());
    for _ in 0..RECORDS {
        bare.push(disk.append());
        let started = Instant::now();
        let proof = journal.append(|seq| serde_json::to_vec(&json!({"seq": seq, "text": text})));
        appended.push(started.elapsed());
        drop(proof.unwrap());
    }
    vec![Figure {
        name: "append / bare write and fdatasync",
        value: bare.p50() / appended.p50(),
        unit: "ratio",
        goal: Goal::AtLeast {
            must: 0.7,
            aim: 0.8,
        },
        with: json!({"appendMs": rounded(appended.p50()), "bareMs": rounded(bare.p50())}),
    }]
}
