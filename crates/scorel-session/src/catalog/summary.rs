use std::io;
use std::ops::Range;
use std::path::Path;

use scorel_journal::{Access, EVENTS, LogFile, Reader, Storage};
use scorel_proto::{Event, Session, SessionId, SessionView};

use crate::SessionHeader;
use crate::checkpoint::Checkpoint;
use crate::error::chain;
use crate::lane::phase::phase;

/// How much of a log's beginning and of its end is looked at.
const PART_BYTES: u64 = 256 * 1024;

/// Summarises a session that nobody has loaded, from its checkpoint and the ends of its log, or says
/// why it could not be loaded.
///
/// The cost does not depend on the log's length. A summary of a long log without a checkpoint may
/// miss what its middle says, such as a title; loading the session puts that right.
pub(super) fn summarise(
    storage: &dyn Storage,
    dir: &Path,
    id: SessionId,
) -> Result<Session, String> {
    let opened = Reader::open(storage, dir).map_err(|error| chain(&error))?;
    let header = SessionHeader::read(&opened.1, id)?;
    let (head, tail) = ends(storage, &dir.join(EVENTS))
        .map_err(|error| format!("cannot read the log: {error}"))?;
    let checkpoint = Checkpoint::read(storage, dir);
    let mut view = match checkpoint {
        Some(checkpoint) => checkpoint.view,
        None => {
            let mut view = SessionView::default();
            fold(&mut view, head.split(|byte| *byte == b'\n').skip(1));
            view
        }
    };
    fold(&mut view, tail.split(|byte| *byte == b'\n'));
    let mut session = header.describe(&view);
    session.problem = header.problem();
    session.phase = phase(session.problem.is_some(), None, &view.state);
    Ok(session)
}

/// Folds whole lines; what is cut off at a part's edge is no JSON and is skipped, and so is what
/// has been folded before.
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

/// The first and the last part of a file, without overlap. What is no regular file is refused.
fn ends(storage: &dyn Storage, path: &Path) -> io::Result<(Vec<u8>, Vec<u8>)> {
    let file = storage.open(path, Access::Read)?;
    let len = file.status()?.len;
    // A log that fits into both parts is read as one, so that no line is cut in two.
    let head_bytes = if len <= 2 * PART_BYTES {
        len
    } else {
        PART_BYTES
    };
    let head = read(&*file, 0..head_bytes)?;
    let tail = read(&*file, len.saturating_sub(PART_BYTES).max(head_bytes)..len)?;
    Ok((head, tail))
}

/// Reads a range, or less if the file has become shorter.
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
