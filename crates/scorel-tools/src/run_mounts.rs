//! The directories of a run, as roots of the session that it is bound to.

use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex};

use crate::error::ToolError;
use crate::locked::lock;
use crate::root::{OpenRootError, Root, RootName};

/// The directories of the run that a session is bound to: `@pkg` and `@state`. Cheap to clone; clones share them.
#[derive(Debug, Clone, Default)]
pub struct RunMounts {
    mounted: Arc<Mutex<Option<MountedRun>>>,
}

/// Judges what files below `@state` become. Each write there passes it.
pub trait DocumentGuard: fmt::Debug + Send + Sync {
    /// The content that is written in place of `before` where a call wants `after`. `path` is below the state's
    /// directory.
    ///
    /// # Errors
    /// The file must not become this; it stays as it is.
    fn admit(
        &self,
        path: &Path,
        before: Option<&[u8]>,
        after: Vec<u8>,
    ) -> Result<Vec<u8>, ToolError>;

    /// A content that was admitted is in its place, durably.
    fn written(&self, path: &Path, content: &[u8]);
}

#[derive(Debug, Clone)]
struct MountedRun {
    package: Root,
    state: Root,
    guard: Option<Arc<dyn DocumentGuard>>,
}

impl RunMounts {
    /// Opens the directories of a run to the session, in place of those before. Without a guard the state is read-only.
    ///
    /// # Errors
    /// One of them is not a directory that this process can open. The session is bound to no run then.
    pub fn mount(
        &self,
        package: &Path,
        state: &Path,
        guard: Option<Arc<dyn DocumentGuard>>,
    ) -> Result<(), OpenRootError> {
        self.unmount();
        let mounted = MountedRun {
            package: Root::open(RootName::Package, package)?,
            state: Root::open(RootName::State, state)?,
            guard,
        };
        *lock(&self.mounted) = Some(mounted);
        Ok(())
    }

    /// The session is bound to no run any more.
    pub fn unmount(&self) {
        *lock(&self.mounted) = None;
    }

    pub(crate) fn root(&self, name: RootName) -> Option<Root> {
        let mounted = lock(&self.mounted);
        let MountedRun { package, state, .. } = mounted.as_ref()?;
        match name {
            RootName::Package => Some(package.clone()),
            RootName::State => Some(state.clone()),
            RootName::Project | RootName::Skill | RootName::System => None,
        }
    }

    pub(crate) fn guard(&self) -> Option<Arc<dyn DocumentGuard>> {
        lock(&self.mounted).as_ref()?.guard.clone()
    }
}
