//! Replacing and creating files.

mod original;
mod temporary;

use std::ffi::OsString;
use std::io::Write as _;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{
    Mode, OFlags, RenameFlags, fchmod, fstat, fsync, mkdirat, openat, renameat, renameat_with,
};
use rustix::io::Errno;
use scorel_exec::Umask;
use scorel_permission::DaemonHome;

use super::refused::{missing, refusal};
use super::write_target::WriteTarget;
use super::{Location, Roots};
use crate::error::{ErrorCode, ToolError};
use crate::lazy::Lazy;
use crate::root::{RootName, RootUse, Settled, real_path};

pub(crate) use original::Original;
use temporary::Temporary;

/// Permissions of new directories and files, before the umask.
const NEW_DIRECTORY: Mode = Mode::from_raw_mode(0o777);
const NEW_FILE: Mode = Mode::from_raw_mode(0o666);

/// Where a file is or will be: an open directory and a name in it. Operations are relative to the open
/// directory and follow no link, so later changes of the path do not lead elsewhere.
#[derive(Debug)]
pub(crate) struct Destination<'a> {
    location: &'a Location,
    directory: OwnedFd,
    /// Directories below it that are not there yet. They are created with the file, so a call that is refused before
    /// leaves none.
    missing: Vec<OsString>,
    name: OsString,
    umask: Option<Umask>,
}

/// The files that one call may write.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WriteAccess<'a> {
    /// For [`WriteTarget`]'s protection.
    pub(crate) daemon_home: &'a DaemonHome,
    /// The file that the call was judged for.
    pub(crate) planned: &'a WriteTarget,
    /// True if it may be protected.
    pub(crate) protected_writes: bool,
    /// For new files and directories; with `None` the process's own applies.
    pub(crate) umask: &'a Lazy<Option<Umask>>,
}

impl Roots {
    /// The file that a write to a location would create or change.
    ///
    /// # Errors
    /// The location leads outside its root, cannot be a file, or is in a root that is read-only.
    pub(crate) fn write_target(
        &self,
        location: &Location,
        daemon_home: &DaemonHome,
    ) -> Result<WriteTarget, ToolError> {
        Ok(self.settle(location, daemon_home)?.1)
    }

    /// An existing file with its content.
    ///
    /// # Errors
    /// The location may not be written, or is not a file that can be read and written.
    pub(crate) fn existing<'a>(
        &self,
        location: &'a Location,
        access: WriteAccess<'_>,
    ) -> Result<(Destination<'a>, Original), ToolError> {
        let (settled, target) = self.settle(location, access.daemon_home)?;
        target.check(access.planned, access.protected_writes)?;
        let absent = missing(location, &settled);
        if !settled.missing.is_empty() {
            return Err(absent);
        }
        let destination = Destination::new(location, settled, None);
        match destination.original()? {
            Some(original) => Ok((destination, original)),
            None => Err(absent),
        }
    }

    /// The destination of a file that may not exist yet. Creates nothing.
    ///
    /// # Errors
    /// The location may not be written, or is not a file.
    pub(crate) fn destination<'a>(
        &self,
        location: &'a Location,
        access: WriteAccess<'_>,
    ) -> Result<(Destination<'a>, Option<Original>), ToolError> {
        let (settled, target) = self.settle(location, access.daemon_home)?;
        target.check(access.planned, access.protected_writes)?;
        if settled.look_alike().is_some() {
            return Err(missing(location, &settled));
        }
        let destination = Destination::new(location, settled, *access.umask.get());
        let original = destination.original()?;
        Ok((destination, original))
    }

    /// Resolves the target of a write. Creates nothing.
    fn settle(
        &self,
        location: &Location,
        daemon_home: &DaemonHome,
    ) -> Result<(Settled, WriteTarget), ToolError> {
        let (root, path) = self.resolve(location, RootUse::Writing)?;
        if root.name().is_read_only() {
            let reason = format!("is in {}, which is read-only", root.name());
            return Err(location.refused(ErrorCode::AccessDenied, reason));
        }
        let fail = |error| refusal(location, error);
        let settled = root.settle(path).map_err(fail)?;
        let mut path = real_path(settled.directory.as_fd()).map_err(fail)?;
        path.extend(&settled.missing);
        path.push(&settled.name);
        if location.root == RootName::State {
            let target = WriteTarget::unprotected(location, path);
            return Ok((settled, target));
        }
        let target = WriteTarget::new(location, path, daemon_home);
        let named = self.unresolved_path(location);
        let target = target.in_project(self.project_path(), &named, daemon_home);
        Ok((settled, target))
    }
}

