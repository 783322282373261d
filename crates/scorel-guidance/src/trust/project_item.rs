use std::path::{Path, PathBuf};

use scorel_proto::ItemContent;
use serde_json::Value;

use super::listed_file::ListedFile;
use super::named_files::NamedFiles;

/// An item that a project brings.
#[derive(Debug, Clone, PartialEq)]
pub struct ProjectItem {
    /// Its kind and name, such as `skill:review`.
    pub item: String,
    /// Its entry in the project's configuration. Trust is in exactly this.
    pub config: Option<Value>,
    pub source: ItemSource,
    /// Its programs, for people.
    pub content: ItemContent,
    /// True if the user has one of this name. A project's never replaces it.
    pub is_shadowed: bool,
    /// Why it cannot be used, whatever was trusted.
    pub problem: Option<String>,
}

/// Where the files of an item are.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ItemSource {
    /// All files below a directory. A copy of them is used.
    Directory(PathBuf),
    /// The files of the project that a command names. They are used where they are.
    Named(NamedFiles),
}

impl ProjectItem {
    /// An item that is a directory and nothing else.
    pub fn directory(item: String, dir: PathBuf) -> Self {
        Self {
            item,
            config: None,
            source: ItemSource::Directory(dir),
            content: ItemContent::default(),
            is_shadowed: false,
            problem: None,
        }
    }

    /// An item that an entry of a file declares, and that runs a command.
    pub fn command(item: String, config: Value, command: NamedFiles) -> Self {
        Self {
            config: Some(config),
            source: ItemSource::Named(command),
            ..Self::directory(item, PathBuf::new())
        }
    }

    /// Why it can neither be trusted nor used as it is.
    pub(super) fn obstacle(&self) -> Option<String> {
        let is_shown = |item: &str| !item.chars().any(char::is_control);
        if !is_shown(&self.item) {
            return Some("its name cannot be shown".to_owned());
        }
        self.problem.clone()
    }
}

impl ItemSource {
    /// The directory, or the file that declares the item.
    pub(super) fn path(&self) -> &Path {
        match self {
            Self::Directory(dir) => dir,
            Self::Named(files) => files.declared_in(),
        }
    }

    /// The files as they are now. Reads none of them.
    ///
    /// # Errors
    /// Why they cannot be trusted.
    pub(super) fn list(&self) -> Result<Vec<ListedFile>, String> {
        match self {
            Self::Directory(dir) => ListedFile::below(dir),
            Self::Named(files) => files.list(),
        }
    }
}
