use std::io;
use std::path::{Path, PathBuf};

use scorel_journal::{FileStorage, replace_file};
use scorel_proto::DeviceId;
use serde::{Deserialize, Serialize};

use crate::trusted_file::{self, FileProblem, Trust};

/// The version of the file that this program writes.
const VERSION: u32 = 1;

/// The file is a few lines; anything longer is not it.
const MAX_BYTES: u64 = 64 * 1024;

/// This machine's identity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Device {
    /// The machine. It stays the same as long as the home exists.
    pub id: DeviceId,
    /// Its name, for people.
    pub display_name: String,
}

/// What `device.json` says. The file is never written again, so other fields in it stay.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct DeviceFile {
    version: u32,
    device_id: DeviceId,
    display_name: String,
}

/// Why there is no identity. Nothing is ever repaired by itself: another id would make this a
/// machine that nobody knows.
#[derive(Debug, thiserror::Error)]
pub enum DeviceError {
    /// The file cannot be read safely.
    #[error(transparent)]
    File(#[from] FileProblem),
    /// The file is not what was written.
    #[error(
        "{path} is damaged ({reason}); restore it from a backup, or move it away to become a new device that paired clients do not know"
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A later version of this program wrote it.
    #[error(
        "{path} has version {version}, and this program knows up to {VERSION}; use the newer scoreld"
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: u32,
    },
    /// It could not be created.
    #[error("cannot write {path}")]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
}

impl Device {
    /// Reads the identity from the file at `path`, or makes one and writes it there.
    ///
    /// # Errors
    /// The file is damaged, too new, or cannot be read or written.
    pub fn load_or_create(path: &Path) -> Result<Self, DeviceError> {
        match Self::load(path)? {
            Some(device) => Ok(device),
            None => Self::create(path),
        }
    }

    /// Reads the identity from the file at `path`, if there is one.
    ///
    /// # Errors
    /// The file is damaged, too new, or cannot be read.
    pub fn load(path: &Path) -> Result<Option<Self>, DeviceError> {
        let read = trusted_file::read(path, MAX_BYTES, Trust::Ours)?;
        read.map(|(_, bytes)| Self::parse(path, &bytes)).transpose()
    }

    fn parse(path: &Path, bytes: &[u8]) -> Result<Self, DeviceError> {
        #[derive(Deserialize)]
        struct Version {
            version: u32,
        }

        let damaged = |error: serde_json::Error| DeviceError::Damaged {
            path: path.to_owned(),
            reason: error.to_string(),
        };
        let Version { version } = serde_json::from_slice(bytes).map_err(damaged)?;
        if version > VERSION {
            return Err(DeviceError::Newer {
                path: path.to_owned(),
                version,
            });
        }
        let file: DeviceFile = serde_json::from_slice(bytes).map_err(damaged)?;
        Ok(Self {
            id: file.device_id,
            display_name: file.display_name,
        })
    }

    fn create(path: &Path) -> Result<Self, DeviceError> {
        let device = Self {
            id: DeviceId::generate(),
            display_name: host_name(),
        };
        let file = DeviceFile {
            version: VERSION,
            device_id: device.id,
            display_name: device.display_name.clone(),
        };
        let mut text = serde_json::to_vec_pretty(&file).expect("strings and numbers are JSON");
        text.push(b'\n');
        replace_file(&FileStorage, path, &text).map_err(|source| DeviceError::Write {
            path: path.to_owned(),
            source,
        })?;
        Ok(device)
    }
}

fn host_name() -> String {
    let name = nix::unistd::gethostname().unwrap_or_default();
    let name = name.to_string_lossy();
    if name.is_empty() {
        "this machine".to_owned()
    } else {
        name.into_owned()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_identity_is_made_once() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("device.json");
        let first = Device::load_or_create(&path).unwrap();
        let written = fs::read(&path).unwrap();
        assert_eq!(Device::load_or_create(&path).unwrap(), first);
        assert_eq!(fs::read(&path).unwrap(), written);
        assert!(!first.display_name.is_empty());
    }

    #[test]
    fn fields_of_others_are_accepted_and_stay() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("device.json");
        let text = r#"{"version":1,"paired":[1],"deviceId":"dev_01ARZ3NDEKTSV4RRFFQ69G5FAV","displayName":"x"}"#;
        fs::write(&path, text).unwrap();
        assert_eq!(Device::load_or_create(&path).unwrap().display_name, "x");
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }

    #[test]
    fn a_damaged_file_is_named_and_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("device.json");
        for text in [
            "",
            "{",
            "[]",
            r#"{"version":1}"#,
            "\u{0}",
            r#"{"version":1,"deviceId":"dev_x","displayName":""}"#,
        ] {
            fs::write(&path, text).unwrap();
            let refused = Device::load_or_create(&path).unwrap_err();
            assert!(matches!(refused, DeviceError::Damaged { .. }), "{text:?}");
            assert!(
                refused.to_string().contains("device.json is damaged"),
                "{refused}"
            );
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
    }

    #[test]
    fn a_newer_file_is_refused_as_newer() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("device.json");
        fs::write(&path, r#"{"version":2,"identity":{}}"#).unwrap();
        let refused = Device::load_or_create(&path).unwrap_err();
        assert!(matches!(refused, DeviceError::Newer { version: 2, .. }));
    }
}
