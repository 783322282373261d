//! The files of projects by name, for `findFiles`.

mod file_match;
mod listed_files;

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use scorel_engine::spawn_blocking;
use scorel_proto::{FindFilesResult, ProjectId};

use listed_files::ListedFiles;

/// A list of this age is still answered from, while a new one is made: a person who types must not wait for a walk.
const FRESH: Duration = Duration::from_secs(2);

/// The time after which a list is not answered from any more, and given back.
const KEPT: Duration = Duration::from_secs(60);

/// The lists that are kept at a time. One of 200,000 files takes some 20 MiB.
const MAX_LISTS: usize = 2;

/// Finds files by name. Each project is listed once, and again in the background when its list is not fresh.
#[derive(Debug, Clone, Default)]
pub(crate) struct FileFinder {
    lists: Arc<Mutex<HashMap<ProjectId, Kept>>>,
    /// Held during a walk: however many ask, there is one at a time.
    walking: Arc<tokio::sync::Mutex<()>>,
}

#[derive(Debug, Clone)]
struct Kept {
    files: Arc<ListedFiles>,
    made: Instant,
    /// A walk that replaces this list is under way.
    renewing: bool,
}

impl FileFinder {
    /// The best `limit` matches of `query` among the files of a project.
    ///
    /// # Errors
    ///
    /// If the project cannot be listed.
    pub(crate) async fn find(
        &self,
        project: (ProjectId, PathBuf),
        query: String,
        limit: usize,
    ) -> io::Result<FindFilesResult> {
        let files = self.files(project).await?;
        spawn_blocking(move || files.find(&query, limit))
            .await
            .map_err(io::Error::other)
    }

    async fn files(&self, project: (ProjectId, PathBuf)) -> io::Result<Arc<ListedFiles>> {
        if let Some(files) = self.kept(&project) {
            return Ok(files);
        }
        let _alone = self.walking.lock().await;
        match self.kept(&project) {
            Some(files) => Ok(files),
            None => self.walk(project).await,
        }
    }

    /// The list that is kept, if it is young enough. One that is not fresh is renewed meanwhile.
    fn kept(&self, project: &(ProjectId, PathBuf)) -> Option<Arc<ListedFiles>> {
        let mut lists = self.lists();
        let kept = lists.get_mut(&project.0)?;
        let age = kept.made.elapsed();
        if age >= KEPT {
            return None;
        }
        if age >= FRESH && !kept.renewing {
            kept.renewing = true;
            let (finder, project) = (self.clone(), project.clone());
            tokio::spawn(async move {
                let _alone = finder.walking.lock().await;
                // Without a new list the old one stays until it is too old, and then the error is told.
                if finder.walk(project.clone()).await.is_err()
                    && let Some(kept) = finder.lists().get_mut(&project.0)
                {
                    kept.renewing = false;
                }
            });
        }
        Some(Arc::clone(&kept.files))
    }

    async fn walk(&self, (id, directory): (ProjectId, PathBuf)) -> io::Result<Arc<ListedFiles>> {
        let listed = spawn_blocking(move || ListedFiles::list(&directory));
        let files = Arc::new(listed.await.map_err(io::Error::other)??);
        let kept = Kept {
            files: Arc::clone(&files),
            made: Instant::now(),
            renewing: false,
        };
        let mut lists = self.lists();
        lists.insert(id, kept);
        if lists.len() > MAX_LISTS {
            let oldest = lists.iter().min_by_key(|(_, kept)| kept.made);
            let oldest = oldest.map(|(id, _)| *id);
            oldest.map(|id| lists.remove(&id));
        }
        drop(lists);
        self.give_back_later();
        Ok(files)
    }

    /// Drops the lists that are too old by then.
    fn give_back_later(&self) {
        let lists = Arc::downgrade(&self.lists);
        tokio::spawn(async move {
            tokio::time::sleep(KEPT).await;
            if let Some(lists) = lists.upgrade() {
                let mut lists = lists.lock().unwrap_or_else(PoisonError::into_inner);
                lists.retain(|_, kept| kept.made.elapsed() < KEPT);
            }
        });
    }

    fn lists(&self) -> MutexGuard<'_, HashMap<ProjectId, Kept>> {
        self.lists.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
