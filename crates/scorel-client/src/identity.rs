use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use scorel_proto::ClientId;
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use crate::{DaemonHome, read_home_file};

/// The identity of this client installation, stable across runs, so that the daemon recognises a
/// repeated command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientIdentity {
    client_id: ClientId,
}

/// Why the identity could not be read or created.
#[derive(Debug, thiserror::Error)]
pub enum IdentityError {
    /// The file cannot be read or written.
    #[error("cannot use {}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The file does not contain an identity.
    #[error("{} is damaged; remove it to get a new identity", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Why it could not be parsed.
        source: serde_json::Error,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct IdentityFile {
    version: u32,
    client_id: ClientId,
}

impl ClientIdentity {
    /// Reads the identity from the home's `client.json`, and creates it on first use. The home must
    /// exist.
    ///
    /// Clients that race to create it all get the same one. On a full or read-only file system, where
    /// a look at the sessions is needed most, it is for this process only.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or created for another reason, or is damaged.
    pub fn load_or_create(home: &DaemonHome) -> Result<Self, IdentityError> {
        let path = home.identity_file();
        match read_home_file(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => create(home.path(), &path),
            read => parse(&path, read),
        }
    }

    /// The id to announce with `hello`.
    pub const fn client_id(&self) -> ClientId {
        self.client_id
    }
}

fn parse(path: &Path, read: io::Result<Vec<u8>>) -> Result<ClientIdentity, IdentityError> {
    let bytes = read.map_err(|source| IdentityError::File {
        path: path.to_path_buf(),
        source,
    })?;
    let file: IdentityFile =
        serde_json::from_slice(&bytes).map_err(|source| IdentityError::Damaged {
            path: path.to_path_buf(),
            source,
        })?;
    Ok(ClientIdentity {
        client_id: file.client_id,
    })
}

/// Creates the file atomically, and only if it does not exist: a loser of the race reads the
/// winner's file.
fn create(directory: &Path, path: &Path) -> Result<ClientIdentity, IdentityError> {
    let failed = |source| IdentityError::File {
        path: path.to_path_buf(),
        source,
    };
    let client_id = ClientId::generate();
    let temporary = match temporary_file(directory, client_id) {
        Err(error) if cannot_be_stored(&error) => return Ok(ClientIdentity { client_id }),
        written => written.map_err(failed)?,
    };
    match temporary.persist_noclobber(path) {
        Ok(_) => {
            sync(directory).map_err(failed)?;
            Ok(ClientIdentity { client_id })
        }
        Err(lost) if lost.error.kind() == io::ErrorKind::AlreadyExists => {
            parse(path, read_home_file(path))
        }
        Err(error) => Err(failed(error.error)),
    }
}

fn temporary_file(directory: &Path, client_id: ClientId) -> io::Result<NamedTempFile> {
    let file = IdentityFile {
        version: 1,
        client_id,
    };
    let mut text = serde_json::to_vec(&file)?;
    text.push(b'\n');
    let mut temporary = NamedTempFile::new_in(directory)?;
    temporary.write_all(&text)?;
    temporary.as_file().sync_all()?;
    Ok(temporary)
}

fn cannot_be_stored(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull
            | io::ErrorKind::QuotaExceeded
            | io::ErrorKind::ReadOnlyFilesystem
    )
}

fn sync(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::sync::Barrier;

    use super::*;

    fn home(directory: &Path) -> DaemonHome {
        DaemonHome::resolve(Some(directory), |_| None).expect("a home")
    }

    #[test]
    fn sixteen_clients_that_start_at_once_are_one_installation() {
        let directory = tempfile::tempdir().expect("a directory");
        let home = home(directory.path());
        let barrier = Barrier::new(16);
        let ids: Vec<ClientId> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..16)
                .map(|_| {
                    scope.spawn(|| {
                        barrier.wait();
                        ClientIdentity::load_or_create(&home).expect("an identity")
                    })
                })
                .collect();
            threads
                .into_iter()
                .map(|thread| thread.join().expect("no panic").client_id())
                .collect()
        });
        assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
        let again = ClientIdentity::load_or_create(&home).expect("an identity");
        assert_eq!(again.client_id(), ids[0]);
        let files: Vec<_> = fs::read_dir(directory.path()).expect("a listing").collect();
        assert_eq!(files.len(), 1, "no temporary file stays");
    }

    #[test]
    fn only_the_owner_can_read_the_identity() {
        let directory = tempfile::tempdir().expect("a directory");
        let home = home(directory.path());
        ClientIdentity::load_or_create(&home).expect("an identity");
        let mode = fs::metadata(home.identity_file())
            .expect("a file")
            .permissions();
        assert_eq!(mode.mode() & 0o777, 0o600);
    }

    #[test]
    fn a_damaged_identity_is_reported_and_left_alone() {
        let directory = tempfile::tempdir().expect("a directory");
        let home = home(directory.path());
        fs::write(home.identity_file(), "{\"version\":1").expect("written");
        let error = ClientIdentity::load_or_create(&home).expect_err("damaged");
        assert!(error.to_string().contains("remove it"), "{error}");
        assert_eq!(
            fs::read_to_string(home.identity_file()).expect("text"),
            "{\"version\":1"
        );
    }
}
