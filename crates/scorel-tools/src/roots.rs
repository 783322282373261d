//! The roots of a session, and locations in them.
//!
//! In goes a path as the model wrote it, out comes a [`Location`] or an open file. No other module opens
//! files by path, so that staying inside the roots is decided here alone.

mod destination;
mod granted;
mod location;
mod refused;
mod write_target;

use std::borrow::Cow;
use std::fs::File;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, OFlags, fstat};
use rustix::io::Errno;

use scorel_engine::Permit;

use crate::checked_text::check_text;
use crate::error::{ErrorCode, ToolError};
use crate::real_target::real_target;
use crate::root::{LOOK, Root, RootName, RootUse, real_path};
use crate::run_mounts::RunMounts;
use crate::shown_path::shown_path;
use crate::skill_roots::SkillRoots;

use granted::GrantedPath;
use refused::{missing, not_a_file, refusal};

pub(crate) use destination::{Original, WriteAccess};
pub use location::Location;
pub(crate) use write_target::WriteTarget;

/// `PATH_MAX`.
const MAX_PATH_BYTES: usize = 4096;

/// The roots of one session, or of one call with what its permit grants besides.
#[derive(Debug, Clone)]
pub struct Roots {
    project: Root,
    skills: SkillRoots,
    run: RunMounts,
    granted: Vec<GrantedPath>,
}

impl Roots {
    /// The roots of a session that has loaded no skill.
    pub fn new(project: Root) -> Self {
        Self {
            project,
            skills: SkillRoots::default(),
            run: RunMounts::default(),
            granted: Vec::new(),
        }
    }

    /// The same roots for one call, which may also use the paths that its permit grants.
    pub(crate) fn granting(&self, permit: &Permit) -> Self {
        Self {
            granted: GrantedPath::of(permit),
            ..self.clone()
        }
    }

    /// The skills that the session has loaded.
    pub(crate) fn skills(&self) -> &SkillRoots {
        &self.skills
    }

    /// The directories of the run that the session is bound to.
    pub(crate) fn run_mounts(&self) -> &RunMounts {
        &self.run
    }

    pub(crate) fn project_path(&self) -> &Path {
        self.project.path()
    }

    /// Parses a path argument: `@project/...`, a path relative to the project, or an absolute path. Does
    /// not access the disk.
    ///
    /// # Errors
    /// The path is empty, too long, contains a NUL character, or names a skill that was not loaded or a run that there
    /// is not.
    pub fn locate(&self, argument: &str) -> Result<Location, ToolError> {
        check_text(
            "path",
            argument,
            MAX_PATH_BYTES,
            "the project itself is `.`",
        )?;
        if argument.starts_with('/') {
            return Ok(self.locate_absolute(argument));
        }
        let (first, rest) = argument.split_once('/').unwrap_or((argument, ""));
        match RootName::parse(first) {
            Some(RootName::Skill) => {
                let location = Location::new(RootName::Skill, rest);
                self.skill(&location)?;
                Ok(location)
            }
            Some(name @ (RootName::Package | RootName::State)) => {
                let location = Location::new(name, rest);
                self.of_run(&location)?;
                Ok(location)
            }
            Some(name) => Ok(Location::new(name, rest)),
            None => Ok(Location::new(RootName::Project, argument)),
        }
    }

    /// As [`Roots::locate`], for a file to be written.
    pub(crate) fn locate_file(&self, argument: &str) -> Result<Location, ToolError> {
        if argument.ends_with('/') {
            return Err(ToolError::invalid(
                "`path` ends with `/`, as only a directory does; directories are made with the \
                 files in them",
            ));
        }
        self.locate(argument)
    }

