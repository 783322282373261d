//! From a permit to a sandbox.

use std::fs;
use std::path::{Path, PathBuf};

use scorel_exec::{Isolation, SHARED_MEMORY, Sandbox, Surroundings};
use scorel_permission::DaemonHome;
use scorel_runtime::{CommandAccess, HiddenFiles, Permit};

use super::CommandSettings;
use super::guarded;
use super::hidden_by_rules::{self, HiddenGap, SearchBounds};
use super::home_project::HomeProject;
use super::outside_repository::OutsideRepository;
use super::stopped::SandboxFacts;
use crate::error::{ErrorCode, ToolError};

/// Unpacked packages that are protected from a command with the network. Each is a mount.
const MAX_SOURCES: usize = 4_000;

/// A sandbox with its name.
#[derive(Debug, Clone)]
pub(super) struct Confinement {
    /// In the `details` of results.
    pub(super) name: &'static str,
    pub(super) sandbox: Option<Sandbox>,
    /// Why rules do not hide all from the command that they should.
    pub(super) unhidden: Option<HiddenGap>,
}

/// The name of no sandbox.
pub(super) const UNSANDBOXED: &str = "unsandboxed";

/// The name of a sandbox that lets a command write only to its temporary directory.
const READONLY: &str = "readonly";

impl Confinement {
    /// Facts about the sandbox of a command that starts in `directory`; `None` without a sandbox.
    pub(super) fn facts(&self, directory: &Path) -> Option<SandboxFacts> {
        let sandbox = self.sandbox.as_ref()?;
        Some(SandboxFacts::new(sandbox, self.name == READONLY, directory))
    }
}

/// Where a command runs, and what its session's settings say.
#[derive(Debug)]
pub(super) struct CommandPlaces<'a> {
    pub(super) settings: &'a CommandSettings,
    /// Canonical.
    pub(super) project: &'a Path,
    pub(super) temporary: &'a Path,
    pub(super) daemon_home: &'a DaemonHome,
}

