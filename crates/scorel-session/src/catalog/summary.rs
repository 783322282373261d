use std::io;
use std::ops::Range;
use std::path::Path;

use scorel_journal::{EVENTS, LogFile, OpenMode, Reader, Storage};
use scorel_proto::{ErrorChain, Event, Session, SessionId, SessionView};

use crate::SessionHeader;
use crate::checkpoint::Checkpoint;
use crate::phase::phase;

/// The most that is read of the beginning, and of the end, of what the checkpoint does not cover, in bytes.
const PART_BYTES: u64 = 256 * 1024;

/// Summarises a session without loading it: from its checkpoint and the ends of its log. The error
/// says why it could not be loaded either.
///
/// The cost does not depend on the log's length. Without a checkpoint, the summary of a long log
/// may miss what its middle says, such as a title; loading the session corrects that.
pub(crate) fn summarise(
    storage: &dyn Storage,
    dir: &Path,
    id: SessionId,
) -> Result<Session, String> {
    let opened = Reader::open(storage, dir).map_err(|error| ErrorChain(&error).to_string())?;
    let header = SessionHeader::read(&opened.1, id)?;
    let unread = |error| format!("cannot read the log: {error}");
    let log = dir.join(EVENTS);
    let len = storage.status(&log).map_err(unread)?.len;
    let (mut view, covered) = match Checkpoint::read(storage, dir) {
        Some(it) if it.resume.place().end() < len => (it.view, it.resume.place().end()),
        _ => (SessionView::default(), 0),
    };
    let (head, tail) = ends(storage, &log, covered..len).map_err(unread)?;
    // The first line is the header, or what is left of the last record that the checkpoint covers.
    fold(&mut view, head.split(|byte| *byte == b'\n').skip(1));
    fold(&mut view, tail.split(|byte| *byte == b'\n'));
    let mut session = header.describe(&view);
    session.problem = header.problem();
    session.phase = phase(session.problem.is_some(), None, &view.state);
    Ok(session)
}

/// Folds whole lines. Lines that are cut off at the edge of a part do not parse and are skipped, as
/// are records that the checkpoint covers.
fn fold<'a>(view: &mut SessionView, lines: impl Iterator<Item = &'a [u8]>) {
    for line in lines {
        let text = std::str::from_utf8(line).unwrap_or_default();
        if let Ok(event) = Event::decode(text)
            && event.is_persistent()
            && event.seq() > view.state.last_persistent_seq
        {
            view.apply(&event);
        }
    }
}

/// The head and the tail of a part of a file, without overlap.
fn ends(storage: &dyn Storage, path: &Path, part: Range<u64>) -> io::Result<(Vec<u8>, Vec<u8>)> {
    let file = storage.open(path, OpenMode::Read)?;
    // What fits into both is read as one: otherwise the line across the two would be lost.
    let head_end = if part.end - part.start <= 2 * PART_BYTES {
        part.end
    } else {
        part.start + PART_BYTES
    };
    let head = read(&*file, part.start..head_end)?;
    let tail = read(
        &*file,
        part.end.saturating_sub(PART_BYTES).max(head_end)..part.end,
    )?;
    Ok((head, tail))
}

/// Reads a range, or less if the file has been truncated meanwhile.
fn read(file: &dyn LogFile, range: Range<u64>) -> io::Result<Vec<u8>> {
    let wanted = usize::try_from(range.end - range.start).map_err(io::Error::other)?;
    let mut bytes = vec![0; wanted];
    let mut done = 0;
    while done < wanted {
        match file.read_at(&mut bytes[done..], range.start + done as u64)? {
            0 => break,
            count => done += count,
        }
    }
    bytes.truncate(done);
    Ok(bytes)
}
