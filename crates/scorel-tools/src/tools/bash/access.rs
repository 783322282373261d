//! From a granted access to a sandbox.

use std::path::Path;

use scorel_exec::Sandbox;
use scorel_runtime::CommandAccess;

/// A sandbox with its name.
#[derive(Debug, Clone)]
pub(super) struct Confinement {
    /// In the `details` of results.
    pub(super) name: &'static str,
    pub(super) sandbox: Option<Sandbox>,
}

/// The name of no sandbox.
pub(super) const UNSANDBOXED: &str = "unsandboxed";

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
            ("readonly", Some(Sandbox { writable, ..places }))
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
