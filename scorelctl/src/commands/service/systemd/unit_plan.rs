use std::path::PathBuf;

use crate::commands::service::home_file::ServiceFile;
use crate::failure::Failure;

/// The user's own part of an installation.
#[derive(Debug, Default)]
pub(super) struct UnitPlan {
    pub(super) files: Vec<ServiceFile>,
    /// Units that a package has installed in the same words. A copy of the user's own would hide that of
    /// the package, also after an upgrade.
    pub(super) superseded: Vec<PathBuf>,
}

impl UnitPlan {
    /// Writes files that differ and removes superseded ones; returns the written and the removed files.
    pub(super) fn apply(self) -> Result<(Vec<PathBuf>, Vec<PathBuf>), Failure> {
        for path in &self.superseded {
            ServiceFile::refuse_link(path)?;
        }
        let mut written = Vec::new();
        for file in self.files {
            if file.put()? {
                written.push(file.path);
            }
        }
        Ok((written, ServiceFile::remove_all(self.superseded)?))
    }

    pub(super) fn is_applied(&self) -> bool {
        self.files.iter().all(ServiceFile::is_there)
            && !self
                .superseded
                .iter()
                .any(|path| path.is_symlink() || path.exists())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_copy_that_would_hide_a_package_is_removed_and_a_mask_stays() {
        let dir = tempfile::tempdir().expect("a directory");
        let copy = dir.path().join("a.service");
        let plan = || UnitPlan {
            files: vec![ServiceFile {
                path: dir.path().join("a.service.d/b.conf"),
                text: "x\n".to_owned(),
            }],
            superseded: vec![copy.clone()],
        };
        symlink("/dev/null", &copy).expect("a mask");
        plan().apply().expect_err("it is masked");
        assert!(copy.is_symlink() && !plan().is_applied());
        fs::remove_file(&copy).expect("unmasked");
        fs::write(&copy, "old").expect("a copy");
        let (written, removed) = plan().apply().expect("applied");
        assert_eq!((written.len(), removed), (1, vec![copy.clone()]));
        assert!(!copy.exists() && plan().is_applied());
        assert_eq!(plan().apply().expect("again"), (vec![], vec![]));
    }
}
