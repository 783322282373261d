//! Checks and repairs `receipts.jsonl`.

use std::io;
use std::path::{Path, PathBuf};

use scorel_home::now_ms;
use scorel_home::receipts::{MAX_BYTES, problem_of_line};
use scorel_journal::{FileStorage, read_bounded, replace_file};

use crate::daemon::Daemon;
use crate::entry::{self, check_file};
use crate::finding::{Finding, Repair};
use crate::tail;

pub(crate) fn check(path: &Path, daemon: &Daemon, found: &mut Vec<Finding>) {
    if !check_file(path, found) {
        return;
    }
    let bytes = match read_bounded(&FileStorage, path, MAX_BYTES) {
        Ok(bytes) => bytes,
        Err(error) => return found.push(entry::unreadable(path, &error)),
    };
    for (offset, line) in lines(&bytes) {
        if let Some(whole) = line.strip_suffix(b"\n") {
            let problem = problem_of_line(whole);
            found.extend(problem.map(|problem| damaged(path, offset, whole.len(), &problem)));
        } else if !tail::is_being_written(path, offset, daemon) {
            let meaning = "the last line is incomplete; its command was not acknowledged, and the daemon skips it";
            let note = Finding::note("receipt_torn", path, meaning);
            found.push(note.at(offset, line.len() as u64));
        }
    }
}

fn damaged(path: &Path, offset: u64, length: usize, problem: &str) -> Finding {
    let meaning = format!(
        "a receipt is damaged ({problem}): its command may be applied again, or not be finished"
    );
    Finding::damage("receipt_damaged", path, meaning)
        .at(offset, length as u64)
        .repaired_by(Repair::RewriteReceipts)
}

/// The lines with their newlines, and their offsets.
fn lines(bytes: &[u8]) -> impl Iterator<Item = (u64, &[u8])> {
    bytes
        .split_inclusive(|byte| *byte == b'\n')
        .scan(0, |next, line| {
            let offset = *next;
            *next += line.len() as u64;
            Some((offset, line))
        })
}

/// Copies the file, then replaces it by its intact lines.
pub(crate) fn rewrite(path: &Path) -> io::Result<()> {
    let bytes = read_bounded(&FileStorage, path, MAX_BYTES)?;
    // The copy first, and durably: from the next line on the damaged bytes exist only there.
    replace_file(&FileStorage, &kept(path), &bytes)?;
    let is_intact = |line: &[u8]| {
        let whole = line.strip_suffix(b"\n");
        whole.is_some_and(|whole| problem_of_line(whole).is_none())
    };
    let intact: Vec<&[u8]> = lines(&bytes)
        .map(|(_, line)| line)
        .filter(|line| is_intact(line))
        .collect();
    replace_file(&FileStorage, path, &intact.concat())
}

fn kept(path: &Path) -> PathBuf {
    let mut name = path.to_owned().into_os_string();
    name.push(format!(".before-repair-{}", now_ms()));
    name.into()
}
