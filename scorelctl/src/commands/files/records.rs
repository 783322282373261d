use scorel_proto::{Event, EventId, FileChange, PersistentEvent, Seq, SessionId, TurnId};
use serde::Serialize;

use crate::commands::records::Records;
use crate::daemon::DaemonClient;
use crate::failure::Failure;

/// The records of a session that are about files.
#[derive(Debug)]
pub(super) struct FileRecords {
    /// In the order of the log.
    pub(super) records: Vec<FileRecord>,
    /// The first record of each turn that changed files, by the turn.
    turns: Vec<(TurnId, EventId)>,
}

/// One record, as `--json` shows it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FileRecord {
    pub(super) event_id: EventId,
    seq: Seq,
    #[serde(skip_serializing_if = "Option::is_none")]
    turn_id: Option<TurnId>,
    pub(super) files: Vec<FileChange>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) unwatched: Option<String>,
    #[serde(skip)]
    is_restore: bool,
}

impl FileRecords {
    pub(super) async fn read(
        control: &mut DaemonClient,
        session_id: SessionId,
    ) -> Result<Self, Failure> {
        let mut found = Self {
            records: Vec::new(),
            turns: Vec::new(),
        };
        let mut records = Records::all(session_id);
        while let Some((_, event)) = records.next(control).await? {
            if let Event::Persistent(event) = event {
                found.add(&event);
            }
        }
        Ok(found)
    }

    fn add(&mut self, event: &PersistentEvent) {
        if event.origin.is_some() {
            return;
        }
        if let Some(turn) = event.turn_id
            && self.turns.last().is_none_or(|(last, _)| *last != turn)
        {
            self.turns.push((turn, event.id));
        }
        let files = event.body.file_changes().to_vec();
        let unwatched = event.body.unwatched().map(str::to_owned);
        if !files.is_empty() || unwatched.is_some() {
            self.records.push(FileRecord {
                event_id: event.id,
                seq: event.seq,
                turn_id: event.turn_id,
                files,
                unwatched,
                is_restore: event.body.restored_files().is_some(),
            });
        }
    }

    /// The event that a person names: an id, or the beginning or the end of one that is in the log of
    /// changes.
    pub(super) fn find(&self, text: &str) -> Result<EventId, Failure> {
        if let Ok(id) = text.parse() {
            return Ok(id);
        }
        let ids = self.records.iter().map(|record| record.event_id);
        let named = ids.filter(|id| {
            let id = id.to_string();
            id.starts_with(text) || id.ends_with(text)
        });
        match named.collect::<Vec<_>>().as_slice() {
            [id] => Ok(*id),
            [] => Err(refused(format!("no change of files has the id {text}"))),
            _ => Err(refused(format!("{text} is more than one event"))),
        }
    }

    /// The beginning of the last turn that changed files.
    pub(super) fn last_turn(&self) -> Result<EventId, Failure> {
        let last = |is_known: bool| {
            let mut records = self.records.iter().rev();
            records.find_map(|record| {
                record
                    .turn_id
                    .filter(|_| is_known != record.files.is_empty())
            })
        };
        // One of which it is not known comes second: most commands change nothing.
        let turn = last(true).or_else(|| last(false));
        let begun = turn.and_then(|turn| self.turns.iter().find(|(id, _)| *id == turn));
        let (_, event) = begun.ok_or_else(|| refused("no turn has changed files"))?;
        Ok(*event)
    }

    /// The last restore, if nothing was changed since: undoing it would undo that too.
    pub(super) fn last_restore(&self) -> Result<EventId, Failure> {
        let changes = self
            .records
            .iter()
            .filter(|record| !record.files.is_empty());
        match changes.clone().next_back() {
            Some(last) if last.is_restore => Ok(last.event_id),
            Some(_) if changes.clone().any(|record| record.is_restore) => {
                let text = "files were changed since the last restore";
                let hint =
                    "`scorelctl files log` lists the events; restore what was before one of them";
                Err(refused(text).hint(hint))
            }
            _ => Err(refused("no files were restored in this session")),
        }
    }
}

fn refused(text: impl Into<String>) -> Failure {
    Failure::refused("invalid_event_id", text)
}
