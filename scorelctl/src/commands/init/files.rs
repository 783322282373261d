use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use scorel_local::{LOCK_LIMIT, lock_directory};
use scorel_proto::{ConfigProblem, ModelProvider};
use tempfile::NamedTempFile;

use super::config_check::problem_of;
use super::key::{self, ApiKey};
use super::settings::{
    ModelSettings, has_root_keys, has_section, with_section, with_table, without_section,
};
use crate::exit::Exit;
use crate::failure::Failure;

/// The configuration file and the env file.
#[derive(Debug)]
pub(super) struct InitFiles {
    config: PathBuf,
    env: PathBuf,
    /// True if existing files may be changed.
    force: bool,
}

/// A text that is written but not yet in its place. It is removed unless it is put there.
#[derive(Debug)]
struct StagedFile {
    file: NamedTempFile,
    target: PathBuf,
}

/// A configuration that had to lose its model section before a daemon could start.
#[derive(Debug)]
pub(super) struct RemovedModel {
    /// The problem that it had.
    pub(super) problem: ConfigProblem,
    config: PathBuf,
    before: String,
    after: String,
}

impl InitFiles {
    pub(super) fn new(home: &Path, force: bool) -> Self {
        Self {
            config: home.join("config.toml"),
            env: home.join("env"),
            force,
        }
    }

    /// Fails if there is a configuration with a model and `--force` is not given, or one whose model
    /// cannot be replaced.
    pub(super) fn check(&self) -> Result<(), Failure> {
        match read(&self.config)? {
            Some(text) if has_root_keys(&text) => Err(not_a_section(&self.config)),
            Some(text) if !self.force && has_section(&text) => {
                Err(exists(&self.config, "replaces its model section"))
            }
            _ => Ok(()),
        }
    }

    /// With `--force`, removes the model section if the configuration is invalid with it and valid
    /// without it: no daemon starts before.
    pub(super) fn remove_invalid_model(&self) -> Result<Option<RemovedModel>, Failure> {
        let before = read(&self.config)?.filter(|_| self.force);
        let Some(before) = before else {
            return Ok(None);
        };
        let Some(problem) = problem_of(&self.config, &self.config) else {
            return Ok(None);
        };
        let after = without_section(&before);
        let staged = staged(&self.config, &after)?;
        if problem_of(staged.file.path(), &self.config).is_some() {
            return Ok(None);
        }
        let _one_at_a_time = locked(&self.config)?;
        if read(&self.config)?.as_ref() != Some(&before) {
            return Err(changed(&self.config));
        }
        put(staged, true)?;
        Ok(Some(RemovedModel {
            problem,
            config: self.config.clone(),
            before,
            after,
        }))
    }

    /// Fails if the env file would have to change and `--force` is not given: before a key is asked
    /// for.
    pub(super) fn check_env(&self, variable: &str) -> Result<(), Failure> {
        match read(&self.env)? {
            Some(_) if !self.force => Err(exists(&self.env, &adds(variable))),
            _ => Ok(()),
        }
    }

    /// Returns whether the env file sets the variable.
    pub(super) fn has_key(&self, variable: &str) -> Result<bool, Failure> {
        let text = read(&self.env)?;
        Ok(text.is_some_and(|text| key::has(&text, variable)))
    }

    /// The variable of the provider's key: the first one that is set in the environment or the env file, else
    /// the first. `None` if the provider needs no key.
    pub(super) fn usual_variable(
        &self,
        provider: &ModelProvider,
    ) -> Result<Option<String>, Failure> {
        for variable in &provider.key_variables {
            if ApiKey::find(variable)?.is_some() || self.has_key(variable)? {
                return Ok(Some(variable.clone()));
            }
        }
        Ok(provider.key_variables.first().cloned())
    }

    pub(super) fn config(&self) -> &Path {
        &self.config
    }

    /// Writes the endpoint, the model section unless the model is still to be chosen, and the key. Returns the file
    /// that has the key now.
    pub(super) fn write(
        &self,
        settings: &ModelSettings,
        key: Option<&ApiKey>,
    ) -> Result<Option<PathBuf>, Failure> {
        let old = read(&self.config)?;
        let mut text = old.clone().unwrap_or_default();
        if let Some(table) = settings.table() {
            text = with_table(&text, &table);
        }
        if !settings.model.is_empty() {
            text = with_section(&text, &settings.section());
        }
        let config = staged(&self.config, &text)?;
        if let Some(problem) = problem_of(config.file.path(), &self.config) {
            return Err(refused(&problem, settings));
        }
        let _one_at_a_time = locked(&self.config)?;
        // The key first: if it cannot be written, the configuration must not refer to it.
        let env = key.map(|key| self.write_key(key)).transpose()?;
        if read(&self.config)? != old {
            return Err(changed(&self.config));
        }
        put(config, old.is_some())?;
        Ok(env)
    }

    fn write_key(&self, key: &ApiKey) -> Result<PathBuf, Failure> {
        self.check_env(&key.variable)?;
        let old = read(&self.env)?;
        let text = key.added_to(old.as_deref().unwrap_or_default());
        put(staged(&self.env, &text)?, old.is_some())?;
        Ok(self.env.clone())
    }
}

