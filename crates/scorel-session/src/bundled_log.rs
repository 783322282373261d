//! The records of a session that comes as a file, from another home or this one.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

use scorel_journal::{Blobs, EVENTS, MAX_RECORD, open_regular};
use scorel_proto::{Event, EventId, PathNode, SessionChanges, SessionView, TreePlacement};

use crate::SessionError;
use crate::header::check_bundled;
use crate::lane::settings;
use crate::shared::LaneShared;

/// A bundle that was unpacked and read once. Its conversation ends where its last finished turn ends.
#[derive(Debug)]
pub struct BundledLog {
    dir: PathBuf,
    pub(crate) blobs: Blobs,
    pub(crate) path: Vec<PathNode>,
    settings: SessionChanges,
}

impl BundledLog {
    /// Folds the records in `dir`, which is not a session's.
    pub(crate) fn read(shared: &LaneShared, dir: PathBuf) -> Result<Self, SessionError> {
        let mut view = SessionView::default();
        let mut is_first = true;
        each_line(&dir, |line| {
            if std::mem::take(&mut is_first) {
                check_bundled(line)?;
            }
            if let Ok(event) = Event::decode(line)
                && event.is_persistent()
            {
                view.apply(&event);
            }
            Ok(())
        })?;
        let end = view.tree.up_from(view.leaf()).find(|node| node.turn_end);
        let end: Option<EventId> = end.map(|node| node.id);
        if end.is_none() {
            let text = "the bundle has no finished turn".to_owned();
            return Err(SessionError::InvalidParams(text));
        }
        Ok(Self {
            blobs: shared.blobs(&dir),
            path: view.tree.path(end),
            settings: settings(&view.state),
            dir,
        })
    }

    /// The settings of the session. Its model and its runner may not exist here.
    pub const fn settings(&self) -> &SessionChanges {
        &self.settings
    }

    /// Calls `visit` with each record, in order.
    pub(crate) fn each(
        &self,
        visit: impl FnMut(&str) -> Result<(), SessionError>,
    ) -> Result<(), SessionError> {
        each_line(&self.dir, visit)
    }
}

/// Returns whether an event is a message or a summary.
pub(crate) fn is_leaf(event: &Event) -> bool {
    matches!(event, Event::Persistent(event) if event.body.place() == TreePlacement::Leaf)
}

fn each_line(
    dir: &Path,
    mut visit: impl FnMut(&str) -> Result<(), SessionError>,
) -> Result<(), SessionError> {
    let failed = |error: io::Error| {
        SessionError::Filesystem(format!("the bundle's records cannot be read: {error}"))
    };
    let mut reader = BufReader::new(
        open_regular(File::options().read(true), &dir.join(EVENTS)).map_err(failed)?,
    );
    let mut line = Vec::new();
    loop {
        line.clear();
        let limit = MAX_RECORD as u64 + 1;
        let count = reader.by_ref().take(limit).read_until(b'\n', &mut line);
        if count.map_err(failed)? == 0 {
            return Ok(());
        }
        if line.len() > MAX_RECORD && !line.ends_with(b"\n") {
            return Err(SessionError::TooLarge {
                limit: MAX_RECORD as u64,
            });
        }
        // A line that is not UTF-8 is no record.
        let text = std::str::from_utf8(line.trim_ascii_end()).unwrap_or_default();
        if !line.trim_ascii().is_empty() {
            visit(text)?;
        }
    }
}
