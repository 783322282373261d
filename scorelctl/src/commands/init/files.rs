use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::key::{self, Key};
use super::settings::{Settings, with_section};
use crate::exit::Exit;
use crate::failure::Failure;

/// The files that are written.
#[derive(Debug)]
pub(super) struct Files {
    config: PathBuf,
    env: PathBuf,
    /// Whether files that are there may be changed.
    force: bool,
}

/// What was written.
#[derive(Debug)]
pub(super) struct Written {
    pub(super) config: PathBuf,
    pub(super) env: Option<PathBuf>,
}

impl Files {
    pub(super) fn new(home: &Path, force: bool) -> Self {
        Self {
            config: home.join("config.toml"),
            env: home.join("env"),
            force,
        }
    }

    /// Whether there is a configuration that must stay.
    pub(super) fn check(&self) -> Result<(), Failure> {
        match fs::symlink_metadata(&self.config) {
            Ok(_) if !self.force => Err(exists(&self.config, "replaces the model in it")),
            _ => Ok(()),
        }
    }

    /// Whether the file of keys has the variable.
    pub(super) fn has_key(&self, variable: &str) -> Result<bool, Failure> {
        let text = read(&self.env)?;
        Ok(text.is_some_and(|text| key::has(&text, variable)))
    }

    /// Writes the configuration, and the key if there is one to write.
    pub(super) fn write(&self, settings: &Settings, key: Option<&Key>) -> Result<Written, Failure> {
        let section = settings.section();
        let config = match read(&self.config)? {
            Some(old) => with_section(&old, &section),
            None => section,
        };
        // The key first: a configuration without it would fail.
        let env = key.map(|key| self.write_key(key)).transpose()?;
        self.put(&self.config, &config)
            .map_err(|error| self.failure(&self.config, "replaces the model in it", &error))?;
        Ok(Written {
            config: self.config.clone(),
            env,
        })
    }

    fn write_key(&self, key: &Key) -> Result<PathBuf, Failure> {
        let old = read(&self.env)?;
        let text = key.added_to(old.as_deref().unwrap_or_default());
        let what = format!("adds {} to it", key.variable);
        self.put(&self.env, &text)
            .map_err(|error| self.failure(&self.env, &what, &error))?;
        Ok(self.env.clone())
    }

    /// Puts a file in its place as a whole, readable by nobody else.
    fn put(&self, path: &Path, text: &str) -> io::Result<()> {
        // A link to a file elsewhere stays a link.
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

/// The text of a file; `None` if there is none.
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

fn exists(path: &Path, what: &str) -> Failure {
    let message = format!("{} is there already", path.display());
    Failure::new(Exit::NotAccepted, "exists", message)
        .hint(format!("--force {what} and keeps the rest"))
}