impl<'a> Destination<'a> {
    fn new(location: &'a Location, settled: Settled, umask: Option<Umask>) -> Self {
        Self {
            location,
            directory: settled.directory,
            missing: settled.missing,
            name: settled.name,
            umask,
        }
    }

    fn original(&self) -> Result<Option<Original>, ToolError> {
        if !self.missing.is_empty() {
            return Ok(None);
        }
        Original::open(self.directory.as_fd(), &self.name, self.location)
    }

    /// Replaces the content atomically and durably: temporary file, fsync, rename, fsync of the directory. Creates
    /// directories that are missing. Returns notes for the model.
    ///
    /// # Errors
    /// The file is not `original` any more, or the system refuses. The file is unchanged then.
    pub(crate) fn put(
        &mut self,
        content: &[u8],
        original: Option<&Original>,
    ) -> Result<Vec<String>, ToolError> {
        for name in std::mem::take(&mut self.missing) {
            let made = make_directory(&self.directory, &name, self.umask);
            self.directory = made.map_err(|error| refusal(self.location, error))?;
        }
        let fail = |error| self.failed(error);
        let mode = original.map_or(NEW_FILE, |_| Mode::RUSR | Mode::WUSR);
        let mut temporary =
            Temporary::create(self.directory.as_fd(), &self.name, mode).map_err(fail)?;
        (&temporary.file)
            .write_all(content)
            .map_err(|error| self.not_written(&error))?;
        let mut notes = match original {
            Some(original) => original.copy_metadata(&temporary.file).map_err(fail)?,
            None => {
                self.give_permissions(&temporary).map_err(fail)?;
                Vec::new()
            }
        };
        fsync(&temporary.file).map_err(fail)?;
        match original {
            Some(original) if self.location.root == RootName::State => {
                self.check(original)?;
                self.exchange(&mut temporary, original)?;
            }
            Some(original) => {
                self.check(original)?;
                self.rename(&temporary.name).map_err(fail)?;
                temporary.is_kept = true;
            }
            None => {
                self.rename_to_nothing(&temporary.name).map_err(fail)?;
                temporary.is_kept = true;
            }
        }
        // The rename has happened: a failed directory sync weakens durability, and the write has not failed.
        if let Err(error) = sync_directory(&self.directory) {
            let error = std::io::Error::from(error);
            notes.push(format!(
                "A power failure now may bring the old content back: {error}."
            ));
        }
        Ok(notes)
    }

    /// Gives a new file the permissions that the user's umask leaves. The process's own umask is
    /// narrower, and it is one for all threads.
    fn give_permissions(&self, temporary: &Temporary<'_>) -> Result<(), Errno> {
        let Some(umask) = self.umask else {
            return Ok(());
        };
        let mode = umask.apply(NEW_FILE.as_raw_mode());
        fchmod(&temporary.file, Mode::from_raw_mode(mode))
    }

