use std::path::{Path, PathBuf};

use super::checked;
use super::file_text::{FileText, repeated};
use super::key_change::KeyChange;
use crate::file_layer::FileLayer;
use crate::key::ConfigKey;
use crate::origin::DocumentOrigin;
use crate::parse::origin_of;
use crate::problems::{problems_of_file, problems_of_text};
use crate::project::ProjectLayer;
use crate::{ConfigError, EditConfigError};

/// A configuration file that a person changes, without a daemon. Every method blocks on the disk.
#[derive(Debug)]
pub struct ConfigFile {
    path: PathBuf,
    layer: FileLayer,
}

/// A file as it was read, to be replaced by a text that a person edited.
#[derive(Debug)]
pub struct EditedText {
    file: FileText,
    layer: FileLayer,
}

impl ConfigFile {
    /// The user's file, at this path.
    pub fn user(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            layer: FileLayer::User,
        }
    }

    /// The file of the project in that directory.
    pub fn project(dir: &Path) -> Self {
        Self {
            path: dir.join(".scorel").join("config.toml"),
            layer: FileLayer::Project,
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(super) const fn layer(&self) -> FileLayer {
        self.layer
    }

    /// What is wrong with the file, in the order of its text. A missing file has no problem.
    pub fn problems(&self) -> Vec<ConfigError> {
        problems_of_file(&self.path, self.layer)
    }

    /// Sets a key to a value that is written as in TOML, or to the text itself if the key takes a text.
    /// Returns whether the file had to be changed. Every byte stays that the change does not need.
    ///
    /// # Errors
    /// On every error the file is unchanged.
    pub fn set(&self, key: &ConfigKey, value: &str) -> Result<bool, EditConfigError> {
        repeated(|| self.set_once(key, value))
    }

    fn set_once(&self, key: &ConfigKey, value: &str) -> Result<bool, EditConfigError> {
        let file = FileText::read(&self.path, self.layer)?;
        let origin = origin_of(&file.target, &file.bytes)?;
        let mut first = None;
        for reading in KeyChange::readings(key, value) {
            match self.edited(&origin, &reading) {
                Ok(text) => return replaced(&file, &origin, &text),
                // The text may be meant as a text.
                Err(EditConfigError::File(error)) if error.key() == Some(&key.plain()) => {
                    first.get_or_insert(EditConfigError::File(error));
                }
                Err(error) => {
                    first.get_or_insert(error);
                    break;
                }
            }
        }
        Err(first.unwrap_or_else(|| EditConfigError::refused(None, "no value".to_owned(), None)))
    }

    /// Removes a key. Returns whether the file had to be changed.
    ///
    /// # Errors
    /// The key is not set, or the file would not be valid without it. On every error the file is
    /// unchanged.
    pub fn unset(&self, key: &ConfigKey) -> Result<bool, EditConfigError> {
        repeated(|| {
            let file = FileText::read(&self.path, self.layer)?;
            let origin = origin_of(&file.target, &file.bytes)?;
            let text = self.edited(&origin, &KeyChange::unset(key))?;
            replaced(&file, &origin, &text)
        })
    }

    /// Reads the file for an editor.
    ///
    /// # Errors
    /// The file cannot be read, or is not to be trusted.
    pub fn begin(&self) -> Result<EditedText, EditConfigError> {
        Ok(EditedText {
            file: FileText::read(&self.path, self.layer)?,
            layer: self.layer,
        })
    }

    /// The text with the change, if the loader accepts it.
    fn edited(
        &self,
        origin: &DocumentOrigin,
        change: &KeyChange<'_>,
    ) -> Result<String, EditConfigError> {
        let text = change.applied(origin)?;
        // A problem that the file has already is reported where it is.
        let refused = |error: ConfigError| match self.layer.check(origin) {
            Err(before) if before.key() == error.key() => before.into(),
            _ => error.within(origin.text()).into(),
        };
        let after = checked(self.layer, origin, &change.change, text, refused)?;
        self.check_effect(origin, &after)?;
        Ok(after.text().to_owned())
    }

    /// A project's file takes no new key that has no effect there.
    fn check_effect(
        &self,
        before: &DocumentOrigin,
        after: &DocumentOrigin,
    ) -> Result<(), EditConfigError> {
        if self.layer == FileLayer::User {
            return Ok(());
        }
        let known = ProjectLayer::refused_keys(before);
        let new = ProjectLayer::refused_keys(after);
        match new.into_iter().find(|warning| !known.contains(warning)) {
            Some(warning) => {
                let reason = format!("`{}`: {}", warning.key, warning.reason);
                Err(EditConfigError::refused(None, reason, None))
            }
            None => Ok(()),
        }
    }
}

impl EditedText {
    /// The text as it was read.
    pub fn bytes(&self) -> &[u8] {
        &self.file.bytes
    }

    /// What is wrong with another text, as if it stood in the file.
    pub fn problems_of(&self, text: &str) -> Vec<ConfigError> {
        problems_of_text(&self.file.target, text.as_bytes(), self.layer)
    }

    /// Puts another text in the place of the file.
    ///
    /// # Errors
    /// Another program has changed the file meanwhile, or it cannot be written.
    pub fn replace(&self, text: &str) -> Result<(), EditConfigError> {
        self.file.replace(text)
    }
}

fn replaced(file: &FileText, origin: &DocumentOrigin, text: &str) -> Result<bool, EditConfigError> {
    if text == origin.text() {
        return Ok(false);
    }
    file.replace(text)?;
    Ok(true)
}
