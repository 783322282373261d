//! Copies of parts of a log: a torn last line, moved out of the way of the next record, or the whole
//! log before a repair.

use std::io;
use std::path::{Path, PathBuf};

use crate::EVENTS;
use crate::replay::TornBytes;
use crate::storage::{LogFile, OpenMode, Storage, append_all, read_exact_at, remove_if_present};

/// Bytes copied at a time.
const CHUNK: usize = 64 * 1024;

/// A log that was opened on a read-only file system, or on a full one with a torn line. The first append makes it writable.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReadOnlyLog {
    /// The line to move aside before that.
    pub(super) torn: Option<TornBytes>,
}

/// Copies the torn end to a file of its own, then truncates it. In this order, each step synced: after a
/// crash the bytes are in at least one of the two files.
pub(super) fn move_aside(
    storage: &dyn Storage,
    dir: &Path,
    file: &dyn LogFile,
    rest: TornBytes,
) -> io::Result<PathBuf> {
    let target = keep(storage, dir, file, rest, &format!("torn-{}", rest.offset))?;
    file.set_len(rest.offset)?;
    file.sync_data()?;
    Ok(target)
}

/// Copies a part of the log to `events.jsonl.<ending>` and syncs it. If another file has that name, a
/// count is appended.
pub(super) fn keep(
    storage: &dyn Storage,
    dir: &Path,
    file: &dyn LogFile,
    part: TornBytes,
    ending: &str,
) -> io::Result<PathBuf> {
    let target = free_name(storage, dir, file, part, ending)?;
    if storage.status(&target).is_err() {
        let temporary = dir.join(format!("{EVENTS}.tail"));
        remove_if_present(storage, &temporary)?;
        let copy = storage.create_new(&temporary)?;
        copy_range(file, &*copy, part.offset, part.len)?;
        copy.sync_data()?;
        storage.rename(&temporary, &target)?;
    }
    storage.sync_dir(dir)?;
    Ok(target)
}

/// How many torn lines were moved aside from `offset` or later. Each may have been a record whose number
/// was used; the files remain as evidence when the daemon crashes again before the next record.
pub(super) fn count_behind(storage: &dyn Storage, dir: &Path, offset: u64) -> io::Result<u64> {
    let names = storage.list(dir)?;
    let behind = names.iter().filter(|name| torn_at(name) >= Some(offset));
    Ok(behind.count() as u64)
}

/// The offset in the name of a file with a torn line.
fn torn_at(name: &str) -> Option<u64> {
    let rest = name.strip_prefix(EVENTS)?.strip_prefix(".torn-")?;
    rest.split('.').next()?.parse().ok()
}

/// A free name, or one that holds the same bytes: a crash came between copying and truncating.
fn free_name(
    storage: &dyn Storage,
    dir: &Path,
    file: &dyn LogFile,
    part: TornBytes,
    ending: &str,
) -> io::Result<PathBuf> {
    let first = format!("{EVENTS}.{ending}");
    for count in 1_u64.. {
        let name = match count {
            1 => dir.join(&first),
            _ => dir.join(format!("{first}.{count}")),
        };
        match storage.open(&name, OpenMode::Read) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(name),
            Ok(copy) if same_bytes(file, &*copy, part)? => return Ok(name),
            Ok(_) => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

fn same_bytes(file: &dyn LogFile, copy: &dyn LogFile, rest: TornBytes) -> io::Result<bool> {
    if copy.status()?.len != rest.len {
        return Ok(false);
    }
    let mut same = true;
    let mut at = 0;
    for_chunks(file, rest.offset, rest.len, &mut |chunk| {
        let mut other = vec![0; chunk.len()];
        read_exact_at(copy, &mut other, at)?;
        at += chunk.len() as u64;
        same &= other == chunk;
        Ok(())
    })?;
    Ok(same)
}

/// Appends `len` bytes from `offset` of one file to another.
pub(super) fn copy_range(
    from: &dyn LogFile,
    to: &dyn LogFile,
    offset: u64,
    len: u64,
) -> io::Result<()> {
    for_chunks(from, offset, len, &mut |chunk| append_all(to, chunk))
}

fn for_chunks(
    file: &dyn LogFile,
    mut offset: u64,
    len: u64,
    take: &mut dyn FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<()> {
    let end = offset + len;
    let mut buffer = vec![0; CHUNK];
    while offset < end {
        let count = usize::try_from(end - offset).map_or(CHUNK, |rest| rest.min(CHUNK));
        let chunk = &mut buffer[..count];
        read_exact_at(file, chunk, offset)?;
        take(chunk)?;
        offset += count as u64;
    }
    Ok(())
}
