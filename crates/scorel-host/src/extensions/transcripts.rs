//! Transcripts of sessions, in files for commands that read them.
//!
//! A turn has one file, to which each run of a hook adds what was recorded since the last, so a run costs what is new. It
//! goes with the turn, or with a run behind it; the next daemon removes what a killed one has left.

use std::any::Any;
use std::collections::{HashMap, HashSet};
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use futures_util::future::{BoxFuture, FutureExt as _};
use scorel_engine::spawn_blocking;
use scorel_extension::hook::HookTranscript;
use scorel_extension::hook::claude::{HookScene, transcript_line};
use scorel_orchestrator::Orchestrator;
use scorel_proto::{EventId, PersistentEvent, Seq, SessionId};
use scorel_session::SessionError;

/// The bytes of a file. One that would be larger begins anew with the newer half.
const MAX_BYTES: usize = 8 * 1024 * 1024;

/// The records that a file begins with at most.
const MAX_RECORDS: usize = 2000;

/// The records that are read at once.
const PAGE: usize = 200;

/// The files of all sessions.
#[derive(Debug)]
pub(crate) struct Transcripts {
    dir: PathBuf,
    /// Has the sessions, which are opened after this is made.
    orchestrator: OnceLock<Weak<Orchestrator>>,
    open: Mutex<HashMap<SessionId, Weak<Transcript>>>,
}

impl Transcripts {
    /// Removes what an earlier daemon has left. Blocks.
    pub(crate) fn new(home: &Path) -> Arc<Self> {
        let dir = home.join("transcripts");
        if let Err(error) = fs::remove_dir_all(&dir)
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::warn!(%error, "transcripts of an earlier daemon are left");
        }
        Arc::new(Self {
            dir,
            orchestrator: OnceLock::new(),
            open: Mutex::default(),
        })
    }

    pub(crate) fn read_sessions_of(&self, orchestrator: &Weak<Orchestrator>) {
        self.orchestrator.get_or_init(|| Weak::clone(orchestrator));
    }

    /// The directory of a session's file.
    pub(super) fn directory(&self, id: SessionId) -> PathBuf {
        self.dir.join(id.to_string())
    }

    pub(super) fn path(&self, id: SessionId) -> PathBuf {
        self.directory(id).join(format!("{id}.jsonl"))
    }

    /// The file of a session. It is removed when all have dropped it.
    pub(super) fn open(self: &Arc<Self>, id: SessionId) -> Arc<Transcript> {
        let mut open = self.opened();
        if let Some(known) = open.get(&id).and_then(Weak::upgrade) {
            return known;
        }
        let made = Arc::new(Transcript {
            all: Arc::clone(self),
            id,
            written: tokio::sync::Mutex::default(),
        });
        open.insert(id, Arc::downgrade(&made));
        made
    }

    fn opened(&self) -> MutexGuard<'_, HashMap<SessionId, Weak<Transcript>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn write(self: &Arc<Self>, scene: &HookScene, id: SessionId) -> Arc<Transcript> {
        let transcript = self.open(id);
        let mut written = transcript.written.lock().await;
        if let Err(error) = self.add_new(scene, id, &mut written).await {
            tracing::warn!(session = %id, %error, "a transcript lacks what is new");
        }
        drop(written);
        transcript
    }

    async fn add_new(
        &self,
        scene: &HookScene,
        id: SessionId,
        written: &mut Written,
    ) -> Result<(), SessionError> {
        let mut lines = self.lines(scene, id, written).await?;
        if written.bytes + size(&lines) > MAX_BYTES {
            *written = Written::default();
            lines = self.lines(scene, id, written).await?;
            keep_newest(&mut lines);
        }
        let (path, mut next) = (self.path(id), written.clone());
        let added = spawn_blocking(move || next.add(&path, &lines).map(|()| next)).await;
        let added = added.map_err(io::Error::other).and_then(|added| added);
        *written = added.map_err(|error| SessionError::Filesystem(error.to_string()))?;
        Ok(())
    }

    /// The lines that are new.
    async fn lines(
        &self,
        scene: &HookScene,
        id: SessionId,
        written: &mut Written,
    ) -> Result<Vec<String>, SessionError> {
        let Some(orchestrator) = self.orchestrator.get().and_then(Weak::upgrade) else {
            return Ok(Vec::new());
        };
        let lane = match orchestrator.sessions().get(id).await {
            Ok(lane) => lane,
            // A test of a hook has none, and it may be deleted.
            Err(SessionError::NotFound(_)) => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let known = written.after;
        let (path, mut after) = lane.view(|view| {
            let path = view.tree.up_from(view.leaf());
            let new = path.take(MAX_RECORDS).take_while(|node| node.seq > known);
            let new: Vec<_> = new.collect();
            let first = new
                .last()
                .map_or(view.state.last_persistent_seq, |node| node.seq);
            let ids: HashSet<EventId> = new.iter().map(|node| node.id).collect();
            (ids, first.previous().max(known))
        });
        let mut lines = Vec::new();
        while let (records, Some(last)) = lane.records_after(after, PAGE).await? {
            let said = records.iter().filter(|it| path.contains(&it.id));
            let said = said.filter_map(|event: &PersistentEvent| transcript_line(scene, event));
            lines.extend(said);
            if size(&lines) > MAX_BYTES {
                keep_newest(&mut lines);
            }
            after = last;
        }
        written.after = after;
        Ok(lines)
    }
}

