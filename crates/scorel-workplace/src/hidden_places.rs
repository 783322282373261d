//! Paths that are hidden from tools and commands.

mod known;
mod resolve;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use nix::unistd::geteuid;
use scorel_config::{ConfigPath, ToolsConfig};
use scorel_engine::Effect;
use scorel_permission::{CredentialKind, credential_places};

pub(crate) use known::KnownPlaces;
use resolve::Resolver;

/// Places that tools and commands do not get to see: those of the table of credentials, the daemon's
/// home, and what the configuration names, without what it shows.
///
/// Looked up once for a turn. A place is kept with its links resolved, as paths are when they are
/// judged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HiddenPlaces {
    places: Vec<HiddenPlace>,
    /// Shown although they are below a hidden place.
    shown: Vec<PathBuf>,
    /// The worktree in the daemon's home that the session works in. No place around it hides it.
    opened: Option<PathBuf>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct HiddenPlace {
    path: PathBuf,
    origin: HiddenOrigin,
}

/// The reason why a place is hidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HiddenOrigin {
    Table(CredentialKind),
    /// The daemon's home, which `[tools] shown` does not show.
    Daemon,
    Configuration,
}

impl HiddenOrigin {
    /// To follow a path.
    fn reason(self) -> String {
        let lifted = "`shown` in `[tools]` of config.toml lifts that";
        match self {
            Self::Table(kind) => {
                let held = kind.held();
                format!("is kept from tools and commands, because it holds {held}; {lifted}")
            }
            Self::Daemon => "belongs to Scorel and holds its keys and conversations".to_owned(),
            Self::Configuration => {
                "is kept from tools and commands by `hidden` in `[tools]` of config.toml".to_owned()
            }
        }
    }
}

/// The places that are hidden and shown, with their links.
#[derive(Debug, Clone, PartialEq, Eq)]
struct WantedPlaces {
    hidden: Vec<(PathBuf, HiddenOrigin)>,
    shown: Vec<PathBuf>,
}

impl WantedPlaces {
    fn of(
        config: &ToolsConfig,
        user_home: Option<&Path>,
        daemon_home: &Path,
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> Self {
        let paths = |paths: &[ConfigPath]| -> Vec<PathBuf> {
            paths.iter().filter_map(|it| it.path(user_home)).collect()
        };
        let is_superuser = geteuid().is_root();
        let mut table = user_home.map_or_else(Vec::new, |home| credential_places(home, variable));
        table.retain(|place| place.kind != CredentialKind::System || is_superuser);
        let table = table
            .into_iter()
            .map(|place| (place.path, HiddenOrigin::Table(place.kind)));
        let configured = paths(&config.hidden)
            .into_iter()
            .map(|path| (path, HiddenOrigin::Configuration));
        let daemon = (daemon_home.to_owned(), HiddenOrigin::Daemon);
        Self {
            hidden: table.chain(configured).chain([daemon]).collect(),
            shown: paths(&config.shown),
        }
    }

    /// Looks at the file system.
    fn find(&self, resolver: &mut Resolver) -> HiddenPlaces {
        let shown: Vec<PathBuf> = self
            .shown
            .iter()
            .flat_map(|path| resolver.resolve(path))
            .collect();
        let mut found = HiddenPlaces::default();
        for (path, origin) in &self.hidden {
            for path in resolver.resolve(path) {
                found.add(path, *origin, &shown);
            }
        }
        let holds = |place: &HiddenPlace, path: &Path| path.starts_with(&place.path);
        let may_show = |path: &PathBuf| {
            let places = || found.places.iter().filter(|place| holds(place, path));
            places().next().is_some() && places().all(|it| it.origin != HiddenOrigin::Daemon)
        };
        found.shown = shown.into_iter().filter(may_show).collect();
        found
    }
}

impl HiddenPlaces {
    /// The same places for a session that works in a worktree in the daemon's home.
    pub fn opening(self, worktree: Option<&Path>) -> Self {
        Self {
            opened: worktree.map(Path::to_owned),
            ..self
        }
    }

    fn add(&mut self, path: PathBuf, origin: HiddenOrigin, shown: &[PathBuf]) {
        let is_shown =
            origin != HiddenOrigin::Daemon && shown.iter().any(|it| path.starts_with(it));
        if !is_shown && !self.places.iter().any(|place| place.path == path) {
            self.places.push(HiddenPlace { path, origin });
        }
    }

    /// For the sandbox of commands.
    pub fn hidden(&self) -> Vec<PathBuf> {
        self.places.iter().map(|place| place.path.clone()).collect()
    }

    /// For the sandbox of commands.
    pub fn shown(&self) -> Vec<PathBuf> {
        self.shown.iter().chain(&self.opened).cloned().collect()
    }

    /// The reason why the call that has this effect is refused, if it is.
    pub fn refusal(&self, effect: &Effect) -> Option<String> {
        let (Effect::ReadPath { path } | Effect::WritePath { path, .. }) = effect else {
            return None;
        };
        let place = self.holding(path)?;
        Some(format!("{} {}", path.display(), place.origin.reason()))
    }

    /// Returns whether something hidden is at or below a directory, given without links.
    pub fn reaches(&self, directory: &Path) -> bool {
        let mut places = self.places.iter();
        places.any(|place| place.path.starts_with(directory))
    }

    /// Returns whether a path without links is hidden.
    pub fn hides(&self, path: &Path) -> bool {
        self.holding(path).is_some()
    }

    /// The hidden place that contains a path without links.
    fn holding(&self, path: &Path) -> Option<&HiddenPlace> {
        let is_shown = self.shown.iter().any(|shown| path.starts_with(shown));
        let opened = self.opened.as_ref().filter(|it| path.starts_with(it));
        let is_around = |place: &HiddenPlace| opened.is_some_and(|it| it.starts_with(&place.path));
        let mut places = self
            .places
            .iter()
            .filter(|it| path.starts_with(&it.path) && !is_around(it));
        places.find(|place| !is_shown || place.origin == HiddenOrigin::Daemon)
    }
}

#[cfg(test)]
mod tests;