impl CommandPlaces<'_> {
    /// The sandbox for a permit. Looks for hidden and for protected files.
    pub(super) fn confine(&self, permit: &Permit) -> Result<Confinement, ToolError> {
        let name = match permit.command {
            CommandAccess::Full => UNSANDBOXED,
            CommandAccess::Readonly => READONLY,
            CommandAccess::Workspace { network: true } => "workspace+network",
            CommandAccess::Workspace { network: false } => "workspace",
        };
        let Some(bare) = namespaces(self.settings, permit.command) else {
            return Ok(Confinement {
                name,
                sandbox: None,
                unhidden: None,
            });
        };
        let network = bare.network;
        let mut sandbox = Sandbox {
            writable: vec![self.temporary.to_owned()],
            shown: self.settings.shown.clone(),
            ..bare
        };
        sandbox
            .shown
            .extend(self.daemon_home.opened().map(Path::to_owned));
        if self.settings.spaces {
            sandbox.writable.push(PathBuf::from(SHARED_MEMORY));
        }
        let writes = permit.command != CommandAccess::Readonly;
        let repository = writes
            .then(|| OutsideRepository::of(self.project))
            .flatten();
        if writes {
            sandbox.writable.extend(self.writable(network));
            sandbox
                .writable
                .extend(repository.iter().map(|it| it.data.clone()));
        }
        let unhidden = self.hide(&mut sandbox, permit.hidden.as_deref())?;
        if writes {
            self.protect(&mut sandbox, repository.as_ref());
        }
        Ok(Confinement {
            name,
            sandbox: Some(sandbox),
            unhidden,
        })
    }

    fn writable(&self, network: bool) -> Vec<PathBuf> {
        let mut writable = self.settings.caches.clone();
        writable.push(self.project.to_owned());
        // Cargo also unpacks downloaded packages there.
        writable.extend(self.settings.cargo_registry.clone().filter(|_| network));
        writable
    }

    /// Hides what the settings and the rules say.
    fn hide(
        &self,
        sandbox: &mut Sandbox,
        rules: Option<&dyn HiddenFiles>,
    ) -> Result<Option<HiddenGap>, ToolError> {
        let writable: Vec<PathBuf> = sandbox.writable.iter().map(|place| real(place)).collect();
        let is_inside = |place: &Path| {
            let is_below = |root: &PathBuf| place != root && place.starts_with(root);
            writable.iter().any(is_below)
        };
        let holds_writable = |place: &Path| writable.iter().any(|root| root.starts_with(place));
        let own = self.settings.hidden.iter().map(PathBuf::as_path);
        // Most places of credentials do not exist, and each one would cost the command, as it starts,
        // some hundred system calls.
        let existing = own.filter(|place| place.symlink_metadata().is_ok());
        for place in existing.chain([self.daemon_home.path()]).map(real) {
            // Landlock alone would keep commands from making files beside it.
            if self.settings.mounts && is_inside(&place) && !holds_writable(&place) {
                sandbox.masked.extend(around(place, &self.settings.shown));
            } else {
                sandbox.hidden.push(place);
            }
        }
        let Some(rules) = rules else { return Ok(None) };
        let found = hidden_by_rules::find(rules, SearchBounds::default());
        let mut gap = found.gap;
        for place in found.places {
            if self.project.starts_with(&place) {
                let message = "not run: permission rules deny reading the project's directory";
                return Err(ToolError::new(ErrorCode::PermissionNeeded, message));
            }
            if self.settings.mounts && !holds_writable(&place) {
                sandbox.masked.push(place);
            } else if self.settings.mounts || !is_inside(&place) {
                sandbox.hidden.push(place);
            } else {
                gap = Some(HiddenGap::NoMounts);
            }
        }
        Ok(gap)
    }

    /// Protects what other programs run or obey.
    fn protect(&self, sandbox: &mut Sandbox, repository: Option<&OutsideRepository>) {
        let mounts = self.settings.mounts;
        // A hidden place around the project, such as the daemon's home around a worktree, exempts nothing
        // in it.
        let exempt: Vec<PathBuf> = [&sandbox.hidden, &sandbox.masked, &self.settings.caches]
            .into_iter()
            .flatten()
            .filter(|place| !self.project.starts_with(place))
            .cloned()
            .collect();
        let mut found = guarded::find(self.project, &exempt, mounts);
        let mut mounted = self.sources(sandbox);
        if let Some(repository) = repository {
            let data = guarded::find_git_data(&repository.data, &exempt, mounts);
            found.mounted.extend(data.mounted);
            found.guard.others.push(data.guard);
            mounted.extend(repository.of_others());
        }
        if let Some(home) = HomeProject::of(self.project, &self.settings.environment) {
            found.guard.places.extend(home.absent());
            mounted.extend(home.run_later());
        }
        if mounts {
            found.mounted.append(&mut mounted);
        }
        sandbox.protected = found.mounted;
        sandbox.guard = Some(found.guard);
    }

    /// Cargo's unpacked sources, if the command could write them. With the network it may unpack more,
    /// and only the packages that are there already are protected.
    fn sources(&self, sandbox: &Sandbox) -> Vec<PathBuf> {
        let Some(registry) = &self.settings.cargo_registry else {
            return Vec::new();
        };
        let sources = registry.join("src");
        if !sandbox.network {
            return vec![sources];
        }
        let indexes = entries(&sources).into_iter();
        let packages = indexes.flat_map(|index| entries(&index));
        packages.take(MAX_SOURCES).collect()
    }
}

/// What the namespaces of a command depend on: a sandbox without any rights, or none.
pub(super) fn namespaces(settings: &CommandSettings, access: CommandAccess) -> Option<Sandbox> {
    let network = match access {
        CommandAccess::Full => return None,
        CommandAccess::Readonly => false,
        CommandAccess::Workspace { network } => network,
    };
    Some(Sandbox {
        network,
        surroundings: match settings.spaces {
            true => Surroundings::Own,
            false => Surroundings::Host,
        },
        isolation: match settings.mounts {
            true => Isolation::default(),
            false => Isolation::NONE,
        },
        ..Sandbox::default()
    })
}

/// The place itself, or, if paths below it are shown, the entries around those. Nothing if it is shown.
fn around(place: PathBuf, shown: &[PathBuf]) -> Vec<PathBuf> {
    if shown.iter().any(|path| place.starts_with(path)) {
        return Vec::new();
    }
    if !shown.iter().any(|path| path.starts_with(&place)) {
        return vec![place];
    }
    let inner = entries(&place).into_iter();
    inner.flat_map(|entry| around(entry, shown)).collect()
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

/// The canonical path. Of a place that does not exist, that of its nearest existing ancestor with the
/// rest appended.
fn real(path: &Path) -> PathBuf {
    if let Ok(real) = path.canonicalize() {
        return real;
    }
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => real(parent).join(name),
        _ => path.to_owned(),
    }
}
