use scorel_home::receipts::{RunChange, Subject};
use scorel_runs::{RunIds, StartedRun};

use super::attempt::Attempt;
use crate::host::Host;
use crate::rpc::call_error::CallError;

impl Host {
    /// Changes a run. A repeated change completes what the first attempt has begun.
    pub(super) async fn change_run(
        &self,
        ids: RunIds,
        change: RunChange,
        attempt: Attempt,
    ) -> Result<Subject, CallError> {
        let (runs, sessions, run_id) = (&self.runs, &self.sessions, ids.run_id);
        let session = match change {
            RunChange::Start(params) => {
                let dir = self.project_dir(params.project_id)?;
                if params.model.is_some() {
                    let level = Default::default();
                    self.models.accept(dir, params.model.clone(), level).await?;
                }
                Some(runs.start(sessions, ids, params).await?)
            }
            RunChange::Resume(params) => Some(runs.resume(sessions, ids, params).await?),
            RunChange::Update(params) => {
                runs.update(sessions, params).await?;
                None
            }
            RunChange::Rebind(params) => {
                runs.rebind(sessions, params).await?;
                None
            }
            RunChange::Repair => {
                runs.repair(sessions, run_id).await?;
                None
            }
            RunChange::Delete => {
                let is_repeated = attempt == Attempt::Again;
                runs.delete(sessions, run_id, is_repeated).await?;
                None
            }
        };
        let session = session.map(
            |StartedRun {
                 session_id, seq, ..
             }| (session_id, seq),
        );
        Ok(Subject::Run { run_id, session })
    }
}
