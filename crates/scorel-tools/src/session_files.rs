//! The files of one session.

use std::fs::File;
use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::Duration;

use scorel_engine::{Effect, Permit};
use scorel_proto::{FileBefore, FileChange, FileState};

use crate::error::{ErrorCode, ToolError};
use crate::host::ToolHost;
use crate::off_limits::off_limits;
use crate::pace::TIME_LIMIT;
use crate::real_target::real_target;
use crate::root::{RootName, real_path};
use crate::roots::{Location, Original, Roots, WriteTarget};
use crate::seen_files::SeenFiles;
use crate::shown_files::ShownFiles;
use crate::shown_path::shown_path;
use crate::skill_roots::SkillRoots;

/// The roots of one session and what its model has seen of the files below them.
///
/// Lives as long as the session is loaded: a file may be changed only where the model has seen it.
#[derive(Debug)]
pub struct SessionFiles {
    pub(crate) roots: Roots,
    pub(crate) seen: SeenFiles,
    pub(crate) host: ToolHost,
    /// The longest time that one call may take.
    pub(crate) time_limit: Duration,
}

/// A write that was planned: where its path led when it was judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedWrite {
    pub(crate) location: Location,
    pub(crate) target: WriteTarget,
    /// The file when the call began, if the change is recorded.
    pub(crate) before: Option<FileBefore>,
}

impl PlannedWrite {
    pub(crate) const fn new(location: Location, target: WriteTarget) -> Self {
        Self {
            location,
            target,
            before: None,
        }
    }

    /// The file that would be changed.
    pub const fn location(&self) -> &Location {
        &self.location
    }

    pub(crate) fn effect(&self) -> Effect {
        Effect::WritePath {
            path: self.target.path.clone(),
            named: self.target.location.clone(),
            protection: self.target.protection.map(|it| it.reason().to_owned()),
        }
    }

    /// Returns whether the file is still what it was when the call began: that is what the session's records say
    /// was replaced.
    pub(crate) fn check(&self, original: Option<&Original>) -> Result<(), ToolError> {
        let is_same = self
            .before
            .as_ref()
            .is_none_or(|known| match &known.before {
                FileState::Absent => original.is_none(),
                FileState::Unknown => true,
                known => original.is_some_and(|original| original.state() == *known),
            });
        if is_same {
            return Ok(());
        }
        let reason = "was changed meanwhile by another program; Read it again";
        let expected = self.before.as_ref().and_then(|it| match &it.before {
            FileState::File { sha256, .. } => Some(sha256.to_string()),
            _ => None,
        });
        let refused = self.location.refused(ErrorCode::Stale, reason);
        Err(refused
            .with("expected", expected)
            .with("actual", original.map(|it| it.hash.to_string())))
    }
}

impl SessionFiles {
    pub(crate) fn new(roots: Roots, host: ToolHost) -> Self {
        Self {
            host: host.seen_from(roots.project_path()),
            roots,
            seen: SeenFiles::default(),
            time_limit: TIME_LIMIT,
        }
    }

    /// The effect of showing the model the content at `path`, an argument of a call. Looks at the file
    /// system to follow links, since rules are about the file that is read and not about its names.
    pub fn reading(&self, path: &str) -> Effect {
        match self.plan_read(path) {
            Ok((effect, _)) => effect,
            Err(error) => Effect::Unresolved {
                reason: error.to_string(),
            },
        }
    }

    /// The effect of changing the file at `path`, an argument of a call that something else carries out.
    pub fn changing(&self, path: &str) -> Effect {
        self.writing(path).0
    }

    /// As [`Self::reading`], with the location that is to be opened.
    pub(crate) fn plan_read(&self, path: &str) -> Result<(Effect, Location), ToolError> {
        let location = self.roots.locate(path)?;
        let named = self.roots.unresolved_path(&location);
        let leads_out = || {
            let kind = self.roots.kind(&location);
            kind.is_err_and(|error| error.code == ErrorCode::SandboxViolation)
        };
        if matches!(location.root, RootName::Package | RootName::State) && leads_out() {
            let reason = format!("leads outside {}", location.root);
            return Err(location.refused(ErrorCode::SandboxViolation, reason));
        }
        if location.root != RootName::System && !leads_out() {
            let path = named.canonicalize().unwrap_or(named);
            return Ok(match location.root {
                RootName::Skill | RootName::Package | RootName::State => {
                    (Effect::ReadMount { path }, location)
                }
                _ => (Effect::ReadPath { path }, location),
            });
        }
        // Where it cannot be told where it leads, the run cannot open it either.
        let path = real_target(&named).unwrap_or(named);
        let effect = match off_limits(&path, &self.host.home) {
            Some(reason) => Effect::Unresolved {
                reason: kept_away(&path, reason),
            },
            None => Effect::ReadPath { path: path.clone() },
        };
        Ok((effect, Location::outside(&path)))
    }

