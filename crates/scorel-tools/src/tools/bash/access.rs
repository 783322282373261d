//! From a granted access to a sandbox.

use std::fs;
use std::path::{Path, PathBuf};

use scorel_exec::Sandbox;
use scorel_runtime::CommandAccess;

use scorel_permission::protected::is_protected;

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

/// The protected paths at the top level of a project, to be mounted read-only.
pub(super) fn protected_places(project: &Path, daemon_home: &Path) -> Vec<PathBuf> {
    const OF_GIT: [&str; 3] = ["config", "config.worktree", "hooks"];
    let entries = fs::read_dir(project).into_iter().flatten().flatten();
    let protected = entries.map(|entry| entry.path());
    let protected = protected.filter(|path| is_protected(path, daemon_home).is_some());
    let mut places = Vec::new();
    for path in protected {
        let is_repository = path.file_name().is_some_and(|name| name == ".git") && path.is_dir();
        if is_repository {
            places.extend(OF_GIT.map(|name| path.join(name)));
        } else {
            places.push(path);
        }
    }
    places
}
