use std::path::Path;

use scorel_proto::DeviceId;
use serde::{Deserialize, Serialize};

use crate::state_file::{DEVICE, FormatVersion, StateBody, StateError, StateFile, StateKind};

/// This machine's identity, as `device.json` has it. The file is written once, so fields of later versions
/// survive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Device {
    version: FormatVersion<1>,
    /// Stays the same for the life of the home.
    #[serde(rename = "deviceId")]
    pub id: DeviceId,
    /// For people: the host name at creation.
    pub display_name: String,
}

impl StateBody for Device {
    const KIND: &'static StateKind = &DEVICE;
}

/// The file is never repaired automatically: with a new id, paired clients would not recognize this
/// machine.
impl Device {
    /// Reads the identity from the file at `path`, or generates one and writes it there.
    pub fn load_or_create(path: &Path) -> Result<Self, StateError> {
        if let Some(device) = Self::load(path)? {
            return Ok(device);
        }
        let device = Self {
            version: FormatVersion,
            id: DeviceId::generate(),
            display_name: host_name(),
        };
        StateFile::new(path.to_owned()).replace(&device)?;
        Ok(device)
    }

    /// Reads the identity from the file at `path`, if there is one.
    pub fn load(path: &Path) -> Result<Option<Self>, StateError> {
        StateFile::new(path.to_owned()).read()
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
            assert!(matches!(refused, StateError::Damaged { .. }), "{text:?}");
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
        assert!(matches!(refused, StateError::Newer { version: 2, .. }));
    }
}
