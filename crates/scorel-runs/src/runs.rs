use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use scorel_config::ConfigSource;
use scorel_guidance::skills::SkillProject;
use scorel_guidance::trust::TrustStore;
use scorel_home::{FormatVersion, ProjectRegistry};
use scorel_proto::{ProjectId, RunId, RunMode, RunPackage, SessionId, WorktreeOwner};
use scorel_run_tools::RunTools;
use scorel_workflow::{Package, PackageFiles, PackageReading, RunDocument};
use scorel_workplace::worktrees::Worktrees;

use crate::error::RunError;
use crate::invalid_state::InvalidState;
use crate::open_run::{BoundPackage, OpenRun};
use crate::run_budget::RunBudget;
use crate::run_dir::RunDir;
use crate::run_file::RunFile;
use crate::workflow_name::WorkflowName;

/// Packages that are kept parsed.
const MAX_PACKAGES: usize = 32;

/// The runs of a home.
#[derive(Debug)]
pub struct Runs {
    pub(crate) home: PathBuf,
    pub(crate) trust: Arc<TrustStore>,
    pub(crate) projects: Arc<ProjectRegistry>,
    pub(crate) config: Arc<ConfigSource>,
    pub(crate) worktrees: Arc<Worktrees>,
    /// Held while a command changes a run.
    pub(crate) changing: tokio::sync::Mutex<()>,
    memory: Mutex<RunsMemory>,
}

/// A leaf lock: nothing is waited for while it is held. All of it can be lost.
#[derive(Debug, Default)]
pub(crate) struct RunsMemory {
    /// The loaded sessions that belong to runs.
    pub(crate) bound: HashMap<SessionId, (RunId, RunMode)>,
    /// The tools of the newest turn of each of those sessions.
    pub(crate) tools: HashMap<SessionId, Arc<RunTools>>,
    /// The rest of the limits of runs, for turns of their sessions and of their agents that are being prepared.
    pub(crate) budgets: HashMap<SessionId, RunBudget>,
    /// Parsed packages, by the digests of their copies.
    packages: HashMap<String, Arc<Package>>,
}

impl Runs {
    pub fn new(
        home: &Path,
        trust: Arc<TrustStore>,
        projects: Arc<ProjectRegistry>,
        config: Arc<ConfigSource>,
        worktrees: Arc<Worktrees>,
    ) -> Self {
        Self {
            home: home.to_owned(),
            trust,
            projects,
            config,
            worktrees,
            changing: tokio::sync::Mutex::default(),
            memory: Mutex::default(),
        }
    }

    pub(crate) fn memory(&self) -> MutexGuard<'_, RunsMemory> {
        // Poisoning can be ignored: each change is one step.
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn dir(&self, id: RunId) -> RunDir {
        RunDir::of(&self.home, id)
    }

    /// The project as its packages are looked for.
    pub(crate) fn project(&self, id: ProjectId) -> Result<SkillProject, RunError> {
        let project = self.projects.get(id).ok_or(RunError::ProjectNotFound(id))?;
        let dir = PathBuf::from(project.work_dir);
        Ok(SkillProject { id, dir })
    }

    /// The file of a run; a lost one is made again from the document.
    pub(crate) fn file(&self, dir: &RunDir) -> Result<RunFile, RunError> {
        if !dir.exists() {
            return Err(RunError::NotFound(dir.id()));
        }
        if let Some(file) = dir.file().read()? {
            return Ok(file);
        }
        let text = dir.read_document().map_err(RunError::StateInvalid)?;
        let document = RunDocument::parse(text.text);
        let document = document.map_err(|error| RunError::StateInvalid(error.into()))?;
        let mut file = rebuilt(dir.id(), &document).map_err(RunError::StateInvalid)?;
        let made = self.worktrees.record(WorktreeOwner::RunId(dir.id()))?;
        file.worktree = made.map(|record| record.worktree()).transpose()?;
        dir.file().replace(&file)?;
        Ok(file)
    }

    /// The package that a run is bound to.
    pub(crate) fn bound_package(&self, file: &RunFile) -> Result<BoundPackage, RunError> {
        let digest = &file.package.digest;
        let missing = |reason: String| RunError::PackageMissing {
            digest: digest.clone(),
            reason,
        };
        let name: WorkflowName = file.workflow.parse().map_err(missing)?;
        let dir = self.trust.kept_directory(&name.item(), digest);
        let dir = dir.map_err(missing)?;
        let package = self.parsed(digest, &dir).map_err(missing)?;
        let bound = BoundPackage::new(package, &name, dir);
        bound.ok_or_else(|| missing(format!("it has no workflow `{name}`")))
    }

    /// A run that can go on.
    pub(crate) fn open(&self, id: RunId) -> Result<OpenRun, RunError> {
        let dir = self.dir(id);
        let file = self.file(&dir)?;
        let bound = self.bound_package(&file)?;
        OpenRun::read(dir, file, bound)
    }

    /// The package in a copy, which does not change.
    fn parsed(&self, digest: &str, dir: &Path) -> Result<Arc<Package>, String> {
        if let Some(known) = self.memory().packages.get(digest) {
            return Ok(Arc::clone(known));
        }
        let package = read_package(dir)?.package.map_err(|problems| {
            let first = problems.first().map(ToString::to_string);
            first.unwrap_or_else(|| "it cannot be read".to_owned())
        })?;
        let package = Arc::new(package);
        let packages = &mut self.memory().packages;
        if packages.len() >= MAX_PACKAGES {
            packages.clear();
        }
        packages.insert(digest.to_owned(), Arc::clone(&package));
        Ok(package)
    }
}

/// Reads the package in a directory.
pub(crate) fn read_package(dir: &Path) -> Result<PackageReading, String> {
    let mut files = PackageFiles::default();
    TrustStore::visit_files(dir, &mut |path, bytes| {
        let inserted = files.insert(path, bytes.to_vec());
        inserted.map_err(|error| error.to_string())
    })?;
    Ok(Package::read(&files))
}

/// The file of a run whose document says all of it but the sessions.
fn rebuilt(id: RunId, document: &RunDocument) -> Result<RunFile, InvalidState> {
    let state = document.state();
    let missing = |pointer: &str| InvalidState::at(pointer, "it is needed, since run.json is lost");
    let workflow = state.workflow.clone();
    let workflow = workflow.ok_or_else(|| missing("/workflow"))?;
    let project = state.project_id.as_ref();
    let project = project.ok_or_else(|| missing("/projectId"))?;
    let invalid = |pointer, reason: String| InvalidState::at(pointer, reason);
    let name: WorkflowName = workflow
        .id
        .parse()
        .map_err(|reason| invalid("/workflow/id", reason))?;
    let project = project
        .parse::<ProjectId>()
        .map_err(|error| invalid("/projectId", error.to_string()))?;
    Ok(RunFile {
        version: FormatVersion,
        run_id: id,
        project_id: project,
        package: RunPackage {
            id: name.package.to_string(),
            version: workflow.version,
            digest: workflow.digest,
        },
        workflow: workflow.id,
        sessions: Vec::new(),
        worktree: None,
        created_at: id.timestamp_ms(),
    })
}