impl RemovedModel {
    /// Puts the section back, before what was added since, unless the file has been changed otherwise.
    pub(super) fn put_back(self) -> Result<(), Failure> {
        let _one_at_a_time = locked(&self.config)?;
        let text = read(&self.config)?.unwrap_or_default();
        let Some(added) = text.strip_prefix(&self.after) else {
            return Err(changed(&self.config));
        };
        put(staged(&self.config, &(self.before + added))?, true)
    }
}

/// Keeps other programs of ours from replacing the configuration until the returned file is closed.
fn locked(config: &Path) -> Result<File, Failure> {
    let target = fs::canonicalize(config).unwrap_or_else(|_| config.to_owned());
    let locked = lock_directory(&target, LOCK_LIMIT).map_err(|error| failure(config, &error))?;
    locked.ok_or_else(|| {
        let message = format!("another program is still changing {}", config.display());
        let failure = Failure::refused("conflict", message);
        failure.hint("repeat the command when it has finished")
    })
}

/// Writes a text next to the file that it is to replace, durably, with mode 0600.
fn staged(path: &Path, text: &str) -> Result<StagedFile, Failure> {
    // Through a symbolic link, replace its target and keep the link.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let write = || {
        let mut file = NamedTempFile::new_in(target.parent().unwrap_or(Path::new("/")))?;
        file.write_all(text.as_bytes())?;
        file.as_file().sync_all()?;
        Ok(file)
    };
    let file = write().map_err(|error| failure(path, &error))?;
    Ok(StagedFile { file, target })
}

/// Puts a text in its place, atomically and durably.
fn put(staged: StagedFile, replaces: bool) -> Result<(), Failure> {
    let StagedFile { file, target } = staged;
    let put = || {
        if replaces {
            file.persist(&target).map_err(|error| error.error)?;
        } else {
            file.persist_noclobber(&target)
                .map_err(|error| error.error)?;
        }
        File::open(target.parent().unwrap_or(Path::new("/")))?.sync_all()
    };
    put().map_err(|error| failure(&target, &error))
}

/// The content of a file; `None` if it does not exist.
fn read(path: &Path) -> Result<Option<String>, Failure> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if fs::symlink_metadata(path).is_ok() {
                return Err(dangling(path));
            }
            Ok(None)
        }
        Err(error) => {
            let message = format!("cannot read {}: {error}", path.display());
            Err(Failure::new(Exit::Internal, "io", message))
        }
    }
}

fn dangling(path: &Path) -> Failure {
    let message = format!(
        "{} is a symbolic link to a file that does not exist",
        path.display()
    );
    Failure::refused("exists", message).hint("create the file it leads to, or remove the link")
}

fn failure(path: &Path, error: &io::Error) -> Failure {
    if error.kind() == io::ErrorKind::AlreadyExists {
        return changed(path);
    }
    let message = format!("cannot write {}: {error}", path.display());
    Failure::new(Exit::Internal, "io", message)
}

fn changed(path: &Path) -> Failure {
    let message = format!(
        "{} was changed by another program at the same time",
        path.display()
    );
    Failure::refused("conflict", message).hint("repeat the command")
}

/// The loader would not accept the configuration.
fn refused(problem: &ConfigProblem, settings: &ModelSettings) -> Failure {
    let message = format!("the configuration would be invalid, so nothing is written: {problem}");
    let failure = Failure::refused("config_refused", message);
    let is_model = |key: &String| key == "model" || key.starts_with("model.");
    match &problem.key {
        Some(key) if !is_model(key) => failure.hint("`scorelctl config edit` opens the file"),
        _ if settings.endpoint.is_none() => failure.hint(
            "an endpoint that is neither built in nor in a [providers.NAME] table needs --api and \
             --base-url",
        ),
        _ => failure,
    }
}

/// The model is set by keys that no section holds, so that none can be replaced.
fn not_a_section(path: &Path) -> Failure {
    let message = format!(
        "{} sets the model by keys outside of a [model] section",
        path.display()
    );
    Failure::refused("exists", message)
        .hint("`scorelctl config edit` opens the file; remove them, then repeat the command")
}

fn adds(variable: &str) -> String {
    format!("adds {variable}")
}

fn exists(path: &Path, what: &str) -> Failure {
    let message = format!("{} already exists", path.display());
    Failure::refused("exists", message).hint(format!("--force {what} and keeps the rest"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_is_put_back_before_what_was_added_since() {
        let home = tempfile::tempdir().unwrap();
        let config = home.path().join("config.toml");
        let before = "[model]\nid = 5\n\n[runtime]\n";
        let removed = || RemovedModel {
            problem: serde_json::from_str(
                r#"{"path": "config.toml", "message": "an id is a text"}"#,
            )
            .unwrap(),
            config: config.clone(),
            before: before.to_owned(),
            after: without_section(before),
        };
        for (now, then) in [
            ("[runtime]\n", Some("")),
            ("[runtime]\n\n[tools]\n", Some("\n[tools]\n")),
            ("[tools]\n", None),
        ] {
            fs::write(&config, now).unwrap();
            assert_eq!(removed().put_back().is_ok(), then.is_some(), "{now}");
            let expected = then.map_or(now.to_owned(), |added| format!("{before}{added}"));
            assert_eq!(fs::read_to_string(&config).unwrap(), expected);
        }
    }
}
