//! The base: what a project's files were before a command.
//!
//! Two files in the session's directory. `base/pack` has copies of the files, one after the other;
//! `base/manifest` says which copy is whose. They are derived, so nothing is synced: what a power
//! failure damages does not match its hash and is unknown. `base/open` exists while a command is
//! watched, so that the daemon after a crash knows that the command's changes were not recorded.

mod entry;
mod pack;

use std::collections::{HashMap, HashSet};
use std::fs::{self, DirBuilder, File, Metadata};
use std::io::{self, BufReader, BufWriter, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use scorel_fs::{create_regular, if_present, open_regular};
use scorel_proto::{ChangedBy, FileChange, FilePath, FileState, RecordedFiles};

use crate::content_store::ContentStore;
use crate::project_dir::ProjectDir;
use crate::walk::{MAX_FILES, walk};

use entry::{BaseEntry, Copied, Stamp};
use pack::Pack;

/// Files above this size are not copied, in bytes: what a command does to them is seen and cannot be
/// undone.
const MAX_COPIED: u64 = 256 * 1024;

/// The greatest size of all copies together, in bytes.
const MAX_BYTES: u64 = 128 * 1024 * 1024;

/// The time that listing the files may take before a command, and after it. After it the disk may be busy, and
/// giving up would lose what the command did.
const WALK_BEFORE: Duration = Duration::from_millis(300);
const WALK_AFTER: Duration = Duration::from_secs(3);

/// The time for which a project that is too large is not listed again, as a multiple of the time that listing it
/// took: commands spend a hundredth on it.
const REFUSED_FOR: u32 = 100;

/// About how long the changes of one command may be in its record, in bytes. A record has at most 4 MiB.
const MAX_RECORDED: usize = 2 * 1024 * 1024;

/// The most by which the clock of file times may be behind the other clock.
const CLOCK_LAG: Duration = Duration::from_millis(20);

/// The bytes that a change takes in its record besides its path.
const CHANGE_BYTES: usize = 320;

/// The base of one session.
#[derive(Debug)]
pub(crate) struct Base {
    dir: PathBuf,
    pack: Pack,
    entries: HashMap<FilePath, BaseEntry>,
    /// When the command began.
    taken: SystemTime,
    refusal: Option<Refusal>,
}

/// The reason why a project that is too large is not listed again so soon.
#[derive(Debug)]
struct Refusal {
    reason: String,
    until: Instant,
}

impl Base {
    /// The base in `dir`: the one that an earlier daemon left, or an empty one.
    pub(crate) fn open(dir: &Path) -> io::Result<Self> {
        match DirBuilder::new().mode(0o700).create(dir) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        let manifest = open_regular(File::options().read(true), &dir.join("manifest"));
        let entries = manifest.ok().and_then(|manifest| {
            serde_json::from_reader::<_, Vec<(FilePath, BaseEntry)>>(BufReader::new(manifest)).ok()
        });
        Ok(Self {
            pack: Pack::open(&dir.join("pack"), entries.is_some())?,
            entries: entries.unwrap_or_default().into_iter().collect(),
            dir: dir.to_owned(),
            taken: SystemTime::now(),
            refusal: None,
        })
    }

    /// Returns whether a command was watched when the last daemon ended.
    pub(crate) fn is_left_open(dir: &Path) -> bool {
        dir.join("open").exists()
    }

    /// Removes the base. The next one begins anew.
    pub(crate) fn remove(dir: &Path) {
        if let Err(error) = if_present(fs::remove_dir_all(dir)) {
            tracing::warn!(dir = %dir.display(), %error, "a base is left");
        }
    }

    /// Makes the base what the files are now.
    ///
    /// # Errors
    ///
    /// Why the project cannot be watched, for people.
    pub(crate) fn refresh(&mut self, project: &ProjectDir) -> Result<(), String> {
        let (found, bytes) = self.list(project)?;
        let failed = |error: io::Error| format!("the files cannot be copied: {error}");
        let changed = self.take(project, found).map_err(failed)?;
        if self.pack.is_wasteful(bytes) {
            self.repack().map_err(failed)?;
        } else if changed {
            self.write_manifest().map_err(failed)?;
        }
        self.taken = SystemTime::now();
        Ok(())
    }

    /// The files of the project, and how many bytes are to be copied.
    fn list(&mut self, project: &ProjectDir) -> Result<(Vec<(FilePath, Metadata)>, u64), String> {
        let begin = Instant::now();
        if let Some(refusal) = &self.refusal
            && begin < refusal.until
        {
            return Err(refusal.reason.clone());
        }
        let mut found = Vec::new();
        let mut bytes = 0;
        let walked = walk(project.path(), WALK_BEFORE, |path, metadata| {
            if metadata.len() <= MAX_COPIED {
                bytes += metadata.len();
            }
            found.push((path, metadata));
            if bytes > MAX_BYTES {
                return Err(format!(
                    "the project's files have more than {MAX_BYTES} bytes"
                ));
            }
            Ok(())
        });
        // A walk that took too long may be quicker the next time.
        let is_too_large = found.len() >= MAX_FILES || bytes > MAX_BYTES;
        self.refusal = walked
            .as_ref()
            .err()
            .filter(|_| is_too_large)
            .map(|reason| Refusal {
                reason: reason.clone(),
                until: Instant::now() + begin.elapsed() * REFUSED_FOR,
            });
        walked.map(|()| (found, bytes))
    }

    /// Notes that a command is watched.
    ///
    /// # Errors
    ///
    /// Why it is not, for people.
    pub(crate) fn mark_open(&self) -> Result<(), String> {
        match create_regular(&self.dir.join("open")) {
            Ok(_) => Ok(()),
            Err(error) => Err(format!("nothing can be noted: {error}")),
        }
    }

    fn close(&self) {
        // Left behind, it would be taken for a command of a daemon that crashed.
        let _absent = fs::remove_file(self.dir.join("open"));
    }

    /// The changes that the command made. `before` contents go to the store.
    pub(crate) fn compare(&mut self, project: &ProjectDir, store: &ContentStore) -> RecordedFiles {
        let mut suspects = Vec::new();
        let mut missing: HashSet<FilePath> = self.entries.keys().cloned().collect();
        let walked = walk(project.path(), WALK_AFTER, |path, metadata| {
            missing.remove(&path);
            if self.may_have_changed(&path, &metadata) {
                suspects.push((path, Some(metadata)));
            }
            Ok(())
        });
        suspects.extend(missing.into_iter().map(|path| (path, None)));
        suspects.sort_by(|(one, _), (other, _)| one.cmp(other));
        let compared = walked.and_then(|()| self.changes(project, store, suspects));
        self.close();
        match compared {
            Ok(files) => RecordedFiles {
                files,
                unwatched: None,
            },
            Err(reason) => RecordedFiles {
                files: Vec::new(),
                unwatched: Some(reason),
            },
        }
    }

    /// Copies the files that have changed since the last time. Returns whether anything has.
    fn take(&mut self, project: &ProjectDir, found: Vec<(FilePath, Metadata)>) -> io::Result<bool> {
        let before = self.entries.len();
        let mut changed = false;
        let mut entries = HashMap::with_capacity(found.len());
        for (path, metadata) in found {
            let stamp = Stamp::of(&metadata);
            let known = self.entries.remove(&path);
            let entry = match known {
                Some(known) if known.is_still(&stamp) => known,
                _ => {
                    changed = true;
                    let Some(copied) = self.copy(project, &path)? else {
                        continue;
                    };
                    BaseEntry::new(stamp, copied)
                }
            };
            entries.insert(path, entry);
        }
        changed |= entries.len() != before;
        self.entries = entries;
        Ok(changed)
    }

    /// Copies a file; `None` if it is gone or cannot be read.
    fn copy(&mut self, project: &ProjectDir, path: &FilePath) -> io::Result<Option<Copied>> {
        let Ok((state, content)) = project.observe_content(path, MAX_COPIED) else {
            return Ok(Some(Copied::Not));
        };
        Ok(match (state, content) {
            (FileState::Absent, _) => None,
            (FileState::Link { link }, _) => Some(Copied::Link { link }),
            (FileState::File { sha256, mode }, Some(content)) => Some(Copied::File {
                offset: self.pack.append(&content)?,
                bytes: content.len(),
                sha256,
                mode,
            }),
            _ => Some(Copied::Not),
        })
    }

    fn may_have_changed(&self, path: &FilePath, metadata: &Metadata) -> bool {
        let known = self.entries.get(path);
        !known.is_some_and(|known| known.is_still(&Stamp::of(metadata)))
    }

    fn changes(
        &self,
        project: &ProjectDir,
        store: &ContentStore,
        suspects: Vec<(FilePath, Option<Metadata>)>,
    ) -> Result<Vec<FileChange>, String> {
        let rules = self.ignore_rules_changed(&suspects);
        let inodes = rules.then(|| self.inodes());
        let (mut changes, mut bytes) = (Vec::new(), 0);
        let mut batch = store.batch();
        for (path, metadata) in suspects {
            let after = project.observe(&path, store.limits().max_file_bytes);
            let after = after.unwrap_or(FileState::Unknown);
            let known = self.entries.get(&path);
            let before = match (known, &metadata) {
                (Some(known), _) => known.state(),
                (None, Some(metadata)) if !self.is_new(metadata, inodes.as_ref()) => {
                    FileState::Unknown
                }
                (None, _) => FileState::Absent,
            };
            if before.is(&after) {
                continue;
            }
            bytes += path.as_str().len() + CHANGE_BYTES;
            if bytes > MAX_RECORDED {
                return Err("the command changed too many files".to_owned());
            }
            let kept = match known.and_then(|known| known.content(&self.pack)) {
                Some(content) => batch.add(&content),
                None => Ok(()),
            };
            kept.map_err(|error| format!("the files' contents cannot be kept: {error}"))?;
            changes.push(FileChange {
                path,
                before,
                after,
                by: ChangedBy::Command,
            });
        }
        let kept = batch.finish();
        kept.map_err(|error| format!("the files' contents cannot be kept: {error}"))?;
        Ok(changes)
    }

    /// Returns whether the command changed the ignore rules. Files that were there before may appear then.
    fn ignore_rules_changed(&self, suspects: &[(FilePath, Option<Metadata>)]) -> bool {
        let is_rules = |path: &FilePath| {
            let name = path.as_str().rsplit('/').next();
            matches!(name, Some(".gitignore" | ".ignore"))
        };
        suspects.iter().any(|(path, _)| is_rules(path))
    }

    fn inodes(&self) -> HashSet<u64> {
        let entries = self.entries.values();
        entries.map(|entry| entry.stamp.inode).collect()
    }

    /// Returns whether a file that the base does not know cannot have been ignored before: the rules are the
    /// same, which is no `inodes`, or it was made since, or it is one of the base's under another name.
    fn is_new(&self, metadata: &Metadata, inodes: Option<&HashSet<u64>>) -> bool {
        let Some(inodes) = inodes else { return true };
        let taken = self.taken.checked_sub(CLOCK_LAG).unwrap_or(self.taken);
        let is_made = metadata.created().is_ok_and(|made| made >= taken);
        is_made || inodes.contains(&Stamp::of(metadata).inode)
    }

    fn repack(&mut self) -> io::Result<()> {
        let mut pack = Pack::open(&self.dir.join("pack.new"), false)?;
        for entry in self.entries.values_mut() {
            if let Some(content) = entry.content(&self.pack)
                && let Copied::File { offset, .. } = &mut entry.copied
            {
                *offset = pack.append(&content)?;
            }
        }
        // The manifest goes first: without one the pack is worth nothing, and with the old one its
        // copies would have other places.
        let _absent = fs::remove_file(self.dir.join("manifest"));
        fs::rename(self.dir.join("pack.new"), self.dir.join("pack"))?;
        self.pack = pack;
        self.write_manifest()
    }

    fn write_manifest(&self) -> io::Result<()> {
        let temporary = self.dir.join("manifest.new");
        let mut writer = BufWriter::new(create_regular(&temporary)?);
        let entries: Vec<(&FilePath, &BaseEntry)> = self.entries.iter().collect();
        serde_json::to_writer(&mut writer, &entries)?;
        writer.flush()?;
        fs::rename(temporary, self.dir.join("manifest"))
    }
}
