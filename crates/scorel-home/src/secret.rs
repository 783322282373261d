//! API keys: named in the configuration, looked up in the home's `env` file and the environment at
//! each use.

mod env_file;
mod name;

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use scorel_fs::text_of;
use scorel_proto::SecretPlace;

pub use name::{InvalidSecretName, SecretName};

use crate::trusted_file::{self, FileProblem, Trust};

/// Upper bound of the `env` file.
const MAX_BYTES: u64 = 1024 * 1024;

type Lookup = Box<dyn Fn(&str) -> Option<OsString> + Send + Sync>;

/// Looks up secrets by name: in the home's `env` file, else in the environment.
///
/// Values are not cached, so a changed key applies from the next model call without a restart. The
/// file comes first for the same reason: the environment has the values from the daemon's start,
/// under a service manager a copy of the same file.
pub struct SecretStore {
    file: PathBuf,
    environment: Lookup,
}

/// The reason why a secret cannot be used. No message contains any part of a value.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    #[error(transparent)]
    File(#[from] FileProblem),
    #[error("{path}:{line}: expected `NAME=value`")]
    Syntax {
        path: PathBuf,
        /// Counted from 1.
        line: usize,
    },
    #[error("the value of `{name}` has control characters in it or is not text")]
    Unusable { name: String },
}

impl SecretStore {
    /// Looks in this process's environment and in `file`, which may be missing.
    pub fn new(file: PathBuf) -> Self {
        Self::with_environment(file, |name| std::env::var_os(name))
    }

    pub fn file(&self) -> &Path {
        &self.file
    }

    fn with_environment(
        file: PathBuf,
        environment: impl Fn(&str) -> Option<OsString> + Send + Sync + 'static,
    ) -> Self {
        Self {
            file,
            environment: Box::new(environment),
        }
    }

    /// The secret with that name; `None` if it is unset or empty. Reads the file.
    pub fn resolve(&self, name: &str) -> Result<Option<String>, SecretError> {
        let Some(value) = self.value(name)? else {
            return Ok(None);
        };
        // A line break at the end is an accident of copying. Any other control character is not valid in
        // the HTTP header that carries the key.
        let value = value.trim_matches(['\r', '\n']);
        if value.chars().any(char::is_control) {
            return Err(unusable(name));
        }
        Ok((!value.is_empty()).then(|| value.to_owned()))
    }

    /// The text that is set for a name.
    fn value(&self, name: &str) -> Result<Option<String>, SecretError> {
        let without = match self.in_file(name) {
            Ok(Some(value)) if !value.is_empty() => return Ok(Some(value)),
            without => without,
        };
        match (self.environment)(name).filter(|value| !value.is_empty()) {
            Some(value) => value.into_string().map(Some).map_err(|_| unusable(name)),
            // A file that cannot be read matters only to keys that are nowhere else.
            None => without.map(|_| None),
        }
    }

    /// Every value in the file, and those of `names` in the environment: what must be removed from the
    /// environment of commands. Reads the file; an unreadable one contributes nothing.
    pub fn values(&self, names: &[&str]) -> Vec<String> {
        let in_environment = names.iter().filter_map(|name| (self.environment)(name));
        let mut values: Vec<String> = in_environment
            .filter_map(|value| value.into_string().ok())
            .collect();
        values.extend(self.assignments().into_iter().map(|(_, value)| value));
        values
    }

    /// The names in the file: variables that commands do not get. An unreadable file contributes
    /// nothing.
    pub fn names(&self) -> Vec<String> {
        self.assignments()
            .into_iter()
            .map(|(name, _)| name)
            .collect()
    }

    fn assignments(&self) -> Vec<(String, String)> {
        let text = self.text().ok().flatten().unwrap_or_default();
        let assignments = env_file::assignments(&text);
        assignments
            .map(|(name, value)| (name.to_owned(), value))
            .collect()
    }

    /// Where the secret with that name is. Reads the file; an unreadable one has none.
    pub fn place(&self, name: &str) -> SecretPlace {
        let in_file = self.in_file(name).ok().flatten();
        if in_file.is_some_and(|value| !value.is_empty()) {
            return SecretPlace::EnvFile;
        }
        let in_environment = (self.environment)(name);
        match in_environment.is_some_and(|value| !value.is_empty()) {
            true => SecretPlace::Environment,
            false => SecretPlace::Unset,
        }
    }

    fn in_file(&self, name: &str) -> Result<Option<String>, SecretError> {
        let Some(text) = self.text()? else {
            return Ok(None);
        };
        let found = env_file::find(&text, name);
        found.map_err(|line| SecretError::Syntax {
            path: self.file.clone(),
            line,
        })
    }

    fn text(&self) -> Result<Option<String>, FileProblem> {
        let file = trusted_file::read(&self.file, MAX_BYTES, Trust::Secret)?;
        Ok(file.map(|(_, bytes)| text_of(&bytes).into_owned()))
    }
}

fn unusable(name: &str) -> SecretError {
    SecretError::Unusable {
        name: name.to_owned(),
    }
}

impl fmt::Debug for SecretStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecretStore")
            .field("file", &self.file)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