    /// Opens a regular file for reading. Never blocks on a pipe or a device.
    ///
    /// # Errors
    /// The location leads outside its root, or is not a regular file that can be read.
    pub fn open_file(&self, location: &Location) -> Result<File, ToolError> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
        let opened = self.open(location, flags)?;
        let stat = fstat(&opened).map_err(|error| refusal(location, error))?;
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => Ok(File::from(opened)),
            FileType::Directory => Err(ToolError::new(
                ErrorCode::IsDirectory,
                format!("{location} is a directory; list it with Glob, pattern `*` and this path"),
            )),
            _ => Err(not_a_file(location)),
        }
    }

    /// Opens a directory, for a process to run in.
    ///
    /// # Errors
    /// The location leads outside its root, or is not a directory that can be opened.
    pub(crate) fn open_directory(&self, location: &Location) -> Result<OwnedFd, ToolError> {
        self.open(location, OFlags::RDONLY | OFlags::DIRECTORY)
    }

    /// The kind of file at a location, links followed.
    ///
    /// # Errors
    /// The location leads outside its root, does not exist or is not accessible.
    pub fn kind(&self, location: &Location) -> Result<EntryKind, ToolError> {
        let opened = self.open(location, LOOK)?;
        let stat = fstat(&opened).map_err(|error| refusal(location, error))?;
        Ok(match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => EntryKind::File,
            FileType::Directory => EntryKind::Directory,
            _ => EntryKind::Special,
        })
    }

    /// The absolute path of a directory, links followed, for a library that needs a path. Files found by
    /// such a path must be opened through the roots again.
    ///
    /// # Errors
    /// As [`Roots::open_directory`].
    pub(crate) fn real_path(&self, location: &Location) -> Result<PathBuf, ToolError> {
        let directory = self.open_directory(location)?;
        real_path(directory.as_fd()).map_err(|error| refusal(location, error))
    }

    /// The absolute path of a location, links not followed. Does not access the disk.
    pub(crate) fn unresolved_path(&self, location: &Location) -> PathBuf {
        if location.root == RootName::System {
            return Path::new("/").join(&location.path);
        }
        if let (RootName::Skill, Ok((skill, path))) = (location.root, self.skill(location)) {
            return skill.path().join(path);
        }
        if let Some(root) = self.run.root(location.root) {
            return root.path().join(&location.path);
        }
        self.project.path().join(&location.path)
    }

    /// The directory of the skill that a location is in, and the path below it.
    fn skill<'a>(&self, location: &'a Location) -> Result<(Root, &'a Path), ToolError> {
        let mut path = location.path.iter();
        let name = path.next().and_then(|name| name.to_str());
        let root = name.and_then(|name| self.skills.get(name));
        let root = root.ok_or_else(|| {
            let reason = "is in no skill that was loaded; load it with Skill";
            location.refused(ErrorCode::NotFound, reason)
        })?;
        Ok((root, path.as_path()))
    }

    /// The directory of the run that a location is in.
    fn of_run(&self, location: &Location) -> Result<Root, ToolError> {
        self.run.root(location.root).ok_or_else(|| {
            let reason = "is of no run: this session is not bound to one";
            location.refused(ErrorCode::NotFound, reason)
        })
    }

    /// Opens a location that is shown.
    fn open(&self, location: &Location, flags: OFlags) -> Result<OwnedFd, ToolError> {
        let (root, path) = self.resolve(location, RootUse::Reading)?;
        root.open_beneath(path, flags)
            .map_err(|error| self.refusal(location, error))
    }

    /// The root that a location is opened beneath, and the path below it.
    fn resolve<'a>(
        &'a self,
        location: &'a Location,
        used_for: RootUse,
    ) -> Result<(Cow<'a, Root>, &'a Path), ToolError> {
        match location.root {
            RootName::Project => return Ok((Cow::Borrowed(&self.project), &location.path)),
            RootName::Skill => {
                let (root, path) = self.skill(location)?;
                return Ok((Cow::Owned(root), path));
            }
            RootName::Package | RootName::State => {
                return Ok((Cow::Owned(self.of_run(location)?), &location.path));
            }
            RootName::System => {}
        }
        let absolute = self.unresolved_path(location);
        let is_it = |granted: &&GrantedPath| granted.covers(&absolute, used_for);
        let granted = self.granted.iter().find(is_it).ok_or_else(|| {
            let reason = "is outside the project, and the call may not use it";
            location.refused(ErrorCode::SandboxViolation, reason)
        })?;
        let root = granted
            .root(&self.project)
            .map_err(|error| refusal(location, error))?;
        let top = root.path().strip_prefix("/").unwrap_or(root.path());
        Ok((
            Cow::Borrowed(root),
            location.path.strip_prefix(top).unwrap_or(&location.path),
        ))
    }

    /// As [`refusal`], which names where a path leads that leaves its root.
    fn refusal(&self, location: &Location, error: Errno) -> ToolError {
        let refused = refusal(location, error);
        if error == Errno::NOENT {
            let resolved = self.resolve(location, RootUse::Reading).ok();
            let settled = resolved.and_then(|(root, path)| root.settle(path).ok());
            return settled.map_or(refused, |settled| missing(location, &settled));
        }
        if error != Errno::XDEV {
            return refused;
        }
        let Ok(target) = real_target(&self.unresolved_path(location)) else {
            return refused;
        };
        let shown = shown_path(&target);
        let message = format!(
            "{}, to {shown}; name that path itself, and the user is asked about it",
            refused.message
        );
        ToolError { message, ..refused }.with("leadsTo", shown)
    }

    fn locate_absolute(&self, argument: &str) -> Location {
        let inside = self.project.relative(Path::new(argument));
        match inside.and_then(Path::to_str) {
            Some(rest) => Location::new(RootName::Project, rest),
            None => Location::new(RootName::System, argument),
        }
    }
}

/// Kinds of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file.
    File,
    Directory,
    /// A device, pipe or socket.
    Special,
}
