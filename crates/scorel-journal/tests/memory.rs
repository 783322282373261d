//! Memory use of opening a journal. In a process of its own, since it measures the process.

use std::fs;
use std::sync::Arc;

use scorel_journal::{ContinueAt, Durability, FileStorage, Journal};

#[test]
fn opening_a_long_journal_takes_memory_for_a_few_records() {
    let home = tempfile::tempdir().expect("a directory");
    let dir = home.path().join("session");
    let header = b"{\"format\":1}".to_vec();
    let storage = Arc::new(FileStorage);
    let mut journal =
        Journal::create(storage.clone(), &dir, header, Durability::Flush).expect("created");
    let text = "x".repeat(1 << 20);
    for _ in 0..64 {
        let encode = |seq| serde_json::to_vec(&serde_json::json!({"seq": seq, "text": text}));
        let _ = journal.append(encode).expect("appended");
    }
    drop(journal);
    let before = resident();
    let mut count = 0;
    let opened = Journal::open(storage, &dir, None, &mut |_| count += 1).expect("opened");
    drop(opened.into_journal(ContinueAt::LastRecord, Durability::Flush));
    let grown = resident().saturating_sub(before);
    assert_eq!(count, 64);
    assert!(grown < 12 << 20, "opening took {grown} bytes");
}

/// The memory of this process that is in use, in bytes; zero where the system does not say.
fn resident() -> u64 {
    let statm = fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = statm.split(' ').nth(1).and_then(|pages| pages.parse().ok());
    pages.unwrap_or(0_u64) * 4096
}
