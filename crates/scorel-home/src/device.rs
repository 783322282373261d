use std::io;
use std::path::{Path, PathBuf};

use scorel_journal::{FileStorage, replace_file};
use scorel_proto::DeviceId;
use serde::{Deserialize, Serialize};

use crate::file_version::file_version;
use crate::trusted_file::{self, FileProblem, Trust};

/// The file version that this program writes.
const VERSION: u32 = 1;

/// Upper bound of the file, which has a few lines.
const MAX_BYTES: u64 = 64 * 1024;

/// This machine's identity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Device {
    /// Stays the same for the life of the home.
    pub id: DeviceId,
    /// For people: the host name at creation.
    pub display_name: String,
}

/// `device.json`. The file is written once, so fields of later versions survive.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct DeviceFile {
    version: u32,
    device_id: DeviceId,
    display_name: String,
}

/// Why the identity cannot be loaded. The file is never repaired automatically: with a new id, paired
/// clients would not recognize this machine.
#[derive(Debug, thiserror::Error)]
pub enum DeviceError {
    #[error(transparent)]
    File(#[from] FileProblem),
    #[error(
        "{path} is damaged ({reason}); restore it from a backup, or move it away to become a new device that paired clients do not know"
    )]
    Damaged { path: PathBuf, reason: String },
    #[error(
        "{path} has version {version}, and this program knows up to {VERSION}; use the newer scoreld"
    )]
    Newer { path: PathBuf, version: u32 },
    #[error("cannot write {path}")]
    Write {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

impl Device {
    /// Reads the identity from the file at `path`, or generates one and writes it there.
    pub fn load_or_create(path: &Path) -> Result<Self, DeviceError> {
        match Self::load(path)? {
            Some(device) => Ok(device),
            None => Self::create(path),
        }
    }

    /// Reads the identity from the file at `path`, if there is one.
    pub fn load(path: &Path) -> Result<Option<Self>, DeviceError> {
        let read = trusted_file::read(path, MAX_BYTES, Trust::Home)?;
        read.map(|(_, bytes)| Self::parse(path, &bytes)).transpose()
    }

    fn parse(path: &Path, bytes: &[u8]) -> Result<Self, DeviceError> {
        let damaged = |error: serde_json::Error| DeviceError::Damaged {
            path: path.to_owned(),
            reason: error.to_string(),
        };
        let version = file_version(bytes).map_err(damaged)?;
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
    fn unknown_fields_are_accepted_and_stay() {
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
