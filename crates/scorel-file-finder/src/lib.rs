//! The files of projects by name, for `findFiles`, and the directories that may become projects.

mod directories;
mod file_match;
mod found_project;
mod listed_files;
mod project_list;

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use scorel_engine::spawn_blocking;
use scorel_proto::{FindFilesResult, ProjectId};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

use listed_files::ListedFiles;
use project_list::{ProjectList, Walk, Walked};

pub use directories::{DirectoriesError, list_directories};
pub use found_project::{Admission, FoundProject};

/// The time for which a list that is not fresh waits for the next one. Longer a person who types must not wait, and
/// gets an answer from the old one.
const PROMPT: Duration = Duration::from_millis(20);

/// The time without a question after which a list is given back.
const KEPT: Duration = Duration::from_secs(60);

/// The lists that are kept at a time. The largest one takes some 70 MiB.
const MAX_LISTS: usize = 2;

/// The walks that run at once.
const MAX_WALKS: usize = 2;

/// The questions that are answered at once. They compute, and turns come first.
const MAX_FINDS: usize = 2;

/// Finds files by name. Each project is listed once for all who ask, and again when it is asked about later.
#[derive(Debug)]
pub struct FileFinder {
    lists: Arc<Mutex<HashMap<ProjectId, ProjectList>>>,
    walks: Arc<Semaphore>,
    finds: Arc<Semaphore>,
}

impl Default for FileFinder {
    fn default() -> Self {
        Self {
            lists: Arc::default(),
            walks: Arc::new(Semaphore::new(MAX_WALKS)),
            finds: Arc::new(Semaphore::new(MAX_FINDS)),
        }
    }
}

impl FileFinder {
    /// The best `limit` matches of `query` among the files of a project.
    ///
    /// # Errors
    ///
    /// If the project cannot be listed.
    pub async fn find(
        &self,
        project: FoundProject,
        query: String,
        limit: usize,
    ) -> io::Result<FindFilesResult> {
        let files = self.files(project).await?;
        let place = Arc::clone(&self.finds).acquire_owned().await;
        let found = spawn_blocking(move || {
            let found = files.find(&query, limit);
            drop(place);
            found
        });
        found.await.map_err(io::Error::other)
    }

    async fn files(&self, project: FoundProject) -> io::Result<Arc<ListedFiles>> {
        let (known, walk) = self.ask(project);
        match (known, walk) {
            (Some(files), None) => Ok(files),
            (Some(files), Some(walk)) => match timeout(PROMPT, walk).await {
                Ok(walked) => told(walked),
                Err(_) => Ok(files),
            },
            (None, Some(walk)) => told(walk.await),
            (None, None) => Err(io::Error::other("a project is walked without a list")),
        }
    }

    /// The list that is kept, and the walk that replaces it if it is not fresh.
    fn ask(&self, project: FoundProject) -> (Option<Arc<ListedFiles>>, Option<Walk>) {
        let mut lists = self.lists();
        if lists.is_empty() {
            self.give_back_later();
        }
        let list = lists.entry(project.id).or_default();
        let answer = list.ask(|| project_list::walk(project, Arc::clone(&self.walks)));
        while lists.len() > MAX_LISTS {
            let oldest = lists.iter().min_by_key(|(_, list)| list.used());
            let oldest = oldest.map(|(id, _)| *id);
            oldest.map(|id| lists.remove(&id));
        }
        answer
    }

    /// Drops each list that was not used for long, until there is none.
    fn give_back_later(&self) {
        let lists = Arc::downgrade(&self.lists);
        tokio::spawn(async move {
            loop {
                sleep(KEPT / 2).await;
                let Some(lists) = lists.upgrade() else { return };
                let mut lists = lists.lock().unwrap_or_else(PoisonError::into_inner);
                let now = Instant::now();
                lists.retain(|_, list| now.saturating_duration_since(list.used()) < KEPT);
                if lists.is_empty() {
                    return;
                }
            }
        });
    }

    fn lists(&self) -> MutexGuard<'_, HashMap<ProjectId, ProjectList>> {
        self.lists.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The outcome of a walk that several wait for, for one of them.
fn told(walked: Walked) -> io::Result<Arc<ListedFiles>> {
    match walked {
        Ok((files, _)) => Ok(files),
        Err(error) => Err(io::Error::new(error.kind(), error.to_string())),
    }
}

#[cfg(test)]
mod tests;