fn size(lines: &[String]) -> usize {
    lines.iter().map(|line| line.len() + 1).sum()
}

/// Keeps the newest lines that half a file has room for.
fn keep_newest(lines: &mut Vec<String>) {
    let mut bytes = 0;
    let kept = lines.iter().rev().take_while(|line| {
        bytes += line.len() + 1;
        bytes <= MAX_BYTES / 2
    });
    let kept = kept.count();
    lines.drain(..lines.len() - kept);
}

/// The file of a session.
#[derive(Debug)]
pub(super) struct Transcript {
    all: Arc<Transcripts>,
    id: SessionId,
    written: tokio::sync::Mutex<Written>,
}

impl Drop for Transcript {
    fn drop(&mut self) {
        let mut open = self.all.opened();
        // A new one may have its place already.
        if open
            .get(&self.id)
            .is_some_and(|it| it.as_ptr() == ptr::from_ref(self))
        {
            open.remove(&self.id);
            // The next daemon removes a directory that is left.
            let _left = fs::remove_dir_all(self.all.directory(self.id));
        }
    }
}

/// The part of a session that its file has.
#[derive(Debug, Clone, Default)]
struct Written {
    after: Seq,
    bytes: usize,
    is_begun: bool,
}

impl Written {
    /// Blocks.
    fn add(&mut self, path: &Path, lines: &[String]) -> io::Result<()> {
        if self.is_begun && lines.is_empty() {
            return Ok(());
        }
        let mut file = open(path, !self.is_begun)?;
        let text: String = lines
            .iter()
            .flat_map(|line| [line.as_str(), "\n"])
            .collect();
        file.write_all(text.as_bytes())?;
        self.bytes += text.len();
        self.is_begun = true;
        Ok(())
    }
}

fn open(path: &Path, anew: bool) -> io::Result<File> {
    if let Some(dir) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(dir)?;
    }
    let mut options = OpenOptions::new();
    options.create(true).mode(0o600);
    options.append(!anew).write(true).truncate(anew);
    options.open(path)
}

/// The transcript of a session, for the hooks of one of its turns.
#[derive(Debug)]
pub(super) struct SessionTranscript {
    pub(super) all: Arc<Transcripts>,
    pub(super) scene: HookScene,
    pub(super) id: SessionId,
    /// Keeps the file between the runs of a turn.
    pub(super) _kept: Option<Arc<Transcript>>,
}

impl HookTranscript for SessionTranscript {
    fn write(&self) -> BoxFuture<'static, Arc<dyn Any + Send + Sync>> {
        let (all, scene, id) = (Arc::clone(&self.all), self.scene.clone(), self.id);
        async move {
            let held: Arc<dyn Any + Send + Sync> = all.write(&scene, id).await;
            held
        }
        .boxed()
    }
}
