//! The file of the index.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};
use scorel_journal::{FileId, if_present, open_regular};

use crate::error::IndexError;

/// Increment it when the tables, the indexed content or the definition of a word change. An index with
/// another format is rebuilt.
const FORMAT: i64 = 1;

/// The first bytes of the file.
const MAGIC: &[u8] = b"SQLite format 3\0";

/// The part of the database that a connection keeps in memory, in KiB. The system keeps its pages anyway.
const CACHE_KIB: i64 = 1024;

/// The time that a statement waits for the other connections.
const BUSY: Duration = Duration::from_secs(5);

/// `last_…` is the last record of the log that was read, whether it has text or not: if it is still there,
/// the log has only grown. `records.id` is the `rowid` in `words`.
const TABLES: &str = "
    CREATE TABLE sessions (
        id INTEGER PRIMARY KEY,
        session BLOB NOT NULL UNIQUE,
        project BLOB NOT NULL,
        archived INTEGER NOT NULL,
        title TEXT,
        title_record INTEGER,
        opening TEXT,
        inode INTEGER NOT NULL,
        log_bytes INTEGER NOT NULL,
        modified INTEGER NOT NULL,
        last_seq INTEGER,
        last_offset INTEGER,
        last_len INTEGER,
        last_crc TEXT
    );
    CREATE TABLE records (
        id INTEGER PRIMARY KEY,
        session INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        offset INTEGER NOT NULL,
        len INTEGER NOT NULL
    );
    CREATE INDEX records_of_session ON records (session);
    CREATE VIRTUAL TABLE words USING fts5 (
        body,
        scope,
        content = '',
        contentless_delete = 1,
        tokenize = \"unicode61 remove_diacritics 0 categories 'L* M* N* P* S* C*'\"
    );
";

/// Where the index is.
#[derive(Debug, Clone)]
pub(crate) struct IndexFile {
    path: PathBuf,
}

impl IndexFile {
    pub(crate) const fn new(path: PathBuf) -> Self {
        Self { path }
    }

