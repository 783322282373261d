//! From a granted access to a sandbox.

use std::path::Path;

use scorel_exec::Sandbox;
use scorel_runtime::CommandAccess;

use super::stopped::SandboxFacts;

/// A sandbox with its name.
#[derive(Debug, Clone)]
pub(super) struct Confinement {
    /// In the `details` of results.
    pub(super) name: &'static str,
    pub(super) sandbox: Option<Sandbox>,
}

/// The name of no sandbox.
pub(super) const UNSANDBOXED: &str = "unsandboxed";

/// The name of a sandbox that lets a command write only to its temporary directory.
const READONLY: &str = "readonly";

impl Confinement {
    /// What is known about the sandbox of a command that starts in `directory`; nothing without one.
    pub(super) fn facts(&self, directory: &Path) -> Option<SandboxFacts> {
        let sandbox = self.sandbox.as_ref()?;
        Some(SandboxFacts::new(sandbox, self.name == READONLY, directory))
    }
}

/// The sandbox for an access; `places` has the caches, and the hidden and protected paths.
pub(super) fn confine(
    access: CommandAccess,
    places: Sandbox,
    project: &Path,
    temporary: &Path,
) -> Confinement {
    let (name, sandbox) = match access {
        CommandAccess::Full => (UNSANDBOXED, None),
        CommandAccess::Readonly => {
            let writable = vec![temporary.to_owned()];
            (READONLY, Some(Sandbox { writable, ..places }))
        }
        CommandAccess::Workspace { network } => {
            let mut writable = places.writable;
            writable.extend([project.to_owned(), temporary.to_owned()]);
            let name = if network {
                "workspace+network"
            } else {
                "workspace"
            };
            let sandbox = Sandbox {
                writable,
                network,
                ..places
            };
            (name, Some(sandbox))
        }
    };
    Confinement { name, sandbox }
}
