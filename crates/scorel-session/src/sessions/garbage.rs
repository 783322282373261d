use std::sync::Arc;
use std::time::SystemTime;

use scorel_proto::SessionId;

use super::Sessions;
use crate::garbage::{GarbageFiles, GarbageSearch, GarbageSum, SessionGarbage, bytes_in};
use crate::shared::LaneShared;
use crate::{SessionError, blocking};

impl Sessions {
    /// Looks for what sessions keep needlessly, and removes it if `remove` says so. Sessions with an open
    /// turn keep theirs until the next time.
    ///
    /// # Errors
    ///
    /// If the directory of sessions, or the trash, cannot be read.
    pub async fn garbage(self: &Arc<Self>, remove: bool) -> Result<SessionGarbage, SessionError> {
        let now = SystemTime::now();
        let (mut garbage, found) = self.on_disk(move |shared| find(shared, now)).await??;
        if !remove {
            for (_, files) in found {
                count(&mut garbage, &files);
            }
            return Ok(garbage);
        }
        garbage.trash = GarbageSum::default();
        self.remove_expired(&mut garbage).await?;
        for (id, _) in found {
            match self.remove_garbage(id, now).await {
                Ok(removed) => count(&mut garbage, &removed),
                // Deleted meanwhile.
                Err(SessionError::NotFound(_)) => {}
                Err(error) => garbage.problems.push(format!("session {id}: {error}")),
            }
        }
        Ok(garbage)
    }

    async fn remove_expired(&self, garbage: &mut SessionGarbage) -> Result<(), SessionError> {
        let expired = self.on_disk(|shared| shared.trash.expired()).await?;
        let failed = |error| SessionError::Filesystem(format!("cannot read the trash: {error}"));
        for trashed in expired.map_err(failed)? {
            let id = trashed.id;
            let bytes = blocking(move || bytes_in(&trashed.dir)).await?;
            match self.delete_trashed(id).await {
                Ok(()) => garbage.trash.add(bytes),
                Err(SessionError::NotFound(_)) => {}
                Err(error) => garbage.problems.push(format!("session {id}: {error}")),
            }
        }
        Ok(())
    }

    async fn remove_garbage(
        self: &Arc<Self>,
        id: SessionId,
        now: SystemTime,
    ) -> Result<GarbageFiles, SessionError> {
        let lane = self.get(id).await?;
        lane.section(move |section| section.remove_garbage(now))
            .await?
    }
}

/// Everything there is, without loading a session: the trash summed up, the rest by session.
fn find(
    shared: &LaneShared,
    now: SystemTime,
) -> Result<(SessionGarbage, Vec<(SessionId, GarbageFiles)>), SessionError> {
    let failed = |error| SessionError::Filesystem(format!("cannot read the sessions: {error}"));
    let mut garbage = SessionGarbage::default();
    for trashed in shared.trash.expired().map_err(failed)? {
        garbage.trash.add(bytes_in(&trashed.dir));
    }
    let mut found = Vec::new();
    for id in shared.session_ids().map_err(failed)? {
        let dir = shared.session_dir(id);
        let search = GarbageSearch {
            storage: &*shared.storage,
            dir: &dir,
            blobs: &shared.blobs(&dir),
            now,
        };
        match search.find() {
            Ok(files) if files.is_empty() => {}
            Ok(files) => found.push((id, files)),
            Err(error) => garbage.problems.push(format!("session {id}: {error}")),
        }
    }
    Ok((garbage, found))
}

fn count(garbage: &mut SessionGarbage, files: &GarbageFiles) {
    for (_, bytes) in &files.blobs {
        garbage.blobs.add(*bytes);
    }
    for (_, bytes) in &files.copies {
        garbage.copies.add(*bytes);
    }
}
