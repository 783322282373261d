use std::sync::Arc;

use scorel_engine::{CallScreen, Tool, ToolSpec};
use scorel_proto::{RunMode, SessionId};
use scorel_tools::{DocumentGuard, OpenRootError, ProjectTools};

use crate::bound_run::RunPlaces;
use crate::document::read_document;
use crate::run_files::{PlanRunFiles, RunFiles};
use crate::run_guard::RunGuard;
use crate::run_policy::RunPolicy;
use crate::tools::{apply_patch, list, read, search, write};

/// The tools of one turn of a session that is bound to a run.
#[derive(Debug)]
pub struct RunTools {
    files: RunFiles,
}

/// Opens the mounts of a session's run to its tools, and closes those of a session that is not bound any more. May
/// block.
///
/// # Errors
/// The directory of the package or of the state cannot be opened.
pub fn run_tools(
    places: &dyn RunPlaces,
    session: SessionId,
    project: &ProjectTools,
) -> Result<Option<RunTools>, OpenRootError> {
    let files = Arc::clone(project.files());
    let mounts = files.run_mounts();
    let Some(run) = places.bound(session) else {
        mounts.unmount();
        return Ok(None);
    };
    let document = read_document(&run.state_dir());
    let policy = Arc::new(RunPolicy::new(Arc::clone(&run), document.as_ref()));
    let is_run = run.mode == RunMode::Run;
    let guard = is_run.then(|| {
        let (run, policy) = (Arc::clone(&run), Arc::clone(&policy));
        Arc::new(RunGuard::new(run, policy, &files))
    });
    let judge = guard.clone().map(|it| it as Arc<dyn DocumentGuard>);
    mounts.mount(&run.package_dir, &run.state_dir(), judge)?;
    let files = RunFiles {
        files,
        policy,
        guard,
    };
    Ok(Some(RunTools { files }))
}

/// The specifications of the tools on files, for models.
pub fn tool_specs() -> Vec<ToolSpec> {
    tools().map(|(spec, _)| spec).into()
}

fn tools() -> [(ToolSpec, PlanRunFiles); 5] {
    [
        read::tool(),
        search::tool(),
        list::tool(),
        write::tool(),
        apply_patch::tool(),
    ]
}

impl RunTools {
    /// The tools on files.
    pub fn list(&self) -> Vec<Arc<dyn Tool>> {
        let tool = |(spec, plan)| self.files.tool(spec, plan);
        tools().map(tool).into()
    }

    /// The tools that the run allows where it is.
    pub fn policy(&self) -> &Arc<RunPolicy> {
        &self.files.policy
    }

    /// Refuses calls of other tools.
    pub fn screen(&self) -> Arc<dyn CallScreen> {
        Arc::clone(&self.files.policy) as Arc<dyn CallScreen>
    }
}
