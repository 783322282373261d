//! The hidden places that were found last.

use std::ffi::OsString;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::resolve::{LookedAt, Resolver};
use super::{HiddenPlaces, WantedPlaces};
use scorel_config::ToolsConfig;

/// The hidden places, resolved again when something has changed that decides about them: the table, which
/// the environment moves, the configuration, or a directory that they are in.
#[derive(Debug, Default)]
pub(crate) struct KnownPlaces(Mutex<Option<Known>>);

#[derive(Debug)]
struct Known {
    wanted: WantedPlaces,
    looked_at: LookedAt,
    found: HiddenPlaces,
}

impl KnownPlaces {
    /// The places as they are now. `variable` looks up environment variables, with which programs move
    /// their places.
    pub(crate) fn get(
        &self,
        config: &ToolsConfig,
        user_home: Option<&Path>,
        daemon_home: &Path,
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> HiddenPlaces {
        let wanted = WantedPlaces::of(config, user_home, daemon_home, variable);
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.as_ref()
            && known.wanted == wanted
            && known.looked_at.is_same()
        {
            return known.found.clone();
        }
        let mut resolver = Resolver::default();
        let found = wanted.find(&mut resolver);
        *known = Some(Known {
            wanted,
            looked_at: resolver.into_looked_at(),
            found: found.clone(),
        });
        found
    }

    /// Returns whether the next look finds what the last one did, without resolving a place.
    #[cfg(test)]
    pub(super) fn holds(&self) -> bool {
        let known = self.0.lock().unwrap();
        known
            .as_ref()
            .is_some_and(|known| known.looked_at.is_same())
    }
}
