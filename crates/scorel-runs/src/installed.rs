//! Packages of workflows that are installed: the user's, and those that a project brings.

use std::fs;
use std::path::{Path, PathBuf};

use scorel_guidance::skills::SkillProject;
use scorel_guidance::trust::{Admitted, KeptItem, ProjectItem, TrustError};
use scorel_proto::{SkillSource, TrustState, WorkflowInfo};
use scorel_workflow::PackageId;

use crate::error::RunError;
use crate::runs::{Runs, read_package};
use crate::workflow_name::{WorkflowName, item};

/// The directory of packages, in the daemon's home and in a project's.
const WORKFLOWS: &str = "workflows";

/// The directory of a project that is for the daemon.
const PROJECT_DIR: &str = ".scorel";

/// Entries of such a directory that are looked at.
const MAX_PACKAGES: usize = 200;

/// Why something in that directory cannot be trusted.
const NO_PACKAGE: &str = "it is not the directory of a package with an id as its name; `scorelctl workflow add` unpacks an archive";

/// A package where it is installed.
#[derive(Debug, Clone)]
pub(crate) struct InstalledPackage {
    pub(crate) id: PackageId,
    pub(crate) dir: PathBuf,
    /// The project that brings it; `None` for one of the user.
    pub(crate) project: Option<SkillProject>,
}

impl Runs {
    /// The packages of the user, then those of a project that the user has none of the same name of.
    pub(crate) fn installed(&self, project: Option<&SkillProject>) -> Vec<InstalledPackage> {
        let own = packages(&self.home.join(WORKFLOWS));
        let own = own.into_iter().map(|(id, dir)| InstalledPackage {
            id,
            dir,
            project: None,
        });
        let mut found: Vec<InstalledPackage> = own.collect();
        if let Some(project) = project {
            let of_project = self.directory_of(&project.dir);
            for (id, dir) in of_project.iter().flat_map(|dir| packages(dir)) {
                if !found.iter().any(|it| it.id == id) {
                    let project = Some(project.clone());
                    found.push(InstalledPackage { id, dir, project });
                }
            }
        }
        found
    }

    /// The packages of a project, as items to be trusted. Reads files; blocks.
    pub fn project_items(&self, project: &Path) -> Vec<ProjectItem> {
        let own = packages(&self.home.join(WORKFLOWS));
        let Some(dir) = self.directory_of(project) else {
            return Vec::new();
        };
        let of_project = packages(&dir).into_iter();
        let of_project = of_project.map(|(id, dir)| ProjectItem {
            is_shadowed: own.iter().any(|(it, _)| *it == id),
            problem: problem(&dir),
            ..ProjectItem::directory(item(&id), dir)
        });
        let others = other_entries(&dir)
            .into_iter()
            .map(|(name, path)| ProjectItem {
                problem: Some(NO_PACKAGE.to_owned()),
                ..ProjectItem::directory(format!("workflow:{name}"), path)
            });
        of_project.chain(others).collect()
    }

    /// The installed packages, as people are shown them. Reads files; blocks.
    ///
    /// # Errors
    /// If the list of trusted items cannot be read.
    pub fn list_workflows(
        &self,
        project: Option<&SkillProject>,
    ) -> Result<Vec<WorkflowInfo>, TrustError> {
        let installed = self.installed(project).into_iter();
        installed.map(|it| self.describe_package(&it)).collect()
    }

    /// Those that a run can be started of. Reads files; blocks.
    ///
    /// # Errors
    /// As [`Runs::list_workflows`].
    pub fn usable_workflows(
        &self,
        project: Option<&SkillProject>,
    ) -> Result<Vec<WorkflowInfo>, TrustError> {
        let can_run = |it: &WorkflowInfo| {
            let is_trusted = it.trust.is_none_or(|it| it == TrustState::Trusted);
            is_trusted && it.problems == 0 && it.problem.is_none()
        };
        let mut listed = self.list_workflows(project)?;
        listed.retain(can_run);
        Ok(listed)
    }

    fn describe_package(&self, it: &InstalledPackage) -> Result<WorkflowInfo, TrustError> {
        let mut info = WorkflowInfo {
            id: it.id.to_string(),
            source: match it.project {
                None => SkillSource::User,
                Some(_) => SkillSource::Project,
            },
            path: it.dir.display().to_string(),
            name: None,
            version: None,
            description: None,
            workflows: Vec::new(),
            trust: match &it.project {
                None => None,
                Some(project) => Some(self.trust.of(project.id)?.state(&it.item())),
            },
            problems: 0,
            problem: None,
        };
        match read_package(&it.dir).map(|reading| reading.package) {
            Ok(Ok(package)) => {
                let ids = package.workflows.iter().filter_map(|it| it.id.clone());
                info.workflows = ids.collect();
                info.name = Some(package.manifest.name);
                info.version = Some(package.manifest.version);
                let about = package.manifest.description;
                info.description = about.lines().next().map(str::to_owned);
            }
            Ok(Err(problems)) => info.problems = problems.len() as u64,
            Err(reason) => info.problem = Some(reason),
        }
        Ok(info)
    }