    /// Opens the index for the one thread that writes it. Creates it if it is missing.
    pub(crate) fn open_to_write(&self) -> Result<Connection, IndexError> {
        self.check_files()?;
        // Its content and its mode would be those of the file with the other name.
        if self.has_other_name() {
            self.remove()?;
        }
        create_private(&self.path)?;
        let connection = self.open(OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
        // No sync per transaction: a power failure may roll the index back, and the follower catches up.
        connection.pragma_update(None, "synchronous", "normal")?;
        connection.pragma_update(None, "journal_size_limit", 16 * 1024 * 1024)?;
        match format(&connection)? {
            FORMAT => Ok(connection),
            0 => {
                let tables = format!("BEGIN; {TABLES} PRAGMA user_version = {FORMAT}; COMMIT;");
                connection.execute_batch(&tables)?;
                Ok(connection)
            }
            found => Err(IndexError::OtherFormat { found }),
        }
    }

    /// Opens the index for one query.
    pub(crate) fn open_to_read(&self) -> Result<Connection, IndexError> {
        // Not read-only: a reader takes part in SQLite's WAL, which it may have to recover.
        let mode = OpenFlags::SQLITE_OPEN_READ_WRITE;
        let opened = self.open(mode).and_then(of_this_format);
        match opened {
            Err(IndexError::Database(_)) if self.is_read_only() => {
                self.open_unchanging().and_then(of_this_format)
            }
            opened => opened,
        }
    }

    /// Returns whether the index is on a read-only file system.
    pub(crate) fn is_read_only(&self) -> bool {
        let opened = open_regular(OpenOptions::new().write(true), &self.path);
        opened.is_err_and(|error| error.kind() == io::ErrorKind::ReadOnlyFilesystem)
    }

    /// Opens an index that no process can change, without the files that SQLite would create next to it.
    fn open_unchanging(&self) -> Result<Connection, IndexError> {
        self.check_files()?;
        let mut uri = b"file:".to_vec();
        for byte in self.path.as_os_str().as_bytes() {
            match byte {
                b'%' | b'?' | b'#' => uri.extend(format!("%{byte:02x}").bytes()),
                byte => uri.push(*byte),
            }
        }
        uri.extend(b"?immutable=1");
        let mode = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        Self::open_at(Path::new(OsStr::from_bytes(&uri)), mode)
    }

    fn open(&self, mode: OpenFlags) -> Result<Connection, IndexError> {
        self.check_files()?;
        Self::open_at(&self.path, mode)
    }

    /// SQLite follows a link at the path, and takes anything but a directory for a file.
    fn check_files(&self) -> Result<(), IndexError> {
        for path in search_index_files(&self.path) {
            let found = if_present(fs::symlink_metadata(&path))?;
            if found.is_some_and(|found| !found.is_file()) {
                return Err(IndexError::NotRegular { path });
            }
        }
        Ok(())
    }

    /// Returns whether one of the files is a hard link.
    fn has_other_name(&self) -> bool {
        let found = search_index_files(&self.path).map(fs::symlink_metadata);
        found.into_iter().flatten().any(|found| found.nlink() > 1)
    }

    fn open_at(path: &Path, mode: OpenFlags) -> Result<Connection, IndexError> {
        let flags = mode | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(BUSY)?;
        connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
        Ok(connection)
    }

    /// `None` if it is missing.
    pub(crate) fn id(&self) -> io::Result<Option<FileId>> {
        let found = if_present(fs::symlink_metadata(&self.path))?;
        Ok(found.map(|status| FileId {
            dev: status.dev(),
            ino: status.ino(),
        }))
    }

    /// Removes the file, and what the database keeps next to it. No connection may be open.
    pub(crate) fn remove(&self) -> io::Result<()> {
        for path in search_index_files(&self.path) {
            if_present(fs::remove_file(path))?;
        }
        Ok(())
    }
}

/// The file at `path`, and those that the database keeps next to it or looks for there.
pub fn search_index_files(path: &Path) -> [PathBuf; 4] {
    ["", "-wal", "-shm", "-journal"].map(|suffix| {
        let mut path = path.as_os_str().to_owned();
        path.push(suffix);
        path.into()
    })
}

/// Checks that the file at `path` is a database, for `fsck`. Its content is checked when it is used: a
/// database cannot be read without taking part in its log.
///
/// # Errors
///
/// `InvalidData` if it is none, otherwise the error of the file system.
pub fn check_search_index(path: &Path) -> io::Result<()> {
    let mut begin = Vec::new();
    let read = open_regular(File::options().read(true), path)?
        .take(MAGIC.len() as u64)
        .read_to_end(&mut begin)?;
    if read == 0 || begin == MAGIC {
        return Ok(());
    }
    let text = "it is no SQLite database";
    Err(io::Error::new(io::ErrorKind::InvalidData, text))
}

fn of_this_format(connection: Connection) -> Result<Connection, IndexError> {
    match format(&connection)? {
        FORMAT => Ok(connection),
        found => Err(IndexError::OtherFormat { found }),
    }
}

fn format(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}

/// The files that the database keeps next to it get the mode of this one.
fn create_private(path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false).mode(0o600);
    let file = open_regular(&mut options, path)?;
    if file.metadata()?.mode() & 0o777 != 0o600 {
        file.set_permissions(Permissions::from_mode(0o600))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::process::Command;

    use super::*;

    /// An index of which one file is gone, at the last of the paths, and a file that is not the daemon's.
    fn index_beside_victim(suffix: &str) -> (tempfile::TempDir, IndexFile, PathBuf, PathBuf) {
        let dir = tempfile::tempdir().expect("a directory");
        let file = IndexFile::new(dir.path().join("search.db"));
        drop(file.open_to_write().expect("made"));
        let victim = dir.path().join("victim");
        fs::write(&victim, "theirs").expect("written");
        fs::set_permissions(&victim, Permissions::from_mode(0o644)).expect("set");
        let place = dir.path().join(format!("search.db{suffix}"));
        let _absent = fs::remove_file(&place);
        (dir, file, victim, place)
    }

    #[test]
    fn only_regular_files_are_opened() {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            for is_link in [true, false] {
                let (_dir, file, victim, place) = index_beside_victim(suffix);
                if is_link {
                    symlink(&victim, &place).expect("a link");
                } else {
                    let made = Command::new("mkfifo").arg(&place).status();
                    assert!(made.expect("mkfifo runs").success());
                }
                for opened in [file.open_to_write(), file.open_to_read()] {
                    let error = opened.expect_err("not a regular file");
                    assert!(matches!(&error, IndexError::NotRegular { path } if *path == place));
                    assert!(!error.is_damage(), "it is not ours to remove");
                }
                assert!(!suffix.is_empty() || check_search_index(&place).is_err());
                assert_eq!(fs::read_to_string(&victim).expect("there"), "theirs");
                let mode = fs::metadata(&victim).expect("there").mode() & 0o777;
                assert_eq!(mode, 0o644);
            }
        }
    }

    #[test]
    fn a_file_with_another_name_is_made_anew() {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            let (dir, file, victim, place) = index_beside_victim(suffix);
            fs::hard_link(&victim, &place).expect("a link");
            drop(file.open_to_write().expect("made anew"));
            file.open_to_read().expect("opened");
            assert_eq!(fs::read_to_string(&victim).expect("there"), "theirs");
            let victim = fs::metadata(&victim).expect("there");
            assert_eq!((victim.mode() & 0o777, victim.nlink()), (0o644, 1));
            let index = dir.path().join("search.db");
            let mode = fs::metadata(index).expect("there").mode() & 0o777;
            assert_eq!(mode, 0o600);
        }
    }

    #[test]
    fn the_home_may_be_a_link() {
        let dir = tempfile::tempdir().expect("a directory");
        fs::create_dir(dir.path().join("real")).expect("made");
        symlink("real", dir.path().join("home")).expect("a link");
        let file = IndexFile::new(dir.path().join("home/search.db"));
        drop(file.open_to_write().expect("made"));
        file.open_to_read().expect("opened");
    }
}
