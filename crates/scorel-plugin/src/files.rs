//! The files of a plugin, which a stranger has written.

use std::fmt;
use std::fs::File;
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};

use scorel_fs::open_regular;

use scorel_extension::Problem;

/// Entries of a directory that are looked at.
const MAX_ENTRIES: usize = 1_000;

/// A mistake in a file of a plugin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileProblem {
    /// The file, below the plugin's root.
    pub file: String,
    pub problem: Problem,
}

impl FileProblem {
    pub(crate) fn new(file: impl Into<String>, problem: Problem) -> Self {
        Self {
            file: file.into(),
            problem,
        }
    }
}

impl fmt::Display for FileProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file, self.problem)
    }
}

/// The files below the root of a plugin. No link is followed, and nothing above the root is named.
#[derive(Debug, Clone, Copy)]
pub(super) struct PluginFiles<'a> {
    pub(super) root: &'a Path,
}

impl PluginFiles<'_> {
    /// Reads a text; `None` if there is none.
    pub(super) fn text(&self, file: &str, max: u64) -> Result<Option<String>, Problem> {
        let path = self.checked(file)?;
        let opened = match open_regular(File::options().read(true), &path) {
            Ok(opened) => opened,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Problem::new(format!("it cannot be read: {error}"))),
        };
        let mut bytes = Vec::new();
        let read = opened.take(max + 1).read_to_end(&mut bytes);
        read.map_err(|error| Problem::new(format!("it cannot be read: {error}")))?;
        if bytes.len() as u64 > max {
            return Err(Problem::new(format!("it has more than {max} bytes")));
        }
        Ok(Some(scorel_fs::text_of(&bytes).into_owned()))
    }

    /// The names in a directory, sorted; none if it is absent or a link.
    pub(super) fn names(&self, dir: &str) -> Vec<String> {
        let Ok(path) = self.checked(dir) else {
            return Vec::new();
        };
        if !path.symlink_metadata().is_ok_and(|it| it.is_dir()) {
            return Vec::new();
        }
        let entries = std::fs::read_dir(path).into_iter().flatten();
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut names: Vec<String> = names.take(MAX_ENTRIES).collect();
        names.sort();
        names
    }

    pub(super) fn is_dir(&self, dir: &str) -> bool {
        let is_dir = |path: PathBuf| path.symlink_metadata().is_ok_and(|it| it.is_dir());
        self.checked(dir).is_ok_and(is_dir)
    }

    pub(super) fn is_file(&self, file: &str) -> bool {
        let is_file = |path: PathBuf| path.symlink_metadata().is_ok_and(|it| it.is_file());
        self.checked(file).is_ok_and(is_file)
    }

    /// The path of a file that a manifest names, without `./`.
    ///
    /// # Errors
    /// If it leads out of the plugin, by `..` or by a link on the way.
    pub(super) fn named<'a>(&self, file: &'a str) -> Result<&'a str, Problem> {
        self.checked(file)?;
        let file = file.strip_prefix("./").unwrap_or(file);
        Ok(file.trim_end_matches('/'))
    }

    fn checked(&self, file: &str) -> Result<PathBuf, Problem> {
        // The root itself may be a link of the user's.
        let mut path = self.root.to_owned();
        for part in Path::new(file).components() {
            match part {
                Component::CurDir => continue,
                Component::Normal(name) => path.push(name),
                _ => return Err(Problem::new("its path leads out of the plugin")),
            }
            if path.is_symlink() {
                return Err(Problem::new(
                    "it is a link, or behind one, which is not followed",
                ));
            }
        }
        Ok(path)
    }
}
