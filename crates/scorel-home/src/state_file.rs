//! State files: files of a home that are read and replaced as a whole.
//!
//! One is JSON of a bounded size, with the version of its format. Its content is a [`StateBody`]; its
//! name, limits and meaning stand in a [`StateKind`], and the list of all is `STATE_FILES`.

mod error;
mod format_version;
mod kind;

use std::io;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use scorel_journal::{FileStorage, replace_file, replace_unsynced};
use serde::Serialize;
use serde::de::DeserializeOwned;

pub use error::StateError;
pub use format_version::FormatVersion;
pub use kind::{
    CHANNELS, CREDENTIALS, DAEMON, DEVICE, GRANTS, MODELS, Need, PROJECTS, RUN, StateKind, TRUST,
    WORKTREE,
};

/// The content of a state file. With a version, it has that in a field `version`, a [`FormatVersion`].
pub trait StateBody: Serialize + DeserializeOwned {
    const KIND: &'static StateKind;
    /// Set if people read or edit the file, so that it is written in lines.
    const IN_LINES: bool = true;
    /// Unset if the file tells only of a process: a crash of the machine ends both, and may leave the file empty.
    const IS_SYNCED: bool = true;

    /// Checks what the types cannot say.
    ///
    /// # Errors
    /// The reason why the content is damaged.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }
}

/// A state file at its path. Every method blocks on the disk.
#[derive(Debug)]
pub struct StateFile<T> {
    path: PathBuf,
    /// Held from a read to the write of what was made of it.
    changing: Mutex<()>,
    body: PhantomData<fn() -> T>,
}

impl<T: StateBody> StateFile<T> {
    pub fn new(path: PathBuf) -> Self {
        Self {
            path,
            changing: Mutex::default(),
            body: PhantomData,
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The content; `None` if there is no file.
    ///
    /// # Errors
    /// The file is not trusted, too large, damaged or newer than this program. It is never repaired here.
    pub fn read(&self) -> Result<Option<T>, StateError> {
        let Some(bytes) = T::KIND.read(&self.path)? else {
            return Ok(None);
        };
        let damaged = |reason| T::KIND.damaged(&self.path, reason);
        let parsed = serde_json::from_slice(&bytes);
        let body: T = parsed.map_err(|error| damaged(error.to_string()))?;
        body.check().map_err(damaged)?;
        Ok(Some(body))
    }

    /// Changes the content, or that of an absent file, and replaces the file. One change at a time.
    ///
    /// # Errors
    /// Those of reading and writing, and those of `change`. On every error the file is unchanged.
    pub fn modify<R, E: From<StateError>>(
        &self,
        change: impl FnOnce(&mut T) -> Result<R, E>,
    ) -> Result<R, E>
    where
        T: Default,
    {
        self.with(|mut body| {
            let result = change(&mut body)?;
            self.replace(&body)?;
            Ok(result)
        })
    }

    /// Looks at the content, or that of an absent file, while nothing changes it.
    ///
    /// # Errors
    /// Those of reading, and those of `look`.
    pub fn with<R, E: From<StateError>>(&self, look: impl FnOnce(T) -> Result<R, E>) -> Result<R, E>
    where
        T: Default,
    {
        // Poisoning can be ignored: the file is replaced as a whole.
        let _changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        look(self.read()?.unwrap_or_default())
    }

    /// Replaces the file, durably unless its content needs no sync, with mode 0600. A crash leaves the old or the
    /// new content.
    ///
    /// # Errors
    /// The file cannot be written; it is unchanged.
    pub fn replace(&self, body: &T) -> Result<(), StateError> {
        let text = match T::IN_LINES {
            true => serde_json::to_vec_pretty(body),
            false => serde_json::to_vec(body),
        };
        let written = text.map_err(io::Error::from).and_then(|mut text| {
            text.push(b'\n');
            match T::IS_SYNCED {
                true => replace_file(&FileStorage, &self.path, &text),
                false => replace_unsynced(&FileStorage, &self.path, &text),
            }
        });
        written.map_err(|source| StateError::Write {
            path: self.path.clone(),
            source,
        })
    }
}

#[cfg(test)]
mod tests;
