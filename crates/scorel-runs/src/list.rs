use std::collections::HashMap;
use std::sync::Arc;

use scorel_engine::spawn_blocking;
use scorel_proto::{
    GetRunResult, ListRunsResult, ProjectId, RunId, SessionId, SessionKind, SessionRun,
    UnreadableRun,
};
use scorel_session::{ListFilter, SessionError, Sessions};

use crate::error::RunError;
use crate::run_dir::RunDir;
use crate::runs::Runs;
use crate::start::internal;

/// Sessions of one page of the catalogue.
const PAGE: usize = 500;

impl Runs {
    /// A run, with its graph and what its document says.
    ///
    /// # Errors
    /// There is no such run, or its file cannot be read.
    pub async fn get(
        self: &Arc<Self>,
        sessions: &Arc<Sessions>,
        id: RunId,
    ) -> Result<GetRunResult, RunError> {
        let runs = Arc::clone(self);
        let file = spawn_blocking(move || runs.file(&runs.dir(id)));
        // One whose document is broken has its file.
        let last = match file.await.map_err(internal)? {
            Ok(file) => file.sessions.last().copied(),
            Err(RunError::NotFound(id)) => return Err(RunError::NotFound(id)),
            Err(_) => None,
        };
        let lane = self.lane_of(sessions, last).await?;
        let shown =
            lane.and_then(|it| it.view(|view| Some(view.state.run.as_ref()?.shown.clone())));
        let runs = Arc::clone(self);
        let described = spawn_blocking(move || runs.describe(id, &|_| shown.clone()));
        described.await.map_err(internal)?
    }

    /// The runs of a project, or of all, the last started first.
    ///
    /// # Errors
    /// The directory of runs, or that of sessions, cannot be read.
    pub async fn list(
        self: &Arc<Self>,
        sessions: &Arc<Sessions>,
        project: Option<ProjectId>,
        limit: usize,
    ) -> Result<ListRunsResult, RunError> {
        let shown = shown(sessions).await?;
        let runs = Arc::clone(self);
        let list = move || -> Result<ListRunsResult, RunError> {
            let ids = RunDir::all(&runs.home).map_err(RunError::io(&runs.home))?;
            let mut listed = ListRunsResult {
                runs: Vec::new(),
                unreadable: Vec::new(),
            };
            for run_id in ids {
                if listed.runs.len() == limit {
                    break;
                }
                match runs.describe(run_id, &|id| shown.get(&id).cloned()) {
                    Ok(found) if project.is_none_or(|it| it == found.run.project_id) => {
                        listed.runs.push(found.run);
                    }
                    Ok(_) => {}
                    Err(error) => listed.unreadable.push(UnreadableRun {
                        run_id,
                        problem: error.to_string(),
                    }),
                }
            }
            Ok(listed)
        };
        spawn_blocking(list).await.map_err(internal)?
    }

    /// The digests of the packages that runs are bound to. Reads files; blocks.
    pub fn used_digests(&self) -> Vec<String> {
        let ids = RunDir::all(&self.home).unwrap_or_default().into_iter();
        let files = ids.filter_map(|id| self.file(&self.dir(id)).ok());
        files.map(|file| file.package.digest).collect()
    }
}

/// The states of runs as their sessions have them.
async fn shown(sessions: &Arc<Sessions>) -> Result<HashMap<SessionId, SessionRun>, SessionError> {
    let mut shown = HashMap::new();
    for archived in [false, true] {
        let mut cursor = None;
        loop {
            let filter = ListFilter {
                kind: Some(SessionKind::Workflow),
                archived,
                limit: PAGE,
                cursor,
                ..ListFilter::default()
            };
            let page = sessions.list(filter).await?;
            let runs = page.sessions.into_iter();
            shown.extend(runs.filter_map(|it| Some((it.session_id, it.run?))));
            cursor = page.next_cursor;
            if cursor.is_none() {
                break;
            }
        }
    }
    Ok(shown)
}
