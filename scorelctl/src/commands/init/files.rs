use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::key::{self, ApiKey};
use super::settings::{ModelSettings, with_section};
use crate::exit::Exit;
use crate::failure::Failure;

/// The configuration file and the env file.
#[derive(Debug)]
pub(super) struct InitFiles {
    config: PathBuf,
    env: PathBuf,
    /// Whether existing files may be changed.
    force: bool,
}

/// The files that were written.
#[derive(Debug)]
pub(super) struct WrittenFiles {
    pub(super) config: PathBuf,
    pub(super) env: Option<PathBuf>,
}

impl InitFiles {
    pub(super) fn new(home: &Path, force: bool) -> Self {
        Self {
            config: home.join("config.toml"),
            env: home.join("env"),
            force,
        }
    }

    /// Fails if there is a configuration and `--force` is not given.
    pub(super) fn check(&self) -> Result<(), Failure> {
        match fs::symlink_metadata(&self.config) {
            Ok(_) if !self.force => Err(exists(&self.config, "replaces its model section")),
            _ => Ok(()),
        }
    }

    /// Fails if the env file would have to change and `--force` is not given: before a key is asked
    /// for.
    pub(super) fn check_env(&self, variable: &str) -> Result<(), Failure> {
        match fs::symlink_metadata(&self.env) {
            Ok(_) if !self.force => Err(exists(&self.env, &adds(variable))),
            _ => Ok(()),
        }
    }

    /// Whether the env file sets the variable.
    pub(super) fn has_key(&self, variable: &str) -> Result<bool, Failure> {
        let text = read(&self.env)?;
        Ok(text.is_some_and(|text| key::has(&text, variable)))
    }

    /// Writes the configuration, and the key if there is one.
    pub(super) fn write(
        &self,
        settings: &ModelSettings,
        key: Option<&ApiKey>,
    ) -> Result<WrittenFiles, Failure> {
        let section = settings.section();
        let config = match read(&self.config)? {
            Some(old) => with_section(&old, &section),
            None => section,
        };
        // The key first: if it cannot be written, the configuration must not refer to it.
        let env = key.map(|key| self.write_key(key)).transpose()?;
        self.put(&self.config, &config)
            .map_err(|error| self.failure(&self.config, "replaces its model section", &error))?;
        Ok(WrittenFiles {
            config: self.config.clone(),
            env,
        })
    }

    fn write_key(&self, key: &ApiKey) -> Result<PathBuf, Failure> {
        let old = read(&self.env)?;
        let text = key.added_to(old.as_deref().unwrap_or_default());
        self.put(&self.env, &text)
            .map_err(|error| self.failure(&self.env, &adds(&key.variable), &error))?;
        Ok(self.env.clone())
    }

    /// Replaces a file atomically and durably, with mode 0600.
    fn put(&self, path: &Path, text: &str) -> io::Result<()> {
        // Through a symbolic link, replace its target and keep the link.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let directory = target.parent().unwrap_or(Path::new("/"));
        let mut file = NamedTempFile::new_in(directory)?;
        file.write_all(text.as_bytes())?;
        file.as_file().sync_all()?;
        if self.force {
            file.persist(&target).map_err(|error| error.error)?;
        } else {
            file.persist_noclobber(&target)
                .map_err(|error| error.error)?;
        }
        File::open(directory)?.sync_all()
    }

    fn failure(&self, path: &Path, what: &str, error: &io::Error) -> Failure {
        if error.kind() == io::ErrorKind::AlreadyExists {
            return exists(path, what);
        }
        let message = format!("cannot write {}: {error}", path.display());
        Failure::new(Exit::Internal, "io", message)
    }
}

/// The content of a file; `None` if it does not exist.
fn read(path: &Path) -> Result<Option<String>, Failure> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => {
            let message = format!("cannot read {}: {error}", path.display());
            Err(Failure::new(Exit::Internal, "io", message))
        }
    }
}

fn adds(variable: &str) -> String {
    format!("adds {variable}")
}

fn exists(path: &Path, what: &str) -> Failure {
    let message = format!("{} already exists", path.display());
    Failure::new(Exit::NotAccepted, "exists", message)
        .hint(format!("--force {what} and keeps the rest"))
}
