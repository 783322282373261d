//! Detects a session whose recovery kills the daemon again and again.
//!
//! While a session that a daemon left with work is loaded, a file in its directory says so. A daemon that
//! dies meanwhile leaves the file; the next one adds itself.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use scorel_journal::Storage;
use scorel_proto::SessionId;
use serde::{Deserialize, Serialize};

use crate::json_file::{read_json, replace_json};

/// The file in the session's directory.
const NAME: &str = "recovering";

/// How many daemons may die in the recovery of a session within [`WINDOW_MS`].
const DEATHS: usize = 3;

/// How long a death counts, in milliseconds.
const WINDOW_MS: u64 = 10 * 60 * 1000;

const MAX_BYTES: u64 = 64 * 1024;

/// The recovery of a session, on record until this is dropped.
#[derive(Debug)]
pub(crate) struct RecoveryMark {
    storage: Arc<dyn Storage>,
    path: PathBuf,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct MarkFile {
    /// The version of the daemons that died. Another one may have the remedy.
    version: String,
    /// When the recoveries began that did not end, in milliseconds since 1970.
    begun: Vec<u64>,
}

/// A session whose recovery is not tried again.
#[derive(Debug, thiserror::Error)]
#[error(
    "{DEATHS} daemons died within ten minutes while they recovered this session, so it is opened for \
     reading only; `scorelctl doctor` says how to have it tried again"
)]
pub(crate) struct GivenUp;

impl RecoveryMark {
    /// Begins the recovery of the session in `dir`, unless too many daemons have died of it. Blocks on the
    /// disk. A mark that cannot be written is no reason not to recover.
    pub(crate) fn begin(
        storage: &Arc<dyn Storage>,
        dir: &Path,
        version: &str,
        now: u64,
    ) -> Result<Self, GivenUp> {
        let path = dir.join(NAME);
        let mut file = MarkFile::read(&**storage, &path, version, now);
        if file.is_given_up() {
            return Err(GivenUp);
        }
        file.begun.push(now);
        if let Err(error) = replace_json(&**storage, &path, &file) {
            tracing::debug!(path = %path.display(), %error, "the recovery is not on record");
        }
        Ok(Self {
            storage: Arc::clone(storage),
            path,
        })
    }
}

impl Drop for RecoveryMark {
    /// The daemon survived the recovery, whether or not it succeeded.
    fn drop(&mut self) {
        let _absent: io::Result<()> = self.storage.remove(&self.path);
    }
}

impl MarkFile {
    /// The deaths that count. A file that cannot be read tells of none.
    fn read(storage: &dyn Storage, path: &Path, version: &str, now: u64) -> Self {
        let found: Self = read_json(storage, path, MAX_BYTES).unwrap_or_default();
        let counts = |at: &u64| found.version == version && now.abs_diff(*at) < WINDOW_MS;
        Self {
            version: version.to_owned(),
            begun: found.begun.iter().copied().filter(counts).collect(),
        }
    }

    const fn is_given_up(&self) -> bool {
        self.begun.len() >= DEATHS
    }
}

/// The sessions below `sessions` that a daemon of `version` would give up at `now`, with the file to remove
/// for another try.
pub fn given_up_sessions(
    storage: &dyn Storage,
    sessions: &Path,
    version: &str,
    now: u64,
) -> Vec<(SessionId, PathBuf)> {
    let names = storage.list(sessions).unwrap_or_default();
    let ids = names.iter().filter_map(|name| name.parse().ok());
    let marks = ids.map(|id: SessionId| (id, sessions.join(id.to_string()).join(NAME)));
    let is_given_up = |(_, path): &(SessionId, PathBuf)| {
        MarkFile::read(storage, path, version, now).is_given_up()
    };
    marks.filter(is_given_up).collect()
}

#[cfg(test)]
mod tests {
    use scorel_journal::FileStorage;

    use super::*;

    const VERSION: &str = "0.2.0";
    const NOW: u64 = 1_795_348_800_000;

    struct Place {
        dir: tempfile::TempDir,
        storage: Arc<dyn Storage>,
    }

    impl Place {
        fn new() -> Self {
            Self {
                dir: tempfile::tempdir().expect("a directory"),
                storage: Arc::new(FileStorage),
            }
        }

        fn begin(&self, version: &str, now: u64) -> Result<RecoveryMark, GivenUp> {
            RecoveryMark::begin(&self.storage, self.dir.path(), version, now)
        }

        /// A daemon that dies in the recovery: nothing is dropped.
        fn die(&self, now: u64) {
            std::mem::forget(self.begin(VERSION, now).expect("tried"));
        }
    }

    #[test]
    fn the_fourth_daemon_within_ten_minutes_does_not_try() {
        let place = Place::new();
        for minute in 0..3 {
            place.die(NOW + minute * 60_000);
        }
        place.begin(VERSION, NOW + 180_000).expect_err("given up");
        place
            .begin(VERSION, NOW + WINDOW_MS)
            .expect("the first death does not count any more");
    }

    #[test]
    fn a_recovery_that_ends_clears_those_before() {
        let place = Place::new();
        place.die(NOW);
        place.die(NOW + 1);
        drop(place.begin(VERSION, NOW + 2).expect("tried"));
        assert!(!place.dir.path().join(NAME).exists());
        for later in 3..6 {
            place.die(NOW + later);
        }
        place.begin(VERSION, NOW + 6).expect_err("given up");
    }

    #[test]
    fn another_version_and_a_removed_file_are_new_chances() {
        let place = Place::new();
        for later in 0..3 {
            place.die(NOW + later);
        }
        drop(place.begin("0.3.0", NOW + 4).expect("another version"));
        for later in 0..3 {
            place.die(NOW + later);
        }
        std::fs::remove_file(place.dir.path().join(NAME)).expect("it was there");
        place.begin(VERSION, NOW + 5).expect("asked for");
    }

    #[test]
    fn sessions_that_were_given_up_are_found() {
        let place = Place::new();
        let ids = [SessionId::generate(), SessionId::generate()];
        for (id, deaths) in ids.iter().zip([2, 3]) {
            let dir = place.dir.path().join(id.to_string());
            std::fs::create_dir(&dir).expect("a directory");
            for _ in 0..deaths {
                let mark = RecoveryMark::begin(&place.storage, &dir, VERSION, NOW);
                std::mem::forget(mark.expect("tried"));
            }
        }
        let found = given_up_sessions(&*place.storage, place.dir.path(), VERSION, NOW);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].0, ids[1]);
    }
}
