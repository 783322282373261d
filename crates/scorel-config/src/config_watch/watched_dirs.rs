use std::collections::{BTreeMap, HashSet};
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};
use tracing::{info, warn};

use super::alarm::FileAlarm;

/// Directories that are watched at once. Changes in further ones are found by polling, as in directories
/// that cannot be watched.
const MAX_DIRS: usize = 128;

/// Device, inode and birth time: distinguishes a directory from another one at the same path. The inode
/// alone is not enough, since it is reused, and some file systems have no birth time.
type Identity = (u64, u64, Option<SystemTime>);

/// The directories of some files, watched as far as the system lets us.
///
/// Directories and not files: most programs save a file by putting another one in its place.
pub(super) struct WatchedDirs {
    alarm: Arc<FileAlarm>,
    /// `None` while the system gives none.
    watcher: Option<RecommendedWatcher>,
    dirs: BTreeMap<PathBuf, Identity>,
    /// Whether a directory was refused, which is logged once.
    is_refused: bool,
}

impl WatchedDirs {
    pub(super) fn new(alarm: Arc<FileAlarm>) -> Self {
        Self {
            alarm,
            watcher: None,
            dirs: BTreeMap::new(),
            is_refused: false,
        }
    }

    /// Watches the directories of these files and no others. A directory that was replaced is watched
    /// again.
    pub(super) fn follow(&mut self, files: &[PathBuf]) {
        let wanted = wanted(files);
        self.alarm.set_names(names(files, wanted.keys()));
        match (self.update(&wanted).err(), self.is_refused) {
            (Some(error), false) => warn!(
                %error,
                "cannot watch the configuration: changes apply at their next use, and are reported within a minute"
            ),
            (None, true) => info!("the configuration is watched again"),
            _ => return,
        }
        self.is_refused = !self.is_refused;
    }

    fn update(&mut self, wanted: &BTreeMap<PathBuf, Identity>) -> notify::Result<()> {
        let watcher = match &mut self.watcher {
            Some(watcher) => watcher,
            None => {
                let alarm = Arc::clone(&self.alarm);
                let watcher = notify::recommended_watcher(move |told| alarm.told(told))?;
                self.watcher.insert(watcher)
            }
        };
        self.dirs.retain(|dir, identity| {
            let stays = wanted.get(dir) == Some(identity);
            if !stays {
                // The system has dropped the watch of a directory that is gone.
                let _gone: notify::Result<()> = watcher.unwatch(dir);
            }
            stays
        });
        let mut refused = Ok(());
        for (dir, identity) in wanted {
            if self.dirs.contains_key(dir) {
                continue;
            }
            match watcher.watch(dir, RecursiveMode::NonRecursive) {
                Ok(()) => {
                    self.dirs.insert(dir.clone(), *identity);
                }
                Err(error) => refused = Err(error),
            }
        }
        refused
    }
}

/// The directories to watch, with what they are now.
fn wanted(files: &[PathBuf]) -> BTreeMap<PathBuf, Identity> {
    let mut wanted = BTreeMap::new();
    for file in files {
        let dirs = [nearest_dir(file), behind_link(file)];
        for (dir, identity) in dirs.into_iter().flatten() {
            if wanted.len() < MAX_DIRS {
                wanted.insert(dir, identity);
            }
        }
    }
    wanted
}

/// The directory of a file or, if that does not exist, its parent.
fn nearest_dir(file: &Path) -> Option<(PathBuf, Identity)> {
    let dir = file.parent()?;
    found(dir).or_else(|| found(dir.parent()?))
}

/// The directory of the file that a link leads to.
fn behind_link(file: &Path) -> Option<(PathBuf, Identity)> {
    let is_link = fs::symlink_metadata(file).is_ok_and(|it| it.is_symlink());
    let target = is_link.then(|| fs::canonicalize(file).ok())??;
    found(target.parent()?)
}

fn found(dir: &Path) -> Option<(PathBuf, Identity)> {
    let metadata = fs::metadata(dir).ok().filter(fs::Metadata::is_dir)?;
    let identity = (metadata.dev(), metadata.ino(), metadata.created().ok());
    Some((dir.to_owned(), identity))
}

/// The names whose events matter, of files and of directories.
fn names<'a>(files: &'a [PathBuf], dirs: impl Iterator<Item = &'a PathBuf>) -> HashSet<OsString> {
    let targets = files.iter().filter_map(|file| fs::canonicalize(file).ok());
    let parents = files
        .iter()
        .filter_map(|file| file.parent())
        .map(Path::to_owned);
    let known = files.iter().chain(dirs).cloned();
    let all = known.chain(targets).chain(parents);
    all.filter_map(|path| path.file_name().map(OsString::from))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_directory_is_watched_and_that_behind_a_link() {
        let dir = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(dir.path()).unwrap();
        let file = root.join("project/.scorel/config.toml");
        let dirs = |file: &PathBuf| {
            wanted(std::slice::from_ref(file))
                .into_keys()
                .collect::<Vec<_>>()
        };
        assert!(dirs(&file).is_empty());
        fs::create_dir(root.join("project")).unwrap();
        assert_eq!(dirs(&file), [root.join("project")]);
        fs::create_dir(root.join("project/.scorel")).unwrap();
        assert_eq!(dirs(&file), [root.join("project/.scorel")]);
        fs::create_dir(root.join("dotfiles")).unwrap();
        fs::write(root.join("dotfiles/scorel.toml"), "").unwrap();
        std::os::unix::fs::symlink(root.join("dotfiles/scorel.toml"), &file).unwrap();
        assert_eq!(
            dirs(&file),
            [root.join("dotfiles"), root.join("project/.scorel")]
        );
        let names = names(std::slice::from_ref(&file), [].into_iter());
        for name in ["config.toml", "scorel.toml", ".scorel"] {
            assert!(names.contains(&OsString::from(name)), "{name}");
        }
    }
}
