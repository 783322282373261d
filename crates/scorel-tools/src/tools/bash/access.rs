//! From a permit to a sandbox.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use scorel_engine::{CommandAccess, Permit};
use scorel_exec::{Isolation, SHARED_MEMORY, Sandbox, SettingsCopy, Surroundings, real};
use scorel_permission::DaemonHome;

use super::CommandSettings;
use super::guarded::{self, ProtectedPlaces};
use super::hidden_by_rules::{self, HiddenGap, SearchBounds};
use super::home_project::HomeProject;
use super::listings::Listings;
use super::outside_repository::{OutsideRepository, entries};
use super::stopped::SandboxFacts;
use crate::error::{ErrorCode, ToolError};
use crate::locked::lock;

/// A sandbox with its name.
#[derive(Debug, Clone)]
pub(super) struct Confinement {
    /// In the `details` of results.
    pub(super) name: &'static str,
    pub(super) sandbox: Option<Sandbox>,
    /// The reason why rules do not hide all from the command that they should.
    pub(super) unhidden: Option<HiddenGap>,
    /// Places that the command would have been able to write, but for a link or because they are hidden.
    pub(super) left_out: Vec<PathBuf>,
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
    pub(super) listings: &'a Mutex<Listings>,
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
                left_out: Vec::new(),
            });
        };
        let rules = permit.hidden.as_deref();
        let found = rules.map(|rules| hidden_by_rules::find(rules, SearchBounds::default()));
        let found = found.unwrap_or_default();
        if found.places.iter().any(|it| self.project.starts_with(it)) {
            let message = "not run: permission rules deny reading the project's directory";
            return Err(ToolError::new(ErrorCode::PermissionNeeded, message));
        }
        let own = self.own_hidden();
        let mut sandbox = Sandbox {
            hidden: own.iter().chain(&found.places).cloned().collect(),
            shown: self.settings.shown.clone(),
            ..bare
        };
        let opened = self.daemon_home.opened().into_iter();
        let opened = opened.chain([self.temporary]).map(Path::to_owned);
        sandbox.shown.extend(opened);
        let writes = permit.command != CommandAccess::Readonly;
        let repository = writes.then(|| OutsideRepository::of(self.project));
        let repository = repository.flatten();
        let wanted = self.writable(writes, sandbox.network, repository.as_ref());
        let left_out = sandbox.grant(&wanted, &self.settings.changeable);
        if left_out.iter().any(|place| place == self.project) {
            let message =
                "not run: the project's directory is hidden from commands, or a link leads there";
            return Err(ToolError::new(ErrorCode::PermissionNeeded, message));
        }
        let is_gap = self.hide(&mut sandbox, own, found.places);
        if writes {
            self.protect(&mut sandbox, repository.as_ref());
        }
        Ok(Confinement {
            name,
            sandbox: Some(sandbox),
            unhidden: is_gap.then_some(HiddenGap::NoMounts).or(found.gap),
            left_out,
        })
    }

    /// The places that a command writes, if nothing is in the way.
    fn writable(
        &self,
        writes: bool,
        network: bool,
        repository: Option<&OutsideRepository>,
    ) -> Vec<PathBuf> {
        let mut writable = vec![self.temporary.to_owned()];
        if self.settings.spaces {
            writable.push(PathBuf::from(SHARED_MEMORY));
        }
        if writes {
            writable.push(self.project.to_owned());
            writable.extend(self.settings.packages.writable(network));
            writable.extend(self.settings.caches.iter().cloned());
            writable.extend(repository.map(|it| it.data.clone()));
        }
        writable
    }

    /// The places that the settings hide, and the daemon's home.
    fn own_hidden(&self) -> Vec<PathBuf> {
        let own = self.settings.hidden.iter().map(PathBuf::as_path);
        // Most places of credentials do not exist, and each one would cost the command, as it starts,
        // some hundred system calls.
        let existing = own.filter(|place| place.symlink_metadata().is_ok());
        existing
            .chain([self.daemon_home.path()])
            .map(real)
            .collect()
    }

    /// Masks hidden places as far as mounts can: Landlock alone would keep commands from making files
    /// beside them. Returns whether rules cannot hide all of `by_rules`.
    fn hide(&self, sandbox: &mut Sandbox, own: Vec<PathBuf>, by_rules: BTreeSet<PathBuf>) -> bool {
        let mounts = self.settings.mounts;
        let (mut hidden, mut masked, mut is_gap) = (Vec::new(), Vec::new(), false);
        let is_inside = |place: &Path| {
            let is_below = |root: &PathBuf| place != root && place.starts_with(root);
            sandbox.writable.iter().any(is_below)
        };
        for place in own {
            match mounts && is_inside(&place) {
                true => masked.extend(around(place, &sandbox.shown)),
                false => hidden.push(place),
            }
        }
        for place in by_rules {
            let has_shown = sandbox.shown.iter().any(|shown| shown.starts_with(&place));
            let inside = is_inside(&place);
            match mounts {
                true if has_shown && !inside => hidden.push(place),
                true => masked.extend(around(place, &sandbox.shown)),
                false if !inside => hidden.push(place),
                false => is_gap = true,
            }
        }
        (sandbox.hidden, sandbox.masked) = (hidden, masked);
        is_gap
    }

    /// Protects what other programs run or obey.
    fn protect(&self, sandbox: &mut Sandbox, repository: Option<&OutsideRepository>) {
        let mounts = self.settings.mounts;
        // A hidden place around the project, such as the daemon's home around a worktree, exempts nothing
        // in it.
        let packages = self.settings.packages.all();
        let exempt: Vec<PathBuf> = [
            &sandbox.hidden,
            &sandbox.masked,
            &self.settings.caches,
            &packages,
        ]
        .into_iter()
        .flatten()
        .filter(|place| !self.project.starts_with(place))
        .cloned()
        .collect();
        let home = self.settings.environment.get("HOME").map(Path::new);
        let mut listings = lock(self.listings);
        let mut found = guarded::find(self.project, home, &exempt, mounts, &mut listings);
        let mut mounted = self.packages(sandbox, &mut found);
        if let Some(repository) = repository {
            found.add(guarded::find_git_data(&repository.data, &exempt, mounts));
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
        let copy = |file| SettingsCopy {
            file,
            directory: self.temporary.to_owned(),
        };
        sandbox.settings = found.settings.into_iter().map(copy).collect();
        sandbox.guard = Some(found.guard);
    }

    /// Packages that the command could change. With the network it may add more, and only those that are
    /// there already are protected.
    fn packages(&self, sandbox: &Sandbox, found: &mut ProtectedPlaces) -> Vec<PathBuf> {
        let packages = &self.settings.packages;
        let is_writable = |place: &PathBuf| sandbox.writable.iter().any(|it| place.starts_with(it));
        let wished: Vec<_> = self.settings.caches.iter().map(|it| real(it)).collect();
        let is_wished = |place: &PathBuf| wished.iter().any(|it| place.starts_with(it));
        let closed = packages.closed(sandbox.network).into_iter();
        let mut protected: Vec<_> = closed
            .filter_map(|place| place.canonicalize().ok())
            .filter(|place| is_writable(place) && !is_wished(place))
            .collect();
        if sandbox.network {
            let kept = packages.kept();
            protected.extend(kept.entries);
            for repository in kept.repositories {
                found.add(guarded::find_git_data(
                    &repository,
                    &[],
                    self.settings.mounts,
                ));
            }
        }
        protected
    }
}

/// The part of a sandbox on which the namespaces of a command depend: one without any rights, or none.
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
