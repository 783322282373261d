//! Checks the files of the home that belong to no session.

use std::io;
use std::path::Path;

use scorel_config::ConfigSource;
use scorel_home::{Home, Need, STATE_FILES};
use scorel_journal::{FileStorage, Storage, if_present};
use scorel_proto::ErrorChain;
use scorel_search::{check_search_index, search_index_files};
use scorel_session::{check_active_file, check_index_file, check_usage_file};

use crate::daemon::Daemon;
use crate::entry::{self, check_directory, check_file};
use crate::finding::Finding;
use crate::receipts;

/// Files of which only type, owner and mode are checked.
const FILES: [&str; 6] = [
    "env",
    "index.clean",
    "sandbox-support",
    "client.json",
    "devices.json",
    "scoreld.lock",
];

const STOPS: &str = "the daemon does not start with this file";
const REFUSED: &str = "the daemon refuses what needs this file";

pub(crate) fn check(home: &Home, daemon: &Daemon, found: &mut Vec<Finding>) {
    check_directory(home.root(), found);
    check_directory(&home.trash(), found);
    for name in FILES {
        check_file(&home.root().join(name), found);
    }
    authority(&home.config(), found, STOPS, ConfigSource::open);
    for (kind, check) in STATE_FILES {
        for path in kind.files(home.root()) {
            let check = |path: &Path| check(kind, path);
            match kind.need {
                Need::Start => authority(&path, found, STOPS, check),
                Need::Use => authority(&path, found, REFUSED, check),
                Need::Nothing => derived(&path, found, |_, path| {
                    check(path).map_err(io::Error::other)
                }),
            }
        }
    }
    receipts::check(&home.receipts(), daemon, found);
    derived(&home.index(), found, check_index_file);
    derived(&home.active(), found, check_active_file);
    derived(&home.usage(), found, check_usage_file);
    let [index, beside @ ..] = search_index_files(&home.search());
    derived(&index, found, |_, path| check_search_index(path));
    for path in beside {
        check_file(&path, found);
    }
    check_names(home, found);
    check_logs(&home.logs(), found);
}

/// A file that cannot be derived from others: only a person or a backup restores it. `effect` is that of
/// a damaged one.
fn authority<T, E: std::error::Error>(
    path: &Path,
    found: &mut Vec<Finding>,
    effect: &str,
    read: impl FnOnce(&Path) -> Result<T, E>,
) {
    if !check_file(path, found) {
        return;
    }
    if let Err(error) = read(path) {
        let meaning = format!("{effect}: {}", ErrorChain(&error));
        found.push(Finding::damage("invalid", path, meaning));
    }
}

/// A file that the daemon recreates.
fn derived(
    path: &Path,
    found: &mut Vec<Finding>,
    check: impl FnOnce(&dyn Storage, &Path) -> io::Result<()>,
) {
    if !check_file(path, found) {
        return;
    }
    if let Err(problem) = if_present(check(&FileStorage, path)) {
        found.push(Finding::derived_broken(path, &problem.to_string()));
    }
}

/// Copies of damaged files.
fn check_names(home: &Home, found: &mut Vec<Finding>) {
    let names = match entry::names(home.root()) {
        Ok(names) => names,
        Err(error) => return found.push(entry::unreadable(home.root(), &error)),
    };
    for name in names {
        let path = home.root().join(&name);
        if name.starts_with("receipts.jsonl.") && check_file(&path, found) {
            let meaning = "a copy of the receipts, kept by a repair";
            found.push(Finding::note("kept", &path, meaning));
        }
    }
}

fn check_logs(dir: &Path, found: &mut Vec<Finding>) {
    if !check_directory(dir, found) {
        return;
    }
    for name in entry::names(dir).unwrap_or_default() {
        check_file(&dir.join(name), found);
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn the_search_index_has_only_regular_files_beside_it() {
        let directory = tempfile::tempdir().unwrap();
        let home = Home::unopened(directory.path());
        let names = ["search.db-wal", "search.db-shm", "search.db-journal"];
        for name in names {
            symlink("/dev/null", home.root().join(name)).unwrap();
        }
        let mut found = Vec::new();
        check(&home, &Daemon::look(&home), &mut found);
        found.retain(|it| it.code == "not_regular");
        let found: Vec<_> = found.into_iter().map(|it| it.path).collect();
        assert_eq!(found, names.map(|name| home.root().join(name)));
    }

    #[test]
    fn every_state_file_that_cannot_be_used_is_found_by_what_needs_it() {
        let directory = tempfile::tempdir().unwrap();
        let home = Home::unopened(directory.path());
        let mut expected = Vec::new();
        for (kind, _) in STATE_FILES {
            let path = home.root().join(kind.place.replace('*', "run_1"));
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, "{").unwrap();
            expected.push(match kind.need {
                Need::Start | Need::Use => ("invalid", path),
                Need::Nothing => ("derived_broken", path),
            });
        }
        let mut found = Vec::new();
        check(&home, &Daemon::look(&home), &mut found);
        found.retain(|it| ["invalid", "derived_broken"].contains(&it.code));
        let mut found: Vec<_> = found.into_iter().map(|it| (it.code, it.path)).collect();
        found.sort();
        expected.sort();
        assert_eq!(found, expected);
    }
}
