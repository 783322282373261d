use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::{BoxFuture, FutureExt as _, Shared};
use scorel_engine::spawn_blocking;
use tokio::sync::Semaphore;
use tokio_util::task::AbortOnDropHandle;

use super::found_project::FoundProject;
use super::listed_files::ListedFiles;

/// The age at which a list is made again when it is asked for.
const FRESH: Duration = Duration::from_secs(2);

/// A list and when its walk began, or why there is none.
pub(crate) type Walked = Result<(Arc<ListedFiles>, Instant), Arc<io::Error>>;

/// A walk that any number of callers wait for. It goes on when they leave, and ends with its project's list if it
/// has not begun.
pub(crate) type Walk = Shared<BoxFuture<'static, Walked>>;

/// The list of a project, and the walk that makes the next one.
#[derive(Debug)]
pub(crate) struct ProjectList {
    made: Option<(Arc<ListedFiles>, Instant)>,
    walk: Option<Walk>,
    used: Instant,
}

impl Default for ProjectList {
    fn default() -> Self {
        Self {
            made: None,
            walk: None,
            used: Instant::now(),
        }
    }
}

impl ProjectList {
    /// The last list, and the walk that replaces it. One of them is there. Begins a walk if there is no fresh list.
    pub(crate) fn ask(
        &mut self,
        begin: impl FnOnce() -> Walk,
    ) -> (Option<Arc<ListedFiles>>, Option<Walk>) {
        let now = Instant::now();
        self.used = now;
        if let Some(walked) = self.walk.as_ref().and_then(|it| it.clone().now_or_never()) {
            self.walk = None;
            // After an error the next list is tried at once.
            self.made = walked.ok();
        }
        let is_fresh = |(_, at): &(_, Instant)| now.saturating_duration_since(*at) < FRESH;
        if self.walk.is_none() && !self.made.as_ref().is_some_and(is_fresh) {
            self.walk = Some(begin());
        }
        let files = self.made.as_ref().map(|(files, _)| Arc::clone(files));
        (files, self.walk.clone())
    }

    pub(crate) const fn used(&self) -> Instant {
        self.used
    }
}

/// Begins to list a project.
pub(crate) fn walk(project: FoundProject, walks: Arc<Semaphore>) -> Walk {
    let walking = tokio::spawn(async move {
        let place = walks.acquire_owned().await;
        let listed = spawn_blocking(move || {
            let began = Instant::now();
            let admitted = (project.admission)();
            let listed = ListedFiles::list(&project.directory, admitted.as_deref());
            drop(place);
            Ok((Arc::new(listed?), began))
        });
        listed
            .await
            .unwrap_or_else(|error| Err(io::Error::other(error)))
    });
    let walking = AbortOnDropHandle::new(walking);
    let walked = walking.map(|ended| {
        let walked = ended.unwrap_or_else(|error| Err(io::Error::other(error)));
        walked.map_err(Arc::new)
    });
    walked.boxed().shared()
}
