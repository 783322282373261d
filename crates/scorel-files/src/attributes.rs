//! Extended attributes of a file that is replaced by a new one.

use std::collections::BTreeMap;
use std::ffi::{CStr, CString};
use std::os::fd::BorrowedFd;

use rustix::fs::{XattrFlags, fgetxattr, flistxattr, fsetxattr};

/// The most bytes of all names, and of a value, as Linux has it.
const MAX_BYTES: usize = 64 * 1024;

/// Of the others, some belong to the content (`security.ima`, `security.capability`) and some to the system.
const OF_THE_FILE: [&[u8]; 2] = [b"system.posix_acl_access", b"security.selinux"];

/// The extended attributes of a file that a new content keeps: those of users, access control and label.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Attributes(BTreeMap<CString, Vec<u8>>);

impl Attributes {
    /// Those that can be read. Most files have none, and some file systems know none.
    pub fn of(file: BorrowedFd<'_>) -> Self {
        let mut names = vec![0; MAX_BYTES];
        let length = flistxattr(file, names.as_mut_slice()).unwrap_or(0);
        let mut attributes = BTreeMap::new();
        for name in names[..length].split_inclusive(|byte| *byte == 0) {
            let name = CStr::from_bytes_with_nul(name).map(CStr::to_owned);
            if let Ok(name) = name
                && is_of_the_file(name.to_bytes())
                && let Some(value) = value(file, &name)
            {
                attributes.insert(name, value);
            }
        }
        Self(attributes)
    }

    /// Gives them to another file. Returns the names of those that it does not take.
    pub fn copy(&self, file: BorrowedFd<'_>) -> Vec<String> {
        let is_lost = |(name, wanted): &(&CString, &Vec<u8>)| {
            // A file may have been born with it, as a label of security is.
            value(file, name).as_ref() != Some(*wanted)
                && fsetxattr(file, name.as_c_str(), wanted, XattrFlags::empty()).is_err()
        };
        let lost = self.0.iter().filter(is_lost);
        lost.map(|(name, _)| name.to_string_lossy().into_owned())
            .collect()
    }
}

fn is_of_the_file(name: &[u8]) -> bool {
    name.starts_with(b"user.") || OF_THE_FILE.contains(&name)
}

fn value(file: BorrowedFd<'_>, name: &CStr) -> Option<Vec<u8>> {
    let mut value = vec![0; MAX_BYTES];
    let length = fgetxattr(file, name, value.as_mut_slice()).ok()?;
    value.truncate(length);
    Some(value)
}
