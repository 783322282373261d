use std::collections::BTreeMap;
use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

use crate::limits::{MAX_PACKAGE_BYTES, MAX_PACKAGE_FILES, MAX_TEXT_BYTES};
use crate::manifest::MANIFEST;
use crate::package_path::path_mistake;

/// The files of a package by their paths. Of those that are not texts only the digests are kept.
#[derive(Debug, Clone, Default)]
pub struct PackageFiles {
    files: BTreeMap<String, PackageFile>,
    bytes: u64,
}

#[derive(Debug, Clone)]
struct PackageFile {
    sha256: [u8; 32],
    content: FileContent,
}

/// The content of a file, as far as it is kept.
#[derive(Debug, Clone)]
enum FileContent {
    Text(String),
    /// It is longer than any text that is read.
    TooLarge,
    NotText,
}

/// The reason why there is no text at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoText {
    Missing,
    TooLarge,
    NotText,
}

/// The reason why a file is not one of a package.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PackageFilesError {
    #[error("`{path}`: {mistake}")]
    Path { path: String, mistake: &'static str },
    #[error("`{0}` is there twice")]
    Twice(String),
    #[error("it has more than {MAX_PACKAGE_FILES} files")]
    TooManyFiles,
    #[error("it has more than {MAX_PACKAGE_BYTES} bytes")]
    TooManyBytes,
}

impl PackageFiles {
    /// Adds a file.
    ///
    /// # Errors
    /// Its path leads out of the package or is there already, or the package gets too large.
    pub fn insert(&mut self, path: &str, bytes: Vec<u8>) -> Result<(), PackageFilesError> {
        if let Some(mistake) = path_mistake(path) {
            let path = path.to_owned();
            return Err(PackageFilesError::Path { path, mistake });
        }
        if self.files.len() == MAX_PACKAGE_FILES {
            return Err(PackageFilesError::TooManyFiles);
        }
        self.bytes += bytes.len() as u64;
        if self.bytes > MAX_PACKAGE_BYTES {
            return Err(PackageFilesError::TooManyBytes);
        }
        let sha256 = Sha256::digest(&bytes).into();
        let content = match bytes.len() > MAX_TEXT_BYTES {
            true => FileContent::TooLarge,
            false => String::from_utf8(bytes).map_or(FileContent::NotText, FileContent::Text),
        };
        let file = PackageFile { sha256, content };
        match self.files.insert(path.to_owned(), file) {
            None => Ok(()),
            Some(_) => Err(PackageFilesError::Twice(path.to_owned())),
        }
    }

    /// The package without the one directory that archives of a whole repository have around it.
    #[must_use]
    pub fn unwrapped(self) -> Self {
        let first = self
            .files
            .keys()
            .next()
            .and_then(|path| path.split_once('/'));
        let Some(prefix) = first.map(|(dir, _)| format!("{dir}/")) else {
            return self;
        };
        let is_around = self.files.keys().all(|path| path.starts_with(&prefix));
        if !is_around || !self.files.contains_key(&format!("{prefix}{MANIFEST}")) {
            return self;
        }
        let files = self.files.into_iter();
        Self {
            files: files
                .map(|(path, file)| (path[prefix.len()..].to_owned(), file))
                .collect(),
            bytes: self.bytes,
        }
    }

    /// A digest over the names and contents of all files.
    pub fn digest(&self) -> String {
        let mut digest = Sha256::new();
        for (path, file) in &self.files {
            // A path has no NUL, so no two packages give the same bytes.
            digest.update(path.as_bytes());
            digest.update([0]);
            digest.update(file.sha256);
        }
        hexadecimal(&digest.finalize())
    }

    pub(crate) fn text(&self, path: &str) -> Result<&str, NoText> {
        match self.files.get(path).map(|file| &file.content) {
            Some(FileContent::Text(text)) => Ok(text),
            Some(FileContent::TooLarge) => Err(NoText::TooLarge),
            Some(FileContent::NotText) => Err(NoText::NotText),
            None => Err(NoText::Missing),
        }
    }
}

pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a `String` cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