    /// The package of a workflow, where it is installed.
    ///
    /// # Errors
    /// There is none of this name.
    pub(crate) fn find(
        &self,
        name: &str,
        project: Option<&SkillProject>,
    ) -> Result<(WorkflowName, InstalledPackage), RunError> {
        let parsed: WorkflowName = name.parse().map_err(|reason| RunError::WorkflowNotFound {
            name: name.to_owned(),
            suggestion: None,
            reason: Some(reason),
        })?;
        let mut installed = self.installed(project);
        match installed.iter().position(|it| it.id == parsed.package) {
            Some(at) => Ok((parsed, installed.swap_remove(at))),
            None => {
                let ids = installed.iter().map(|it| it.id.as_str());
                let meant = scorel_extension::nearest(parsed.package.as_str(), ids);
                Err(RunError::WorkflowNotFound {
                    name: name.to_owned(),
                    suggestion: meant.map(str::to_owned),
                    reason: None,
                })
            }
        }
    }

    /// The copy of a package that a run may be bound to: the trusted one of a project, or one of the user's as it is
    /// now.
    pub(crate) fn usable_copy(&self, it: &InstalledPackage) -> Result<KeptItem, RunError> {
        let Some(project) = &it.project else {
            return Ok(self.trust.keep_directory(&item(&it.id), &it.dir)?);
        };
        let inert = |reason: String| RunError::WorkflowNotFound {
            name: it.id.to_string(),
            suggestion: None,
            reason: Some(reason),
        };
        let admitted = self.trust.of(project.id)?.admit(&it.item());
        match admitted.map_err(|error| inert(error.to_string()))? {
            Admitted::Copy(dir) => {
                let digest = dir
                    .file_name()
                    .and_then(|it| it.to_str())
                    .map(str::to_owned);
                let digest = digest.ok_or_else(|| inert("its copy has no name".to_owned()))?;
                Ok(KeptItem { digest, dir })
            }
            Admitted::InPlace => Err(inert("it has no copy".to_owned())),
        }
    }

    /// The directory of a project's packages. A link could lead out of the project, and the home that is there in a
    /// project at the user's home directory is the user's own.
    fn directory_of(&self, project: &Path) -> Option<PathBuf> {
        let scorel = project.join(PROJECT_DIR);
        let real = |path: &Path| path.canonicalize().ok();
        let is_directory = scorel.symlink_metadata().is_ok_and(|it| it.is_dir());
        let is_of_project = is_directory && real(&scorel) != real(&self.home);
        is_of_project.then(|| scorel.join(WORKFLOWS))
    }
}

impl InstalledPackage {
    fn item(&self) -> ProjectItem {
        ProjectItem::directory(item(&self.id), self.dir.clone())
    }
}

/// Why a package cannot be trusted: one that cannot run is never of use.
fn problem(dir: &Path) -> Option<String> {
    match read_package(dir).map(|reading| reading.package) {
        Ok(Ok(_)) => None,
        Ok(Err(problems)) => problems.first().map(ToString::to_string),
        Err(reason) => Some(reason),
    }
}

/// The directories of a place whose names are ids, in order; none if it is absent or a link.
fn packages(dir: &Path) -> Vec<(PackageId, PathBuf)> {
    let directories = entries(dir)
        .into_iter()
        .filter(|(_, path)| is_directory(path));
    let named = directories.filter_map(|(name, path)| Some((name.parse().ok()?, path)));
    named.collect()
}

/// The beginnings of names beside packages that are not those of packages.
fn other_entries(dir: &Path) -> Vec<(String, PathBuf)> {
    let others = entries(dir)
        .into_iter()
        .filter(|(name, path)| !is_directory(path) || name.parse::<PackageId>().is_err());
    let stem = |name: &str| {
        name.rsplit_once('.')
            .map_or(name, |(stem, _)| stem)
            .to_owned()
    };
    others.map(|(name, path)| (stem(&name), path)).collect()
}

fn is_directory(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|it| it.is_dir())
}

fn entries(dir: &Path) -> Vec<(String, PathBuf)> {
    if !is_directory(dir) {
        return Vec::new();
    }
    let found = fs::read_dir(dir).into_iter().flatten().flatten();
    let named = found.map(|it| (it.file_name().to_string_lossy().into_owned(), it.path()));
    let mut named: Vec<(String, PathBuf)> = named.take(MAX_PACKAGES).collect();
    named.sort();
    named
}
