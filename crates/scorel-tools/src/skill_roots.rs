//! The directories of loaded skills, as roots.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use crate::locked::lock;
use crate::root::{OpenRootError, Root, RootName};

/// The directories of the skills that a session has loaded: `@skill/<name>`. Cheap to clone; clones share
/// the list.
#[derive(Debug, Clone, Default)]
pub struct SkillRoots {
    roots: Arc<Mutex<BTreeMap<String, Root>>>,
}

impl SkillRoots {
    /// Opens the directory of a skill to the session, in place of one that had this name before.
    ///
    /// # Errors
    /// The path is not a directory that this process can open.
    pub fn load(&self, name: &str, directory: &Path) -> Result<(), OpenRootError> {
        let root = Root::open(RootName::Skill, directory)?;
        lock(&self.roots).insert(name.to_owned(), root);
        Ok(())
    }

    pub(crate) fn get(&self, name: &str) -> Option<Root> {
        lock(&self.roots).get(name).cloned()
    }
}
