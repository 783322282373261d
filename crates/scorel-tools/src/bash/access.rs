//! How much a command may do.

use std::path::Path;

use scorel_exec::Sandbox;

/// How much a command may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandAccess {
    /// Write to its temporary directory only; no network.
    Readonly,
    /// Write to the project, the temporary directory and package caches.
    Workspace {
        /// Whether it may use the network.
        network: bool,
    },
    /// Whatever the user may do: it runs without a sandbox.
    Full,
}

/// An access in terms of places.
#[derive(Debug, Clone)]
pub(super) struct Confinement {
    /// For the details of a result.
    pub(super) name: &'static str,
    pub(super) sandbox: Option<Sandbox>,
}

/// How results call a command without a sandbox.
pub(super) const UNSANDBOXED: &str = "unsandboxed";

impl CommandAccess {
    /// `places` has the caches, and what is hidden and protected.
    pub(super) fn confine(self, places: Sandbox, project: &Path, temporary: &Path) -> Confinement {
        let (name, sandbox) = match self {
            Self::Full => (UNSANDBOXED, None),
            Self::Readonly => {
                let writable = vec![temporary.to_owned()];
                ("readonly", Some(Sandbox { writable, ..places }))
            }
            Self::Workspace { network } => {
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
}
