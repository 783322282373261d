//! Checks the files of the home that belong to no session.

use std::io;
use std::path::Path;

use scorel_config::ConfigSource;
use scorel_home::{Device, Home, ProjectRegistry, check_model_lists};
use scorel_journal::{FileStorage, Storage};
use scorel_proto::ErrorChain;
use scorel_search::{check_search_index, search_index_files};
use scorel_session::{check_active_file, check_index_file, check_usage_file};

use crate::daemon::Daemon;
use crate::entry::{self, check_directory, check_file};
use crate::finding::{Finding, Repair};
use crate::receipts;

/// Files of which only type, owner and mode are checked.
const FILES: [&str; 8] = [
    "env",
    "grants.json",
    "index.clean",
    "sandbox-support",
    "trust.json",
    "client.json",
    "daemon.json",
    "scoreld.lock",
];

pub(crate) fn check(home: &Home, daemon: &Daemon, found: &mut Vec<Finding>) {
    check_directory(home.root(), found);
    check_directory(&home.trash(), found);
    for name in FILES {
        check_file(&home.root().join(name), found);
    }
    authority(&home.config(), found, ConfigSource::open);
    authority(&home.device(), found, Device::load);
    authority(&home.projects(), found, ProjectRegistry::open);
    receipts::check(&home.receipts(), daemon, found);
    derived(&home.index(), found, check_index_file);
    derived(&home.active(), found, check_active_file);
    derived(&home.usage(), found, check_usage_file);
    derived(&home.models(), found, |_, path| {
        check_model_lists(path).map_err(io::Error::other)
    });
    let [index, beside @ ..] = search_index_files(&home.search());
    derived(&index, found, |_, path| check_search_index(path));
    for path in beside {
        check_file(&path, found);
    }
    check_names(home, found);
    check_logs(&home.logs(), found);
}

/// A file that cannot be derived from others: only a backup restores it.
fn authority<T, E: std::error::Error>(
    path: &Path,
    found: &mut Vec<Finding>,
    read: impl FnOnce(&Path) -> Result<T, E>,
) {
    if !check_file(path, found) {
        return;
    }
    if let Err(error) = read(path) {
        let meaning = format!(
            "the daemon does not start with this file: {}",
            ErrorChain(&error)
        );
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
    let problem = match check(&FileStorage, path) {
        Ok(()) => return,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return,
        Err(error) => error,
    };
    let meaning = format!("this derived file is damaged and will be recreated: {problem}");
    let finding = Finding::repairable("derived_broken", path, meaning, Repair::Remove);
    found.push(finding);
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
}