    /// The effect of writing the file at `path`, an argument of a call, and the write itself. Looks at
    /// the file system and changes nothing.
    pub(crate) fn writing(&self, path: &str) -> (Effect, Result<PlannedWrite, ToolError>) {
        let planned = self.plan_write(path);
        let effect = match &planned {
            Ok(write) => write.effect(),
            Err(error) => Effect::Unresolved {
                reason: error.to_string(),
            },
        };
        (effect, planned)
    }

    /// Records the file that a write is about to change, if it is one of the project.
    pub(crate) fn begin_write(
        &self,
        write: &mut PlannedWrite,
    ) -> Result<Vec<FileBefore>, ToolError> {
        let Some(recorder) = &self.host.recorder else {
            return Ok(Vec::new());
        };
        let Some(path) = recorder.path_of(&write.target.path) else {
            return Ok(Vec::new());
        };
        let before = recorder.before(path).map_err(|error| {
            let code = match error.kind() {
                io::ErrorKind::PermissionDenied => ErrorCode::AccessDenied,
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => ErrorCode::NoSpace,
                _ => ErrorCode::Internal,
            };
            let reason = format!("was not changed, since it cannot be recorded: {error}");
            write.location.refused(code, reason)
        })?;
        write.before = Some(before.clone());
        Ok(vec![before])
    }

    /// The changes of a write that gave its file this content: one if it is recorded.
    pub(crate) fn written(&self, write: PlannedWrite, content: &[u8]) -> Vec<FileChange> {
        let recorded = self.host.recorder.as_ref().zip(write.before);
        let change = recorded.map(|(recorder, before)| recorder.written(before, content));
        change.into_iter().collect()
    }

    /// Opens a file to show the model its content.
    ///
    /// # Errors
    /// The path leads outside the roots, the file cannot be read, or the permit's filter withholds it.
    pub fn open(&self, path: &str, permit: &Permit) -> Result<File, ToolError> {
        let (_, location) = self.plan_read(path)?;
        self.open_shown(&self.roots.granting(permit), &location, permit)
    }

    /// The skills that the session has loaded.
    pub fn skills(&self) -> &SkillRoots {
        self.roots.skills()
    }

    /// The real path of the project's directory.
    pub fn project(&self) -> &Path {
        self.roots.project_path()
    }

    pub(crate) fn open_shown(
        &self,
        roots: &Roots,
        location: &Location,
        permit: &Permit,
    ) -> Result<File, ToolError> {
        let file = roots.open_file(location)?;
        let shown = self.shown(location, permit);
        if shown.is_limited() {
            // The open file is judged, not its path, which may lead elsewhere by now.
            let real = real_path(file.as_fd()).map_err(|error| failed(location, &error.into()))?;
            let metadata = file.metadata().map_err(|error| failed(location, &error))?;
            // A deleted file has no path that rules could be about.
            if metadata.nlink() == 0 || !shown.may_show(&real) {
                let reason = "may not be read: permission rules keep it back";
                return Err(location.refused(ErrorCode::PermissionNeeded, reason));
            }
        }
        Ok(file)
    }

    /// The files at a location and below it that may be shown.
    pub(crate) fn shown<'a>(&'a self, location: &Location, permit: &'a Permit) -> ShownFiles<'a> {
        ShownFiles {
            // Rules and hidden places are about the user's files, and the daemon's home is one.
            rules: match location.root {
                RootName::Skill | RootName::Package | RootName::State => None,
                RootName::Project | RootName::System => permit.reads.as_deref(),
            },
            daemon_home: (location.root == RootName::System).then_some(&self.host.home),
        }
    }

    fn plan_write(&self, path: &str) -> Result<PlannedWrite, ToolError> {
        let location = self.roots.locate_file(path)?;
        if location.root == RootName::State {
            let reason = "is in @state, which fs_write and fs_apply_patch change";
            return Err(location.refused(ErrorCode::AccessDenied, reason));
        }
        let inside = self.roots.write_target(&location, &self.host.home);
        let leads_out = |error: &ToolError| error.code == ErrorCode::SandboxViolation;
        match inside {
            Ok(target) => Ok(PlannedWrite::new(location, target)),
            Err(error) if leads_out(&error) => self.plan_outside(&location, error),
            Err(error) => Err(error),
        }
    }

    /// Plans a write to a path that leads outside the roots; `refused` is the error of one inside them.
    fn plan_outside(
        &self,
        location: &Location,
        refused: ToolError,
    ) -> Result<PlannedWrite, ToolError> {
        let home = &self.host.home;
        let Ok(path) = real_target(&self.roots.unresolved_path(location)) else {
            return Err(refused);
        };
        if let Some(reason) = off_limits(&path, home) {
            let message = kept_away(&path, reason);
            return Err(ToolError::new(ErrorCode::SandboxViolation, message));
        }
        let location = Location::outside(&path);
        let target = WriteTarget::new(&location, path, home);
        Ok(PlannedWrite::new(location, target))
    }
}

fn kept_away(path: &Path, reason: &str) -> String {
    format!("{} is kept from file tools: {reason}", shown_path(path))
}

fn failed(location: &Location, error: &io::Error) -> ToolError {
    ToolError::new(
        ErrorCode::Internal,
        format!("{location} cannot be opened: {error}"),
    )
}
