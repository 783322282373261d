use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use scorel_home::{StateError, StateFile};
use scorel_proto::{PersistentBody, PersistentEvent, Seq, SessionId};
use scorel_session::{Lane, Section, SessionError, SessionFeature};

use crate::state::{PINS, PinnedSessions};

/// The kind of the event. Clients cannot append one that begins like this.
pub(crate) const KIND: &str = "scorel.pinned_file";

/// The number of records that are read at once.
const PAGE: usize = 256;

/// The pinned files of all sessions.
#[derive(Debug)]
pub struct Pins {
    file: StateFile<PinnedSessions>,
    /// Those that may have pinned files.
    sessions: Mutex<HashMap<SessionId, SessionPins>>,
}

#[derive(Debug, Default, Clone)]
struct SessionPins {
    /// Weak, since sessions own their features.
    lane: Weak<Lane>,
    folded: Arc<tokio::sync::Mutex<FoldedPins>>,
}

/// The fold of a log up to a record.
#[derive(Debug, Default)]
struct FoldedPins {
    through: Seq,
    paths: Vec<String>,
}

impl Pins {
    /// Reads the state file of the home at `root`. Blocks.
    ///
    /// # Errors
    /// It cannot be read, or is damaged.
    pub fn open(root: &Path) -> Result<Arc<Self>, StateError> {
        let file: StateFile<PinnedSessions> = StateFile::new(root.join(PINS.place));
        let known = file.read()?.unwrap_or_default().sessions;
        let sessions = known.into_iter().map(|id| (id, SessionPins::default()));
        Ok(Arc::new(Self {
            sessions: Mutex::new(sessions.collect()),
            file,
        }))
    }

    /// Has the next daemon look for pinned files of a session, durably. Blocks.
    pub(crate) fn expect(&self, lane: &Arc<Lane>) -> Result<(), StateError> {
        if self.sessions().contains_key(&lane.id()) {
            return Ok(());
        }
        self.file.modify(|body| {
            body.sessions.insert(lane.id());
            Ok::<_, StateError>(())
        })?;
        self.sessions().entry(lane.id()).or_default().lane = Arc::downgrade(lane);
        Ok(())
    }

    /// The pinned files of a session that is loaded, as they were named. Reads what its log has gained.
    pub(crate) async fn paths(&self, id: SessionId) -> Result<Vec<String>, SessionError> {
        let pins = self.sessions().get(&id).cloned();
        let Some((lane, folded)) = pins.and_then(|it| Some((it.lane.upgrade()?, it.folded))) else {
            return Ok(Vec::new());
        };
        let mut folded = folded.lock().await;
        while let (records, Some(last)) = lane.records_after(folded.through, PAGE).await? {
            folded.paths.extend(records.iter().filter_map(pinned));
            folded.through = last;
        }
        Ok(folded.paths.clone())
    }

    fn sessions(&self) -> MutexGuard<'_, HashMap<SessionId, SessionPins>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SessionFeature for Pins {
    fn recover(&self, section: &mut Section<'_>) -> Result<(), SessionError> {
        if let Some(pins) = self.sessions().get_mut(&section.lane().id()) {
            pins.lane = Arc::downgrade(section.lane());
        }
        Ok(())
    }

    fn removed(&self, id: SessionId) {
        // The file keeps the id: an entry without a session costs nothing.
        self.sessions().remove(&id);
    }
}

/// The path that a record pins.
fn pinned(event: &PersistentEvent) -> Option<String> {
    match &event.body {
        PersistentBody::Custom(body) if body.kind == KIND => {
            body.data["path"].as_str().map(str::to_owned)
        }
        _ => None,
    }
}