    /// Puts the new content in the place of `original`, and nothing in the place of another file: what was there is
    /// looked at once more when it is out of the way, and goes back if it is not the original. Only where no other
    /// writer of ours takes the old file for a temporary one that was left over: one session writes a run's state.
    fn exchange(
        &self,
        temporary: &mut Temporary<'_>,
        original: &Original,
    ) -> Result<(), ToolError> {
        let (directory, name) = (&self.directory, &self.name);
        let swap = || {
            renameat_with(
                directory,
                &temporary.name,
                directory,
                name,
                RenameFlags::EXCHANGE,
            )
        };
        match swap() {
            Ok(()) => {}
            // File systems without RENAME_EXCHANGE: what is saved at this moment may be lost.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                self.rename(&temporary.name).map_err(|it| self.failed(it))?;
                temporary.is_kept = true;
                return Ok(());
            }
            Err(error) => return Err(self.failed(error)),
        }
        let out = OsString::from(&temporary.name);
        let replaced = Original::open(self.directory.as_fd(), &out, self.location);
        match replaced {
            Ok(Some(replaced)) if replaced.is(original) => Ok(()),
            replaced => {
                let refused = self.changed(original, replaced.ok().flatten().as_ref());
                // It is another's: it is kept, even where it cannot go back.
                temporary.is_kept = swap().is_err();
                Err(refused)
            }
        }
    }

    fn rename(&self, from: &str) -> Result<(), Errno> {
        renameat(&self.directory, from, &self.directory, &self.name)
    }

    /// Fails unless the file is still `original`.
    fn check(&self, original: &Original) -> Result<(), ToolError> {
        match self.original() {
            Ok(Some(now)) if now.is(original) => Ok(()),
            now => Err(self.changed(original, now.ok().flatten().as_ref())),
        }
    }

    fn changed(&self, original: &Original, now: Option<&Original>) -> ToolError {
        changed(self.location)
            .with("expected", original.hash.to_string())
            .with("actual", now.map(|it| it.hash.to_string()))
    }

    fn rename_to_nothing(&self, from: &str) -> Result<(), Errno> {
        let (directory, name) = (&self.directory, &self.name);
        match renameat_with(directory, from, directory, name, RenameFlags::NOREPLACE) {
            // File systems without RENAME_NOREPLACE: check and rename, with a race.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                match rustix::fs::statat(directory, name, rustix::fs::AtFlags::SYMLINK_NOFOLLOW) {
                    Err(Errno::NOENT) => renameat(directory, from, directory, name),
                    Ok(_) => Err(Errno::EXIST),
                    Err(error) => Err(error),
                }
            }
            result => result,
        }
    }

    fn not_written(&self, error: &std::io::Error) -> ToolError {
        match Errno::from_io_error(error) {
            Some(error) => self.failed(error),
            None => ToolError::new(
                ErrorCode::Internal,
                format!("{} cannot be written: {error}", self.location),
            ),
        }
    }

    fn failed(&self, error: Errno) -> ToolError {
        let location = self.location;
        let unknown;
        let (code, reason) = match error {
            Errno::EXIST => return changed(location),
            Errno::NOSPC | Errno::DQUOT => (ErrorCode::NoSpace, "no space is left"),
            Errno::ACCESS | Errno::PERM => (ErrorCode::AccessDenied, "permission denied"),
            Errno::ROFS => (ErrorCode::AccessDenied, "the file system is read-only"),
            Errno::NOENT => (ErrorCode::NotFound, "its directory is gone"),
            other => {
                unknown = std::io::Error::from(other).to_string();
                (ErrorCode::Internal, unknown.as_str())
            }
        };
        location.refused(code, format!("cannot be written: {reason}"))
    }
}

/// Creates and opens a directory; one that was created meanwhile is used.
fn make_directory(
    parent: &OwnedFd,
    name: &OsString,
    umask: Option<Umask>,
) -> Result<OwnedFd, Errno> {
    let is_new = match mkdirat(parent, name, NEW_DIRECTORY) {
        Ok(()) => true,
        Err(Errno::EXIST) => false,
        Err(error) => return Err(error),
    };
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let directory = openat(parent, name, flags, Mode::empty())?;
    if is_new {
        if let Some(umask) = umask {
            // The set-group-ID bit is inherited and stays.
            let inherited = fstat(&directory)?.st_mode & 0o7000;
            let mode = umask.apply(NEW_DIRECTORY.as_raw_mode()) | inherited;
            fchmod(&directory, Mode::from_raw_mode(mode))?;
        }
        sync_directory(parent)?;
    }
    Ok(directory)
}

/// Syncs a directory, where the file system supports it.
fn sync_directory(directory: &OwnedFd) -> Result<(), Errno> {
    match fsync(directory) {
        Err(Errno::INVAL | Errno::NOTSUP) => Ok(()),
        result => result,
    }
}

fn changed(location: &Location) -> ToolError {
    location.refused(
        ErrorCode::Stale,
        "was changed by another program at this moment; Read it again",
    )
}
